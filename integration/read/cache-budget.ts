/** A cache whose entries may go at any time, but not before they have been unused for a while. */
export interface BoundedCache<K, V> {
  get(key: K): V | undefined;
  /** `bytes` is what keeping the value costs. */
  set(key: K, value: V, bytes: number): void;
}

/** Memory that several caches share. */
export interface CacheBudget {
  cache<K, V>(): BoundedCache<K, V>;
}

/**
 * Caches that together hold `maxBytes` at most; none at all for 0. Entries live in a young and an old generation:
 * those used move to the young one, and when it has half of the bytes, the old one is dropped and the young grows old.
 * So a hit costs one look into a map, and what is asked for often stays.
 */
export function createCacheBudget(maxBytes: number): CacheBudget {
  const caches = new Set<WeakRef<Generations>>();
  let young = 0;

  function spend(bytes: number): void {
    young += bytes;
    if (young <= maxBytes / 2) return;
    young = 0;
    for (const reference of caches) {
      const generations = reference.deref();
      if (generations === undefined) caches.delete(reference);
      else generations.age();
    }
  }

  return {
    cache<K, V>() {
      const generations = createGenerations<K, V>(spend, maxBytes / 2);
      caches.add(new WeakRef(generations));
      return generations;
    },
  };
}

interface Generations {
  age(): void;
}

function createGenerations<K, V>(
  spend: (bytes: number) => void,
  maxEntry: number,
): BoundedCache<K, V> & Generations {
  let young = new Map<K, Entry<V>>();
  let old = new Map<K, Entry<V>>();

  function keep(key: K, entry: Entry<V>): void {
    young.set(key, entry);
    spend(entry.bytes);
  }

  return {
    get(key) {
      const entry = young.get(key);
      if (entry !== undefined) return entry.value;
      const aged = old.get(key);
      if (aged === undefined) return undefined;
      keep(key, aged);
      return aged.value;
    },
    set(key, value, bytes) {
      const cost = bytes + ENTRY_BYTES;
      if (cost <= maxEntry) keep(key, { value, bytes: cost });
    },
    age() {
      old = young;
      young = new Map();
    },
  };
}

/** What an entry costs besides its value. */
const ENTRY_BYTES = 200;

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
}
