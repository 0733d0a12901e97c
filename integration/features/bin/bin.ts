import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { pageLinks } from '../../core/api/jsonapi/document.ts';
import {
  type ApiRequest,
  addressOf,
  checkMethod,
  checkWithoutLanguage,
  noContent,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import { methodsOf } from '../../core/api/routes.ts';
import { parsePage, parseQuery, rejectParameters } from '../../core/engine/parse/parse-query.ts';
import { parseQueryString } from '../../core/engine/parse/query-string.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { createRequestPager } from '../../core/read/links.ts';
import { isVisible } from '../../core/read/translations.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { BadParameterError, DomainError, NotFoundError, UnauthorizedError } from '../../core/util/errors.ts';
import type { Operation } from '../../core/write/writer.ts';
import { type BinEntry, idOf, mayRestore, readBin } from './entries.ts';
import { purge, reconnect, restore } from './restore.ts';
import { BIN_SEGMENT } from './routes.ts';

/** `GET /jsonapi/_bin`: the deleted entries that the actor could restore, the newest first. */
export async function listBin(request: ApiRequest): Promise<SerializedBody> {
  const { target, services } = request;
  const { page: pageNode, ...others } = parseQueryString(target.query, services.settings.limits);
  rejectParameters(others, ['page']);
  const ignored: string[] = [];
  const page = parsePage(pageNode, services.settings, ignored);
  const [without] = ignored;
  if (without !== undefined) throw new BadParameterError(without, `${without} has no effect here.`);
  const entries = await visibleEntries(request);
  const pager = createRequestPager(addressOf(request, BIN_SEGMENT), target.query);
  const { offset, limit } = page;
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: await Promise.all(entries.slice(offset, offset + limit).map((entry) => resourceOf(request, entry))),
    meta: { count: entries.length },
    links: { self: { href: pager.self }, ...pageLinks(pager, page, entries.length) },
  });
}

/** `GET /jsonapi/_bin/{id}`: also the text of the file, for accounts that can see all fields. */
export async function showInBin(request: ApiRequest): Promise<SerializedBody> {
  const entry = await findEntry(request);
  parseQuery(request.target.query, 'individual', request.services.settings);
  const resource = await resourceOf(request, entry);
  const preview = await previewOf(request, entry);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: { ...resource, attributes: { ...resource.attributes, ...preview } },
    links: { self: resource.links.self },
  });
}

/** The text that a restored file would have, and why it cannot be restored. */
async function previewOf(request: ApiRequest, entry: BinEntry) {
  const { writer } = request.services;
  const operations = partsOf(await visibleEntries(request), entry).map(restore);
  try {
    const files = (await writer?.preview(writerOf(request), operations)) ?? [];
    const after = files.find(({ key }) => key === entry.key)?.after ?? null;
    return { source: after && new TextDecoder().decode(after), problem: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { source: null, problem: error.message };
  }
}

/** `POST /jsonapi/_bin/{id}` restores an entry, `DELETE` removes it for good. */
export async function changeBin(request: WriteRequest): Promise<WriteResponse> {
  const { services, target, writer, method } = request;
  checkMethod(method, methodsOf(target.route));
  const entry = await findEntry(request);
  checkWithoutLanguage(request);
  parseQuery(target.query, 'individual', services.settings);
  const by = writerOf(request);
  const parts = partsOf(await visibleEntries(request), entry);
  const { job } = await writer.perform(by, method === 'DELETE' ? parts.map(purge) : restoreAll(parts));
  return noContent({ job });
}

/** The entry, and the translations that were deleted with it. */
function partsOf(entries: readonly BinEntry[], entry: BinEntry): readonly BinEntry[] {
  if (entry.translation !== undefined) return [entry];
  const { type, id, at } = entry;
  const others = entries.filter((each) => each.type === type && each.id === id && each.at === at);
  return [entry, ...others.filter(({ file }) => file !== entry.file)];
}

function restoreAll(parts: readonly BinEntry[]): readonly Operation[] {
  return [
    ...parts.map(restore),
    ...parts.flatMap((entry) => entry.referrers.map((referrer) => reconnect(entry, referrer))),
  ];
}

async function findEntry(request: ApiRequest): Promise<BinEntry> {
  const [, id = ''] = pathSegments(request.target.rest);
  const entry = (await visibleEntries(request)).find((each) => idOf(each) === id);
  if (entry === undefined) throw new NotFoundError(`The bin has no entry '${id}', or you may not see it.`);
  return entry;
}

async function visibleEntries(request: ApiRequest): Promise<readonly BinEntry[]> {
  checkJsonApiAccept(request.headers.get('accept'));
  if (request.actor.name === null) throw new UnauthorizedError('Sign in to see deleted entries.');
  const { services, access } = request;
  const entries = await readBin(services.fileSources.content);
  return entries.filter((entry) => mayRestore(access, services.store, entry));
}

async function resourceOf(request: ApiRequest, entry: BinEntry) {
  const { access, services } = request;
  const { store } = services;
  const type = store.types.get(entry.type);
  const seesTitle = type === undefined || access.fieldVisible(type, 'title');
  const { at, by, langcode, translation = null } = entry;
  let references = 0;
  for (const { type, id, translation, field } of entry.referrers) {
    const entity = store.get(type, id, translation);
    const fieldType = store.types.get(type);
    if (entity === undefined || fieldType === undefined || !access.fieldVisible(fieldType, field)) continue;
    if (await isVisible({ services, access }, entity)) references += 1;
  }
  return {
    type: 'bin-entry',
    id: idOf(entry),
    attributes: {
      title: seesTitle ? entry.title : null,
      resource: { type: entry.type, id: entry.id },
      langcode,
      translation,
      deleted: at,
      deleted_by: by,
      references,
    },
    links: { self: { href: addressOf(request, BIN_SEGMENT, idOf(entry)) } },
  };
}
