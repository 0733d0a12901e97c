import { listRows, type RowSet } from '../../core/engine/store/row-set.ts';
import type { Table } from '../../core/engine/store/table.ts';
import type { SearchIndex, SearchIndexes } from '../../core/engine/text/full-text.ts';
import type { SearchLanguages } from '../../core/engine/text/languages.ts';
import { loadSiteTerms } from '../../core/engine/text/languages.ts';
import { addScores, matchingRows, type Occurrences } from '../../core/engine/text/score.ts';
import {
  beginningsOf,
  exactTerms,
  type TermsOf,
  tolerantTerms,
  Vocabulary,
} from '../../core/engine/text/vocabulary.ts';
import type { SearchWords, SiteTerms } from '../../core/engine/text/words.ts';
import { lazyCode } from '../../core/util/lazy-code.ts';
import { SnapshotTable } from './table.ts';
import { TableWords } from './words.ts';

/** The full-text indexes of a snapshot, with the stemmers of its site. */
export async function loadSearch(search: SearchLanguages): Promise<SearchIndexes> {
  const terms = await siteTerms(search);
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

/** The stemmers of a site, which are loaded once. */
export function siteTerms(search: SearchLanguages): Promise<SiteTerms> {
  const loading = loaded.get(search) ?? loadSiteTerms(search);
  loaded.set(search, loading);
  return loading;
}

/** Reads texts as readers see them, with a table of the entities of HTML, which is larger than the rest of a search. */
const phrases = lazyCode(() => import('../../core/engine/text/phrase.ts'));

const loaded = new WeakMap<SearchLanguages, Promise<SiteTerms>>();

function createIndex(table: SnapshotTable, terms: SiteTerms): SearchIndex {
  const stored = new TableWords(table);
  let all: Vocabulary | undefined;
  const tolerant = new WeakMap<SearchWords, TermsOf>();

  /** Throws NotLoadedError until the terms that can be like a word are loaded. */
  function vocabularyOf(words: SearchWords): Vocabulary {
    if (all !== undefined) return all;
    const beginnings = beginningsOf(words, terms);
    const vocabulary = new Vocabulary();
    for (const term of stored.termsWith(beginnings)) vocabulary.add(term);
    if (beginnings.includes('')) all = vocabulary;
    return vocabulary;
  }

  function termsOf(words: SearchWords): TermsOf {
    if (!words.isTolerant) return exactTerms(terms);
    const found = tolerant.get(words) ?? tolerantTerms(words, terms, vocabularyOf(words));
    tolerant.set(words, found);
    return found;
  }

  function occurrencesOf(words: SearchWords): Occurrences {
    const weightsOf = termsOf(words);
    return {
      size: table.size,
      each(word, field, visit) {
        for (const [term, weight] of weightsOf(word)) {
          stored.eachRow(field, term, (row, count) => visit(row, weight * count, weight));
        }
      },
      lengths(field) {
        const lengths = stored.lengths(field);
        return (row) => lengths[row] ?? 0;
      },
    };
  }

  return {
    match(words, fields, _, visible) {
      const match = (each: SearchWords) => {
        const weightsOf = termsOf(each);
        const searched = [...each.required, ...each.excluded];
        stored.requireTerms(
          fields,
          searched.flatMap((word) => Array.from(weightsOf(word), ([term]) => term)),
        );
        return matchingRows(occurrencesOf(each), each, fields, visible);
      };
      const load = (rows: RowSet) => table.requireBodies(fields.includes('body') ? listRows(rows) : []);
      if (words.phrase === undefined) return match(words);
      return phrases().rowsWithPhrase(words, fields, table, visible, match, load);
    },
    addScores(scores, words, fields, visible) {
      stored.requireLengths(fields.map(({ name }) => name));
      return addScores(scores, occurrencesOf(words), words, fields, visible);
    },
  };
}
