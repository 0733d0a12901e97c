import { type Actor, ANONYMOUS } from '../access/actor.ts';
import type { ResourceType } from '../entities/model.ts';
import { NotFoundError } from '../errors.ts';
import type { Query } from '../query/ast.ts';
import { checkQueryLength } from '../query/limits.ts';
import { parseQuery } from '../query/parse.ts';
import type { EntityStore } from '../store/store.ts';
import { writableFields } from '../write/permissions.ts';
import { type ComposedDocument, parseWritten, writeDocument } from './compose.ts';
import { collectionDocument, entryDocument, individualDocument } from './document.ts';
import { type DataDocument, JSONAPI_MEMBER, type OptionsDocument } from './document-types.ts';
import { type Addressed, fileField, findAddressed, findEntity, findType } from './find.ts';
import { createRequestPager, createServerLinks, type ServerLinks } from './links.ts';
import { meLink } from './me.ts';
import { findMenu, menuDocument } from './menu.ts';
import { findPast, offeredVersions } from './past.ts';
import { relatedDocument, relationshipDocument } from './related.ts';
import type { DocumentContext } from './serialize.ts';
import type { Services } from './services.ts';
import { createVersionLinks } from './version-links.ts';

/**
 * The very document that the server would give for a path below `/jsonapi`, such as
 * `/node/article?filter[title]=x`; the prefix may be there too. Links are site-relative.
 * Throws ApiError as a request would fail.
 */
export async function answer(
  services: Services,
  path: string,
  { actor = ANONYMOUS }: { readonly actor?: Actor } = {},
): Promise<DataDocument> {
  const { base, limits } = services.settings;
  const { segments, query } = splitPath(path, base);
  checkQueryLength(path.length, limits);
  const links = createServerLinks(services.settings, '');
  const context = { services, access: services.access(actor), links, actor };
  return parseWritten(await writeDocument(await readDocument(context, segments, query)));
}

/** The document at decoded path segments below `/jsonapi`, for a query string without `?`. */
export async function readDocument(
  context: DocumentContext & { readonly links: ServerLinks },
  segments: readonly string[],
  query: string,
): Promise<ComposedDocument> {
  const { services, access, links } = context;
  const { settings, store } = services;
  const [entityType, bundle, ...below] = segments;
  if (entityType === undefined) {
    const { ignored, includeSent, fields } = parseQuery(query, 'individual', settings);
    const { self } = createRequestPager(links.entry(), query);
    // It holds no resources.
    const inVain = [
      ...(includeSent ? ['include'] : []),
      ...Object.keys(fields).map((name) => `fields[${name}]`),
    ];
    return entryDocument(context, self, [...ignored, ...inVain], await meLink(context));
  }
  const menu = findMenu(store, segments);
  if (menu !== undefined) return menuDocument(context, menu, query);
  const type = findCollection(store, entityType, bundle);
  if (below.length === 0) {
    const parsed = parseQuery(query, 'collection', settings);
    return collectionDocument(context, type, parsed, createRequestPager(links.collection(type), query));
  }
  const parsed = parseQuery(query, 'resource', settings);
  const addressed = await findAddressed(services, access, type, below);
  const { self } = createRequestPager(addressOf(links, type, addressed), query);
  if (parsed.version === undefined) return resourceDocument(context, type, addressed, parsed, self);
  const { entity: present } = addressed;
  const { entity, ...own } = await findPast(context, present, parsed.version);
  const past = {
    present,
    own: { services: own.services, links: createVersionLinks(links, own.commit) },
  };
  return resourceDocument({ ...context, past }, type, { ...addressed, entity }, parsed, self);
}

/** The document of an address below a collection, whatever its own address is (`self`). */
export async function resourceDocument(
  context: DocumentContext,
  type: ResourceType,
  addressed: Addressed,
  query: Query,
  self: string,
): Promise<ComposedDocument> {
  const { entity } = addressed;
  switch (addressed.kind) {
    case 'individual':
      return individualDocument(context, type, entity, query, self);
    case 'related':
      return relatedDocument(context, entity, addressed.field, query, self);
    case 'relationship':
      return relationshipDocument(context, type, entity, addressed.field, query, self);
    default:
      return addressed satisfies never;
  }
}

