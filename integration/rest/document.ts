import type { Access } from '../access/access.ts';
import type { Entity, ResourceType } from '../entities/model.ts';
import { BadParameterError } from '../errors.ts';
import { pagesAround } from '../jsonapi/document.ts';
import { findEntity } from '../jsonapi/find.ts';
import type { Services } from '../jsonapi/services.ts';
import { visibleFields } from '../jsonapi/sparse-fields.ts';
import type { Page } from '../query/ast.ts';
import { createFlattener, type FlatEntity } from './flatten.ts';
import { parseRestQuery, type RestQuery } from './parse-rest.ts';
import type { RestLinks } from './rest-links.ts';

/** One page of a bundle. */
export interface RestList {
  readonly data: readonly FlatEntity[];
  readonly meta: {
    readonly page: number;
    /** 0 where everything is on one page. */
    readonly limit: number;
    /** How many entities match. */
    readonly count: number;
    /** How many pages there are; 1 when there are no entities. */
    readonly pages: number;
    readonly ignored?: readonly string[];
  };
  /** `self` always, `first` and `prev` after the first page, `next` and `last` before the last. */
  readonly links: Readonly<Record<string, string>>;
}

export interface RestEntity {
  readonly data: FlatEntity;
  readonly meta?: { readonly ignored: readonly string[] };
  readonly links: { readonly self: string };
}

export interface RestOptions {
  readonly meta: { readonly allow: readonly string[] };
}

export interface RestContext {
  readonly services: Services;
  readonly access: Access;
  readonly links: RestLinks;
}

/** The document at `/{type}` or `/{type}/{id}` of `/api/content`, for a query string without `?`. */
export async function readRest(
  context: RestContext,
  type: ResourceType,
  id: readonly string[],
  query: string,
): Promise<RestList | RestEntity> {
  const { services, access } = context;
  if (id.length === 0) return listDocument(context, type, parseRestQuery(query, 'list', services.settings));
  const parsed = parseRestQuery(query, 'entity', services.settings);
  return entityDocument(context, type, await findEntity(services, access, type, id), parsed);
}

/** What `/{type}` or `/{type}/{id}` takes. Throws NotFoundError where there is nothing. */
export async function restOptions(
  { services, access }: Pick<RestContext, 'services' | 'access'>,
  type: ResourceType,
  id: readonly string[],
  allow: readonly string[],
): Promise<RestOptions> {
  if (id.length > 0) await findEntity(services, access, type, id);
  return { meta: { allow } };
}

export async function listDocument(
  context: RestContext,
  type: ResourceType,
  query: RestQuery,
): Promise<RestList> {
  const { services, access, links } = context;
  const { filter, sort, page: number, limit } = query;
  checkFields(type, access, query.fields);
  const page: Page = { offset: number === 1 ? 0 : (number - 1) * limit, limit };
  if (!Number.isFinite(page.offset)) {
    throw new BadParameterError('page', 'With limit=0 everything is on page 1.');
  }
  const { ids, count } = await services.engine.run(type, { filter, sort, page }, access);
  const entities = ids.flatMap((id) => services.store.get(type.name, id) ?? []);
  const flattener = createFlattener(services, access);
  const data: FlatEntity[] = [];
  for (const entity of entities) data.push(await flattener.flatten(entity, { fields: query.fields }));
  const pager = links.list(type);
  const around = Object.entries(pagesAround(page, count)).map(([name, other]): [string, string] => [
    name,
    pager.at(other.offset / limit + 1),
  ]);
  return {
    data,
    meta: {
      page: number,
      limit: Number.isFinite(limit) ? limit : 0,
      count,
      pages: Math.max(1, Math.ceil(count / limit)),
      ...(query.ignored.length === 0 ? {} : { ignored: query.ignored }),
    },
    links: { self: pager.self, ...Object.fromEntries(around) },
  };
}

export async function entityDocument(
  context: RestContext,
  type: ResourceType,
  entity: Entity,
  { fields, ignored }: Pick<RestQuery, 'fields' | 'ignored'>,
): Promise<RestEntity> {
  checkFields(type, context.access, fields);
  return {
    data: await createFlattener(context.services, context.access).flatten(entity, { fields }),
    ...(ignored.length === 0 ? {} : { meta: { ignored } }),
    links: { self: context.links.entity(type, entity.id) },
  };
}

function checkFields(type: ResourceType, access: Access, fields: readonly string[] | undefined): void {
  const names = ['id', 'type', ...visibleFields(type, access).map((field) => field.name)];
  const unknown = fields?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new BadParameterError(
    'fields',
    `${type.name} has no field '${unknown}'. Fields: ${names.join(', ')}.`,
  );
}
