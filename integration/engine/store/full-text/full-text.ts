import { createTimeSlices, type TimeSlices } from '../../time-slices.ts';
import type { IndexedStore } from '../entity-store.ts';
import type { Table } from '../table.ts';
import type { CarriedFullText, CarriedIndex } from './carried-index.ts';
import { type Language, loadStemmer } from './languages.ts';
import { TextIndex } from './text-index.ts';
import { createTerms, type Terms } from './words.ts';

export interface FullTextDeps {
  readonly store: IndexedStore;
  readonly language: Language;
  /** Its own by default. */
  readonly slices?: TimeSlices;
  /** An index made elsewhere, asked for at the first search. */
  readonly carried?: () => Promise<CarriedFullText | null>;
}

/** Indexes of words by resource type, built when the first search asks for one. */
export interface FullText {
  /**
   * Brings the index of a type up to date. Undefined if it is; else a promise, while the reading goes on in slices that
   * let requests through.
   */
  prepare(type: string): Promise<void> | undefined;
  /** The index of a prepared type. It reads at once what has changed since. */
  index(table: Table): TextIndex;
  /**
   * Reads what is new, beside requests, so that the next search need not: in the types that have been searched, or in
   * all. Resolves when it is done.
   */
  warm(types: 'searched' | 'all'): Promise<void>;
  /** Every index. */
  carry(): Promise<CarriedFullText>;
}

/** Updates one after the other while the content changes all the time: what is still new then is little. */
const MAX_UPDATES = 3;

export function createFullText({
  store,
  language,
  slices = createTimeSlices(),
  carried,
}: FullTextDeps): FullText {
  let terms: Terms | undefined;
  let opening: Promise<CarriedFullText | null> | undefined;
  const indexes = new Map<string, TextIndex>();
  const preparing = new Map<string, Promise<void>>();

  /** The stemmer, and what was carried in the same language. */
  async function open(): Promise<CarriedFullText | null> {
    terms = createTerms(await loadStemmer(language));
    const found = (await carried?.()) ?? null;
    return found?.language === language ? found : null;
  }

  async function readAll(type: string): Promise<void> {
    opening ??= open();
    const found = await opening;
    const work = slices.begin();
    const index = indexes.get(type) ?? new TextIndex(required(terms), found?.types.get(type) ?? null);
    for (let updates = 0; updates < MAX_UPDATES; ) {
      const table = store.table(type);
      if (table === undefined) return;
      if (index.isCurrent(table)) break;
      const { type: shape } = table;
      let isWhole = true;
      for (const _ of index.update(table)) {
        const pause = work.pause();
        if (pause === undefined) continue;
        await pause;
        // What was read of a type that is another by now would not fit.
        isWhole = store.table(type) === table && table.type === shape;
        if (!isWhole) break;
      }
      if (isWhole) updates++;
    }
    indexes.set(type, index);
    void sweepWorn(index);
  }

  /** Beside the searches, which pass over what is gone as long as it is there. */
  async function sweepWorn(index: TextIndex): Promise<void> {
    if (!index.worn) return;
    const work = slices.begin();
    await work.rest();
    for (const _ of index.sweep()) {
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
    const reading = readAll(type).finally(() => preparing.delete(type));
    preparing.set(type, reading);
    return reading;
  }

  return {
    prepare,
    index(table) {
      const index = indexes.get(table.type.name);
      if (index === undefined) throw new Error(`The words of ${table.type.name} have not been prepared.`);
      return index;
    },
    async warm(types) {
      for (const type of types === 'all' ? store.types.keys() : [...indexes.keys()]) await prepare(type);
    },
    async carry() {
      const types = new Map<string, CarriedIndex>();
      for (const type of store.types.keys()) {
        await prepare(type);
        const index = indexes.get(type);
        if (index !== undefined) {
          types.set(type, { signature: index.signature, parts: () => index.carry() });
        }
      }
      return { language, types };
    },
  };
}

function required(terms: Terms | undefined): Terms {
  if (terms === undefined) throw new Error('The stemmer has not been loaded.');
  return terms;
}
