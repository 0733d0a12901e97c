import type { Table } from '../../core/engine/store/table.ts';
import type { SearchIndex, SearchIndexes } from '../../core/engine/text/full-text.ts';
import type { SearchLanguages } from '../../core/engine/text/languages.ts';
import { loadSiteTerms } from '../../core/engine/text/languages.ts';
import { matchingRows, type Occurrences, scoresOfRows } from '../../core/engine/text/score.ts';
import { exactOnly, type SiteTerms } from '../../core/engine/text/words.ts';
import { SnapshotTable } from './table.ts';

/** The full-text indexes of a snapshot, with the stemmers of its site. */
export async function loadSearch({ language, languages }: SearchLanguages): Promise<SearchIndexes> {
  const terms = await loadSiteTerms(language, new Map(Object.entries(languages)));
  const indexes = new WeakMap<Table, SearchIndex>();
  return {
    index(table) {
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
      exactOnly(words);
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
