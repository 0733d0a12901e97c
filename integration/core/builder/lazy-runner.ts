import type { QuerySpec } from './format-query.ts';
import type { QueryRunner } from './run-query.ts';

/** Runs a step of a query with the runner that answers it. Without a query, the step is about the site. */
export type UseRunner = <T>(
  run: (runner: QueryRunner) => T | Promise<T>,
  spec: QuerySpec | undefined,
) => Promise<T>;

/** A runner whose parts are opened when they are needed. */
export function createLazyRunner(use: UseRunner, toUrl: QueryRunner['toUrl']): QueryRunner {
  return {
    site: () => use((runner) => runner.site(), undefined),
    all: (spec) => use((runner) => runner.all(spec), spec),
    get: (spec, id) => use((runner) => runner.get(spec, id), spec),
    surroundings: (spec, id) => use((runner) => runner.surroundings(spec, id), spec),
    results: (spec) => use((runner) => runner.results(spec), spec),
    count: (spec) => use((runner) => runner.count(spec), spec),
    facets: (spec, facets) => use((runner) => runner.facets(spec, facets), spec),
    cacheKey: (spec) => use((runner) => runner.cacheKey(spec), spec),
    explain: (spec, facets) => use((runner) => runner.explain(spec, facets), spec),
    toUrl,
  };
}
