import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readDocument } from '../../core/api/jsonapi/deserialize.ts';
import { pageLinks } from '../../core/api/jsonapi/document.ts';
import {
  type ApiRequest,
  addressOf,
  checkPlainChange,
  noContent,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import { parsePage, parseQuery, rejectParameters } from '../../core/engine/parse/parse-query.ts';
import {
  isValues,
  lastValue,
  leafNames,
  parseQueryString,
  type QueryNode,
  type QueryTree,
} from '../../core/engine/parse/query-string.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { createRequestPager } from '../../core/read/links.ts';
import { isVisible } from '../../core/read/translations.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { BadParameterError, DomainError, NotFoundError, UnauthorizedError } from '../../core/util/errors.ts';
import { isRecord, type JsonValue } from '../../core/util/json.ts';
import { badBody } from '../../core/write/request-json.ts';
import type { Operation } from '../../core/write/writer.ts';
import { type BinEntry, idOf, mayRestore, readBin } from './entries.ts';
import { purge, reconnect, restore } from './restore.ts';
import { BIN_SEGMENT } from './routes.ts';

/** `GET /jsonapi/_bin`: the deleted entries that the actor could restore, the newest first. */
export async function listBin(request: ApiRequest): Promise<SerializedBody> {
  const { target, services } = request;
  const { filter, page: pageNode, ...others } = parseQueryString(target.query, services.settings.limits);
  rejectParameters(others, ['filter', 'page']);
  const ignored: string[] = [];
  const page = parsePage(pageNode, services.settings, ignored);
  const [without] = ignored;
  if (without !== undefined) throw new BadParameterError(without, `${without} has no effect here.`);
  const wanted = readFilter(filter);
  const groups = groupsOf(await visibleEntries(request)).filter(([entry]) => wanted(entry));
  const pager = createRequestPager(addressOf(request, BIN_SEGMENT), target.query);
  const { offset, limit } = page;
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: await Promise.all(groups.slice(offset, offset + limit).map((group) => resourceOf(request, group))),
    meta: { count: groups.length },
    links: { self: { href: pager.self }, ...pageLinks(pager, page, groups.length) },
  });
}

/** `filter[type]=…&filter[id]=…`: the type and the id that an entry had. */
function readFilter(node: QueryNode | undefined): (entry: BinEntry) => boolean {
  const tree: QueryTree = node === undefined ? {} : isValues(node) ? { '': node } : node;
  const name = Object.keys(tree).find((key) => key !== 'type' && key !== 'id');
  if (name !== undefined) {
    const [parameter = 'filter'] = leafNames(tree[name] ?? [], name === '' ? ['filter'] : ['filter', name]);
    throw new BadParameterError(parameter, 'Filter by the former address: filter[type]=…&filter[id]=….');
  }
  const [type, id] = [lastValue(tree.type), lastValue(tree.id)];
  return (entry) => (type === undefined || entry.type === type) && (id === undefined || entry.id === id);
}

/** `GET /jsonapi/_bin/{id}`: also the text of the file, for accounts that can see all fields. */
export async function showInBin(request: ApiRequest): Promise<SerializedBody> {
  const group = findGroup(await visibleEntries(request), addressedId(request));
  parseQuery(request.target.query, 'individual', request.services.settings);
  const resource = await resourceOf(request, group);
  const preview = await previewOf(request, group);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: { ...resource, attributes: { ...resource.attributes, ...preview } },
    links: { self: resource.links.self },
  });
}

/** The text that a restored file would have, and why it cannot be restored. */
async function previewOf(request: ApiRequest, group: Group) {
  const { writer } = request.services;
  try {
    const files = (await writer?.preview(writerOf(request), group.map(restore))) ?? [];
    const after = files.find(({ key }) => key === group[0].key)?.after ?? null;
    return { source: after && new TextDecoder().decode(after), problem: null };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, meta } = error.details;
    return { source: null, problem: error.message, ...(code && { problem_code: code, problem_meta: meta }) };
  }
}

