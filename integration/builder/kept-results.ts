import type { ResourceType } from '../content/model.ts';
import type { EngineQuery, QueryAccess, QueryResult } from '../engine/engine.ts';
import type { BoundedCache } from '../read/cache-budget.ts';
import type { Reader } from '../read/reader.ts';

/** Results of queries that were asked already: the pages of a site ask many of them again. */
export interface KeptResults {
  /** What the engine answers, or did when the same was asked before and nothing has changed. */
  run(type: ResourceType, query: EngineQuery, access: QueryAccess): Promise<QueryResult>;
}

export function createKeptResults({ store, engine, clock, cache }: Reader): KeptResults {
  // Actors who may see the same share an access object, and the results.
  const byAccess = new WeakMap<QueryAccess, BoundedCache<string, Kept>>();

  return {
    async run(type, query, access) {
      // Values are finite; an endless page is null, as no other is.
      const asked = JSON.stringify([type.name, query]);
      const kept = byAccess.get(access) ?? cache.cache<string, Kept>();
      byAccess.set(access, kept);
      const { version } = store;
      const until = clock.nextScheduledChange();
      const known = kept.get(asked);
      if (known?.version === version && known.until === until) return known.result;
      const result = await engine.run(type, query, access);
      if (version === store.version && until === clock.nextScheduledChange()) {
        kept.set(asked, { result, version, until }, result.ids.length * ID_BYTES + asked.length);
      }
      return result;
    },
  };
}

/** Of a list, each; the ids themselves are those of the store. */
const ID_BYTES = 8;

interface Kept {
  readonly result: QueryResult;
  /** Of the store. */
  readonly version: number;
  /** The next scheduled change when it was asked. */
  readonly until: number;
}
