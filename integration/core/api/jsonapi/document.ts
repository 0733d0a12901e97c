import type { Entity, Reference, ResourceType } from '../../content/model.ts';
import type { Page, Query } from '../../engine/ast.ts';
import type { QueryResult } from '../../engine/engine.ts';
import { parseQuery, type QueryDefaults } from '../../engine/parse/parse-query.ts';
import { inOrder, searchedTexts } from '../../engine/resolve/resolve-filter.ts';
import type { ComposedDocument, Resources } from '../../read/compose.ts';
import {
  type DocumentMeta,
  JSONAPI_MEMBER,
  type Link,
  SCHEMA_MEDIA_TYPE,
} from '../../read/document-types.ts';
import { facetCounts } from '../../read/facets.ts';
import {
  type IncludeOptions,
  type IncludeTree,
  includeTree,
  omittedMember,
  resolveIncludes,
} from '../../read/include.ts';
import type { Pager } from '../../read/links.ts';
import type { DocumentContext, Fragment, FragmentWriter } from '../../read/reader.ts';
import { searchMeta } from '../../read/search-meta.ts';
import { selectFields, unknownFields } from '../../read/sparse-fields.ts';
import { throwAll } from '../../util/collect-errors.ts';
import { BadParameterError } from '../../util/errors.ts';
import { loadCode } from '../../util/lazy-code.ts';

/**
 * One page of the entities of some types, with facets; `finish` adds what profiles define. Throws BadParameterError if the query
 * does not fit the types.
 */
export async function collectionDocument(
  context: DocumentContext,
  types: readonly ResourceType[],
  query: Query,
  pager: Pager,
  finish: FinishList = (document) => document,
): Promise<ComposedDocument<Resources>> {
  const { found, ...list } = await listDocument(context, types, query, pager);
  const document = finish(list, found);
  const { services, access } = context;
  const texts = searchedTexts(query.filter, 'highlight');
  const meta = {
    ...document.meta,
    ...(found.facets && { facets: await facetCounts(services, access, query.facets, found.facets) }),
    ...(texts.length > 0 && (await searchMeta(context, texts, found.entities))),
  };
  return { ...document, meta };
}

/** Changes the document of a list, given the result of its query. */
export type FinishList = (
  document: ComposedDocument<Resources>,
  found: QueryResult,
) => ComposedDocument<Resources>;

/** Parses the query of a collection, with the defaults of its bundle. Throws BadParameterError. */
export async function parseList(
  context: QueryContext,
  type: ResourceType,
  query: string,
  readPage?: Parameters<typeof parseQuery>[3],
): Promise<Query> {
  const { settings } = context.services;
  const defaults = await defaultsOf(context, type);
  const { pageSize: size = settings.pageSize.default } = defaults ?? {};
  const rules = defaults && { ...settings, pageSize: { ...settings.pageSize, default: size }, defaults };
  return parseQuery(query, 'collection', rules ?? settings, readPage);
}

type QueryContext = Pick<DocumentContext, 'services' | 'access'>;

/** The defaults of a bundle, as far as the actor can use them. */
export async function defaultsOf(
  context: QueryContext,
  type: ResourceType,
): Promise<QueryDefaults | undefined> {
  const defaults = context.services.settings.queryDefaults?.[type.name];
  if (defaults === undefined) return undefined;
  const { usableDefaults } = await loadCode(() => import('../../read/query-defaults.ts'));
  return usableDefaults(context, type, defaults);
}

/** One page of the entities of some types, and the result of the query. Throws BadParameterError. */
export async function listDocument(
  context: DocumentContext,
  types: readonly ResourceType[],
  query: Query,
  pager: Pager,
): Promise<ComposedDocument<Resources> & { readonly found: QueryResult }> {
  const { services, access, work } = context;
  const tree = await includeTreeOf(context, types, query);
  const isUnlimited = query.page.limit === Number.POSITIVE_INFINITY;
  if (isUnlimited) await work?.acquireSlot();
  const found = await services.engine.run(types, inOrder(types, query, access), access);
  const { entities, count } = found;
  const only = types.length === 1 ? types[0] : undefined;
  const { included, omitted } = await includedOf(context, entities, tree, query, { whole: isUnlimited });
  return {
    jsonapi: JSONAPI_MEMBER,
    data: resourcesOf(context, entities, query),
    ...(included && { included }),
    ...metaMember({
      count,
      omitted: omittedMember(context, omitted),
      ignored: ignoredParameters(context, query),
    }),
    links: {
      self: { href: pager.self },
      ...(only && { describedby: describedBy(context, only) }),
      ...pageLinks(pager, query.page, count),
    },
    language: access.languages?.[0],
    found,
  };
}

