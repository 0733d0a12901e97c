import { z } from 'zod';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readJsonApi } from '../../core/api/jsonapi/answer.ts';
import { checkJsonApiBody } from '../../core/api/media-type.ts';
import { pageUrl } from '../../core/api/page.ts';
import {
  type ApiRequest,
  addressOf,
  checkWithoutLanguage,
  noContent,
  type RouteHandlers,
  type WriteRequest,
  type WriteResponse,
} from '../../core/api/request.ts';
import { aliasOf } from '../../core/content/decode/alias.ts';
import { type Entity, languageOf } from '../../core/content/model.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { translatedBase } from '../../core/read/language-paths.ts';
import { sitePath } from '../../core/read/site-path.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import {
  ConflictError,
  DomainError,
  InvalidEntityError,
  NotFoundError,
  UnauthorizedError,
} from '../../core/util/errors.ts';
import { isRecord } from '../../core/util/json.ts';
import { randomId } from '../../core/util/secret.ts';
import { badBody, readJson } from '../../core/write/request-json.ts';
import { SHARED_PATH, SHARES_SEGMENT } from './routes.ts';
import { accountOf, type ShareDeps, type ShareLink } from './share-store.ts';
import { signShare } from './share-token.ts';
import { openSharedContent, type SharedContent } from './shared-content.ts';
import { withSlash } from './shared-path.ts';

const DAY_SECONDS = 24 * 3600;
/** Days for which a link works at most. */
export const MOST_DAYS = 30;
/** Links of one account at the same time. */
export const MOST_LINKS = 100;
/** UTF-16 units of an encoded path. */
const MOST_PATH_UNITS = 2000;

const attributesSchema = z.strictObject({
  resource: z.strictObject({ type: z.string(), id: z.string(), translation: z.string().nullish() }),
  version: z.enum(['draft', 'entry']).default('entry'),
  path: z.string().max(MOST_PATH_UNITS).nullish(),
  /** By the clock of the server, which that of a browser can be ahead of. */
  days: z.int().optional(),
  expires: z.iso.datetime({ offset: true }).optional(),
});

/** The links that an account has made. Those who administer accounts see and revoke all of them. */
export function createSharesApi(deps: ShareDeps): RouteHandlers {
  const { store, now, members } = deps;
  const seconds = () => Math.floor(now() / 1000);

  const ownerOf = async ({ actor: { name } }: ApiRequest): Promise<Owner> => ({
    maker: name ?? '',
    account: name === null ? undefined : accountOf(await members().find(name)),
  });

  async function list(request: ApiRequest): Promise<SerializedBody> {
    checkSender(request);
    const [data, owner] = [await store.read(), await ownerOf(request)];
    const links = (data?.links ?? [])
      .filter((link) => link.expires > seconds() && maySee(request, link, owner))
      .toSorted((one, other) => other.created - one.created);
    return writeJson({
      jsonapi: JSONAPI_MEMBER,
      data: links.map((link) => resourceOf(request, link, isBy(owner, link) ? data?.key : undefined)),
      meta: { count: links.length },
      links: { self: { href: addressOf(request, SHARES_SEGMENT) } },
    });
  }

  async function add(request: WriteRequest): Promise<WriteResponse> {
    const { services, actor } = request;
    checkSender(request);
    checkWithoutLanguage(request);
    const { resource, version, path: given, days, expires } = await readAttributes(request);
    const start = seconds();
    const { type, id: entry, translation } = resource;
    const source = services.store.get(type, entry);
    const isSource = translation == null || (source !== undefined && languageOf(source) === translation);
    const state = { type, entry, translation: isSource ? undefined : translation, version };
    if (days !== undefined && expires !== undefined)
      throw invalid('days', 'A link has `days` or `expires`, not both.');
    const end =
      expires === undefined ? start + (days ?? 1) * DAY_SECONDS : Math.floor(Date.parse(expires) / 1000);
    if (end <= start || end > start + MOST_DAYS * DAY_SECONDS) {
      throw invalid(
        days === undefined ? 'expires' : 'days',
        `A link works for at most ${MOST_DAYS} days, from now on.`,
      );
    }
    const content = await openSharedContent({ ...state, services, maker: actor });
    const pointer = '/data/attributes/resource';
    if (content.entity === undefined || content.version !== version) {
      throw new NotFoundError('There is no such entry, or you may not see it.', { pointer });
    }
    if (!content.isHidden) {
      const detail = 'This version of the entry is published. Share the address of its page.';
      throw new ConflictError(detail, { pointer }, { code: 'already-published' });
    }
    const first = given ?? pageOf(request, content, content.entity);
    if (first === undefined) {
      const detail = 'The entry has no page of its own. Name a page that shows it, with path.';
      throw new DomainError('not-found', detail, {
        code: 'no-page',
        source: { pointer: '/data/attributes/path' },
      });
    }
    const path = normalPath(first, request);
    const owner = await ownerOf(request);
    const link: ShareLink = {
      ...{ id: randomId(9), ...owner, type, entry, version, path },
      ...(state.translation !== undefined && { translation: state.translation }),
      ...{ created: start, expires: end },
    };
    const key = await store.change(({ links, key: own }) => {
      const valid = links.filter((each) => each.expires > seconds());
      if (valid.filter((each) => isBy(owner, each)).length >= MOST_LINKS) {
        throw new InvalidEntityError([
          {
            detail: `You have ${MOST_LINKS} links already. Revoke some of them first.`,
            source: { pointer: '/data' },
          },
        ]);
      }
      return { links: [...valid, link], result: own };
    });
    const data = resourceOf(request, link, key);
    return {
      outcome: 'created',
      written: writeJson({ jsonapi: JSONAPI_MEMBER, data, links: data.links }),
      headers: { location: data.links.self.href, 'cache-control': 'private, no-store' },
    };
  }

  async function revoke(request: WriteRequest): Promise<WriteResponse> {
    checkSender(request);
    const [, id = ''] = pathSegments(request.target.rest);
    const owner = await ownerOf(request);
    await store.change(({ links }) => {
      const link = links.find((each) => each.id === id);
      if (link === undefined || !maySee(request, link, owner)) {
        throw new NotFoundError('There is no such link, or you may not see it.');
      }
      return { links: links.filter((each) => each !== link), result: undefined };
    });
    return noContent({});
  }

  const noStore = { 'cache-control': 'private, no-store' };
  return {
    shares: { answer: async (request) => ({ ...(await list(request)), headers: noStore }), write: add },
    share: { answer: readJsonApi, write: revoke },
  };
}

