import type { Table } from '../engine/store/table.ts';
import type { SearchIndex, SearchIndexes } from '../engine/text/full-text.ts';
import { matchingRows, type Occurrences, scoresOfRows } from '../engine/text/score.ts';
import type { SiteTerms } from '../engine/text/words.ts';
import type { SearchLanguages } from './format.ts';
import { SnapshotTable } from './table.ts';

/** The full-text indexes of a snapshot. */
export interface SnapshotSearch extends SearchIndexes {
  /** Loads the stemmers. Call it before the first search. */
  prepare(): Promise<void>;
}

export function createSnapshotSearch({ language, languages }: SearchLanguages): SnapshotSearch {
  let loading: Promise<SiteTerms> | undefined;
  let terms: SiteTerms | undefined;
  const indexes = new WeakMap<Table, SearchIndex>();
  return {
    async prepare() {
      loading ??= import('../engine/text/languages.ts').then(({ loadSiteTerms }) =>
        loadSiteTerms(language, new Map(Object.entries(languages))),
      );
      terms = await loading;
    },
    index(table) {
      if (terms === undefined) throw new Error('The stemmers have not been loaded.');
      if (!(table instanceof SnapshotTable)) throw new Error(`${table.type.name} is not from a snapshot.`);
      const index = indexes.get(table) ?? createIndex(table, terms);
      indexes.set(table, index);
      return index;
    },
  };
}

function createIndex(table: SnapshotTable, terms: SiteTerms): SearchIndex {
  const occurrences: Occurrences = {
    size: table.size,
    each(word, field, visit) {
      for (const term of terms.search(word)) table.eachRow(field, term, visit);
    },
    lengths(field) {
      const lengths = table.lengths(field);
      return (row) => lengths[row] ?? 0;
    },
  };
  return {
    match(words, fields) {
      const searched = [...words.required, ...words.excluded].flatMap((word) => terms.search(word));
      table.requireTerms(fields, searched);
      return matchingRows(occurrences, words, fields);
    },
    *scores(words, fields, visible) {
      table.requireLengths(fields.map(({ name }) => name));
      return yield* scoresOfRows(occurrences, words, fields, visible);
    },
  };
}
