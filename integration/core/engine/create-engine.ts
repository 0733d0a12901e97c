import type { ResourceType } from '../content/model.ts';
import { assembleEngine, listOf, type SynchronousEngine } from './assemble-engine.ts';
import type { EngineQuery, QueryEngine } from './engine.ts';
import { ALL_PARTS } from './engine-parts.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { hasSearch } from './resolve/resolve-filter.ts';
import type { IndexedStore } from './store/entity-store.ts';
import type { FullText, SearchIndexes } from './text/full-text.ts';
import { createTimeSlices, type TimeSlices } from './time-slices.ts';

/**
 * The engine for servers, over the in-memory index. It returns most results at once. Long work, such as building a
 * column or reading bodies, runs in slices between other requests. `fullText` is null if search is off.
 */
export function createSlicedEngine(
  store: IndexedStore,
  fullText: FullText | null,
  limits: Limits = DEFAULT_LIMITS,
  slices: TimeSlices = createTimeSlices(),
): QueryEngine {
  const engine = createQueryEngine(store, limits, fullText ?? undefined);

  function finish<T>(types: readonly ResourceType[], query: EngineQuery, attempt: () => T): T | Promise<T> {
    const searched = types.filter((type) => hasSearch(type, query.filter));
    const preparing = searched.flatMap(({ name }) => fullText?.prepare(name) ?? []);
    return preparing.length === 0
      ? slices.begin().finish(attempt)
      : Promise.all(preparing).then(() => slices.begin().finish(attempt));
  }

  return {
    run(type, query, access) {
      const types = listOf(type);
      return finish(types, query, engine.runAttempt(types, query, access));
    },
    explain: (type, query, access) => finish([type], query, engine.explainAttempt(type, query, access)),
    find: engine.find,
    translations: engine.translations,
  };
}

/** The engine with all of its parts. */
export function createQueryEngine(
  store: IndexedStore,
  limits: Limits = DEFAULT_LIMITS,
  fullText?: SearchIndexes,
): SynchronousEngine {
  return assembleEngine(ALL_PARTS, store, limits, fullText);
}
