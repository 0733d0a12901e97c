import type { ResourceType } from '../content/model.ts';
import { createQueryEngine } from './create-engine.ts';
import type { EngineQuery, QueryEngine } from './engine.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { hasSearch } from './resolve-search.ts';
import type { IndexedStore } from './store/entity-store.ts';
import type { FullText } from './store/full-text/full-text.ts';
import { createTimeSlices, type TimeSlices } from './time-slices.ts';

/**
 * The engine over the in-memory index for servers. Most queries are answered at once. What takes long, because words or
 * columns have to be read first or bodies are compared, runs in slices beside other requests. `fullText` is null where
 * nothing can be searched.
 */
export function createSearchEngine(
  store: IndexedStore,
  fullText: FullText | null,
  limits: Limits = DEFAULT_LIMITS,
  slices: TimeSlices = createTimeSlices(),
): QueryEngine {
  const engine = createQueryEngine(store, limits, fullText ?? undefined);

  function finish<T>(type: ResourceType, query: EngineQuery, attempt: () => T): T | Promise<T> {
    const preparing = hasSearch(type, query.filter) ? fullText?.prepare(type.name) : undefined;
    return preparing === undefined
      ? slices.begin().finish(attempt)
      : preparing.then(() => slices.begin().finish(attempt));
  }

  return {
    run: (type, query, access) => finish(type, query, engine.running(type, query, access)),
    explain: (type, query, access) => finish(type, query, engine.explaining(type, query, access)),
    visible: engine.visible,
  };
}
