import { Bitmap } from './bitmap.ts';
import { binarySearch } from './ordering.ts';

/** Rows of one table: all, an ascending list, or a bitmap. Immutable, so an index can return its own lists and bitmaps. */
export type RowSet =
  | { readonly kind: 'all'; readonly count: number }
  | { readonly kind: 'list'; readonly count: number; readonly rows: Int32Array }
  | { readonly kind: 'bitmap'; readonly count: number; readonly bitmap: Bitmap };

export const EMPTY_ROWS: RowSet = rowList(new Int32Array(0));

/** A list of less than one row in 32 is smaller and faster than a bitmap. */
export const LIST_SHARE = 32;

export function allRows({ size }: { readonly size: number }): RowSet {
  return { kind: 'all', count: size };
}

/** A set from ascending rows. */
export function rowList(rows: Int32Array): RowSet {
  return { kind: 'list', count: rows.length, rows };
}

export function rowsOfBitmap(bitmap: Bitmap, count: number = bitmap.count()): RowSet {
  return { kind: 'bitmap', count, bitmap };
}

export function hasRow(set: RowSet, row: number): boolean {
  if (set.kind === 'bitmap') return set.bitmap.has(row);
  return set.kind === 'all' || listHas(set.rows, row);
}

/** The rows in ascending order. */
export function listRows(set: RowSet): Int32Array {
  if (set.kind === 'bitmap') return set.bitmap.rows(set.count);
  if (set.kind === 'list') return set.rows;
  const rows = new Int32Array(set.count);
  for (let row = 0; row < rows.length; row++) rows[row] = row;
  return rows;
}

export function intersect(a: RowSet, b: RowSet): RowSet {
  if (a.kind === 'all') return b;
  if (b.kind === 'all') return a;
  if (a.kind === 'list') return filterRows(a, (row) => hasRow(b, row));
  if (b.kind === 'list') return filterRows(b, (row) => hasRow(a, row));
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
  return rowList(rows.subarray(0, count));
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
  return rowList(passing.subarray(0, count));
}

function listHas(rows: Int32Array, row: number): boolean {
  return rows[binarySearch(rows.length, (at) => rows[at]! < row)] === row;
}
