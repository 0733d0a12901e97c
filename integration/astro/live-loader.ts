import type { CacheHint, LiveDataEntry } from 'astro';
import type { LiveLoader } from 'astro/loaders';
import { z } from 'zod';
import type { FilterData, FilterValue } from '../core/access/role.ts';
import { cacheTag } from '../core/runtime/route-cache.ts';
import { errorMessage } from '../core/util/text.ts';

/** A query of `getLiveCollection`, in the names of JSON:API. */
export interface LiveFilter extends LiveFields {
  /** Nested like `filter[…]`: `{ 'field_author.title': 'Ada', field_rating: { operator: '>', value: 3 } }`. */
  readonly filter?: FilterData;
  /** Paths, `-path` for descending. */
  readonly sort?: string | readonly string[];
  /** Default: all entities, page by page. */
  readonly page?: { readonly offset?: number; readonly limit?: number };
}

/** A query of `getLiveEntry`; a string is an id. */
export interface LiveEntryFilter extends LiveFields {
  readonly id: string;
}

interface LiveFields {
  /** References whose entities `data` contains instead of `{ type, id }`. */
  readonly include?: readonly string[];
  /** The fields of the entities. Default: all. */
  readonly fields?: readonly string[];
}

/**
 * `data` of an entry: `type`, and every field. A reference is `{ type, id }`, or the fields of an included entity too, with
 * the `meta` that another server adds to it.
 */
export type LiveData = Record<string, unknown>;

/** Why a live collection has no result. */
export class LiveQueryError extends Error {
  override readonly name = 'LiveQueryError';
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;

  constructor(message: string, status?: number, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/**
 * Returns the document at a path below `/jsonapi`, or at a link of another document. Rejects with LiveQueryError.
 */
export type ReadDocument = (address: string) => Promise<unknown>;

/** A live loader over JSON:API documents. `bundle` defaults to the name of the collection. */
export function createLiveLoader(
  read: ReadDocument,
  bundle?: string,
): LiveLoader<LiveData, LiveEntryFilter, LiveFilter, LiveQueryError> {
  return {
    name: 'astro-jsonapi-live',
    async loadCollection({ collection, filter = {} }) {
      try {
        const type = typeOf(bundle ?? collection);
        const entries: LiveDataEntry<LiveData>[] = [];
        let address: string | undefined = `${type.path}${queryOf(type.name, filter)}`;
        for (let pages = 0; address !== undefined; pages += 1) {
          if (pages === MAX_PAGES) throw new LiveQueryError(`${type.path} has more than ${MAX_PAGES} pages.`);
          const document: LiveDocument = parseDocument(await read(address));
          entries.push(...[document.data].flat().map((each) => entryOf(each, document, filter)));
          address = filter.page?.limit === undefined ? hrefOf(document.links.next) : undefined;
        }
        return { entries, cacheHint: { tags: [type.name] } };
      } catch (error) {
        return { error: asQueryError(error) };
      }
    },
    async loadEntry({ collection, filter }) {
      try {
        const { name, path } = typeOf(bundle ?? collection);
        const { id, ...fields } = filter;
        const document = parseDocument(
          await read(`${path}/${encodeURIComponent(id)}${queryOf(name, fields)}`),
        );
        const [resource] = [document.data].flat();
        return resource && entryOf(resource, document, filter);
      } catch (error) {
        const failure = asQueryError(error);
        // Astro reports a missing entry by itself.
        return failure.status === 404 || failure.status === 410 ? undefined : { error: failure };
      }
    },
  };
}

/** Documents of a server whose API starts at `url`. Follows links on that server only. */
export function remoteDocuments(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  fetch: typeof globalThis.fetch = globalThis.fetch,
): ReadDocument {
  const start = new URL(url);
  const root = start.href.replace(/(?<!\/)\/+$/, '');
  return async (address) => {
    const target = address.startsWith('/') ? new URL(root + address) : new URL(address, start);
    if (target.origin !== start.origin) {
      throw new LiveQueryError(`${target.href} is not on ${start.origin}, so the link is not followed.`);
    }
    const response = await fetch(target, { headers: { accept: JSONAPI, ...headers } }).catch((cause) => {
      throw new LiveQueryError(`${target.href} cannot be reached: ${errorMessage(cause)}`, undefined, cause);
    });
    const document: unknown = await response.json().catch(() => undefined);
    if (response.ok) return document;
    const [error] = errorsSchema.safeParse(document).data?.errors ?? [];
    const detail = error?.detail ?? error?.title ?? response.statusText;
    throw new LiveQueryError(`${target.href} returned ${response.status}: ${detail}`, response.status);
  };
}

const JSONAPI = 'application/vnd.api+json';
const MAX_PAGES = 1000;

/** `node--article` and `/node/article` of `article`. */
function typeOf(bundle: string): { readonly name: string; readonly path: string } {
  const name = bundle.includes('--') ? bundle : `node--${bundle}`;
  const path = name.split('--').map(encodeURIComponent).join('/');
  return { name, path: `/${path}` };
}

function queryOf(type: string, { filter, sort, page, include, fields }: LiveFilter): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(filter ?? {})) append(parameters, `filter[${name}]`, value);
  if (sort !== undefined) parameters.append('sort', [sort].flat().join(','));
  if (page?.offset !== undefined) parameters.append('page[offset]', String(page.offset));
  if (page?.limit !== undefined) parameters.append('page[limit]', String(page.limit));
  if (include !== undefined) parameters.append('include', include.join(','));
  if (fields !== undefined) parameters.append(`fields[${type}]`, fields.join(','));
  return parameters.size === 0 ? '' : `?${parameters}`;
}

