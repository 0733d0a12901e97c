import type { IndexedStore } from '../engine/store/entity-store.ts';
import { createFullText, type FullText } from '../engine/text/full-text.ts';
import { languageOf } from '../engine/text/languages.ts';
import { readFullText, type SerializedFullText } from '../engine/text/serialized.ts';
import type { TimeSlices } from '../engine/time-slices.ts';
import type { Options } from '../options/options.ts';

export interface FullTextDeps {
  readonly options: Pick<Options, 'search'>;
  readonly store: IndexedStore;
  readonly slices: TimeSlices;
  /** BCP 47 tag, whose language is that of the words where the option names none. */
  readonly locale: string;
  /** The index in the build, written by `writeFullText`; an empty string for none. Loaded at the first search. */
  readonly carriedFullText?: () => Promise<string>;
  readonly log: { warn(message: string): void };
}

/** Null where full-text search is off. */
export function openFullText(deps: FullTextDeps): FullText | null {
  const { options, store, slices, locale, carriedFullText, log } = deps;
  const { search } = options;
  if (search === false) return null;
  return createFullText({
    store,
    language: search.language ?? languageOf(locale),
    slices,
    ...(carriedFullText && { prebuilt: async () => readPrebuilt(await carriedFullText(), log) }),
  });
}

/** Where the runtime lives on, words are read while nobody waits for them: after changes, and at the start if asked to. */
export function thenReadWords(
  onChange: () => void,
  fullText: FullText | null,
  { search }: Pick<Options, 'search'>,
): () => void {
  if (fullText === null) return onChange;
  const types = search !== false && search.preload ? 'all' : 'searched';
  // A stemmer that cannot be loaded is told by the search that asks for it.
  const warm = () => void fullText.warm(types).catch(() => undefined);
  if (types === 'all') setTimeout(warm, WARM_AFTER_MS).unref();
  return () => {
    onChange();
    warm();
  };
}

/** First requests after a start come first. */
const WARM_AFTER_MS = 1000;

/** Words read by another version are read again. */
function readPrebuilt(text: string, log: FullTextDeps['log']): SerializedFullText | null {
  if (text === '') return null;
  const prebuilt = readFullText(text);
  if (prebuilt === undefined) {
    log.warn('The full-text index in the build is of another version. It is built again.');
  }
  return prebuilt ?? null;
}
