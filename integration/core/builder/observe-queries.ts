import type { Actor } from '../access/actor.ts';
import type { Reader } from '../read/reader.ts';
import { actorOf } from './as-option.ts';
import { facetParameters, facetsCall, type QuerySpec, queryCall, queryPath, quote } from './format-query.ts';
import { findType } from './query-errors.ts';
import type { QueryRunner } from './run-query.ts';

/** A query of the site's own code. */
export interface ObservedQuery {
  /** As code: `entities('article').where('title', '=', 'x').all()`. */
  readonly code: string;
  /** As a JSON:API path: `/node/article?filter[title]=x`. */
  readonly path: string;
  readonly actor: Actor;
}

/** A page that was rendered, and what its queries returned. */
export interface RecordedPage {
  /** Its path, with the base of the site. */
  readonly url: string;
  readonly queries: readonly {
    readonly actor: Actor;
    /** `bundle id` of the entities in the result, `type id` of the resources, or the files of entries of Astro's collections. */
    readonly names: readonly string[];
  }[];
}

/** Called instead of a query. Returns the result of `run`, which may be called again later. */
export type QueryObserver = <T>(query: ObservedQuery, run: () => Promise<T>) => Promise<T>;

/** Observes nothing. */
export const runUnobserved: QueryObserver = (_, run) => run();

/** Calls the observer for each query of the runner. */
export function observeRunner(
  runner: QueryRunner,
  { store, settings }: Reader,
  observe: QueryObserver,
): QueryRunner {
  if (observe === runUnobserved) return runner;
  const describe = (spec: QuerySpec, end: string): ObservedQuery => ({
    code: queryCall(spec, end),
    path: pathOf(spec),
    actor: actorOf(spec),
  });

  /** Without parameters for an unknown bundle, which is an error of the query itself. */
  function pathOf(spec: QuerySpec): string {
    try {
      const type = findType(store.types, spec.bundle);
      return queryPath(type, spec, settings.queryDefaults?.[type.name]);
    } catch {
      return `/node/${encodeURIComponent(spec.bundle)}`;
    }
  }

  return {
    ...runner,
    all: async (spec) => await observe(describe(spec, 'all()'), () => runner.all(spec)),
    async get(spec, id) {
      const query = describe(spec, `get(${quote(id)})`);
      const mark = query.path.includes('?') ? '&' : '?';
      const path = `${query.path}${mark}filter[id]=${encodeURIComponent(id)}`;
      return await observe({ ...query, path }, () => runner.get(spec, id));
    },
    surroundings: async (spec, id) =>
      await observe(describe(spec, `surroundings(${quote(id)})`), () => runner.surroundings(spec, id)),
    results: async (spec) => await observe(describe(spec, 'results()'), () => runner.results(spec)),
    count: async (spec) => await observe(describe(spec, 'count()'), () => runner.count(spec)),
    async facets(spec, facets) {
      const query = describe(spec, facetsCall(facets));
      const parameters = facetParameters(facets).map(({ text }) => text);
      const mark = query.path.includes('?') ? '&' : '?';
      const path = `${query.path}${mark}${parameters.join('&')}`;
      return await observe({ ...query, path }, () => runner.facets(spec, facets));
    },
    cacheKey: async (spec) => await observe(describe(spec, 'cacheKey()'), () => runner.cacheKey(spec)),
  };
}
