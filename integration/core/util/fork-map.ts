/**
 * A map whose copies cost nothing until they differ. A fork stores its own changes, and reads everything else from the map
 * below it. It keeps the values of the moment in which it was made, also when the map below changes.
 */
export class ForkMap<K, V> extends Map<K, V> {
  #below: ReadonlyMap<K, V> | undefined;
  /** Keys of the map below that this one does not have. */
  #hidden = new Set<K>();
  #size = 0;
  /** The moment of the last forks. */
  #last: WeakRef<ForkMap<K, V>> | undefined;

  /** A map that begins with the content of another one, which does not change any more. */
  static over<K, V>(below: ReadonlyMap<K, V>): ForkMap<K, V> {
    const fork = new ForkMap<K, V>();
    fork.#below = below;
    fork.#size = below.size;
    return fork;
  }

  fork(): ForkMap<K, V> {
    return ForkMap.over(this.#moment());
  }

  override get size(): number {
    return this.#below === undefined ? super.size : this.#size;
  }

  override has(key: K): boolean {
    return super.has(key) || (this.#below?.has(key) === true && !this.#hidden.has(key));
  }

  override get(key: K): V | undefined {
    if (this.#below === undefined || super.has(key)) return super.get(key);
    return this.#hidden.has(key) ? undefined : this.#below.get(key);
  }

  override set(key: K, value: V): this {
    this.#keepForForks(key);
    if (this.#below !== undefined && !this.has(key)) this.#size += 1;
    return super.set(key, value);
  }

  override delete(key: K): boolean {
    this.#keepForForks(key);
    if (this.#below === undefined) return super.delete(key);
    if (!this.has(key)) return false;
    this.#size -= 1;
    this.#hidden.add(key);
    super.delete(key);
    return true;
  }

  override clear(): void {
    for (const key of [...this.keys()]) this.delete(key);
  }

  override entries(): MapIterator<[K, V]> {
    return this.#below === undefined ? super.entries() : this.#merged(this.#below);
  }

  override keys(): MapIterator<K> {
    return this.#below === undefined ? super.keys() : this.#each(([key]) => key);
  }

  override values(): MapIterator<V> {
    return this.#below === undefined ? super.values() : this.#each(([, value]) => value);
  }

  override [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  override forEach(callback: (value: V, key: K, map: Map<K, V>) => void): void {
    for (const [key, value] of this.entries()) callback(value, key, this);
  }

  *#each<T>(part: (entry: [K, V]) => T): Generator<T, undefined> {
    for (const entry of this.entries()) yield part(entry);
  }

  *#merged(below: ReadonlyMap<K, V>): Generator<[K, V], undefined> {
    for (const [key, value] of below) {
      if (!super.has(key) && !this.#hidden.has(key)) yield [key, value];
    }
    yield* super.entries();
  }

  /**
   * This map as it is now. A change puts the former value into the last moment only, which the moments before it read, so it
   * takes the same time for any number of forks.
   */
  #moment(): ForkMap<K, V> {
    const last = this.#last?.deref();
    if (last !== undefined && !last.#differs()) return last;
    const moment = ForkMap.over<K, V>(this);
    if (last !== undefined) last.#below = moment;
    this.#last = new WeakRef(moment);
    return moment;
  }

  #differs(): boolean {
    return super.size > 0 || this.#hidden.size > 0;
  }

  #keepForForks(key: K): void {
    const last = this.#last?.deref();
    if (last !== undefined) last.#keep(key);
  }

  /** Takes over what the map below has at the key. */
  #keep(key: K): void {
    if (super.has(key) || this.#hidden.has(key)) return;
    const below = this.#below;
    if (below?.has(key) === true) super.set(key, below.get(key) as V);
    else this.#hidden.add(key);
  }
}

/** A copy of an object whose maps and sets change on their own, also the sets in maps. */
export function forkMaps<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, fork(value)])) as T;
}

function fork(value: unknown): unknown {
  if (value instanceof Set) return new Set(value);
  if (typeof value === 'object' && value !== null && 'fork' in value)
    return (value as ForkMap<unknown, unknown>).fork();
  return value instanceof Map ? new Map([...value].map(([key, each]) => [key, fork(each)])) : value;
}
