import lunr from 'lunr';
import {
  createSiteTerms,
  createTerms,
  type SearchedWords,
  type SearchRules,
  type SiteTerms,
  type Stemmer,
} from './words.ts';

export type Language = keyof typeof STEMMERS | 'none';

/** Loads the stemmer of a language. Only the languages that are used are imported. */
export async function loadStemmer(language: Language): Promise<Stemmer> {
  if (language === 'none') return (word) => word;
  const stem = await STEMMERS[language]();
  return (word) => String(stem(new lunr.Token(word, {})) ?? word);
}

/** Loads the stemmers of a site. */
export async function loadSiteTerms({
  language,
  languages = {},
  ...options
}: SearchLanguages): Promise<SiteTerms> {
  const stemmed = [...new Set([language, ...Object.values(languages)])];
  const termsOf = async (each: Language) => createTerms(await loadStemmer(each), SPELLINGS[each]);
  const [first, ...others] = await Promise.all([termsOf(language), ...stemmed.slice(1).map(termsOf)]);
  const numbers = Object.entries(languages).map(([code, each]) => [code, stemmed.indexOf(each)] as const);
  return createSiteTerms([first, ...others], new Map(numbers), options);
}

/** Where words are spelled in several ways. In German, `ue` stands for `ü` unless another vowel or `q` is before it. */
const SPELLINGS: Partial<Record<Language, Stemmer>> = {
  de: (word) =>
    word.replace(/ae|oe|(?<![aeq])ue/g, (letters) => `${letters[0]}\u0308`.normalize()).replace(/ß/g, 'ss'),
};

/** The language of a BCP 47 tag; `none` if it has no stemmer. */
export function languageOf(locale: string): Language {
  const [primary = ''] = locale.toLowerCase().split(/[-_]/);
  const tag = primary === 'nb' || primary === 'nn' ? 'no' : primary;
  return LANGUAGES.find((language) => language === tag) ?? 'none';
}

// The imports are written out so that bundlers find them.
const STEMMERS = {
  da: () => loadPlugin('da', import('lunr-languages/lunr.da.js')),
  de: () => loadPlugin('de', import('lunr-languages/lunr.de.js')),
  en: async () => lunr.stemmer,
  es: () => loadPlugin('es', import('lunr-languages/lunr.es.js')),
  fi: () => loadPlugin('fi', import('lunr-languages/lunr.fi.js')),
  fr: () => loadPlugin('fr', import('lunr-languages/lunr.fr.js')),
  hu: () => loadPlugin('hu', import('lunr-languages/lunr.hu.js')),
  it: () => loadPlugin('it', import('lunr-languages/lunr.it.js')),
  nl: () => loadPlugin('nl', import('lunr-languages/lunr.nl.js')),
  no: () => loadPlugin('no', import('lunr-languages/lunr.no.js')),
  pt: () => loadPlugin('pt', import('lunr-languages/lunr.pt.js')),
  ro: () => loadPlugin('ro', import('lunr-languages/lunr.ro.js')),
  ru: () => loadPlugin('ru', import('lunr-languages/lunr.ru.js')),
  sv: () => loadPlugin('sv', import('lunr-languages/lunr.sv.js')),
  tr: () => loadPlugin('tr', import('lunr-languages/lunr.tr.js')),
} satisfies Readonly<Record<string, () => Promise<TokenStemmer>>>;

/** The languages with a stemmer, by tag. In other languages, words only match exactly. */
export const LANGUAGES = Object.keys(STEMMERS) as readonly (keyof typeof STEMMERS)[];

async function loadPlugin(language: string, plugin: Promise<Plugin>): Promise<TokenStemmer> {
  const [support, { default: install }] = await Promise.all([
    import('lunr-languages/lunr.stemmer.support.js'),
    plugin,
  ]);
  // Plugins modify the object they are given, so each gets its own instead of lunr.
  const host: PluginHost = {
    Pipeline: { registerFunction: () => undefined },
    generateStopWordFilter: () => undefined,
  };
  support.default(host);
  install(host);
  const exported = host[language];
  const stemmer: unknown = typeof exported === 'function' ? Reflect.get(exported, 'stemmer') : undefined;
  if (!isStemmer(stemmer)) throw new Error(`lunr-languages has no stemmer for "${language}".`);
  return stemmer;
}

type TokenStemmer = (token: lunr.Token) => unknown;

function isStemmer(value: unknown): value is TokenStemmer {
  return typeof value === 'function';
}

interface Plugin {
  readonly default: (host: PluginHost) => void;
}

/** The members of lunr that plugins use, and the function that each adds. */
type PluginHost = Record<string, unknown>;

/** The stemmed languages of a site, and which searched words it replaces and leaves out. */
export interface SearchLanguages extends SearchedWords, SearchRules {
  /** The language of all texts but those in `languages`. */
  readonly language: Language;
  /** By the langcode of entities. */
  readonly languages?: Readonly<Record<string, Language>>;
}
