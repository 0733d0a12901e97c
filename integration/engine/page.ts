import type { Page } from './ast.ts';
import type { OrderedKeys } from './sort-keys.ts';
import type { Bitmap } from './store/bitmap.ts';
import { listRows, type RowSet, rowCount } from './store/row-set.ts';

/** How the page's rows are found, for explanations. */
export type PageStrategy =
  | 'the order of ids'
  | 'a walk of the sort order'
  | 'a selection of the matching rows';

/**
 * The rows of one page of a set in sort order: nulls first ascending and last descending, ties by id. Few matching
 * rows are gathered and the page selected; else the sort order is walked until the page is full.
 */
export function pageOf(set: RowSet, keys: readonly OrderedKeys[], { offset, limit }: Page): number[] {
  switch (pageStrategy(set, keys, { offset, limit })) {
    case 'the order of ids':
      return firstRows(set, offset, limit);
    case 'a walk of the sort order':
      return walk(set, keys, offset, limit);
    case 'a selection of the matching rows':
      return select(listRows(set), keys, offset, limit);
  }
}

export function pageStrategy(
  set: RowSet,
  keys: readonly OrderedKeys[],
  { offset, limit }: Page,
): PageStrategy {
  if (keys.length === 0) return 'the order of ids';
  if (set.kind === 'all') return 'a walk of the sort order';
  if (set.kind === 'list') return 'a selection of the matching rows';
  // A walk, from whichever end is nearer, passes as many rows for each match as the table has.
  const matches = Math.min(offset + limit, Math.max(set.count - offset, limit));
  const visits = (matches * set.bitmap.size) / Math.max(1, set.count);
  return visits < 2 * set.count ? 'a walk of the sort order' : 'a selection of the matching rows';
}

function firstRows(set: RowSet, offset: number, limit: number): number[] {
  switch (set.kind) {
    case 'all': {
      const length = Math.max(0, Math.min(limit, set.size - offset));
      return Array.from({ length }, (_, i) => offset + i);
    }
    case 'list':
      return rowsBetween(set.rows, offset, limit);
    case 'bitmap':
      return set.bitmap.slice(offset, limit);
    default:
      return set satisfies never;
  }
}

function rowsBetween(rows: Int32Array, offset: number, limit: number): number[] {
  const page: number[] = [];
  for (let i = offset; i < rows.length && page.length < limit; i++) page.push(rows[i]!);
  return page;
}

/** The page by going through a sort order that is there already. */
function walk(set: RowSet, keys: readonly OrderedKeys[], offset: number, limit: number): number[] {
  const [first, ...further] = keys as [OrderedKeys, ...OrderedKeys[]];
  const bitmap = set.kind === 'bitmap' ? set.bitmap : null;
  if (further.length > 0) return walkGroups(bitmap, first, further, offset, limit);
  const rows = first.order.sorted(first.direction);
  if (bitmap === null) return rowsBetween(rows, offset, limit);
  const after = rowCount(set) - offset - limit;
  return after < offset
    ? walkBackwards(rows, bitmap, Math.max(0, after), Math.min(limit, limit + after))
    : walkRows(rows, bitmap, offset, limit);
}

function walkRows(rows: Int32Array, { words }: Bitmap, offset: number, limit: number): number[] {
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

/** As `walkRows` from the end: `after` matching rows follow the page, which has `length`. */
function walkBackwards(rows: Int32Array, { words }: Bitmap, after: number, length: number): number[] {
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

/** Groups of equal first keys in order; a group on the page is put in order by the further keys. */
function walkGroups(
  bitmap: Bitmap | null,
  { order, direction }: OrderedKeys,
  further: readonly OrderedKeys[],
  offset: number,
  limit: number,
): number[] {
  const { starts, rows } = order.postings;
  const groups = starts.length - 1;
  const page: number[] = [];
  let skip = offset;
  for (let i = 0; i < groups && page.length < limit; i++) {
    // Groups lie in ascending order with null's first; descending, they are walked backwards.
    const group = direction === 'ASC' ? i : groups - 1 - i;
    const all = rows.subarray(starts[group]!, starts[group + 1]!);
    const members = bitmap === null ? all : all.filter((row) => bitmap.has(row));
    if (members.length <= skip) {
      skip -= members.length;
      continue;
    }
    for (const row of select(members, further, skip, limit - page.length)) page.push(row);
    skip = 0;
  }
  return page;
}

/** Doubles count exactly up to here. */
const EXACT = Number.MAX_SAFE_INTEGER;

/** The page of some rows, which ascend, by all keys. */
function select(rows: Int32Array, keys: readonly OrderedKeys[], offset: number, limit: number): number[] {
  const end = Math.min(rows.length, offset + limit);
  if (end <= offset) return [];
  const ranks = rankRows(rows, keys);
  if (ranks === null) return selectByComparison(rows, keys, offset, end);
  // The heap holds the page's rows and those before it; past a share of all, a plain sort is quicker.
  const sorted = end * 8 < rows.length ? smallest(ranks, end) : ranks.sort();
  const result: number[] = [];
  for (let i = offset; i < end; i++) result.push(rows[sorted[i]! % rows.length]!);
  return result;
}

/** All keys and the place in `rows` as one number a row; null where that would not be exact. */
function rankRows(rows: Int32Array, keys: readonly OrderedKeys[]): Float64Array | null {
  const widths = keys.map(({ order }) => order.postings.starts.length - 1);
  if (widths.reduce((product, width) => product * width, rows.length) > EXACT) return null;
  const ranks = new Float64Array(rows.length);
  keys.forEach(({ order: { keys: keyOfRow }, direction }, k) => {
    const width = widths[k]!;
    if (direction === 'ASC')
      for (let i = 0; i < ranks.length; i++) ranks[i] = ranks[i]! * width + keyOfRow[rows[i]!]! + 1;
    else
      for (let i = 0; i < ranks.length; i++) ranks[i] = ranks[i]! * width + (width - 2 - keyOfRow[rows[i]!]!);
  });
  for (let i = 0; i < ranks.length; i++) ranks[i] = ranks[i]! * rows.length + i;
  return ranks;
}

/** The `count` smallest numbers in ascending order, by a bounded heap with the largest on top. */
function smallest(numbers: Float64Array, count: number): Float64Array {
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
  keys: readonly OrderedKeys[],
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
