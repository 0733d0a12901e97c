import lunr from 'lunr';

/** Brings a word of lower-case letters to the stem it shares with its other forms. */
export type Stemmer = (word: string) => string;

/** What can be searched by stems, by language tag; every other language is searched word by word. */
export const LANGUAGES = [
  'da',
  'de',
  'en',
  'es',
  'fi',
  'fr',
  'hu',
  'it',
  'nl',
  'no',
  'pt',
  'ro',
  'ru',
  'sv',
  'tr',
] as const;
export type Language = (typeof LANGUAGES)[number] | 'none';

/** The language of a BCP 47 tag; `none` where its stems are not known. */
export function languageOf(locale: string): Language {
  const [primary = ''] = locale.toLowerCase().split(/[-_]/);
  const named = primary === 'nb' || primary === 'nn' ? 'no' : primary;
  return LANGUAGES.find((language) => language === named) ?? 'none';
}

/** English comes with lunr; other languages are imported when they are needed. */
export async function loadStemmer(language: Language): Promise<Stemmer> {
  if (language === 'none') return (word) => word;
  if (language === 'en') return stemmerOf(lunr.stemmer);
  const [support, plugin] = await Promise.all([
    import('lunr-languages/lunr.stemmer.support.js'),
    PLUGINS[language](),
  ]);
  // Plugins write into the object they are given, which is to be nobody else's lunr.
  const host: PluginHost = {
    Pipeline: { registerFunction: () => undefined },
    generateStopWordFilter: () => undefined,
  };
  support.default(host);
  plugin.default(host);
  const brought = host[language];
  const stemmer: unknown = typeof brought === 'function' ? Reflect.get(brought, 'stemmer') : undefined;
  if (!isStemmer(stemmer)) throw new Error(`lunr-languages has no stemmer for "${language}".`);
  return stemmerOf(stemmer);
}

function stemmerOf(stem: (token: lunr.Token) => unknown): Stemmer {
  return (word) => {
    const token = new lunr.Token(word, {});
    return String(stem(token) ?? word);
  };
}

// Written out, so that bundlers find them.
const PLUGINS: Readonly<Record<Exclude<Language, 'none' | 'en'>, () => Promise<Plugin>>> = {
  da: () => import('lunr-languages/lunr.da.js'),
  de: () => import('lunr-languages/lunr.de.js'),
  es: () => import('lunr-languages/lunr.es.js'),
  fi: () => import('lunr-languages/lunr.fi.js'),
  fr: () => import('lunr-languages/lunr.fr.js'),
  hu: () => import('lunr-languages/lunr.hu.js'),
  it: () => import('lunr-languages/lunr.it.js'),
  nl: () => import('lunr-languages/lunr.nl.js'),
  no: () => import('lunr-languages/lunr.no.js'),
  pt: () => import('lunr-languages/lunr.pt.js'),
  ro: () => import('lunr-languages/lunr.ro.js'),
  ru: () => import('lunr-languages/lunr.ru.js'),
  sv: () => import('lunr-languages/lunr.sv.js'),
  tr: () => import('lunr-languages/lunr.tr.js'),
};

interface Plugin {
  readonly default: (host: PluginHost) => void;
}

function isStemmer(value: unknown): value is (token: lunr.Token) => unknown {
  return typeof value === 'function';
}

/** What plugins use of lunr, and where each leaves what it brings. */
type PluginHost = Record<string, unknown>;
