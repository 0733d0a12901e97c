import type { Access } from '../../core/access/access.ts';
import type { Actor } from '../../core/access/actor.ts';
import { checkJsonAccept } from '../../core/api/accept.ts';
import { methodsAt, REST_ADDRESSES } from '../../core/api/addresses.ts';
import { pagesAround } from '../../core/api/jsonapi/document.ts';
import type { ApiRequest, ReadRequest, StoredBody } from '../../core/api/request.ts';
import { methodsFor, READING_METHODS } from '../../core/api/routes.ts';
import {
  bodyLength,
  type Entity,
  type FieldDefinition,
  languageOf,
  type ResourceType,
} from '../../core/content/model.ts';
import { shortTypeName } from '../../core/content/resource-type.ts';
import type { Page } from '../../core/engine/ast.ts';
import { inOrder, searchedTexts } from '../../core/engine/resolve/resolve-filter.ts';
import { type SerializedBody, type Streamed, writeJson } from '../../core/read/compose.ts';
import { facetCounts } from '../../core/read/facets.ts';
import { fileField, findEntity } from '../../core/read/find.ts';
import { findVersion } from '../../core/read/find-version.ts';
import { createFlattener } from '../../core/read/flatten.ts';
import { MEMBER_BYTES } from '../../core/read/fragment.ts';
import { openDocument } from '../../core/read/large-document.ts';
import { offeredVersions } from '../../core/read/past.ts';
import type { Reader, ResourceWriter } from '../../core/read/reader.ts';
import type { ResponseWork } from '../../core/read/response-limiter.ts';
import { searchMeta } from '../../core/read/search-meta.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';
import { translationLinks, visibleTranslations } from '../../core/read/translations.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { BadParameterError } from '../../core/util/errors.ts';
import type { JsonValue } from '../../core/util/json.ts';
import { digestText } from '../../core/util/revision.ts';
import { translatableInto, writableFields } from '../../core/write/permissions.ts';
import { findListed, type Listed } from './find-listed.ts';
import { type BundleNames, createBundleNames } from './names.ts';
import { parseRestQuery, type RestQuery } from './parse-rest.ts';
import { createRestServerLinks, type RestLinks } from './rest-links.ts';

interface RestContext {
  readonly services: Reader;
  readonly access: Access;
  readonly links: RestLinks;
  /** Anonymous by default. Only anonymous actors are asked to sign in. */
  readonly actor?: Actor;
  /** Makes a large list in slices. */
  readonly work?: ResponseWork;
  /** Full hash of the commit, for a past version. */
  readonly commit?: string;
}

/** The address of a request to `/api/content`: its type, the decoded segments after it, and its links. */
export function openRest({ services, access, target }: ApiRequest) {
  const names = createBundleNames(services.store.types.values(), services.settings.plurals);
  const [name = '', ...below] = pathSegments(target.rest);
  return {
    type: names.find(name),
    below,
    /** Links with the parameters of a query string. */
    linksWith: (query: string) =>
      createRestServerLinks(services.settings, names, { ...target, query }, access),
  };
}

/** The response to `GET /api/content`. */
export async function readBundles(request: ReadRequest): Promise<SerializedBody> {
  const { services, access, target, headers } = request;
  checkJsonAccept(headers.get('accept'));
  const { fields, ignored } = parseRestQuery(target.query, 'entity', services.settings);
  const names = createBundleNames(services.store.types.values(), services.settings.plurals);
  const links = createRestServerLinks(services.settings, names, target, access);
  const ineffective = fields === undefined ? ignored : [...ignored, 'fields'];
  return writeJson(bundlesDocument({ services, access, links }, names, ineffective));
}

/** The bundles of which the actor may see entities. */
export function bundlesDocument(
  { services, access, links }: RestContext,
  names: BundleNames,
  ignored: readonly string[] = [],
) {
  const types = [...services.store.types.values()].filter((type) => access.filterFor('view', type) !== false);
  return {
    data: types.map((type) => ({
      type: shortTypeName(type.name),
      name: names.plural(type),
      links: { self: links.list(type).self },
    })),
    ...(ignored.length > 0 && { meta: { ignored } }),
    links: { self: links.entry() },
  };
}

