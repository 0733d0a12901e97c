import { Bitmap } from './bitmap.ts';

/**
 * Rows of one table: all of them, an ascending list, or a bitmap. Never changed once made, so that
 * an index can hand out its own lists and bitmaps.
 */
export type RowSet =
  | { readonly kind: 'all'; readonly size: number }
  | { readonly kind: 'list'; readonly rows: Int32Array }
  | { readonly kind: 'bitmap'; readonly bitmap: Bitmap; readonly count: number };

export const EMPTY_ROWS: RowSet = { kind: 'list', rows: new Int32Array(0) };

/** Below this share of the table, a list is smaller and quicker than a bitmap. */
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

/** Some rows in any order, possibly repeated, as a set. */
export function rowsOfUnsorted(rows: Int32Array, size: number): RowSet {
  if (rows.length * LIST_SHARE > size) return rowsOfBitmap(Bitmap.of(size, rows));
  rows.sort();
  let kept = 0;
  for (let i = 0; i < rows.length; i++) {
    if (i === 0 || rows[i] !== rows[i - 1]) rows[kept++] = rows[i]!;
  }
  return { kind: 'list', rows: rows.subarray(0, kept) };
}

/** The members of a set for which `keep` holds; the set itself where all do. */
export function filterRows(set: RowSet, keep: (row: number) => boolean): RowSet {
  const rows = listRows(set);
  let count = 0;
  while (count < rows.length && keep(rows[count]!)) count++;
  if (count === rows.length) return set;
  const kept = rows.slice();
  for (let i = count + 1; i < rows.length; i++) {
    if (keep(rows[i]!)) kept[count++] = rows[i]!;
  }
  return { kind: 'list', rows: kept.subarray(0, count) };
}

function filterList(rows: Int32Array, set: RowSet): RowSet {
  return filterRows({ kind: 'list', rows }, (row) => hasRow(set, row));
}

function listHas(rows: Int32Array, row: number): boolean {
  let low = 0;
  let high = rows.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = rows[middle]!;
    if (found === row) return true;
    if (found < row) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
