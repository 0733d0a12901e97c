import { LruMap } from '../../util/lru-map.ts';
import { LEAST_SURE } from './score.ts';
import { isSpaced, type SearchWords, type SiteTerms } from './words.ts';

/** The weights of terms that are like a searched word, but not it. */
export const WEIGHTS = { synonym: 0.8, start: LEAST_SURE, part: 0.5, typo: 0.3 };
/** The last word can be half typed. */
const MIN_START = 2;
/** Letters of a word that is searched within others. */
const MIN_PART = 4;
/** Letters of a term that is searched within others, and of an ending that terms lack. */
const MIN_STEM = 3;
const MAX_ENDING = 2;
/** Letters from which a word may have one edit, and two. */
const MIN_LETTERS = [5, 9];

/** Words of a search that may be incomplete. Later ones are exact, so that no search takes long. */
const MAX_TOLERANT = 8;

/** The terms that match a word of a search, with the weights of matches. */
export type TermsOf = (word: string) => Iterable<readonly [term: string, weight: number]>;

export function exactTerms(terms: Pick<SiteTerms, 'search'>): TermsOf {
  return (word) => terms.search(word).map((term) => [term, 1]);
}

/** Those of a tolerant search. Results are the same with any other terms, if no row has these. */
export function tolerantTerms(
  { required }: SearchWords,
  terms: SearchedTerms & Pick<SiteTerms, 'synonyms'>,
  vocabulary: Vocabulary,
): TermsOf {
  const exact = exactTerms(terms);
  const like = new Map<string, ReadonlyMap<string, number>>();
  for (const [at, word] of required.entries()) {
    const found =
      at < MAX_TOLERANT ? vocabulary.like(word, terms, at === required.length - 1) : new Map(exact(word));
    for (const other of terms.search(word).flatMap((term) => [...(terms.synonyms?.get(term) ?? [])]))
      found.set(other, Math.max(WEIGHTS.synonym, found.get(other) ?? 0));
    like.set(word, found);
  }
  return (word) => like.get(word) ?? exact(word);
}

/** The beginnings of the terms that can be like a word of a tolerant search. An empty one is that of all terms. */
export function beginningsOf({ required }: SearchWords, terms: SearchedTerms): readonly string[] {
  const typed = required.slice(0, MAX_TOLERANT).filter(isSpaced).flatMap(terms.letters);
  if (typed.some(({ length }) => length >= MIN_PART)) return [''];
  const last = required.length > MAX_TOLERANT ? '' : (required.at(-1) ?? '');
  if (!isSpaced(last)) return [];
  const letters = terms.letters(last);
  return terms
    .search(last)
    .flatMap((term, at) => (letters[at]!.length < MIN_START ? [] : markOf(term) + letters[at]));
}

type SearchedTerms = Pick<SiteTerms, 'search' | 'letters'>;

/** Terms of other languages than the first have a mark. */
const markOf = (term: string) => term.slice(0, term.indexOf('\0') + 1);

/** True if parts of a term find it. Scripts without spaces have no parts of words, and nobody types parts of hashes and keys. */
export function isCompleted(term: string): boolean {
  return isSpaced(term) && (term.length <= MAX_WITH_DIGITS || !/\d/.test(term));
}

const MAX_WITH_DIGITS = 24;

/** The terms of an index, to find those that are like a searched word. */
export class Vocabulary {
  readonly #terms = new Set<string>();
  #sorted: string[] = [];
  /** The sorted terms, each in a line. */
  #lines = '';

  add(term: string): void {
    if (isCompleted(term)) this.#terms.add(term);
  }