/** `POST /jsonapi/_bin/{id}` restores an entry, `DELETE` removes it for good. */
export async function changeBin(request: WriteRequest): Promise<WriteResponse> {
  checkPlainChange(request);
  const group = findGroup(await visibleEntries(request), addressedId(request));
  const operations = request.method === 'DELETE' ? group.map(purge) : restoreAll(group);
  return noContent(await request.writer.perform(writerOf(request), operations));
}

/** `POST /jsonapi/_bin` restores all entries that the document identifies, or none of them. */
export async function restoreSeveral(request: WriteRequest): Promise<WriteResponse> {
  checkPlainChange(request);
  const ids = readIds(await request.body('bodyBytes'), request.services.settings.limits.operations);
  const entries = await visibleEntries(request);
  const chosen = new Set(ids.flatMap((id) => findGroup(entries, id)));
  return noContent(await request.writer.perform(writerOf(request), restoreAll([...chosen])));
}

function readIds(text: string, most: number): readonly string[] {
  const { data } = readDocument(text);
  if (!Array.isArray(data) || data.length === 0) {
    throw badBody('`data` must be an array with at least one resource identifier.', '/data');
  }
  if (data.length > most) throw badBody(`A request can restore ${most} entries at most.`, `/data/${most}`);
  return data.map((each: JsonValue, index) => {
    if (isRecord(each) && each.type === RESOURCE_TYPE && typeof each.id === 'string') return each.id;
    throw badBody(`An identifier here has the type '${RESOURCE_TYPE}' and an id.`, `/data/${index}`);
  });
}

/** An entry, and the translations that were deleted with it. */
type Group = readonly [BinEntry, ...BinEntry[]];

function groupsOf(entries: readonly BinEntry[]): readonly Group[] {
  const deletions = Map.groupBy(entries, ({ type, id, at }) => JSON.stringify([type, id, at]));
  return [...deletions.values()].flatMap((deletion): Group[] => {
    const source = deletion.find(({ translation }) => translation === undefined);
    if (source === undefined) return deletion.map((entry): Group => [entry]);
    return [[source, ...deletion.filter((entry) => entry !== source)]];
  });
}

function restoreAll(entries: readonly BinEntry[]): readonly Operation[] {
  return [
    ...entries.map(restore),
    ...entries.flatMap((entry) => entry.referrers.map((referrer) => reconnect(entry, referrer))),
  ];
}

function addressedId({ target }: ApiRequest): string {
  const [, id = ''] = pathSegments(target.rest);
  return id;
}

function findGroup(entries: readonly BinEntry[], id: string): Group {
  const found = groupsOf(entries).find((group) => group.some((entry) => idOf(entry) === id));
  const entry = found?.find((each) => idOf(each) === id);
  if (found === undefined || entry === undefined) {
    throw new NotFoundError(`The bin has no entry '${id}', or you may not see it.`);
  }
  return entry === found[0] ? found : [entry];
}

async function visibleEntries(request: ApiRequest): Promise<readonly BinEntry[]> {
  checkJsonApiAccept(request.headers.get('accept'));
  if (request.actor.name === null) throw new UnauthorizedError('Sign in to see deleted entries.');
  const { services, access } = request;
  const entries = await readBin(services.fileSources.content);
  return entries.filter((entry) => mayRestore(access, services.store, entry));
}

const RESOURCE_TYPE = 'bin-entry';

async function resourceOf(request: ApiRequest, [entry, ...others]: Group) {
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
    type: RESOURCE_TYPE,
    id: idOf(entry),
    attributes: {
      title: seesTitle ? entry.title : null,
      resource: { type: entry.type, id: entry.id },
      langcode,
      translation,
      translations: others.flatMap((other) => other.translation ?? []),
      deleted: at,
      deleted_by: by,
      references,
    },
    links: { self: { href: addressOf(request, BIN_SEGMENT, idOf(entry)) } },
  };
}
