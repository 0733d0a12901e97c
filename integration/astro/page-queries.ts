import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import { ANONYMOUS } from '../core/access/actor.ts';
import { EXPLORER_PATH } from '../core/api/paths.ts';
import type { ObservedQuery, QueryObserver } from '../core/builder/observe-queries.ts';
import type { Reference } from '../core/content/model.ts';
import type { Handler } from '../core/server/handler.ts';
import { isRecord } from '../core/util/json.ts';
import { LruMap } from '../core/util/lru-map.ts';
import { digestText } from '../core/util/revision.ts';

/** Pages whose queries a server stores. */
export const MAX_PAGES = 500;
/** Pages whose queries a build stores. */
export const MAX_BUILT_PAGES = 20_000;
/** Entities stored with a query. */
const MAX_ENTITIES = 5;
/** Entities whose names are stored with a query. */
const MAX_NAMES = 500;

/** A query that a page ran, with its latest result. */
export interface PageQuery extends ObservedQuery {
  /** How long the query took, in milliseconds. */
  readonly ms: number;
  /** Entities in the result, or the number that `count()` returned. */
  readonly count: number;
  readonly failed: boolean;
  /** The first entities of the result. */
  readonly entities: readonly Reference[];
  /** `bundle id` of the entities in the result, `type id` of the resources, also of included ones, or files of entries. */
  readonly names: readonly string[];
  /** A digest of the result, if digests are on. */
  readonly digest?: string;
}

type Summary = Pick<PageQuery, 'count' | 'failed' | 'entities' | 'names' | 'digest'>;

/** The queries that each page ran, in `astro dev`, on a server or in a build. A page is a path with its query string. */
export interface PageQueries {
  readonly observe: QueryObserver;
  /** Handles a request. Its queries belong to its URL, and to the page whose script sent the request. */
  track<T>(request: PageRequest, handle: () => T): T;
  /** Undefined for a page that this server has not rendered. */
  of(url: string): readonly PageQuery[] | undefined;
  /** All pages. */
  recorded(): readonly { readonly url: string; readonly queries: readonly PageQuery[] }[];
  /** Stores that the current page shows the entities in a value. */
  note(value: unknown): void;
  forget(url: string): void;
  clear(): void;
}

export function createPageQueries({ most = MAX_PAGES, digests = false } = {}): PageQueries {
  const urls = new Set<string>();
  const pages = new LruMap<string, Map<string, PageQuery>>(most, (url) => urls.delete(url));
  const current = new AsyncLocalStorage<readonly Map<string, PageQuery>[]>();

  return {
    async observe(query, run) {
      const start = performance.now();
      const recording = current.getStore();
      if (recording === undefined) return await run();
      const store = (result: Summary) => {
        const entry = { ...query, ms: performance.now() - start, ...result };
        // Code of Astro's collections does not say which entries a filter keeps.
        const key = `${query.actor.name} ${query.actor.roles} ${query.code} ${query.path || result.names}`;
        for (const page of recording) page.set(key, entry);
      };
      try {
        const result = await run();
        store({
          ...summarize(result),
          failed: false,
          ...(digests && { digest: digestText(JSON.stringify(result) ?? '') }),
        });
        return result;
      } catch (error) {
        store({ count: 0, entities: [], names: [], failed: true });
        throw error;
      }
    },
    track({ url, from }, handle) {
      const page = new Map<string, PageQuery>();
      pages.set(url, page);
      urls.add(url);
      const sender = from === undefined || from === url ? undefined : pages.get(from);
      return current.run(sender === undefined ? [page] : [page, sender], handle);
    },
    of(url) {
      const page = pages.get(url);
      return page && [...page.values()];
    },
    recorded: () => [...urls].map((url) => ({ url, queries: [...(pages.get(url)?.values() ?? [])] })),
    note(value) {
      const names = namesIn(value);
      for (const page of names.length > 0 ? (current.getStore() ?? []) : []) {
        page.set('', { ...PROPS, count: names.length, names });
      }
    },
    forget: (url) => pages.delete(url),
    clear: () => pages.clear(),
  };
}

