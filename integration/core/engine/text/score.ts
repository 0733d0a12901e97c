import { Bitmap } from '../store/bitmap.ts';
import { hasRow, intersect, listRows, type RowSet, rowsOfBitmap } from '../store/row-set.ts';
import { type SearchableField, TITLE_BOOST } from './searchable.ts';
import type { SearchWords } from './words.ts';

/** Where words occur in the rows of a table. */
export interface Occurrences {
  /** Rows. */
  readonly size: number;
  /** Visits the rows with a word in a field, and how often it occurs there; less for a word that is only like it: `weight` is below 1. */
  each(word: string, field: string, visit: (row: number, count: number, weight: number) => void): void;
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

/**
 * In short steps: adds the BM25 score of each row for the required words, over the visible rows only; 0 without a match. Parts of
 * words and typos count little for a word that visible rows have, and a row counts less for each word that it has only in such a form.
 */
export function* addScores(
  scores: Float64Array,
  occurrences: Occurrences,
  { required, isTolerant }: SearchWords,
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
  const arrays = takeScratch(size);
  const { rows, lastWord, exact, like, unlike, sure, unsure, matching, sum, shares } = arrays;
  let matches = 0;
  for (const [at, word] of required.entries()) {
    let found = 0;
    let isThere = false;
    for (const [i, { name, boost }] of fields.entries()) {
      const lengthOf = lengths[i]!;
      const average = averages.get(name)!;
      let [exactRows, otherRows] = [0, 0];
      occurrences.each(word, name, (row, count, weight) => {
        if (!hasRow(visible, row)) return;
        isThere ||= weight >= LEAST_SURE;
        const weights = weight === 1 ? exact : weight < LEAST_SURE ? unlike : like;
        if (lastWord[row] !== at + 1) rows[found++] = row;
        lastWord[row] = at + 1;
        if (weights[row] === 0 && weight === 1) exactRows++;
        else if (weights[row] === 0) otherRows++;
        weights[row]! += (boost * (K1 + 1) * count) / (K1 * (1 - B + (B * lengthOf(row)) / average) + count);
      });
      yield;
      const exactRarity = rarityOf(exactRows, visible.count);
      const otherRarity = rarityOf(otherRows, visible.count);
      for (const row of rows.subarray(0, found)) {
        sure[row]! += exactRarity * exact[row]! + otherRarity * like[row]!;
        unsure[row]! += otherRarity * unlike[row]!;
        exact[row] = like[row] = unlike[row] = 0;
      }
    }
    const doubt = isThere ? DOUBT : 1;
    for (const row of rows.subarray(0, found)) {
      if (shares[row] === 0) matching[matches++] = row;
      sum[row]! += sure[row]! + doubt * unsure[row]!;
      shares[row]! += sure[row]! > 0 ? 1 : doubt;
      sure[row] = unsure[row] = 0;
    }
  }
  for (const row of matching.subarray(0, matches)) {
    const share = isTolerant ? shares[row]! / required.length : 1;
    scores[row]! += sum[row]! * share ** 2;
    sum[row] = shares[row] = lastWord[row] = 0;
  }
  scratch.push(arrays);
  if (scratch.length > MAX_SCRATCH) scratch.shift();
}

/** Arrays for the rows of a table. All but the lists of rows have zeros, so that a search need not visit other rows. */
function takeScratch(size: number) {
  const at = scratch.findIndex(({ sum }) => sum.length === size);
  return scratch.splice(at, at === -1 ? 0 : 1)[0] ?? createScratch(size);
}

function createScratch(size: number) {
  const [rows, matching] = [new Int32Array(size), new Int32Array(size)];
  const create = () => new Float64Array(size);
  const [exact, like, unlike, sure, unsure] = [create(), create(), create(), create(), create()];
  return {
    rows,
    matching,
    exact,
    like,
    unlike,
    sure,
    unsure,
    sum: create(),
    shares: create(),
    lastWord: create(),
  };
}

const scratch: ReturnType<typeof createScratch>[] = [];
const MAX_SCRATCH = 2;

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

/** The weight of words like the searched one that are as good: its synonyms, and those that a half-typed word begins. */
export const LEAST_SURE = 0.6;
/** How much others count if the searched word itself occurs. */
const DOUBT = 0.2;
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
