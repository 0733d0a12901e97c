import type { Stemmer } from './languages.ts';

/** Words of a text in lower case, in order, as they are compared before any stemming. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize('NFC').toLowerCase().matchAll(WORD)) {
    if (UNSPACED.test(run)) words.push(...splitUnspaced(run));
    else words.push(run.slice(0, MAX_WORD_LENGTH));
  }
  return words;
}

/** Words wanted and words that must not occur: `tide -moon`. Nothing else has a special meaning. */
export interface SearchWords {
  readonly wanted: readonly string[];
  readonly unwanted: readonly string[];
}

/** What a search asks for. Each word once, in the order sent. */
export function parseSearch(text: string): SearchWords {
  const wanted: string[] = [];
  const unwanted: string[] = [];
  for (const part of text.split(/\s+/)) {
    const words = splitWords(part);
    (part.startsWith('-') ? unwanted : wanted).push(...asked(words));
  }
  return { wanted: [...new Set(wanted)], unwanted: [...new Set(unwanted)] };
}

/** From words to the terms of an index: stems without accents. Remembers the words it has met. */
export interface Terms {
  termOf(word: string): string;
}

export function createTerms(stem: Stemmer): Terms {
  const known = new Map<string, string>();
  return {
    termOf(word) {
      let term = known.get(word);
      if (term === undefined) {
        term = foldAccents(stem(word)) || word;
        if (known.size >= MAX_KNOWN_WORDS) known.clear();
        known.set(word, term);
      }
      return term;
    },
  };
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Of scripts that write no spaces between words. */
const UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const RUNS =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[^\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
/** Longer ones are no words; their beginning stands for them. */
const MAX_WORD_LENGTH = 64;
const MAX_KNOWN_WORDS = 200_000;

/** Where no spaces tell words apart, every character and every two neighbours count as one. */
function splitUnspaced(run: string): string[] {
  return (run.match(RUNS) ?? []).flatMap((part) => {
    if (!UNSPACED.test(part)) return [part.slice(0, MAX_WORD_LENGTH)];
    const characters = [...part];
    return [...characters, ...characters.slice(1).map((character, i) => characters[i]! + character)];
  });
}

/** Of such a run, a search asks for the pairs; for the character where it is one alone. */
function asked(words: readonly string[]): readonly string[] {
  const pairs = words.filter((word) => UNSPACED.test(word) && [...word].length === 2);
  const inPairs = new Set(pairs.flatMap((pair) => [...pair]));
  return words.filter((word) => !(inPairs.has(word) && UNSPACED.test(word)));
}

// Only marks of Latin, Greek and Cyrillic: in other scripts they are vowels.
function foldAccents(word: string): string {
  if (/^[\0-\x7f]*$/.test(word)) return word;
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}