/** What a page gets from its `getStaticPaths`. */
const PROPS = {
  code: 'Astro.props',
  path: '',
  actor: ANONYMOUS,
  ms: 0,
  failed: false,
  entities: [],
} as const;

/** `bundle id` of each entity in a value, `type id` of each resource, and the file of each entry of a collection of Astro. */
function namesIn(value: unknown): readonly string[] {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null || seen.has(each) || names.size >= MAX_NAMES) return;
    seen.add(each);
    if (isReference(each)) names.add(`${each.type} ${each.id}`);
    if ('filePath' in each && typeof each.filePath === 'string') names.add(each.filePath);
    // A body has no entities, and reading its headings takes time.
    if (!('processed' in each)) for (const part of Object.values(each)) visit(part);
  };
  visit(value);
  return [...names];
}

function summarize(result: unknown): Pick<PageQuery, 'count' | 'entities' | 'names'> {
  const list = entitiesOf(result);
  const first = list.filter(isReference).slice(0, MAX_ENTITIES);
  const entities = first.map(({ type, id }) => ({ type, id }));
  return { count: typeof result === 'number' ? result : list.length, entities, names: namesIn(result) };
}

/** The entities of a list, of a document, or a single one. */
function entitiesOf(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result;
  if (typeof result !== 'object' || result === null) return [];
  return 'jsonapi' in result && 'data' in result ? [result.data ?? []].flat() : [result];
}

function isReference(value: unknown): value is Reference {
  return isRecord(value) && typeof value.type === 'string' && typeof value.id === 'string';
}

/** A request that may run queries. Both URLs are paths with their query string. */
export interface PageRequest {
  readonly url: string;
  /** The page that sent the request. */
  readonly from: string | undefined;
}

/** Undefined for a request that runs no queries: assets, and modules of Vite. */
export function pageRequest(
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers'> & {
    readonly originalUrl?: string | undefined;
  },
): PageRequest | undefined {
  const { method, headers } = request;
  const url = request.originalUrl ?? request.url ?? '';
  if (method !== 'GET' || /^\/@|\/node_modules\//.test(url)) return undefined;
  if (ASSETS.has(String(headers['sec-fetch-dest']))) return undefined;
  // A prefetched page is not part of the open one.
  const isPrefetch = String(headers['sec-purpose']).includes('prefetch');
  return { url, from: isPrefetch ? undefined : pathOf(headers.referer, headers.host) };
}

const ASSETS: ReadonlySet<string> = new Set('audio font image manifest script style track video'.split(' '));

function pathOf(referer: string | undefined, host: string | undefined): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const { host: from, pathname, search } = new URL(referer);
  return from === host ? pathname + search : undefined;
}

/** The handler. It observes the API requests that scripts of a page send, except those of the explorer. */
export function observedHandler(handle: Handler, observe: QueryObserver): Handler {
  return async (request, context) => {
    if (request.method !== 'GET' || !isFromPage(request)) return handle(request, context);
    let response: Response | undefined;
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    await observe({ code: `fetch('${path}')`, path, actor: context?.actor ?? ANONYMOUS }, async () => {
      response = await handle(request, context);
      // A 304 has no body: the page has the response already.
      const isCached = response?.status === 304;
      return readBody(isCached ? await handle(new Request(request.url), context) : response?.clone());
    });
    return response;
  };
}

function isFromPage({ headers }: Request): boolean {
  const from = headers.get('referer');
  return from !== null && URL.canParse(from) && !new URL(from).pathname.includes(EXPLORER_PATH);
}

async function readBody(response: Response | undefined): Promise<unknown> {
  const text = (await response?.text()) ?? '';
  const { headers = new Headers() } = response ?? {};
  const isJson = headers.get('content-type')?.includes('json') === true && !headers.has('content-encoding');
  return isJson && text !== '' ? JSON.parse(text) : text;
}