/** The include paths as a tree. An error about them has the mistakes of the rest of the query too. */
async function includeTreeOf(
  { services, access }: DocumentContext,
  types: readonly ResourceType[],
  query: Query,
): Promise<IncludeTree> {
  try {
    return includeTree(services, access, types, query.include);
  } catch (error) {
    if (!(error instanceof BadParameterError)) throw error;
    try {
      await services.engine.run(types, { ...query, page: { offset: 0, limit: 0 } }, access);
    } catch (other) {
      if (other instanceof BadParameterError) throwAll([error, other]);
    }
    throw error;
  }
}

/** The resources for `included`, and the references that are omitted; nothing unless `include` was sent. */
export async function includedOf(
  context: DocumentContext,
  from: readonly Entity[],
  tree: IncludeTree,
  query: Query,
  options?: IncludeOptions,
): Promise<{ readonly included: Resources | undefined; readonly omitted: readonly Reference[] }> {
  if (!query.includeSent) return { included: undefined, omitted: [] };
  const { services, access, work } = context;
  const [{ entities, omitted }] = await Promise.all([
    resolveIncludes(services, access, from, tree, { ...options, work }),
    writerOf(context, query).prepare?.(from),
  ]);
  return { included: resourcesOf(context, entities, query), omitted };
}

/** Entities with the writer that applies a query's `fields`. */
export function resourcesOf(context: DocumentContext, entities: readonly Entity[], query: Query): Resources {
  return { entities, ...writerOf(context, query) };
}

/** One entity, written with a query's `fields`. */
export async function fragmentOf(context: DocumentContext, entity: Entity, query: Query): Promise<Fragment> {
  return writerOf(context, query).write(entity);
}

function writerOf(context: DocumentContext, { fields }: Query): FragmentWriter {
  return context.services.fragments.writer(context, selectFields(fields, context.access));
}

/** Parameters that have no effect. */
export function ignoredParameters(
  { services, access }: Pick<DocumentContext, 'services' | 'access'>,
  query: Query,
): readonly string[] {
  return [...query.ignored, ...unknownFields(query.fields, services.store, access)];
}

/** Link to the JSON Schema of the resources in a document. */
export function describedBy({ links }: DocumentContext, type: ResourceType): Link {
  return { href: links.schema(type), type: SCHEMA_MEDIA_TYPE };
}

/** The first, previous, next and last page, seen from one page. Pages keep its offset modulo the limit. */
export function pagesAround({ offset, limit }: Page, count: number): Readonly<Record<string, Page>> {
  const pages: Record<string, Page> = {};
  if (offset > 0) {
    pages.first = { offset: 0, limit };
    pages.prev = { offset: Math.max(0, offset - limit), limit };
  }
  if (offset + limit < count) {
    pages.next = { offset: offset + limit, limit };
    pages.last = { offset: offset + Math.floor((count - 1 - offset) / limit) * limit, limit };
  }
  return pages;
}

export function pageLinks(pager: Pager, page: Page, count: number): Record<string, Link> {
  const links: Record<string, Link> = {};
  for (const [name, other] of Object.entries(pagesAround(page, count))) {
    const href = pager.at(other);
    if (href !== undefined) links[name] = { href };
  }
  return links;
}

type PlainMeta = Omit<DocumentMeta, 'facets'>;

/** `meta` with its non-empty members; nothing if all are empty. */
export function metaMember(meta: { [K in keyof PlainMeta]: PlainMeta[K] | undefined }): {
  meta?: DocumentMeta;
} {
  const { count, omitted, ignored = [], links } = meta;
  const member: DocumentMeta = {
    ...(count === undefined ? {} : { count }),
    ...(omitted === undefined ? {} : { omitted }),
    ...(ignored.length === 0 ? {} : { ignored }),
    ...(links === undefined ? {} : { links }),
  };
  return Object.keys(member).length === 0 ? {} : { meta: member };
}