/** The response to `GET /{type}`, `/{type}/{id}` or `/{type}/{id}/{field}` below `/api/content`. */
export async function readRest(request: ReadRequest): Promise<SerializedBody | Streamed> {
  const { services, access, actor, work, target, headers } = request;
  checkJsonAccept(headers.get('accept'));
  const { type, below, linksWith } = openRest(request);
  const { settings } = services;
  const context = { services, access, actor, work, links: linksWith(target.query) };
  if (below.length === 0) {
    const list = await listDocument(context, type, parseRestQuery(target.query, 'list', settings));
    const language = access.languages?.[0];
    return openDocument(
      { members: { ...list }, language },
      { limits: settings.limits, work, parameter: 'limit' },
    );
  }
  const parsed = parseRestQuery(target.query, 'resource', settings);
  const listed = await findListed(services, access, type, below);
  const version = await findVersion(context, listed.entity, parsed.version);
  if (version === undefined) return writeListed(context, type, listed, parsed);
  const { entity, name: _, ...own } = version;
  return { ...(await writeListed({ ...context, ...own }, type, { ...listed, entity }, parsed)), past: true };
}

/**
 * The document of an entity, or of a list in one of its fields. Its tag depends on the content and not on the address, so
 * that reading and changing an entity return the same tag.
 */
export async function writeListed(
  context: RestContext,
  type: ResourceType,
  listed: Listed,
  query: EntityQuery,
): Promise<SerializedBody> {
  const document =
    listed.kind === 'individual'
      ? await entityDocument(context, type, listed.entity, query)
      : await fieldDocument(context, type, listed.entity, listed.field, query);
  const { data, meta } = document;
  const language = context.access.languages && languageOf(listed.entity);
  return { ...writeJson(document), tag: digestText(JSON.stringify([data, meta])), language };
}

/** The response to an upload. `entity` is null for a file of a new entity. */
export function fileDocument(
  { services, access, links }: RestContext,
  type: ResourceType,
  entity: Entity | null,
  file: Pick<StoredBody, 'attributes' | 'location'>,
  { fields, ignored }: EntityQuery,
) {
  const ineffective = fields === undefined ? ignored : [...ignored, 'fields'];
  const meta = {
    ...(entity && { revision: services.fragments.revision({ services, access }, entity) }),
    ...(ineffective.length > 0 && { ignored: ineffective }),
  };
  return {
    data: file.attributes,
    ...(Object.keys(meta).length > 0 && { meta }),
    links: { self: file.location, ...(entity && { entity: links.entity(type, entity.id) }) },
  };
}

/**
 * The methods of an address, the fields that the actor may set on a new entity or change on this one, and the versions
 * for `resourceVersion`, newest first, unless the actor may not see all. Throws NotFoundError if nothing is there.
 */
export async function restOptions(request: ReadRequest) {
  const { services, access, headers } = request;
  checkJsonAccept(headers.get('accept'));
  const { type, below } = openRest(request);
  const writes = services.writer !== null;
  const takesFiles = writes && services.features.uploads !== undefined;
  const file = takesFiles ? fileField(access, type, below) : undefined;
  if (file !== undefined && (below.length === 1 || !file.list)) {
    if (below.length > 1) await findEntity(services, access, type, below.slice(0, -1));
    return { meta: { allow: methodsAt(REST_ADDRESSES.upload) } };
  }
  const listed = below.length === 0 ? undefined : await findListed(services, access, type, below);
  // New entities have no language in their address.
  const isWritable = writes && (listed !== undefined || request.language === undefined);
  const allow = isWritable ? methodsAt(REST_ADDRESSES[listed?.kind ?? 'collection']) : READING_METHODS;
  if (listed?.kind === 'list') return { meta: { allow } };
  const writable = isWritable ? writableFields(access, type, listed?.entity) : [];
  const versions = listed && (await offeredVersions({ services, access }, type, listed.entity));
  const translatable =
    isWritable && listed && (await translatableInto({ services, access }, type, listed.entity));
  const attributes = writable.map(({ name }) => name);
  return {
    meta: {
      allow: listed === undefined ? allow : methodsFor(allow, access, listed.entity),
      attributes,
      ...(translatable && { translatable }),
      ...(versions && { versions }),
    },
  };
}

