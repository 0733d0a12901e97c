import { LruMap } from '../util/lru-map.ts';

/** A cache that may drop any entry. */
export interface BoundedCache<K, V> {
  get(key: K): V | undefined;
  /** `bytes` is the size of the value. */
  set(key: K, value: V, bytes: number): void;
}

/** Memory that several caches share. */
export interface CacheBudget {
  cache<K, V>(): BoundedCache<K, V>;
}

/** Caches that together hold at most `maxBytes`. The least recently used entries are dropped first. 0: no caching. */
export function createCacheBudget(maxBytes: number): CacheBudget {
  const budget = new LruMap<Entry<unknown>, true>(maxBytes, ({ drop }) => drop());
  return {
    cache<K, V>(): BoundedCache<K, V> {
      const entries = new Map<K, Entry<V>>();
      return {
        get(key) {
          const entry = entries.get(key);
          if (entry !== undefined) budget.get(entry);
          return entry?.value;
        },
        set(key, value, bytes) {
          const former = entries.get(key);
          if (former !== undefined) budget.delete(former);
          const size = bytes + ENTRY_BYTES;
          if (size > maxBytes / 2) return;
          const entry = { value, drop: () => entries.delete(key) };
          entries.set(key, entry);
          budget.set(entry, true, size);
        },
      };
    },
  };
}

/** The size of an entry without its value. */
const ENTRY_BYTES = 300;

interface Entry<V> {
  readonly value: V;
  drop(): void;
}
