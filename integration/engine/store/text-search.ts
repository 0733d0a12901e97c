import { STEP } from '../../util/steps.ts';

export type TextOperator = 'CONTAINS' | 'STARTS_WITH' | 'ENDS_WITH';

/** How a folded text meets a folded operand. */
export const TESTS: Readonly<Record<TextOperator, (text: string, part: string) => boolean>> = {
  CONTAINS: (text, part) => text.includes(part),
  STARTS_WITH: (text, part) => text.startsWith(part),
  ENDS_WITH: (text, part) => text.endsWith(part),
};

/** Folded texts that can be searched without looking at each of them. */
export interface TextSearch {
  /** Positions of the texts that meet the operator, ascending. */
  find(operator: TextOperator, folded: string): number[];
}

/** 32-bit words of a signature. */
const WORDS = 4;

/**
 * Every text has a signature of 128 bits, one set for each pair of neighbouring code units. A text can only hold
 * a part whose bits it has, so that most texts are passed over by a few comparisons of numbers; the rest are searched.
 */
export function* createTextSearch(texts: readonly string[]): Generator<void, TextSearch, undefined> {
  const signatures = new Int32Array(texts.length * WORDS);
  for (let i = 0; i < texts.length; i++) {
    addPairs(texts[i]!, signatures, i * WORDS);
    if (i % STEP === 0) yield;
  }
  return {
    find(operator, folded) {
      const test = TESTS[operator];
      const wanted = new Int32Array(WORDS);
      addPairs(folded, wanted, 0);
      const [a, b, c, d] = wanted as unknown as readonly [number, number, number, number];
      const found: number[] = [];
      for (let i = 0, at = 0; i < texts.length; i++, at += WORDS) {
        if (
          (signatures[at]! & a) === a &&
          (signatures[at + 1]! & b) === b &&
          (signatures[at + 2]! & c) === c &&
          (signatures[at + 3]! & d) === d &&
          test(texts[i]!, folded)
        ) {
          found.push(i);
        }
      }
      return found;
    },
  };
}

function addPairs(text: string, words: Int32Array, at: number): void {
  for (let i = 1; i < text.length; i++) {
    const hash = Math.imul(text.charCodeAt(i - 1), 0x9e3779b1) ^ Math.imul(text.charCodeAt(i), 0x85ebca6b);
    words[at + (hash >>> 30)]! |= 1 << (hash >>> 25);
  }
}