/** One page of a bundle, without bodies unless `fields` has `body`. `limit` is 0 if everything is on one page. An empty list has one page. */
export async function listDocument(context: RestContext, type: ResourceType, query: RestQuery) {
  const { services, access, links, work } = context;
  const { filter, sort, facets, page: number, limit } = query;
  checkFields(type, access, query.fields);
  const fields = query.fields ?? fieldsOfLists(type, access);
  const page: Page = { offset: number === 1 ? 0 : (number - 1) * limit, limit };
  if (!Number.isFinite(page.offset)) {
    throw new BadParameterError('page', 'With limit=0, everything is on page 1.');
  }
  if (!Number.isFinite(limit)) await work?.acquireSlot();
  const result = await services.engine.run(
    type,
    inOrder([type], { filter, sort, page, facets }, access),
    access,
  );
  const { entities, count } = result;
  const texts = searchedTexts(filter, 'highlight');
  const pager = links.list(type);
  const around = Object.entries(pagesAround(page, count)).map(([name, other]): [string, string] => [
    name,
    pager.at(other.offset / limit + 1),
  ]);
  return {
    data: { entities, ...flatWriter(context, type, fields) },
    meta: {
      page: number,
      limit: Number.isFinite(limit) ? limit : 0,
      count,
      pages: Math.max(1, Math.ceil(count / limit)),
      ...(result.facets && { facets: await facetCounts(services, access, facets, result.facets) }),
      ...(texts.length > 0 && (await searchMeta(context, texts, entities))),
      ...(query.ignored.length === 0 ? {} : { ignored: query.ignored }),
    },
    links: { self: pager.self, ...Object.fromEntries(around) },
  };
}

function fieldsOfLists(type: ResourceType, access: Access): readonly string[] {
  return visibleFields(type, access).flatMap(({ name }) => (name === 'body' ? [] : [name]));
}

/** Writes the entities of a list. Weighing them needs no HTML, which depends on the other fields only. */
function flatWriter(
  { services, access }: RestContext,
  type: ResourceType,
  fields: readonly string[],
): ResourceWriter {
  const hasBody = access.fieldVisible(type, 'body') && fields.includes('body');
  const flattener = createFlattener(services, access);
  const unrendered = createFlattener({ ...services, renderBody: async () => '' }, access);
  const write = async (entity: Entity) => writeJson(await flattener.flatten(entity, { fields }));
  return {
    write,
    writeOnce: write,
    async weigh(entity) {
      const text = JSON.stringify(await unrendered.flatten(entity, { fields }));
      const html = hasBody && entity.body !== null ? bodyLength(entity.body) : 0;
      const tag = digestText(`${services.fragments.revision({ services, access }, entity)} ${text}`);
      return { tag, size: text.length + html + MEMBER_BYTES };
    },
  };
}

export async function entityDocument(
  context: RestContext,
  type: ResourceType,
  entity: Entity,
  { fields, ignored }: EntityQuery,
) {
  checkFields(type, context.access, fields);
  return {
    data: await createFlattener(context.services, context.access).flatten(entity, { fields }),
    meta: await entityMeta(context, type, entity, ignored),
    links: { self: context.links.entity(type, entity.id, languageOf(entity)) },
  };
}

async function fieldDocument(
  context: RestContext,
  type: ResourceType,
  entity: Entity,
  { name }: FieldDefinition,
  { fields, ignored }: EntityQuery,
) {
  const { services, access, links } = context;
  const ineffective = fields === undefined ? ignored : [...ignored, 'fields'];
  const flat = await createFlattener(services, access).flatten(entity, { fields: [name] });
  return {
    data: listOf(flat[name]),
    meta: await entityMeta(context, type, entity, ineffective),
    links: { self: links.field(type, entity.id, name), entity: links.entity(type, entity.id) },
  };
}

/** `revision` is the tag of the visible fields. */
async function entityMeta(
  { services, access, links, commit }: RestContext,
  type: ResourceType,
  entity: Entity,
  ignored: readonly string[],
) {
  const revision = services.fragments.revision({ services, access }, entity);
  const version = commit === undefined ? {} : { version: commit };
  const visible = await visibleTranslations({ services, access }, entity);
  const translations = translationLinks(visible, (code) => links.translation(type, entity.id, code));
  return {
    revision,
    ...version,
    ...(translations && { translations }),
    ...(ignored.length === 0 ? {} : { ignored }),
  };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The part of a query that applies to one entity. */
export type EntityQuery = Pick<RestQuery, 'fields' | 'ignored'>;

/** Throws BadParameterError for a field that does not exist or that the actor may not see. */
export function checkFields(type: ResourceType, access: Access, fields: readonly string[] | undefined): void {
  const names = ['id', 'type', ...visibleFields(type, access).map((field) => field.name)];
  const unknown = fields?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new BadParameterError(
    'fields',
    `${type.name} has no field '${unknown}'. Fields: ${names.join(', ')}.`,
  );
}
