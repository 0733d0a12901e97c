/** The words of a text in lower case, in order, before stemming. */
export function splitWords(text: string): string[] {
  const runs =
    (isAscii(text) ? text : plainLetters(text.normalize('NFC').replace(INVISIBLE, '')))
      .toLowerCase()
      .match(WORD) ?? [];
  if (runs.every(isSpaced)) return runs.map(shorten);
  return runs.flatMap((run) => (isSpaced(run) ? shorten(run) : splitUnspaced(run)));
}

/** Writes letters and digits of other widths, ligatures, and forms of Arabic letters as the letters that they stand for. */
export function plainLetters(text: string): string {
  return text.replace(COMPATIBLE, (letters) => letters.normalize('NFKC'));
}

/** Required and excluded words: `tide -moon`. No other character has a special meaning. */
export interface SearchWords {
  readonly required: readonly string[];
  readonly excluded: readonly string[];
  /** Required words match others that start with them, contain them, or differ in a letter or two. */
  readonly isTolerant?: boolean;
  /** Required words may be missing everywhere, because another part of the search must match. */
  readonly isOptional?: boolean;
  /** One of the required words is enough. */
  readonly isAny?: boolean;
  /** The words of one that is not excluded are required too. */
  readonly phrase?: Phrase;
  /** Stop words, which are not searched. */
  readonly ignored?: readonly string[];
}

/** Words that stand together in one field, written like this apart from case and accents. */
export interface Phrase {
  /** As `wordsAsText` writes it. */
  readonly text: string;
  /** The words that a text with the phrase has. */
  readonly words: readonly string[];
  readonly isExcluded: boolean;
}

/** Parses a search. Words are in the order written, without duplicates. */
export function parseSearch(text: string): SearchWords {
  const required: string[] = [];
  const excluded: string[] = [];
  for (const part of text.split(/\s+/)) {
    const words = splitWords(part);
    (part.startsWith('-') ? excluded : required).push(...searchedWords(words));
  }
  return { required: [...new Set(required)], excluded: [...new Set(excluded)] };
}

/** Converts words to the terms of an index: stems without accents. */
export interface Terms {
  /** Caches the terms. */
  termOf(word: string): string;
  /** The same for a searched word, which texts may not have. */
  search(word: string): string;
  /** The letters of a word as terms have them, with its ending. */
  lettersOf(word: string): string;
}

/** What a tolerant search does with some words, by langcode. The name of the only language of a site is empty. */
export interface SearchedWords {
  /** Groups of words, each of which also finds the others. */
  readonly synonyms?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Words without accents that are left out. */
  readonly stopWords?: Readonly<Record<string, readonly string[]>>;
}

/** A field whose values multiply scores by 1, and up to `weight` more for the newest date. */
export interface FieldBoost {
  readonly field: string;
  /** After each of these days, a date counts half as much. Undefined for a number. */
  readonly halfLifeDays?: number | undefined;
  readonly weight: number;
}

/** What searches do in addition to the words of indexes. */
export interface SearchRules extends Pick<SearchedWords, 'stopWords'> {
  /** By resource type. */
  readonly boost?: Readonly<Record<string, FieldBoost>>;
}

