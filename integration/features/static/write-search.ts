import { binarySearch, compareRaw } from '../../core/engine/store/ordering.ts';
import { loadSiteTerms } from '../../core/engine/text/languages.ts';
import { FREQUENCIES } from '../../core/engine/text/serialized.ts';
import { TextIndex } from '../../core/engine/text/text-index.ts';
import { isCompleted } from '../../core/engine/text/vocabulary.ts';
import { createTimeSlices } from '../../core/engine/time-slices.ts';
import { type AddFile, divide, type Sizes } from './divide.ts';
import {
  type Manifest,
  type Postings,
  type PostingsFile,
  type RecentRecord,
  type SortedParts,
  type WordsRecord,
  writeDeltas,
  writeNumbers,
  writeTerms,
} from './format.ts';
import type { OrderedTable } from './order-table.ts';

export const NO_SEARCH = {
  words: [],
  vocabulary: { first: [], parts: '' },
  recent: { lengths: {}, words: null },
};

export async function writeSearch(
  { type, visible, entities, recent }: OrderedTable,
  search: NonNullable<Manifest['search']>,
  sizes: Pick<Sizes, 'words' | 'vocabulary'>,
  add: AddFile,
): Promise<{
  readonly words: readonly WordsRecord[];
  readonly vocabulary: SortedParts;
  readonly recent: Pick<RecentRecord, 'lengths' | 'words'>;
}> {
  const index = new TextIndex(await loadSiteTerms(search));
  const work = createTimeSlices().begin();
  for (const _ of index.update({ type, version: 0, entities })) {
    const pause = work.pause();
    if (pause !== undefined) await pause;
  }
  const fields = visible.flatMap(({ name }): SearchedField[] => {
    const { terms, lengths } = index.fields.get(name) ?? {};
    if (terms === undefined || lengths === undefined) return [];
    return [{ name, terms, lengths: entities.map((_, row) => lengths[row] ?? 0) }];
  });
  const terms = [...new Set(fields.flatMap((field) => [...field.terms.keys()]))].sort(compareRaw);
  const { own = [], shared = [] } = Object.groupBy(fields, (field) => {
    const postings = [...field.terms.values()].reduce((sum, { length }) => sum + length, field.terms.size);
    return postings > PARTS_PER_FIELD * sizes.words ? 'own' : 'shared';
  });
  const groups = [...own.map((field) => [field]), shared].filter(({ length }) => length > 0);
  const last = occurrencesIn(fields, terms, recent, entities.length);
  const old = occurrencesIn(fields, terms, 0, recent).map(([term]) => term);
  const vocabulary = divide(old.filter(isCompleted), sizes.vocabulary, () => 1, String);
  return {
    vocabulary: {
      first: vocabulary.map(([first]) => first!),
      parts: vocabulary.map((part) => add('vocabulary', writeTerms(part))).join(''),
    },
    words: groups.map((group): WordsRecord => {
      const parts = divide(occurrencesIn(group, terms, 0, recent), sizes.words, sizeOfTerm, ([term]) => term);
      const lengths = group.map((field) => [
        field.name,
        add(`lengths-${field.name}`, writeNumbers(field.lengths.slice(0, recent))),
      ]);
      return {
        lengths: Object.fromEntries(lengths),
        first: parts.map((part) => part[0]![0]),
        parts: parts.map((part) => add('words', postingsFile(part, 0))).join(''),
      };
    }),
    recent: {
      lengths: Object.fromEntries(
        fields.map(({ name, lengths }) => [name, writeNumbers(lengths.slice(recent))]),
      ),
      words: last.length === 0 ? null : add('words-recent', postingsFile(last, recent)),
    },
  };
}

/** A field with more postings, in parts of words, shares its parts with no other field. */
const PARTS_PER_FIELD = 16;

/** A field with words: postings whose documents are rows, and the number of words of each row. */
interface SearchedField {
  readonly name: string;
  readonly terms: ReadonlyMap<string, readonly number[]>;
  readonly lengths: readonly number[];
}

/** A term and its postings in each field. */
type Occurrences = readonly [term: string, byField: readonly (readonly number[])[]];

/** What occurs in the rows `[from, to)`. */
function occurrencesIn(
  fields: readonly SearchedField[],
  terms: readonly string[],
  from: number,
  to: number,
): Occurrences[] {
  return terms.flatMap((term): Occurrences[] => {
    const lists = fields.map((field) => between(field.terms.get(term) ?? [], from, to));
    return lists.some((list) => list.length > 0) ? [[term, lists]] : [];
  });
}

function between(postings: readonly number[], from: number, to: number): readonly number[] {
  const [start, end] = [from, to].map((row) =>
    binarySearch(postings.length, (at) => postings[at]! < row * FREQUENCIES),
  );
  return start === 0 && end === postings.length ? postings : postings.slice(start, end);
}

function sizeOfTerm([, lists]: Occurrences): number {
  return lists.reduce((sum, { length }) => sum + length, 1);
}

/** Rows count from `first`. */
function postingsFile(terms: readonly Occurrences[], first: number): PostingsFile {
  const write = (list: readonly number[]): Postings | 0 => {
    if (list.length === 0) return 0;
    const rows = writeDeltas(list.map((posting) => Math.floor(posting / FREQUENCIES) - first));
    const counts = list.map((posting) => posting % FREQUENCIES);
    return counts.every((count) => count === 1) ? [rows] : [rows, writeNumbers(counts)];
  };
  return Object.fromEntries(
    terms.map(([term, lists]) => [
      term,
      lists.slice(0, lists.findLastIndex((list) => list.length > 0) + 1).map(write),
    ]),
  );
}
