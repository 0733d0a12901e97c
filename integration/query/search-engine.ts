import type { IndexedStore } from '../store/entity-store.ts';
import type { FullText } from '../store/full-text/full-text.ts';
import { createQueryEngine } from './create-engine.ts';
import type { QueryEngine } from './engine.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { hasSearch } from './resolve-search.ts';

/** The engine over the in-memory index with searches, which wait until the words have been read. */
export function createSearchEngine(
  store: IndexedStore,
  fullText: FullText,
  limits: Limits = DEFAULT_LIMITS,
): QueryEngine {
  const engine = createQueryEngine(store, limits, fullText);
  return {
    run(type, query, access) {
      const preparing = hasSearch(type, query.filter) ? fullText.prepare(type.name) : undefined;
      return preparing === undefined
        ? engine.run(type, query, access)
        : preparing.then(() => engine.run(type, query, access));
    },
    explain(type, query, access) {
      const preparing = hasSearch(type, query.filter) ? fullText.prepare(type.name) : undefined;
      return preparing === undefined
        ? engine.explain(type, query, access)
        : preparing.then(() => engine.explain(type, query, access));
    },
    visible: engine.visible,
  };
}
