import type { Stemmer } from './languages.ts';

/** Words of a text in lower case, in order, as they are compared before any stemming. */
export function splitWords(text: string): string[] {
  const runs = (isAscii(text) ? text : text.normalize('NFC')).toLowerCase().match(WORD) ?? [];
  if (runs.every(isSpaced)) return runs.map(shorten);
  return runs.flatMap((run) => (isSpaced(run) ? shorten(run) : splitUnspaced(run)));
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
const FIRST_UNSPACED = 0x0e00;
const RUNS =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[^\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
/** Longer ones are no words; their beginning stands for them. */
const MAX_WORD_LENGTH = 64;
const MAX_KNOWN_WORDS = 200_000;

/** Whether a word is of scripts with spaces: all of its letters come before the first script without. */
function isSpaced(run: string): boolean {
  for (let i = 0; i < run.length; i++) if (run.charCodeAt(i) >= FIRST_UNSPACED) return !UNSPACED.test(run);
  return true;
}

function shorten(word: string): string {
  return word.length > MAX_WORD_LENGTH ? word.slice(0, MAX_WORD_LENGTH) : word;
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Where no spaces tell words apart, every character and every two neighbours count as one. */
function splitUnspaced(run: string): string[] {
  return (run.match(RUNS) ?? []).flatMap((part) => {
    if (isSpaced(part)) return [shorten(part)];
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
  if (isAscii(word)) return word;
  return word
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
}
