import { Bitmap } from './bitmap.ts';

/**
 * Rows of one table: all, an ascending list, or a bitmap. Immutable, so an index can return its own lists and bitmaps.
 */
export type RowSet =
  | { readonly kind: 'all'; readonly size: number }
  | { readonly kind: 'list'; readonly rows: Int32Array }
  | { readonly kind: 'bitmap'; readonly bitmap: Bitmap; readonly count: number };

export const EMPTY_ROWS: RowSet = { kind: 'list', rows: new Int32Array(0) };

/** A list of less than one row in 32 is smaller and faster than a bitmap. */
export const LIST_SHARE = 32;

export function rowsOfBitmap(bitmap: Bitmap): RowSet {
  return { kind: 'bitmap', bitmap, count: bitmap.count() };
}

export function rowCount(set: RowSet): number {
  switch (set.kind) {
    case 'all':
      return set.size;
    case 'list':
      return set.rows.length;
    case 'bitmap':
      return set.count;
    default:
      return set satisfies never;
  }
}

export function hasRow(set: RowSet, row: number): boolean {
  switch (set.kind) {
    case 'all':
      return true;
    case 'list':
      return listHas(set.rows, row);
    case 'bitmap':
      return set.bitmap.has(row);
    default:
      return set satisfies never;
  }
}

/** The rows in ascending order. */
export function listRows(set: RowSet): Int32Array {
  switch (set.kind) {
    case 'all':
      return Int32Array.from({ length: set.size }, (_, row) => row);
    case 'list':
      return set.rows;
    case 'bitmap':
      return set.bitmap.rows(set.count);
    default:
      return set satisfies never;
  }
}

export function intersect(a: RowSet, b: RowSet): RowSet {
  if (a.kind === 'all') return b;
  if (b.kind === 'all') return a;
  if (a.kind === 'list') return filterList(a.rows, b);
  if (b.kind === 'list') return filterList(b.rows, a);
  return rowsOfBitmap(a.bitmap.clone().and(b.bitmap));
}

/** The union of sets over a table of `size` rows. */
export function unite(sets: readonly RowSet[], size: number): RowSet {
  const [first] = sets;
  if (first === undefined) return EMPTY_ROWS;
  if (sets.length === 1) return first;
  const union = new Bitmap(size);
  for (const set of sets) {
    if (set.kind === 'all') return set;
    if (set.kind === 'bitmap') union.or(set.bitmap);
    else for (let i = 0; i < set.rows.length; i++) union.add(set.rows[i]!);
  }
  return rowsOfBitmap(union);
}

/** A set from rows in any order, possibly with duplicates. May reorder `rows`. */
export function rowsOfUnsorted(rows: Int32Array, size: number): RowSet {
  if (rows.length * LIST_SHARE > size) return rowsOfBitmap(Bitmap.of(size, rows));
  rows.sort();
  let count = 0;
  for (let i = 0; i < rows.length; i++) {
    if (i === 0 || rows[i] !== rows[i - 1]) rows[count++] = rows[i]!;
  }
  return { kind: 'list', rows: rows.subarray(0, count) };
}

/** The rows that pass the test; the set itself if all pass. */
export function filterRows(set: RowSet, test: (row: number) => boolean): RowSet {
  const rows = listRows(set);
  let count = 0;
  while (count < rows.length && test(rows[count]!)) count++;
  if (count === rows.length) return set;
  const passing = rows.slice();
  for (let i = count + 1; i < rows.length; i++) {
    if (test(rows[i]!)) passing[count++] = rows[i]!;
  }
  return { kind: 'list', rows: passing.subarray(0, count) };
}

function filterList(rows: Int32Array, set: RowSet): RowSet {
  return filterRows({ kind: 'list', rows }, (row) => hasRow(set, row));
}

function listHas(rows: Int32Array, row: number): boolean {
  let low = 0;
  let high = rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const candidate = rows[middle]!;
    if (candidate === row) return true;
    if (candidate < row) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
