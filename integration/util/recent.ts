/** A map of bounded size: beyond `limit` keys, the key that was set longest ago is removed. */
export function createRecent<T>(limit: number): Recent<T> {
  const entries = new Map<string, T>();
  return {
    get: (key) => entries.get(key),
    delete: (key) => void entries.delete(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= limit) return;
      const [oldest] = entries.keys();
      if (oldest !== undefined) entries.delete(oldest);
    },
  };
}

export interface Recent<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
}
