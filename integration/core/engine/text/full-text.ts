import type { IndexedStore } from '../store/entity-store.ts';
import type { Table } from '../store/table.ts';
import { createTimeSlices, type TimeSlices } from '../time-slices.ts';
import { loadSiteTerms, type SearchLanguages } from './languages.ts';
import type { SerializedFullText, SerializedIndex } from './serialized.ts';
import { TextIndex } from './text-index.ts';
import type { SearchRules, SiteTerms } from './words.ts';

export interface FullTextDeps extends SearchLanguages {
  readonly store: Pick<IndexedStore, 'types' | 'table'>;
  readonly slices?: TimeSlices;
  /** Loads an index from the build at the first search. */
  readonly prebuilt?: () => Promise<SerializedFullText | null>;
}

/** The words of one resource type. */
export type SearchIndex = Pick<TextIndex, 'match' | 'addScores'>;

/** The indexes that an engine searches. */
export interface SearchIndexes extends SearchRules {
  index(table: Table): SearchIndex;
}

/** The full-text indexes of all resource types, each built at the first search. */
export interface FullText extends SearchRules {
  /**
   * Updates the index of a type. Undefined if it is up to date; else a promise, while the update runs in slices between
   * requests.
   */
  prepare(type: string): Promise<void> | undefined;
  /** The index of a prepared type. It reads later changes synchronously. */
  index(table: Table): TextIndex;
  /**
   * Updates indexes between requests, so that the next search need not: of the types that have been searched, or of all.
   * Resolves when it is done.
   */
  warm(types: 'searched' | 'all'): Promise<void>;
  serialize(): Promise<SerializedFullText>;
}

/** Consecutive updates while the content changes. After these, few changes are left. */
const MAX_UPDATES = 3;

export function createFullText({
  store,
  slices = createTimeSlices(),
  prebuilt,
  ...search
}: FullTextDeps): FullText {
  const { language, languages = {}, stopWords, boost } = search;
  const stemmed = [...new Set([language, ...Object.values(languages)])];
  const languageKey = stemmed.join(' ');
  let loading: ReturnType<typeof load> | undefined;
  const indexes = new Map<string, TextIndex>();
  const preparing = new Map<string, Promise<void>>();

  /** Loads the stemmers, and the prebuilt index if it is of the same languages. */
  async function load(): Promise<{ terms: SiteTerms; serialized: SerializedFullText | null }> {
    const terms = await loadSiteTerms(search);
    const serialized = (await prebuilt?.()) ?? null;
    return { terms, serialized: serialized?.language === languageKey ? serialized : null };
  }

  async function updateIndex(type: string): Promise<void> {
    loading ??= load();
    const { terms, serialized } = await loading;
    const work = slices.begin();
    const index = indexes.get(type) ?? new TextIndex(terms, serialized?.types.get(type) ?? null);
    for (let updates = 0; updates < MAX_UPDATES; ) {
      const table = store.table(type);
      if (table === undefined) return;
      if (index.isCurrent(table)) break;
      for (const _ of index.update(table)) {
        const pause = work.pause();
        if (pause !== undefined) await pause;
        // A new table of the type needs a new update.
        if (store.table(type) !== table) break;
      }
      if (store.table(type) === table) updates++;
    }
    indexes.set(type, index);
    void compact(index);
  }

  /** Runs between requests. Searches skip removed documents until then. */
  async function compact(index: TextIndex): Promise<void> {
    if (!index.isFragmented) return;
    const work = slices.begin();
    await work.rest();
    for (const _ of index.compact()) {
      const pause = work.pause();
      if (pause !== undefined) await pause;
    }
  }

  function prepare(type: string): Promise<void> | undefined {
    const index = indexes.get(type);
    const table = store.table(type);
    if (table === undefined) return undefined;
    const running = preparing.get(type);
    if (running !== undefined) return running;
    if (index?.isCurrent(table)) return undefined;
    const update = updateIndex(type).finally(() => preparing.delete(type));
    preparing.set(type, update);
    return update;
  }

  return {
    ...(stopWords && { stopWords }),
    ...(boost && { boost }),
    prepare,
    index(table) {
      const index = indexes.get(table.type.name);
      if (index === undefined)
        throw new Error(`The full-text index of ${table.type.name} has not been prepared.`);
      return index;
    },
    async warm(types) {
      for (const type of types === 'all' ? store.types.keys() : [...indexes.keys()]) await prepare(type);
    },
    async serialize() {
      const types = new Map<string, SerializedIndex>();
      for (const type of store.types.keys()) {
        await prepare(type);
        const index = indexes.get(type);
        if (index !== undefined) {
          types.set(type, { signature: index.signature, parts: () => index.serialize() });
        }
      }
      return { language: languageKey, types };
    },
  };
}
