import { ANONYMOUS } from '../../core/access/actor.ts';
import type { QueriedServices } from '../../core/api/jsonapi/answer.ts';
import { pageUrl } from '../../core/api/page.ts';
import { type WriteRequest, type WriteResponse, writerOf } from '../../core/api/request.ts';
import type { RecordedPage } from '../../core/builder/observe-queries.ts';
import { aliasOf } from '../../core/content/decode/alias.ts';
import { type Entity, languageOf } from '../../core/content/model.ts';
import { writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { translatedBase } from '../../core/read/language-paths.ts';
import type { ApiSettings } from '../../core/read/settings.ts';
import { sitePath } from '../../core/read/site-path.ts';
import { BadParameterError, DomainError } from '../../core/util/errors.ts';
import { publish } from '../../core/write/publish.ts';
import type { ForkedContent } from '../../core/write/writer.ts';
import { pagesWith } from './recorded-pages.ts';
import { renderPage } from './render-page.ts';

/** The content of a preview, and how many queries of the page have asked for it. */
export interface ShownContent {
  readonly reader: QueriedServices;
  /** Collections of Astro that the page reads. Those that show the content count as queries, too. */
  readonly collections: Set<string>;
  queries: number;
}

/** Runs `work`. Pages that it renders show the content. */
export type ShowContent = <T>(content: ShownContent, work: () => Promise<T>) => Promise<T>;

/**
 * Carries out `POST /jsonapi/_preview?path=/articles/moon`: renders a page as it would be after the operations of the body.
 * Without a path, it is the page of the first changed entity. Changed entities are shown as published. Nothing is stored.
 */
export async function previewPage(
  request: WriteRequest,
  show: ShowContent,
  recordedPages?: () => Promise<readonly RecordedPage[]>,
): Promise<WriteResponse> {
  const { services, target, client, writer } = request;
  const { features, settings } = services;
  const parameters = new URLSearchParams(target.query);
  const other = [...parameters.keys()].find((name) => name !== 'path');
  if (other !== undefined) throw new BadParameterError(other, 'A preview has one parameter: path.');
  const given = parameters.get('path');
  if (given !== null && pageUrl(given, target.origin) === undefined) {
    throw new BadParameterError('path', 'path must be a path of this site, such as /articles/moon.');
  }
  const { readOperations } = features;
  if (readOperations === undefined) throw new Error('The feature `operations` is missing.');
  const operations = await readOperations(request);
  // Requests of readers come first. Rejects if the client has gone.
  await request.work.pause();
  const { content, written } = await writer.attempt(writerOf(request), operations);
  const changed = written.flatMap(
    ({ entity }) => content.store.get(entity.type, entity.id, entity.translation) ?? [],
  );
  const access = content.reader.access(request.actor, 'source');
  for (const entity of changed) publish(content, access, entity);
  const path = given ?? pageOf(changed[0], content, settings);
  if (path === undefined) {
    const detail = 'The entry has no page of its own. Name a page that shows it, with path.';
    const [entity] = changed;
    const pages = entity ? pagesWith(entity, request.actor, (await recordedPages?.()) ?? []) : [];
    throw new DomainError('not-found', detail, {
      ...{ code: 'no-page', source: { parameter: 'path' } },
      ...(pages.length > 0 && { meta: { pages } }),
    });
  }
  await request.work.pause();
  const { openPage } = client;
  if (openPage === undefined) {
    throw new DomainError('not-supported', 'This server has no pages: it serves the API only.');
  }
  const reader = { ...content.reader, features };
  const shown: ShownContent = { reader, collections: new Set(), queries: 0 };
  const visitors = { services: reader, access: reader.access(ANONYMOUS), actor: ANONYMOUS };
  const page = await renderPage(
    path,
    target.origin,
    openPage,
    (work) => show(shown, work),
    async (from) => services.findRedirect?.(visitors, from),
  );
  const { queries, collections } = shown;
  const unseen = queries === 0 && collections.size > 0 && { collections: [...collections] };
  const document = { jsonapi: JSONAPI_MEMBER, meta: { page: { ...page, queries, ...unseen } } };
  return {
    outcome: 'changed',
    written: writeJson(document),
    headers: { 'cache-control': 'private, no-store' },
  };
}

/** The path of the page of an entity; undefined without an alias. */
function pageOf(
  entity: Entity | undefined,
  { store }: ForkedContent,
  settings: ApiSettings,
): string | undefined {
  const type = entity && store.types.get(entity.type);
  if (entity === undefined || type === undefined || aliasOf(entity) === null) return undefined;
  return translatedBase(settings, languageOf(entity)) + sitePath(type, entity);
}