/** The methods of each kind of address where content can be written. */
export const WRITE_METHODS = {
  collection: ['GET', 'HEAD', 'OPTIONS', 'POST'],
  individual: ['GET', 'HEAD', 'OPTIONS', 'PATCH', 'DELETE'],
  relationship: ['GET', 'HEAD', 'OPTIONS', 'POST', 'PATCH', 'DELETE'],
  related: ['GET', 'HEAD', 'OPTIONS'],
  upload: ['OPTIONS', 'POST'],
} as const;

/**
 * What decoded path segments below `/jsonapi` take: `methods` where nothing can be written; else also which fields the
 * actor may give a new entity, or change of this one. Throws NotFoundError where there is nothing.
 */
export async function readOptions(
  { services, access }: Pick<DocumentContext, 'services' | 'access'>,
  segments: readonly string[],
  methods: readonly string[],
): Promise<OptionsDocument> {
  const [entityType, bundle, ...below] = segments;
  const plain = { jsonapi: JSONAPI_MEMBER, meta: { allow: methods } };
  if (entityType === undefined) return plain;
  if (findMenu(services.store, segments) !== undefined) return plain;
  const type = findCollection(services.store, entityType, bundle);
  if (services.writer !== null && fileField(access, type, below) !== undefined) {
    if (below.length > 1) await findEntity(services, access, type, below.slice(0, -1));
    return { ...plain, meta: { allow: WRITE_METHODS.upload } };
  }
  const addressed = below.length === 0 ? undefined : await findAddressed(services, access, type, below);
  const allow = services.writer === null ? methods : WRITE_METHODS[addressed?.kind ?? 'collection'];
  if (addressed !== undefined && addressed.kind !== 'individual') return { ...plain, meta: { allow } };
  const writable = services.writer === null ? [] : writableFields(access, type, addressed?.entity);
  const namesOf = (reference: boolean) =>
    writable.filter(({ kind }) => (kind === 'reference') === reference).map(({ name }) => name);
  const versions = addressed && (await offeredVersions({ services, access }, type, addressed.entity));
  return {
    jsonapi: JSONAPI_MEMBER,
    meta: {
      allow,
      attributes: namesOf(false),
      relationships: namesOf(true),
      ...(versions && { versions }),
    },
  };
}

function findCollection(store: EntityStore, entityType: string, bundle: string | undefined): ResourceType {
  if (bundle !== undefined) return findType(store, entityType, bundle);
  throw new NotFoundError(
    `There is nothing at '/${entityType}'. Collections are at /<entity type>/<bundle>.`,
  );
}

function addressOf(links: ServerLinks, type: ResourceType, addressed: Addressed): string {
  const { id } = addressed.entity;
  if (addressed.kind === 'individual') return links.individual(type, id);
  const { related, self } = links.relationship(type, id, addressed.field.name);
  return addressed.kind === 'related' ? related : self;
}

/** Decoded segments and the query string of a path that may begin with the base and `/jsonapi`. */
export function splitPath(path: string, base: string): { segments: string[]; query: string } {
  const below = belowPrefix(path, base);
  const mark = below.indexOf('?');
  return mark < 0
    ? { segments: pathSegments(below), query: '' }
    : { segments: pathSegments(below.slice(0, mark)), query: below.slice(mark + 1) };
}

/** `/node/article?…` of that, or of the same with `/jsonapi` or base and `/jsonapi` before it. No fragment. */
export function belowPrefix(path: string, base: string): string {
  const [target = ''] = path.split('#', 1);
  const prefix = [`${base}/jsonapi`, '/jsonapi'].find(
    (each) => target.startsWith(each) && /^([/?]|$)/.test(target.slice(each.length)),
  );
  return target.slice(prefix?.length ?? 0);
}

/** Decoded segments of a path; a slash at its end, and doubled ones, do not count. */
export function pathSegments(pathname: string): string[] {
  try {
    return pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    throw new NotFoundError(`There is nothing at '${pathname}': it is not valid percent-encoded UTF-8.`);
  }
}