/** The terms of the languages of a site. Languages have no terms in common. */
export interface SiteTerms extends SearchRules {
  /** The terms of texts in a language, a BCP 47 tag. */
  of(langcode: string): Terms;
  /** The terms of a searched word, one for each language. */
  search(word: string): readonly string[];
  /** The letters of a searched word in each language, in the order of `search`. */
  letters(word: string): readonly string[];
  /** The terms that a term also finds in a tolerant search. None by default. */
  readonly synonyms?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** `terms` are those of each stemmed language; `byLangcode` has the languages that do not use the first ones. */
export function createSiteTerms(
  terms: readonly [Terms, ...Terms[]],
  byLangcode: ReadonlyMap<string, number> = new Map(),
  { synonyms = {}, ...rules }: SearchedWords & SearchRules = {},
): SiteTerms {
  const [first] = terms;
  const distinct = terms.map((each, at): Terms => {
    if (at === 0) return first;
    const mark = `${at}\u0000`;
    return {
      ...each,
      termOf: (word) => mark + each.termOf(word),
      search: (word) => mark + each.search(word),
    };
  });
  const of = (langcode: string) => distinct[byLangcode.get(langcode) ?? 0] ?? first;
  const found = new Map<string, Set<string>>();
  for (const [langcode, groups] of Object.entries(synonyms)) {
    for (const group of groups) {
      const same = group.flatMap((word) => parseSearch(word).required.map(of(langcode).search));
      for (const term of same) found.set(term, new Set([...(found.get(term) ?? []), ...same]));
    }
  }
  return {
    of,
    synonyms: found,
    ...rules,
    search: (word) => distinct.map((each) => each.search(word)),
    letters: (word) => distinct.map((each) => each.lettersOf(word)),
  };
}

/** Reduces a lower-case word to the stem it shares with its other forms. */
export type Stemmer = (word: string) => string;

/** `spell` writes words that are spelled in several ways in one of them. */
export function createTerms(stem: Stemmer, spell: Stemmer = String): Terms {
  const terms = new Map<string, string>();
  const search = (word: string) => foldAccents(stem(spell(word))) || word;
  return {
    search,
    termOf(word) {
      let term = terms.get(word);
      if (term === undefined) {
        term = search(word);
        if (terms.size >= MAX_CACHED_WORDS) terms.clear();
        terms.set(word, term);
      }
      return term;
    },
    lettersOf: (word) => foldAccents(spell(word)),
  };
}

const COMPATIBLE =
  /[\u0132\u0133\u01c4-\u01cc\u01f1-\u01f3\ufb00-\ufb06\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f\ufb50-\ufc5d\ufc64-\ufdf9\ufe80-\ufefc]+/g;
/** Soft hyphens, and marks that forbid a line break. */
export const INVISIBLE = /[\u00ad\u2060\ufeff]/g;
export const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Scripts without spaces between words. */
const UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\uff66-\uff9f\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const FIRST_UNSPACED = 0x0e00;
export const RUNS =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\uff66-\uff9f\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[^\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\uff66-\uff9f\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
/** Longer words are cut. */
const MAX_WORD_LENGTH = 64;
const MAX_CACHED_WORDS = 200_000;

/** True if the scripts of a word have spaces between words. */
export function isSpaced(run: string): boolean {
  // Most texts have only characters before the first script without spaces.
  for (let i = 0; i < run.length; i++) if (run.charCodeAt(i) >= FIRST_UNSPACED) return !UNSPACED.test(run);
  return true;
}

export function shorten(word: string): string {
  return word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word;
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Without spaces, every character and every pair of adjacent characters is a word. */
function splitUnspaced(run: string): string[] {
  return (run.match(RUNS) ?? []).flatMap((part) => {
    if (isSpaced(part)) return [shorten(part)];
    const characters = [...part];
    return [...characters, ...characters.slice(1).map((character, i) => characters[i]! + character)];
  });
}

/** Without spaces, a search uses the pairs, and single characters only if they are not in a pair. */
export function searchedWords(words: readonly string[]): readonly string[] {
  const pairs = words.filter((word) => UNSPACED.test(word) && [...word].length === 2);
  const inPairs = new Set(pairs.flatMap((pair) => [...pair]));
  return words.filter((word) => !(inPairs.has(word) && UNSPACED.test(word)));
}

/** The words of a text without accents, with a space before, between and after them. Without spaces, each character is a word. */
export function wordsAsText(text: string): string {
  return foldAccents(` ${splitWords(text).filter(isAlone).join(' ')} `);
}

/** False for a pair of characters of a script without spaces. */
export function isAlone(word: string): boolean {
  return isSpaced(word) || [...word].length === 1;
}

// Only marks of Latin, Greek and Cyrillic: in other scripts, marks are vowels.
export function foldAccents(word: string): string {
  if (isAscii(word)) return word;
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}