  /**
   * The terms of a word in each language, and those that start with it, contain it or differ in a letter or two, each with the
   * weight of a match. The first letter is never wrong.
   */
  like(word: string, searched: SearchedTerms, isLast: boolean): Map<string, number> {
    const sorted = this.#sort();
    const terms = searched.search(word);
    const letters = searched.letters(word);
    // Without spaces, words are single characters and pairs.
    if (!isSpaced(word)) return new Map(terms.map((term) => [term, 1]));
    const found = new Map<string, number>();
    for (const [at, term] of terms.entries()) {
      const mark = markOf(term);
      const typed = letters[at]!;
      const stem = term.slice(mark.length);
      if (typed.length >= MIN_LETTERS[0]!) {
        // A typo changes the ending that is cut: `secruiti` is the term of `secruity`, and `secur` that of `security`.
        for (const corrected of correctedTerms(word, searched))
          if (this.#terms.has(corrected[at]!)) found.set(corrected[at]!, WEIGHTS.typo);
        for (const near of nearTerms(sorted, term, mark.length + 1, nearEdits(typed, stem)))
          found.set(near, WEIGHTS.typo);
      }
      if (typed.length >= MIN_PART) {
        for (const other of this.#with(typed, mark)) found.set(other, WEIGHTS.part);
        // Terms have no endings: `ides` is in `tides`, and `turnin` begins `turning`, whose term is `turn`.
        for (const other of stem.length < MIN_STEM ? [] : this.#with(stem, mark)) {
          const isStart = stem.length >= MIN_PART && other.startsWith(term);
          if (isStart || other.endsWith(stem)) found.set(other, WEIGHTS.part);
        }
        for (let cut = 1; isLast && cut <= MAX_ENDING && typed.length - cut >= MIN_PART; cut++) {
          const whole = mark + typed.slice(0, -cut);
          if (this.#terms.has(whole) && isHalfTyped(word, whole, at, searched))
            found.set(whole, WEIGHTS.part);
        }
      }
      if (isLast && typed.length >= MIN_START) {
        for (const other of startingWith(sorted, mark + typed)) found.set(other, WEIGHTS.start);
      }
      found.set(term, 1);
    }
    return found;
  }

  #sort(): readonly string[] {
    if (this.#terms.size > this.#sorted.length) {
      this.#sorted = [...this.#sorted, ...[...this.#terms].slice(this.#sorted.length)].sort();
      this.#lines = `\n${this.#sorted.join('\n')}\n`;
    }
    return this.#sorted;
  }

  /** The terms with a mark that contain a text. */
  *#with(text: string, mark: string): Generator<string, void, undefined> {
    const lines = this.#lines;
    for (let at = lines.indexOf(text), end = 0; at !== -1; at = lines.indexOf(text, end)) {
      end = lines.indexOf('\n', at);
      const term = lines.slice(lines.lastIndexOf('\n', at) + 1, end);
      if (mark === '' ? !term.includes('\0') : term.startsWith(mark)) yield term;
    }
  }
}

/** True if a word with one or two letters more has this term. */
function isHalfTyped(word: string, term: string, at: number, searched: SearchedTerms): boolean {
  const letters = [...alphabetOf(word)];
  const hasTerm = (longer: string) => searched.search(longer)[at] === term;
  return letters.some(
    (letter) => hasTerm(word + letter) || letters.some((next) => hasTerm(word + letter + next)),
  );
}

/** The edits of a term: those of its word, if the term is not much shorter. Corrected words have the others. */
function nearEdits(typed: string, stem: string): number {
  const edits = MIN_LETTERS.filter(
    (letters) => typed.length >= letters && stem.length + MAX_ENDING >= letters,
  );
  return edits.length === 1 && alphabetOf(typed) !== '' ? 0 : edits.length;
}

/** The terms that start with a text. */
function* startingWith(sorted: readonly string[], text: string): Generator<string, void, undefined> {
  for (let at = placeOf(sorted, text); sorted[at]?.startsWith(text); at++) yield sorted[at]!;
}

/** The index of the first term that does not come before a text. */
function placeOf(sorted: readonly string[], text: string, from = 0): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The terms in each language of the words that differ from a word in one edit, but not in the first letter. */
function correctedTerms(word: string, searched: SearchedTerms): readonly (readonly string[])[] {
  const known = lastCorrected.get(searched) ?? new LruMap<string, readonly (readonly string[])[]>(64);
  const found = known.get(word) ?? Array.from(corrections(word), (other) => searched.search(other));
  known.set(word, found);
  lastCorrected.set(searched, known);
  return found;
}

/** Of the words that were searched last, because somebody who types searches most of them again. */
const lastCorrected = new WeakMap<SearchedTerms, LruMap<string, readonly (readonly string[])[]>>();

function* corrections(word: string): Generator<string, void, undefined> {
  const alphabet = alphabetOf(word);
  for (let at = 1; at <= word.length; at++) {
    const [before, letter, next, after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 1)];
    if (letter !== undefined) yield before + after;
    if (next !== undefined && next !== letter) yield before + next + letter + word.slice(at + 2);
    for (const other of alphabet) {
      yield before + other + word.slice(at);
      if (letter !== undefined && other !== letter) yield before + other + after;
    }
  }
}

function alphabetOf(word: string): string {
  return ALPHABETS.find((letters) => letters.includes(word[0]!)) ?? '';
}

/** Letters without accents. */
const ALPHABETS =
  'abcdefghijklmnopqrstuvwxyz абвгдежзийклмнопрстуфхцчшщъыьэюя αβγδεζηθικλμνξοπρστυφχψω'.split(' ');

/**
 * The terms within this many edits of a word whose beginning is the same: a letter more, less or other, or two exchanged. Terms
 * with a common beginning share its rows of the table of distances, and are skipped together if it differs too much.
 */
function* nearTerms(sorted: readonly string[], word: string, same: number, edits: number) {
  const start = word.slice(0, same);
  const rows = [Array.from({ length: word.length + 1 }, (_, i) => i)];
  let last = '';
  for (let at = placeOf(sorted, start); sorted[at]?.startsWith(start); ) {
    const term = sorted[at]!;
    let depth = 0;
    while (depth < rows.length - 1 && depth < term.length && last[depth] === term[depth]) depth++;
    rows.length = depth + 1;
    let best = 0;
    for (; depth < term.length && best <= edits; depth++) {
      const row = nextRow(rows, word, term, depth);
      rows.push(row);
      best = row.reduce((least, distance) => (distance < least ? distance : least));
    }
    last = term;
    if (best <= edits && rows[depth]!.at(-1)! <= edits) yield term;
    at = best <= edits ? at + 1 : placeOf(sorted, `${term.slice(0, depth)}\uffff`, at + 1);
  }
}

/** The distances of the first `depth + 1` letters of a term to each beginning of a word. */
function nextRow(rows: readonly (readonly number[])[], word: string, term: string, depth: number): number[] {
  const above = rows[depth]!;
  const row = [depth + 1];
  for (let i = 1; i <= word.length; i++) {
    const isSame = word[i - 1] === term[depth];
    let distance = Math.min(above[i]! + 1, row[i - 1]! + 1, above[i - 1]! + (isSame ? 0 : 1));
    const isExchanged = i > 1 && depth > 0 && word[i - 1] === term[depth - 1] && word[i - 2] === term[depth];
    if (isExchanged) distance = Math.min(distance, rows[depth - 1]![i - 2]! + 1);
    row.push(distance);
  }
  return row;
}
