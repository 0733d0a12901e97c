import { type Actor, ANONYMOUS } from '../../access/actor.ts';
import type { ResourceType } from '../../content/model.ts';
import { checkQueryLength } from '../../engine/limits.ts';
import type { EntityStore } from '../../engine/store/entity-store.ts';
import {
  type ComposedDocument,
  parseSerialized,
  type SerializedBody,
  type Streamed,
  serializable,
  writeDocument,
} from '../../read/compose.ts';
import type { DataDocument } from '../../read/document-types.ts';
import { findType } from '../../read/find.ts';
import { prefixedSettings, splitLanguage } from '../../read/language-paths.ts';
import { openDocument } from '../../read/large-document.ts';
import { createRequestPager, sizeParameter } from '../../read/links.ts';
import type { Reader } from '../../read/reader.ts';
import { requestLanguage } from '../../read/request-language.ts';
import { pathSegments, splitPath } from '../../read/url-path.ts';
import { NotFoundError } from '../../util/errors.ts';
import { loadCode } from '../../util/lazy-code.ts';
import { checkJsonApiAccept, profilesInAccept } from '../accept.ts';
import type { ReadRequest, ServedFeatures, Services } from '../request.ts';
import { type JsonApiContext, withLinks } from './context.ts';
import { collectionDocument, parseList } from './document.ts';

/**
 * The document that the server returns for a path below `/jsonapi`, such as `/node/article?filter[title]=x`. The path may
 * include the prefix, also below that of a language. Links are relative to the site. Throws the DomainError that a request
 * would fail with.
 */
export async function answer(
  services: QueriedServices,
  path: string,
  { actor = ANONYMOUS }: { readonly actor?: Actor } = {},
): Promise<DataDocument> {
  const { langcode, path: plain } = splitLanguage(services.settings, path);
  const settings = langcode === undefined ? services.settings : prefixedSettings(services.settings, langcode);
  const { segments, query } = splitPath(plain, settings);
  checkQueryLength(path.length, settings.limits);
  const language = requestLanguage(settings.languages, query, langcode);
  const access = services.access(actor, language);
  const context = { services: { ...services, settings }, access, actor, language };
  const document = await readDocument(services.features, withLinks(context, ''), segments, query);
  return parseSerialized(await writeDocument(document));
}

/** What queries of the site's own code use. */
export type QueriedServices = Reader & Pick<Services, 'features'>;

/** The response to `GET` of a path below `/jsonapi`. */
export async function readJsonApi(request: ReadRequest): Promise<SerializedBody | Streamed> {
  const { services, target, headers, work } = request;
  const accept = headers.get('accept');
  checkJsonApiAccept(accept);
  const { limits } = services.settings;
  const context = withLinks(request, target.origin);
  const document = serializable(
    await readDocument(
      services.features,
      context,
      pathSegments(target.rest),
      target.query,
      profilesInAccept(accept),
    ),
  );
  return openDocument(document, { limits, work, parameter: sizeParameter(target.query) });
}

/**
 * The document at decoded path segments below `/jsonapi`, for a query string without `?`. `profiles` are those that the client
 * asks for.
 */
async function readDocument(
  features: ServedFeatures,
  context: JsonApiContext,
  segments: readonly string[],
  query: string,
  profiles: readonly string[] = [],
): Promise<ComposedDocument> {
  const { services, addresses: links } = context;
  const [entityType, bundle, ...below] = segments;
  if (entityType === undefined) {
    const { readEntry } = await loadCode(() => import('./entry.ts'));
    return readEntry(context, query);
  }
  const write = await features.findDocument(services, segments);
  if (write !== undefined) return write(context, query);
  const type = findCollection(services.store, entityType, bundle);
  if (below.length === 0) {
    const pager = createRequestPager(links.collection(type), query);
    const plain = profiles.length === 0 ? await parseList(context, type, query) : undefined;
    // Cursors are ignored here.
    if (plain?.ignored.length === 0) return collectionDocument(context, [type], plain, pager);
    const { profiledCollection } = await loadCode(() => import('./profiles.ts'));
    return profiledCollection(context, type, query, pager, profiles);
  }
  const { readBelow } = await loadCode(() => import('./resource.ts'));
  return readBelow(context, type, below, query);
}

/** The type of the collection at `/node/article`. Throws NotFoundError. */
export function findCollection(
  store: EntityStore,
  entityType: string,
  bundle: string | undefined,
): ResourceType {
  if (bundle !== undefined) return findType(store, entityType, bundle);
  throw new NotFoundError(`Nothing exists at '/${entityType}'. Collections are at /<entity type>/<bundle>.`);
}
