import type { Entity, ResourceType } from '../entities/model.ts';
import type { Page, Query } from '../query/ast.ts';
import {
  type DataDocument,
  type DocumentMeta,
  JSONAPI_MEMBER,
  type Link,
  type ResourceObject,
  SCHEMA_MEDIA_TYPE,
} from './document-types.ts';
import { includeTree, resolveIncludes } from './include.ts';
import type { Pager } from './links.ts';
import { omittedMember } from './omitted.ts';
import { type DocumentContext, type FieldSelection, serialize } from './serialize.ts';
import { selectFields, unknownFields } from './sparse-fields.ts';

/** The entry point: a link to every collection by resource type name. */
export function entryDocument(
  context: DocumentContext,
  self: string,
  ignored: readonly string[],
): DataDocument<readonly ResourceObject[]> {
  const links: Record<string, Link> = { self: { href: self } };
  for (const type of context.services.store.types.values())
    links[type.name] = { href: context.links.collection(type) };
  return { jsonapi: JSONAPI_MEMBER, data: [], ...metaMember({ ignored }), links };
}

/** One page of a collection. Throws BadParameterError where the query does not fit the type. */
export async function collectionDocument(
  context: DocumentContext,
  type: ResourceType,
  query: Query,
  pager: Pager,
): Promise<DataDocument<readonly ResourceObject[]>> {
  const { services, access } = context;
  const tree = includeTree(services, access, [type], query.include);
  const { ids, count } = await services.engine.run(type, query, access);
  const entities = ids.flatMap((id) => services.store.get(type.name, id) ?? []);
  const select = selectFields(query.fields, access);
  const whole = query.page.limit === Number.POSITIVE_INFINITY;
  const { entities: included, omitted } = await resolveIncludes(services, access, entities, tree, { whole });
  return {
    jsonapi: JSONAPI_MEMBER,
    data: await serializeAll(context, entities, select),
    ...(query.includeSent ? { included: await serializeAll(context, included, select) } : {}),
    ...metaMember({
      count,
      omitted: omittedMember(context, omitted),
      ignored: [...query.ignored, ...unknownFields(query.fields, services.store, access)],
    }),
    links: {
      self: { href: pager.self },
      describedby: describedBy(context, type),
      ...pageLinks(pager, query.page, count),
    },
  };
}

/** One entity that the actor is known to be allowed to see. */
export async function individualDocument(
  context: DocumentContext,
  type: ResourceType,
  entity: Entity,
  query: Query,
  self: string,
): Promise<DataDocument<ResourceObject>> {
  const { services, access } = context;
  const tree = includeTree(services, access, [type], query.include);
  const select = selectFields(query.fields, access);
  const { entities: included, omitted } = await resolveIncludes(services, access, [entity], tree);
  return {
    jsonapi: JSONAPI_MEMBER,
    data: await serialize(context, entity, type, select),
    ...(query.includeSent ? { included: await serializeAll(context, included, select) } : {}),
    ...metaMember({
      omitted: omittedMember(context, omitted),
      ignored: [...query.ignored, ...unknownFields(query.fields, services.store, access)],
    }),
    links: { self: { href: self }, describedby: describedBy(context, type) },
  };
}

/** The JSON Schema of the resources that a document is about. */
function describedBy({ links }: DocumentContext, type: ResourceType): Link {
  return { href: links.schema(type), type: SCHEMA_MEDIA_TYPE };
}

/** The pages around one, from the entities before it (`offset`) to the last page reached by stepping on. */
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

function pageLinks(pager: Pager, page: Page, count: number): Record<string, Link> {
  const links: Record<string, Link> = {};
  for (const [name, other] of Object.entries(pagesAround(page, count))) {
    const href = pager.at(other);
    if (href !== undefined) links[name] = { href };
  }
  return links;
}

export async function serializeAll(
  context: DocumentContext,
  entities: readonly Entity[],
  select: FieldSelection,
): Promise<ResourceObject[]> {
  const resources: ResourceObject[] = [];
  for (const entity of entities) {
    const type = context.services.store.types.get(entity.type);
    if (type !== undefined) resources.push(await serialize(context, entity, type, select));
  }
  return resources;
}

/** `meta` with its members that say something, or nothing. */
export function metaMember(meta: { [K in keyof DocumentMeta]: DocumentMeta[K] | undefined }): {
  meta?: DocumentMeta;
} {
  const { count, omitted, ignored = [] } = meta;
  const member: DocumentMeta = {
    ...(count === undefined ? {} : { count }),
    ...(omitted === undefined ? {} : { omitted }),
    ...(ignored.length === 0 ? {} : { ignored }),
  };
  return Object.keys(member).length === 0 ? {} : { meta: member };
}