function checkSender({ actor, headers, target, services }: ApiRequest): void {
  checkJsonApiAccept(headers.get('accept'));
  if (actor.name === null) throw new UnauthorizedError('Sign in to share entries.');
  parseQuery(target.query, 'individual', services.settings);
}

type Owner = Pick<ShareLink, 'maker' | 'account'>;

function isBy(owner: Owner, { maker, account }: Owner): boolean {
  return maker === owner.maker && account === owner.account;
}

function maySee({ access }: ApiRequest, link: ShareLink, owner: Owner): boolean {
  return isBy(owner, link) || access.has('administer accounts');
}

async function readAttributes(request: WriteRequest): Promise<z.output<typeof attributesSchema>> {
  checkJsonApiBody(request);
  const document = readJson(await request.body('bodyBytes'));
  const data = isRecord(document) ? document.data : undefined;
  if (!isRecord(data) || data.type !== 'share') throw badBody("`data` must have the type 'share'.", '/data');
  const { data: attributes, error } = attributesSchema.safeParse(data.attributes);
  if (attributes !== undefined) return attributes;
  const [{ path = [], message } = { message: '' }] = error.issues;
  throw badBody(`${message}.`, `/data/attributes${path.map((step) => `/${String(step)}`).join('')}`);
}

function invalid(name: string, detail: string): InvalidEntityError {
  return new InvalidEntityError([{ detail, source: { pointer: `/data/attributes/${name}` } }]);
}

/** The path in the form of the site's addresses, percent-encoded. */
function normalPath(path: string, { services, target }: ApiRequest): string {
  const url = pageUrl(path, target.origin);
  if (url === undefined) throw invalid('path', '`path` must be a path of this site, such as /articles/moon.');
  const { pathname, search, hash } = url;
  const normal = withSlash(pathname, services.settings.trailingSlash) + search + hash;
  if (normal.length <= MOST_PATH_UNITS) return normal;
  throw invalid('path', `\`path\` may have ${MOST_PATH_UNITS} characters when it is percent-encoded.`);
}

/** The page of an entry; undefined without an alias. */
function pageOf({ services }: ApiRequest, { store }: SharedContent, entity: Entity): string | undefined {
  const type = store.types.get(entity.type);
  if (type === undefined || aliasOf(entity) === null) return undefined;
  return translatedBase(services.settings, languageOf(entity)) + sitePath(type, entity);
}

/** `key` is undefined for the link of another account. */
function resourceOf(request: ApiRequest, link: ShareLink, key: string | undefined) {
  const { services, target } = request;
  const { base, siteBase = base } = services.settings;
  const { id, maker, type, entry, translation, version, path, created, expires } = link;
  const token = key && signShare({ ...link, translation }, key);
  const self = { href: addressOf(request, SHARES_SEGMENT, id) };
  return {
    type: 'share',
    id,
    attributes: {
      resource: { type, id: entry, translation: translation ?? null },
      ...{ version, path, maker },
      created: timeOf(created),
      expires: timeOf(expires),
      /** Null for the link of another account. */
      url: token ? `${target.origin}${siteBase}${SHARED_PATH}/${token}${path}` : null,
    },
    links: { self },
  };
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
