/** What is made when first asked for, and made again when it has not been asked for among the last `limit`. */
export interface Recent<K, V> {
  get(key: K, make: () => V): V;
}

export function createRecent<K, V>(limit: number): Recent<K, V> {
  // A map keeps the order of insertion: the first key is the one not asked for the longest.
  const kept = new Map<K, V>();
  return {
    get(key, make) {
      const known = kept.get(key);
      const value = known === undefined ? make() : known;
      kept.delete(key);
      kept.set(key, value);
      for (const oldest of kept.keys()) {
        if (kept.size <= limit) break;
        kept.delete(oldest);
      }
      return value;
    },
  };
}
