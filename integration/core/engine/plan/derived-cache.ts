import { LruMap } from '../../util/lru-map.ts';
import type { Column } from '../store/column.ts';
import { checkSlice } from '../time-slices.ts';

/** Values that are derived from columns, each valid while all its inputs are the same objects. */
export type DerivedCache<T> = WeakMap<Column, LruMap<string, Derived<T>>>;

interface Derived<T> {
  readonly inputs: readonly unknown[];
  readonly value: T & {};
}

/** Values of one column. Clients can write any number of paths through it. */
export const MAX_DERIVED = 32;

/**
 * The value with this name, computed again if an input has changed. If the slice ends here, the next attempt must pass the
 * same inputs, or it would never get further.
 */
export function derive<T>(
  cache: DerivedCache<T>,
  column: Column,
  name: string,
  inputs: readonly unknown[],
  compute: () => T & {},
): T & {} {
  const values = cache.get(column) ?? new LruMap<string, Derived<T>>(MAX_DERIVED);
  cache.set(column, values);
  const cached = values.get(name);
  if (cached?.inputs.length === inputs.length && cached.inputs.every((input, i) => input === inputs[i])) {
    return cached.value;
  }
  const value = compute();
  values.set(name, { inputs, value });
  checkSlice();
  return value;
}
