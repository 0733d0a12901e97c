import type { Page } from '../ast.ts';
import type { Bitmap } from '../store/bitmap.ts';
import { listRows, type RowSet } from '../store/row-set.ts';
import type { SortedKeys } from './sort-keys.ts';

/** How the rows of a page are selected. */
export type PageStrategy = 'by-id' | 'index-scan' | 'top-k';

/** The rows of one page of a set in sort order: nulls first ascending and last descending, ties by id. */
export function pageOf(set: RowSet, keys: readonly SortedKeys[], { offset, limit }: Page): number[] {
  switch (pageStrategy(set, keys, { offset, limit })) {
    case 'by-id':
      return firstRows(set, offset, limit);
    case 'index-scan':
      return scanIndex(set, keys, offset, limit);
    case 'top-k':
      return selectTop(listRows(set), keys, offset, limit);
  }
}

/** Selects the page from few matching rows; else scans the sort order until the page is full. */
export function pageStrategy(
  set: RowSet,
  keys: readonly SortedKeys[],
  { offset, limit }: Page,
): PageStrategy {
  if (keys.length === 0) return 'by-id';
  if (set.kind === 'all') return 'index-scan';
  if (set.kind === 'list') return 'top-k';
  // From the nearer end, a scan visits as many rows per match as the table has.
  const matches = Math.min(offset + limit, Math.max(set.count - offset, limit));
  const visits = (matches * set.bitmap.size) / Math.max(1, set.count);
  return visits < 2 * set.count ? 'index-scan' : 'top-k';
}

function firstRows(set: RowSet, offset: number, limit: number): number[] {
  if (set.kind === 'bitmap') return set.bitmap.slice(offset, limit);
  if (set.kind === 'list') return rowsBetween(set.rows, offset, limit);
  const length = Math.max(0, Math.min(limit, set.count - offset));
  return Array.from({ length }, (_, i) => offset + i);
}

function rowsBetween(rows: Int32Array, offset: number, limit: number): number[] {
  const page: number[] = [];
  for (let i = offset; i < rows.length && page.length < limit; i++) page.push(rows[i]!);
  return page;
}

/** Scans an existing sort order. */
function scanIndex(set: RowSet, keys: readonly SortedKeys[], offset: number, limit: number): number[] {
  const [first, ...further] = keys as [SortedKeys, ...SortedKeys[]];
  const bitmap = set.kind === 'bitmap' ? set.bitmap : null;
  if (further.length > 0) return scanGroups(bitmap, first, further, offset, limit);
  const rows = first.order.sorted(first.direction);
  if (bitmap === null) return rowsBetween(rows, offset, limit);
  const after = set.count - offset - limit;
  return after < offset
    ? scanBackward(rows, bitmap, Math.max(0, after), Math.min(limit, limit + after))
    : scanForward(rows, bitmap, offset, limit);
}

function scanForward(rows: Int32Array, { words }: Bitmap, offset: number, limit: number): number[] {
  const page: number[] = [];
  let skip = offset;
  for (let i = 0; i < rows.length && page.length < limit; i++) {
    const row = rows[i]!;
    if ((words[row >>> 5]! & (1 << (row & 31))) === 0) continue;
    if (skip > 0) skip--;
    else page.push(row);
  }
  return page;
}

/**
 * Like `scanForward`, from the end: `after` matching rows follow the page of `length` rows. One loop for both directions
 * is a quarter slower.
 */
function scanBackward(rows: Int32Array, { words }: Bitmap, after: number, length: number): number[] {
  const page: number[] = [];
  let skip = after;
  for (let i = rows.length - 1; i >= 0 && page.length < length; i--) {
    const row = rows[i]!;
    if ((words[row >>> 5]! & (1 << (row & 31))) === 0) continue;
    if (skip > 0) skip--;
    else page.push(row);
  }
  return page.reverse();
}

/** Scans groups of equal first keys; sorts a group on the page by the further keys. */
function scanGroups(
  bitmap: Bitmap | null,
  { order, direction }: SortedKeys,
  further: readonly SortedKeys[],
  offset: number,
  limit: number,
): number[] {
  const { starts, rows } = order.postings;
  const groups = starts.length - 1;
  const page: number[] = [];
  let skip = offset;
  for (let i = 0; i < groups && page.length < limit; i++) {
    // Groups are in ascending order, with null's first.
    const group = direction === 'ASC' ? i : groups - 1 - i;
    const start = starts[group]!;
    // Most keys of titles and dates have one row.
    if (bitmap !== null && starts[group + 1] === start + 1 && !bitmap.has(rows[start]!)) continue;
    const all = rows.subarray(start, starts[group + 1]!);
    const members = bitmap === null ? all : all.filter((row) => bitmap.has(row));
    if (members.length <= skip) {
      skip -= members.length;
      continue;
    }
    for (const row of selectTop(members, further, skip, limit - page.length)) page.push(row);
    skip = 0;
  }
  return page;
}

/** Selects the page of rows that ascend, by all keys. */
function selectTop(rows: Int32Array, keys: readonly SortedKeys[], offset: number, limit: number): number[] {
  const end = Math.min(rows.length, offset + limit);
  if (end <= offset) return [];
  const ranks = rankRows(rows, keys);
  if (ranks === null) return selectByComparison(rows, keys, offset, end);
  // The heap holds the page's rows and those before it; above a share of all rows, a plain sort is faster.
  const sorted = end * 8 < rows.length ? smallest(ranks, end) : ranks.sort();
  const page: number[] = [];
  for (let i = offset; i < end; i++) page.push(rows[sorted[i]! % rows.length]!);
  return page;
}

/** All keys and the position in `rows` as one number per row; null if the numbers would not be exact. */
function rankRows(rows: Int32Array, keys: readonly SortedKeys[]): Float64Array | null {
  const widths = keys.map(({ order }) => order.postings.starts.length - 1);
  if (widths.reduce((product, width) => product * width, rows.length) > Number.MAX_SAFE_INTEGER) return null;
  const ranks = new Float64Array(rows.length);
  keys.forEach(({ order: { keys: keyOfRow }, direction }, k) => {
    const width = widths[k]!;
    const [first, sign] = direction === 'ASC' ? [1, 1] : [width - 2, -1];
    for (let i = 0; i < ranks.length; i++) ranks[i] = ranks[i]! * width + first + sign * keyOfRow[rows[i]!]!;
  });
  for (let i = 0; i < ranks.length; i++) ranks[i] = ranks[i]! * rows.length + i;
  return ranks;
}

/** The `count` smallest numbers in ascending order, by a bounded heap with the largest on top. */
export function smallest(numbers: Float64Array, count: number): Float64Array {
  const heap = numbers.slice(0, count).sort().reverse();
  for (let i = count; i < numbers.length; i++) {
    const value = numbers[i]!;
    if (value >= heap[0]!) continue;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= count) break;
      if (child + 1 < count && heap[child + 1]! > heap[child]!) child++;
      if (heap[child]! <= value) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = value;
  }
  return heap.sort();
}

function selectByComparison(
  rows: Int32Array,
  keys: readonly SortedKeys[],
  offset: number,
  end: number,
): number[] {
  const compare = (a: number, b: number): number => {
    for (const { order, direction } of keys) {
      const difference = order.keys[a]! - order.keys[b]!;
      if (difference !== 0) return direction === 'ASC' ? difference : -difference;
    }
    return a - b;
  };
  return [...rows].sort(compare).slice(offset, end);
}