function append(parameters: URLSearchParams, name: string, value: FilterValue): void {
  if (typeof value !== 'object') {
    parameters.append(name, String(value));
  } else if (isList(value)) {
    for (const item of value) parameters.append(`${name}[]`, String(item));
  } else {
    for (const [key, inner] of Object.entries(value)) append(parameters, `${name}[${key}]`, inner);
  }
}

function isList(value: object): value is readonly (string | number | boolean)[] {
  return Array.isArray(value);
}

function entryOf(resource: Resource, { included }: LiveDocument, { include = [] }: LiveFields) {
  const byKey = new Map(included.map((each) => [keyOf(each), each]));
  const used: Resource[] = [];
  const data = dataOf(resource, include);
  const { processed } = bodySchema.safeParse(resource.attributes.body).data ?? {};
  const cacheHint: CacheHint = {
    tags: [resource, ...used].map(({ type, id }) => cacheTag(type, id)),
    ...lastModified([resource, ...used]),
  };
  return {
    id: resource.id,
    data,
    cacheHint,
    ...(processed !== undefined && { rendered: { html: processed } }),
  };

  function dataOf(each: Resource, paths: readonly string[]): LiveData {
    const references = Object.entries(each.relationships).map(([name, { data: linkage }]) => {
      const isIncluded = paths.some((path) => path === name || path.startsWith(`${name}.`));
      const deeper = paths.flatMap((path) =>
        path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : [],
      );
      const values = [linkage ?? []].flat().map((target) => {
        const found = isIncluded ? byKey.get(keyOf(target)) : undefined;
        if (found === undefined) return { type: target.type, id: target.id, ...metaOf(target) };
        used.push(found);
        return { id: found.id, ...dataOf(found, deeper), ...metaOf(target) };
      });
      return [name, Array.isArray(linkage) ? values : (values[0] ?? null)] as const;
    });
    return { type: each.type, ...each.attributes, ...Object.fromEntries(references) };
  }
}

/** What the reference says about its target: the `alt` of a Drupal image. Nothing if it only repeats the id. */
function metaOf({ meta: { drupal_internal__target_id: _, ...meta } }: Identifier) {
  return Object.keys(meta).length === 0 ? {} : { meta };
}

/** The latest `changed` of some resources. */
function lastModified(resources: readonly Resource[]): Pick<CacheHint, 'lastModified'> {
  const times = resources.map(({ attributes: { changed } }) => Date.parse(String(changed)));
  const latest = Math.max(...times.filter((time) => !Number.isNaN(time)));
  return Number.isFinite(latest) ? { lastModified: new Date(latest) } : {};
}

function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type}:${id}`;
}

function hrefOf(link: LiveDocument['links']['next']): string | undefined {
  return typeof link === 'object' ? link?.href : link;
}

function parseDocument(document: unknown): LiveDocument {
  const { data, error } = documentSchema.safeParse(document);
  if (data !== undefined) return data;
  throw new LiveQueryError(`The response is not a JSON:API document: ${z.prettifyError(error)}`);
}

function asQueryError(error: unknown): LiveQueryError {
  return error instanceof LiveQueryError ? error : new LiveQueryError(errorMessage(error), undefined, error);
}

const identifierSchema = z.looseObject({
  type: z.string(),
  id: z.string(),
  meta: z.record(z.string(), z.unknown()).default({}),
});
const resourceSchema = identifierSchema.extend({
  attributes: z.record(z.string(), z.unknown()).default({}),
  relationships: z
    .record(
      z.string(),
      z.looseObject({ data: z.union([z.array(identifierSchema), identifierSchema, z.null()]).optional() }),
    )
    .default({}),
});
const documentSchema = z.looseObject({
  data: z.union([z.array(resourceSchema), resourceSchema]),
  included: z.array(resourceSchema).default([]),
  links: z
    .looseObject({ next: z.union([z.string(), z.looseObject({ href: z.string() }), z.null()]).optional() })
    .default({}),
});
const errorsSchema = z.looseObject({
  errors: z.array(z.looseObject({ title: z.string().optional(), detail: z.string().optional() })),
});
const bodySchema = z.looseObject({ processed: z.string().optional() });

type Identifier = z.output<typeof identifierSchema>;
type Resource = z.output<typeof resourceSchema>;
type LiveDocument = z.output<typeof documentSchema>;
