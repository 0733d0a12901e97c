import type { Actor } from '../access/actor.ts';
import type { Reader } from '../read/reader.ts';
import { actorOf } from './access-option.ts';
import type { QuerySpec } from './query-spec.ts';
import type { QueryRunner } from './run-query.ts';
import { queryCall, queryPath } from './write-query.ts';

/** A query of the site's own code, for whoever watches what a page asks. */
export interface AskedQuery {
  /** As it is written in code: `entities('article').where('title', '=', 'x').all()`. */
  readonly code: string;
  /** The same as JSON:API asks it: `/node/article?filter[title]=x`. */
  readonly path: string;
  readonly actor: Actor;
}

/** Called in place of a query; answers what `ask` does, which may be called again later. */
export type QueryObserver = <T>(query: AskedQuery, ask: () => Promise<T>) => Promise<T>;

/** Observes nothing. */
export const ASK: QueryObserver = (_, ask) => ask();

/** A runner whose queries are observed. Without an observer it is the runner itself. */
export function observeRunner(runner: QueryRunner, { store }: Reader, observe: QueryObserver): QueryRunner {
  if (observe === ASK) return runner;
  const asked = (spec: QuerySpec, end: string): AskedQuery => ({
    code: queryCall(spec, end),
    path: queryPath(store.types, spec),
    actor: actorOf(spec),
  });
  return {
    all: async (spec) => await observe(asked(spec, 'all()'), () => runner.all(spec)),
    async get(spec, id) {
      const query = asked(spec, `get(${JSON.stringify(id)})`);
      const mark = query.path.includes('?') ? '&' : '?';
      const path = `${query.path}${mark}filter[id]=${encodeURIComponent(id)}`;
      return await observe({ ...query, path }, () => runner.get(spec, id));
    },
    count: async (spec) => await observe(asked(spec, 'count()'), () => runner.count(spec)),
    cacheKey: async (spec) => await observe(asked(spec, 'cacheKey()'), () => runner.cacheKey(spec)),
  };
}
