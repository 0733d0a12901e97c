import { type Actor, ANONYMOUS } from '../access/actor.ts';
import { NotFoundError } from '../errors.ts';
import { parseQuery } from '../query/parse.ts';
import { collectionDocument, entryDocument, individualDocument } from './document.ts';
import type { DataDocument } from './document-types.ts';
import { findEntity, findType } from './find.ts';
import { createRequestPager, createServerLinks } from './links.ts';
import type { DocumentContext } from './serialize.ts';
import type { Services } from './services.ts';

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
  const { segments, query } = splitPath(path, services.settings.base);
  const links = createServerLinks(services.settings, '');
  return readDocument({ services, access: services.access(actor), links }, segments, query);
}

/** The document at decoded path segments below `/jsonapi`, for a query string without `?`. */
export async function readDocument(
  context: DocumentContext,
  segments: readonly string[],
  query: string,
): Promise<DataDocument> {
  const { services, access, links } = context;
  const { settings, store } = services;
  const [entityType, bundle, ...id] = segments;
  if (entityType === undefined) {
    const { ignored } = parseQuery(query, 'individual', settings);
    return entryDocument(context, createRequestPager(links.entry(), query).self, ignored);
  }
  if (bundle === undefined) {
    throw new NotFoundError(
      `There is nothing at '/${entityType}'. Collections are at /<entity type>/<bundle>.`,
    );
  }
  const type = findType(store, entityType, bundle);
  if (id.length === 0) {
    const parsed = parseQuery(query, 'collection', settings);
    return collectionDocument(context, type, parsed, createRequestPager(links.collection(type), query));
  }
  const parsed = parseQuery(query, 'individual', settings);
  const entity = await findEntity(services, access, type, id);
  const { self } = createRequestPager(links.individual(type, entity.id), query);
  return individualDocument(context, type, entity, parsed, self);
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
