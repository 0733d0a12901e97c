import { type Languages, languageCodes, languageNamed } from '../content/languages.ts';
import { resourceTypeName } from '../content/resource-type.ts';
import type { IndexedStore } from '../engine/store/entity-store.ts';
import { createFullText, type FullText } from '../engine/text/full-text.ts';
import type { SearchLanguages } from '../engine/text/languages.ts';
import { languageOf, loadSiteTerms } from '../engine/text/languages.ts';
import { readFullText, type SerializedFullText } from '../engine/text/serialized.ts';
import type { TimeSlices } from '../engine/time-slices.ts';
import type { Options } from '../options/options.ts';
import type { Reader } from '../read/reader.ts';

export interface FullTextDeps {
  readonly options: Pick<Options, 'search'>;
  readonly store: IndexedStore;
  readonly slices: TimeSlices;
  /** BCP 47 tag. Its language is used if option `search.language` is not set. */
  readonly locale: string;
  /** Texts in the languages of the site have their own stemmers. */
  readonly languages?: Languages | undefined;
  /** The index that a build wrote; an empty string for none. Loaded at the first search. */
  readonly carriedFullText?: (() => Promise<string>) | undefined;
  readonly log: { warn(message: string): void };
}

/** Null if full-text search is off. */
export function openFullText(deps: FullTextDeps): FullText | null {
  const { options, store, slices, locale, languages, carriedFullText, log } = deps;
  const stemmed = searchLanguages(options, locale, languages);
  if (stemmed === null) return null;
  return createFullText({
    store,
    ...stemmed,
    slices,
    ...(carriedFullText && { prebuilt: async () => readPrebuilt(await carriedFullText(), log) }),
  });
}

/**
 * The stemmed languages: that of most texts, and those of translations by code. Null if full-text search is off. Throws an Error
 * for words of a language that the site does not have.
 */
export function searchLanguages(
  { search }: Pick<Options, 'search'>,
  locale: string,
  languages: Languages | undefined,
): SearchLanguages | null {
  if (search === false) return null;
  const { all, default: own } = languages ?? { all: [] };
  const { language = languageOf(locale), synonyms, stopWords, boost } = search;
  const others = all.filter(({ code }) => code !== own).map(({ code }) => [code, languageOf(code)]);
  return {
    language,
    languages: Object.fromEntries(others),
    ...(synonyms && { synonyms: inLanguages('synonyms', synonyms) }),
    ...(stopWords && { stopWords: inLanguages('stopWords', stopWords) }),
    ...(boost && {
      boost: Object.fromEntries(
        Object.entries(boost).map(([bundle, each]) => [resourceTypeName(bundle) ?? bundle, each]),
      ),
    }),
  };

  function inLanguages<T>(option: string, lists: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
    const names = new Set([language, locale, locale.split('-')[0]]);
    return Object.fromEntries(
      Object.entries(lists).map(([name, list]) => {
        const code = languages === undefined ? names.has(name) && '' : languageNamed(languages, name)?.code;
        if (typeof code === 'string') return [code, list];
        const valid = languages === undefined ? locale : languageCodes(languages);
        throw new Error(
          `Option search.${option}.${name}: the site does not have this language. Languages: ${valid}.`,
        );
      }),
    );
  }
}

/** Loads the stemmers of a site once. Null if full-text search is off. */
export function lazySearchTerms(search: SearchLanguages | null): Reader['searchTerms'] {
  if (search === null) return null;
  let loading: ReturnType<typeof loadSiteTerms> | undefined;
  return () => (loading ??= loadSiteTerms(search));
}

/** Wraps `onChange` so that the words of changed files are indexed before the next search, and at the start if preloaded. */
export function preloadWords(
  onChange: () => void,
  fullText: FullText | null,
  { search }: Pick<Options, 'search'>,
): () => void {
  if (fullText === null) return onChange;
  const types = search !== false && search.preload ? 'all' : 'searched';
  // The next search reports a stemmer that cannot be loaded.
  const warm = () => void fullText.warm(types).catch(() => undefined);
  if (types === 'all') setTimeout(warm, WARM_AFTER_MS).unref();
  return () => {
    onChange();
    warm();
  };
}

/** The first requests after a start take precedence. */
const WARM_AFTER_MS = 1000;

/** Null for an index of another version, which is then built again. */
function readPrebuilt(text: string, log: FullTextDeps['log']): SerializedFullText | null {
  if (text === '') return null;
  const prebuilt = readFullText(text);
  if (prebuilt === undefined) {
    log.warn('The full-text index in the build is from another version. It is built again.');
  }
  return prebuilt ?? null;
}
