import { Bitmap } from '../store/bitmap.ts';
import { hasRow, intersect, listRows, type RowSet, rowsOfBitmap } from '../store/row-set.ts';
import { type SearchableField, TITLE_BOOST } from './searchable.ts';
import type { SearchWords } from './words.ts';

/** Where words occur in the rows of a table. */
export interface Occurrences {
  /** Rows. */
  readonly size: number;
  /** Visits the rows with a word in a field, and how often it occurs there; less for a word that is only like it: `isExact` is false. */
  each(word: string, field: string, visit: (row: number, count: number, isExact: boolean) => void): void;
  /** The number of words of a field by row. */
  lengths(field: string): (row: number) => number;
}

/**
 * The rows in which every required word and no excluded word occurs, each in any of the fields. In a tolerant search, some of the
 * words are enough if no visible row has all, and none if other parts must match and no visible row has any. With `isAny`, one
 * word is always enough.
 */
export function matchingRows(
  occurrences: Occurrences,
  { required, excluded, isTolerant, isOptional, isAny }: SearchWords,
  fields: readonly string[],
  visible: RowSet,
): RowSet {
  const rowsWith = (word: string): Bitmap => {
    const rows = new Bitmap(occurrences.size);
    for (const field of fields) occurrences.each(word, field, (row) => rows.add(row));
    return rows;
  };
  const found = required.map(rowsWith);
  const allowed = Bitmap.full(occurrences.size);
  for (const word of excluded) allowed.and(rowsWith(word).not());
  const matching = allowed.clone();
  for (const rows of found) matching.and(rows);
  const all = rowsOfBitmap(matching);
  if (!isAny && (!isTolerant || intersect(all, visible).count > 0)) return all;
  const any = new Bitmap(occurrences.size);
  for (const rows of found) any.or(rows);
  const some = rowsOfBitmap(any.and(allowed));
  return isOptional && intersect(some, visible).count === 0 ? rowsOfBitmap(allowed) : some;
}

/** In short steps: adds the BM25 score of each row for the required words, over the visible rows only; 0 without a match. */
export function* addScores(
  scores: Float64Array,
  occurrences: Occurrences,
  { required }: SearchWords,
  fields: readonly SearchableField[],
  visible: RowSet,
): Generator<void, void, undefined> {
  const { size } = occurrences;
  const lengths = fields.map(({ name }) => occurrences.lengths(name));
  const averages = cachedAverages.get(visible) ?? new Map<string, number>();
  cachedAverages.set(visible, averages);
  for (const [i, { name }] of fields.entries()) {
    if (averages.has(name)) continue;
    averages.set(name, averageLength(lengths[i]!, size, visible));
    yield;
  }
  // A word is rare in titles and common in texts, and the searched word is rarer than all that are like it, so each counts on its own.
  const arrays = [takeNumbers(size), takeNumbers(size), takeNumbers(size), takeNumbers(size)] as const;
  const [total, exact, like, rows] = arrays;
  for (const word of required) {
    let found = 0;
    for (const [i, { name, boost }] of fields.entries()) {
      const lengthOf = lengths[i]!;
      const average = averages.get(name)!;
      let [exactRows, likeRows] = [0, 0];
      occurrences.each(word, name, (row, count, isExact) => {
        if (!hasRow(visible, row)) return;
        const weights = isExact ? exact : like;
        if (total[row] === 0 && exact[row] === 0 && like[row] === 0) rows[found++] = row;
        if (weights[row] === 0 && isExact) exactRows++;
        else if (weights[row] === 0) likeRows++;
        weights[row]! += (boost * (K1 + 1) * count) / (K1 * (1 - B + (B * lengthOf(row)) / average) + count);
      });
      yield;
      const exactRarity = rarityOf(exactRows, visible.count);
      const likeRarity = rarityOf(likeRows, visible.count);
      for (const row of rows.subarray(0, found)) {
        total[row]! += exactRarity * exact[row]! + likeRarity * like[row]!;
        exact[row] = like[row] = 0;
      }
    }
    for (const row of rows.subarray(0, found)) {
      scores[row]! += total[row]!;
      total[row] = 0;
    }
  }
  arrays.forEach(returnNumbers);
}

/** Adds the score of a condition, which counts as much as a word in the title, to its rows. */
export function* addRarity(
  scores: Float64Array,
  rows: RowSet,
  visible: RowSet,
): Generator<void, void, undefined> {
  const found = intersect(rows, visible);
  const score = TITLE_BOOST * rarityOf(found.count, visible.count);
  for (const row of listRows(found)) scores[row]! += score;
  yield;
}

/** An array of zeros. Searches use the same arrays again: each new one of a large table would be an early collection of garbage. */
export function takeNumbers(size: number): Float64Array {
  const at = unused.findIndex(({ length }) => length === size);
  return at === -1 ? new Float64Array(size) : unused.splice(at, 1)[0]!.fill(0);
}

export function returnNumbers(numbers: Float64Array): void {
  if (unused.push(numbers) > MAX_UNUSED) unused.shift();
}

const unused: Float64Array[] = [];
const MAX_UNUSED = 8;

/** The weight of a word that occurs in some of the visible rows. */
export function rarityOf(documents: number, visible: number): number {
  return Math.log(1 + (visible - documents + 0.5) / (documents + 0.5));
}

/** BM25 parameters for term frequency and length, as in lunr. */
export const K1 = 1.2;
export const B = 0.75;

/** By field. The sets of visible rows are others after each change of the content. */
const cachedAverages = new WeakMap<RowSet, Map<string, number>>();

/** The average number of words in the field over visible rows with words; 1 without any. */
function averageLength(lengthOf: (row: number) => number, size: number, visible: RowSet): number {
  let words = 0;
  let rows = 0;
  for (let row = 0; row < size; row++) {
    const length = lengthOf(row);
    if (length === 0 || !hasRow(visible, row)) continue;
    words += length;
    rows++;
  }
  return rows === 0 ? 1 : words / rows;
}
