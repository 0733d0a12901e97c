/** Code of a null. */
export const NULL_CODE = -1;

/** Rows grouped by key: `rows[starts[key + 1] … starts[key + 2])` have that key, ascending; key -1 comes first. */
export interface Postings {
  readonly starts: Int32Array;
  readonly rows: Int32Array;
}

/** One key per row (-1 for null), and all rows by key. Rows with equal values have equal keys. */
export interface SortOrder {
  readonly keys: Int32Array;
  readonly postings: Postings;
  /** All rows in order; rows with the same key ascend in both directions. */
  sorted(direction: 'ASC' | 'DESC'): Int32Array;
}

export function createSortOrder(keys: Int32Array): SortOrder {
  let greatest = -1;
  for (let i = 0; i < keys.length; i++) if (keys[i]! > greatest) greatest = keys[i]!;
  const postings = groupRows(keys, null, greatest + 1);
  let descending: Int32Array | undefined;
  const sorted = (direction: 'ASC' | 'DESC') => {
    if (direction === 'ASC') return postings.rows;
    descending ??= reverseGroups(postings);
    return descending;
  };
  return { keys, postings, sorted };
}

function reverseGroups({ starts, rows }: Postings): Int32Array {
  const reversed = new Int32Array(rows.length);
  let next = 0;
  for (let group = starts.length - 2; group >= 0; group--) {
    for (let i = starts[group]!; i < starts[group + 1]!; i++) reversed[next++] = rows[i]!;
  }
  return reversed;
}

/** A counting sort of the rows by code; rows ascend within a code. */
export function groupRows(codes: Int32Array, offsets: Int32Array | null, size: number): Postings {
  const counts = new Int32Array(size + 2);
  eachPair(codes, offsets, size, (code) => {
    // The bucket of a code is code + 1. Its count is stored one further and becomes the next bucket's start.
    counts[code + 2]!++;
  });
  for (let i = 1; i < counts.length; i++) counts[i]! += counts[i - 1]!;
  const starts = counts;
  const rows = new Int32Array(starts[size + 1]!);
  const next = starts.slice();
  eachPair(codes, offsets, size, (code, row) => {
    rows[next[code + 1]!++] = row;
  });
  return { starts, rows };
}

/** Visits each distinct code of each row; -1 for an empty list. */
function eachPair(
  codes: Int32Array,
  offsets: Int32Array | null,
  size: number,
  visit: (code: number, row: number) => void,
): void {
  if (offsets === null) {
    for (let row = 0; row < codes.length; row++) visit(codes[row]!, row);
    return;
  }
  const lastRow = new Int32Array(size + 1).fill(-1);
  for (let row = 0; row < offsets.length - 1; row++) {
    const from = offsets[row]!;
    const to = offsets[row + 1]!;
    if (from === to) visit(NULL_CODE, row);
    for (let i = from; i < to; i++) {
      const code = codes[i]!;
      if (lastRow[code + 1] === row) continue;
      lastRow[code + 1] = row;
      visit(code, row);
    }
  }
}
