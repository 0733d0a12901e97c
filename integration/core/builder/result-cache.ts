import type { ResourceType } from '../content/model.ts';
import type { EngineQuery, QueryAccess, QueryResult } from '../engine/engine.ts';
import type { BoundedCache } from '../read/cache-budget.ts';
import type { Reader } from '../read/reader.ts';

/** Results of earlier queries: the pages of a site repeat many of them. */
export interface ResultCache {
  /** The cached result, if nothing has changed since, or a new one. */
  run(type: ResourceType, query: EngineQuery, access: QueryAccess): Promise<QueryResult>;
}

export function createResultCache({ store, engine, clock, cache }: Reader): ResultCache {
  // Actors with the same permissions share an access object, and so the results.
  const byAccess = new WeakMap<QueryAccess, BoundedCache<string, CachedResult>>();

  return {
    async run(type, query, access) {
      // All numbers but the limit of an endless page are finite, so only that one becomes null.
      const key = JSON.stringify([type.name, query]);
      const results = byAccess.get(access) ?? cache.cache<string, CachedResult>();
      byAccess.set(access, results);
      const { version } = store;
      const until = clock.nextScheduledChange();
      const cached = results.get(key);
      if (cached?.version === version && cached.until === until) return cached.result;
      const result = await engine.run(type, query, access);
      if (version === store.version && until === clock.nextScheduledChange()) {
        results.set(key, { result, version, until }, result.entities.length * ENTITY_BYTES + key.length);
      }
      return result;
    },
  };
}

/** A reference: the entities belong to the store. */
const ENTITY_BYTES = 8;

interface CachedResult {
  readonly result: QueryResult;
  /** Version of the store. */
  readonly version: number;
  /** Time of the next scheduled change. */
  readonly until: number;
}
