import { isSpaced, plainLetters, RUNS, shorten, WORD } from './words.ts';

/** The words of a text with their places. In scripts without spaces, each character and each pair of them is a word. */
export function positionedWords(text: string): readonly PositionedWord[] {
  return Array.from(text.matchAll(WORD)).flatMap(({ 0: run, index }) => {
    if (isSpaced(run)) return [{ word: wordOf(run), start: index, end: index + run.length }];
    return Array.from(run.matchAll(RUNS)).flatMap(({ 0: part, index: at }) => {
      const start = index + at;
      if (isSpaced(part)) return [{ word: wordOf(part), start, end: start + part.length }];
      const characters = Array.from(part.matchAll(CHARACTER), ({ 0: typed, index: place }) => {
        return { word: plainLetters(typed), start: start + place, end: start + place + typed.length };
      });
      return characters.flatMap((each, i) => {
        const next = characters[i + 1];
        return next === undefined ? [each] : [each, { ...each, word: each.word + next.word, end: next.end }];
      });
    });
  });
}

/** With the mark of half-width katakana. */
const CHARACTER = /.[\uff9e\uff9f]?/gu;
const wordOf = (run: string) => shorten(plainLetters(run).toLowerCase());

export interface PositionedWord {
  readonly word: string;
  /** In UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}
