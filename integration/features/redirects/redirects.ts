import { z } from 'zod';
import { allowsEverything } from '../../core/access/access.ts';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readDocument } from '../../core/api/jsonapi/deserialize.ts';
import { createRouteMatcher } from '../../core/api/match-route.ts';
import {
  type ApiRequest,
  addressOf,
  checkPlainChange,
  noContent,
  type RouteHandlers,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import { addressOf as withoutSlash } from '../../core/content/decode/alias.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { sitePath } from '../../core/read/site-path.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { withJobs } from '../../core/server/jobs.ts';
import {
  ConflictError,
  ForbiddenError,
  InvalidEntityError,
  NotFoundError,
  UnauthorizedError,
} from '../../core/util/errors.ts';
import { digestText } from '../../core/util/revision.ts';
import { changeOfFiles } from '../../core/write/change-of-files.ts';
import { badBody } from '../../core/write/request-json.ts';
import type { Operation } from '../../core/write/writer.ts';
import { createProblemFinder } from './problems.ts';
import {
  editRedirects,
  fromFault,
  MAX_FROM,
  parseRedirects,
  type Redirect,
  type RedirectFile,
  readRedirects,
  toFault,
} from './redirect-file.ts';
import { REDIRECTS_FILE, REDIRECTS_SEGMENT } from './routes.ts';

export const LIST_HANDLERS: RouteHandlers = {
  redirects: { answer: listRedirects, write: withJobs(addRedirect) },
  'redirect-entry': { answer: listRedirects, write: withJobs(removeRedirect) },
};

/** `GET /jsonapi/_redirects`: all redirects, by old address. */
async function listRedirects(request: ApiRequest): Promise<SerializedBody> {
  checkJsonApiAccept(request.headers.get('accept'));
  checkMay(request);
  const { fileSources, store, settings } = request.services;
  parseQuery(request.target.query, 'individual', settings);
  const file = await readRedirects(fileSources.content);
  const problemOf = createProblemFinder({ store, settings }, file);
  const sorted = [...file.redirects.values()].sort((a, b) => (a.from < b.from ? -1 : 1));
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: sorted.map((redirect) => {
      const { from, to, target } = redirect;
      const entity = target.kind === 'entity' ? store.get(target.type, target.id) : undefined;
      const type = entity && store.types.get(entity.type);
      const title = entity?.values.title;
      return {
        type: RESOURCE_TYPE,
        id: idOf(redirect),
        attributes: {
          from,
          to,
          resource: target.kind === 'entity' ? { type: target.type, id: target.id } : null,
          title: typeof title === 'string' ? title : null,
          address: entity && type ? sitePath(type, entity) : null,
          problem: problemOf(redirect) ?? null,
        },
        links: { self: { href: addressOf(request, REDIRECTS_SEGMENT, idOf(redirect)) } },
      };
    }),
    meta: { count: sorted.length, readable: file.isReadable },
    links: { self: { href: addressOf(request, REDIRECTS_SEGMENT) } },
  });
}

const RESOURCE_TYPE = 'redirect';

/** UTF-16 units of an address. Browsers and hosts have similar limits. */
const MAX_LENGTH = 2000;

const addition = z.object({
  data: z.object({
    type: z.literal(RESOURCE_TYPE),
    attributes: z.object({ from: z.string().max(MAX_FROM), to: z.string().max(MAX_LENGTH) }),
  }),
});

/** `POST /jsonapi/_redirects` adds a redirect. */
async function addRedirect(request: WriteRequest): Promise<WriteResponse> {
  checkRequest(request);
  const { data, error } = addition.safeParse(readDocument(await request.body('bodyBytes')));
  const [issue] = error?.issues ?? [];
  if (issue !== undefined) throw badBody(`${issue.message}.`, `/${issue.path.join('/')}`);
  const { to, ...attributes } = data!.data.attributes;
  const from = withoutSlash(attributes.from);
  const [fromProblem, toProblem] = [fromFault(from), toFault(to)];
  if (fromProblem !== undefined) throw badBody(fromProblem, '/data/attributes/from');
  if (toProblem !== undefined) throw badBody(toProblem, '/data/attributes/to');
  const { store, settings, features } = request.services;
  const { base, siteBase = base } = settings;
  const isServed = createRouteMatcher(features.routes, settings)(`http://localhost${siteBase}${from}`);
  if (isServed !== undefined) {
    const detail = `The API or the admin has the address '${from}', so a redirect from it would never be used.`;
    throw new InvalidEntityError([{ detail, source: { pointer: '/data/attributes/from' } }]);
  }
  const operation = change((file) => {
    if (file.redirects.has(from))
      throw conflict('from', 'redirect-exists', `There is a redirect from '${from}' already.`);
    const bytes = editRedirects(file, new Map([[from, to]]));
    const next = parseRedirects(new TextDecoder().decode(bytes));
    const problem = createProblemFinder({ store, settings }, next)(next.redirects.get(from)!);
    if (problem === 'hidden') throw conflict('from', 'redirect-hidden', `A page has the address '${from}'.`);
    if (problem === 'loop')
      throw conflict('to', 'redirect-loop', `The redirect would lead back to '${from}'.`);
    if (problem === 'missing') throw conflict('to', 'redirect-missing', `'${to}' does not exist.`);
    return bytes;
  });
  return noContent(await request.writer.perform(writerOf(request), [operation]));
}

/** `DELETE /jsonapi/_redirects/{id}` */
async function removeRedirect(request: WriteRequest): Promise<WriteResponse> {
  checkRequest(request);
  const [, id = ''] = pathSegments(request.target.rest);
  const operation = change((file) => {
    const found = [...file.redirects.values()].find((redirect) => idOf(redirect) === id);
    if (found === undefined) throw new NotFoundError(`The redirect '${id}' does not exist.`);
    return editRedirects(file, new Map([[found.from, undefined]]));
  });
  return noContent(await request.writer.perform(writerOf(request), [operation]));
}

function change(edited: (file: RedirectFile) => Uint8Array): Operation {
  return {
    async run({ files }) {
      await files.write(REDIRECTS_FILE, edited(await readRedirects(files)));
      return changeOfFiles([REDIRECTS_FILE]);
    },
  };
}

function conflict(name: string, code: string, detail: string): ConflictError {
  return new ConflictError(detail, { pointer: `/data/attributes/${name}` }, { code });
}

/** The id of a redirect in addresses. */
function idOf({ from }: Redirect): string {
  return digestText(from).slice(0, 16);
}

function checkRequest(request: WriteRequest): void {
  checkPlainChange(request);
  checkMay(request);
}

/** Redirects name entries of all types, so they are for accounts that may see and change all content. */
function checkMay({ actor, access, services: { store } }: ApiRequest): void {
  if (actor.name === null) throw new UnauthorizedError('Sign in to see redirects.');
  if (!allowsEverything(access, 'update', store))
    throw new ForbiddenError('Redirects are for accounts that may change all content.');
}
