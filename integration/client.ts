import { createEntities } from './core/builder/create-builder.ts';
import { entitiesCall, type QuerySpec, queryPath } from './core/builder/format-query.ts';
import type { ContentApi, UntypedContentApi } from './core/builder/index.ts';
import type { LanguageOption } from './core/builder/language-option.ts';
import { createLazyRunner } from './core/builder/lazy-runner.ts';
import { type SuggestOptions as ReadOptions, readSuggestions } from './core/builder/suggest.ts';
import { resourceTypeName, splitResourceType } from './core/content/resource-type.ts';
import type { QueryDefaults } from './core/engine/parse/parse-query.ts';
import type { Passage, SearchMeta } from './core/read/document-types.ts';
import { type ClientOptions, createLazySite, type LazySite } from './features/static/fetch.ts';
import type { SiteBundle, SiteLanguage, SiteSchema } from './types.ts';

export type { ClientOptions } from './features/static/fetch.ts';

/**
 * Returns a function like `fetch` that answers the requests of the API, as a server would answer anonymous visitors, from
 * the files of a static site. It passes all other requests on, and those of existing files (`.json`).
 *
 * ```js
 * const fetch = createFetch();
 * const response = await fetch('/jsonapi/node/article?filter[field_tags.title]=tides&sort=-created');
 * ```
 */
export function createFetch(options: ClientOptions = {}): typeof fetch {
  const site = Object.keys(options).length === 0 ? ownSite() : createLazySite(loadEngine, options);
  // Loaded now: after the next deployment, its files may be gone.
  site.open().catch(() => undefined);
  return site.fetch;
}

/**
 * Puts `createFetch` in front of the page's `fetch`, for clients that take no function of their own. Returns a function
 * that removes it.
 */
export function install(options: ClientOptions = {}): () => void {
  const original = globalThis.fetch;
  const send = createFetch(options);
  const installed: typeof fetch = (input, init) => (removed.get(installed) ?? send)(input, init);
  globalThis.fetch = installed;
  return () => {
    removed.set(installed, original);
    let current: typeof fetch | undefined = globalThis.fetch;
    for (; current !== undefined; current = removed.get(current)) globalThis.fetch = current;
  };
}

/** What replaces functions of `install` that are removed. Another function may still call them. */
const removed = new WeakMap<typeof fetch, typeof fetch>();

const loadEngine = () => import('./features/browser.ts').then(({ openSite }) => openSite);

type Untyped = UntypedContentApi;
type ClientApi = ContentApi<SiteSchema, SiteBundle, SiteLanguage, LanguageOption<SiteLanguage>>;

/**
 * A query on the published entities of a bundle, as `astro-jsonapi:content` has it at build time.
 *
 * ```ts
 * const articles = await entities('article').where('field_tags.title', '=', 'tides').sort('-created').limit(10).all();
 * ```
 */
export const entities = ((bundle, options) =>
  createEntities(
    createLazyRunner(async (run) => (await ownSite().open()).query(run), toUrl),
    ['lang', 'fallback'],
  )(bundle, options)) as Untyped['entities'] as ClientApi['entities'];

/**
 * A path that the code does not contain, such as one from a query string, for `where`, `sort` and `include`. An invalid path
 * is an Error when the query runs.
 */
export const runtimePath = ((path) => path) as Untyped['runtimePath'] as ClientApi['runtimePath'];

/**
 * Suggestions of a search box while a visitor types: entities that have the words, and the search with its last word completed.
 *
 * ```ts
 * const { entries, completions } = await suggest('spring ti', { limit: 5 });
 * ```
 */
export async function suggest(words: string, options: SuggestOptions = {}): Promise<Suggestions> {
  const read = async (path: string) => {
    const response = await ownSite().fetch(ownSite().path + path, { signal: options.signal ?? null });
    const document = await response.json();
    if (!response.ok)
      throw new Error(`suggest('${words}'): ${document.errors?.[0]?.detail ?? response.status}`);
    return document;
  };
  return (await readSuggestions(read, words, options)) as unknown as Suggestions;
}

export interface SuggestOptions extends ReadOptions {
  readonly signal?: AbortSignal;
}

export interface Suggestions {
  readonly entries: readonly SuggestedEntry[];
  /** All entities that the search finds. */
  readonly count: number;
  /** The search with its last word completed. */
  readonly completions: readonly string[];
  readonly search: SearchMeta['search'];
}

/** An entity with its title and the matches in it. */
export interface SuggestedEntry extends Passage {
  readonly type: string;
  readonly id: string;
  /** The path of its page. Absent if visitors may not see the field `path`. */
  readonly path?: string;
  readonly langcode: string;
}

/** The site of the page, so that all functions share its files. */
function ownSite(): LazySite {
  own ??= createLazySite(loadEngine);
  return own;
}

let own: LazySite | undefined;

function toUrl(spec: QuerySpec): string {
  const name = resourceTypeName(spec.bundle);
  if (name === undefined) throw new Error(`${entitiesCall(spec)}: unknown bundle "${spec.bundle}".`);
  const defaults =
    typeof __ASTRO_JSONAPI_DEFAULTS__ === 'object' ? __ASTRO_JSONAPI_DEFAULTS__[name] : undefined;
  return ownSite().path + queryPath({ name, ...splitResourceType(name) }, spec, defaults);
}

/** By resource type, which parameters have defaults. The integration replaces it while it builds a site. */
declare const __ASTRO_JSONAPI_DEFAULTS__: Readonly<Record<string, QueryDefaults>> | undefined;
