/**
 * A map of at most `max` units. It drops the entries that were not used for the longest time. An entry is one unit unless
 * `set` says otherwise; one with more than `max` units is not stored.
 */
export class LruMap<K, V> {
  readonly #max: number;
  readonly #onRemove: ((key: K) => void) | undefined;
  readonly #entries = new Map<K, Entry<K, V>>();
  // Entries by their last use. The order of a Map would do, but V8 needs linear time to find its first key after many others
  // were deleted.
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;
  #units = 0;

  /** `onRemove` is called for keys that are dropped or deleted. */
  constructor(max: number, onRemove?: (key: K) => void) {
    this.#max = max;
    this.#onRemove = onRemove;
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry?.value;
  }

  set(key: K, value: V, units = 1): void {
    const former = this.#entries.get(key);
    if (former !== undefined) this.#take(former);
    if (units > this.#max) {
      if (former !== undefined) this.#onRemove?.(key);
      return;
    }
    const entry: Entry<K, V> = { key, value, units, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#units += units;
    while (this.#units > this.#max && this.#oldest !== undefined) this.delete(this.#oldest.key);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#take(entry);
    this.#onRemove?.(key);
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }

  #take(entry: Entry<K, V>): void {
    this.#entries.delete(entry.key);
    this.#unlink(entry);
    this.#units -= entry.units;
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<K, V>): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}

interface Entry<K, V> {
  readonly key: K;
  readonly value: V;
  readonly units: number;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}
