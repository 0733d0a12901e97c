import { STEP } from '../../util/steps.ts';

export type TextOperator = 'CONTAINS' | 'STARTS_WITH' | 'ENDS_WITH';

/** A test of a folded text against a folded operand. */
export function textTest(operator: TextOperator): (text: string, part: string) => boolean {
  return TESTS[operator];
}

const TESTS: Readonly<Record<TextOperator, (text: string, part: string) => boolean>> = {
  CONTAINS: (text, part) => text.includes(part),
  STARTS_WITH: (text, part) => text.startsWith(part),
  ENDS_WITH: (text, part) => text.endsWith(part),
};

/** Finds texts without testing every one. */
export interface TextSearch {
  /** Positions of the texts that satisfy the operator, ascending. */
  find(operator: TextOperator, folded: string): number[];
}

/** 32-bit words of a signature. */
const WORDS = 4;

/**
 * Indexes folded texts in short steps. Each has a signature of 128 bits with a bit for each pair of adjacent code units.
 * Only texts with all the bits of the operand can contain it, so a few integer comparisons exclude most texts.
 */
export function* createTextSearch(
  folded: Generator<void, readonly string[], undefined>,
): Generator<void, TextSearch, undefined> {
  const texts = yield* folded;
  const signatures = new Int32Array(texts.length * WORDS);
  for (let i = 0; i < texts.length; i++) {
    addPairs(texts[i]!, signatures, i * WORDS);
    if (i % STEP === 0) yield;
  }
  return {
    find(operator, folded) {
      const test = TESTS[operator];
      const required = new Int32Array(WORDS);
      addPairs(folded, required, 0);
      const [a, b, c, d] = required as unknown as readonly [number, number, number, number];
      const positions: number[] = [];
      for (let i = 0, at = 0; i < texts.length; i++, at += WORDS) {
        if (
          (signatures[at]! & a) === a &&
          (signatures[at + 1]! & b) === b &&
          (signatures[at + 2]! & c) === c &&
          (signatures[at + 3]! & d) === d &&
          test(texts[i]!, folded)
        ) {
          positions.push(i);
        }
      }
      return positions;
    },
  };
}

function addPairs(text: string, words: Int32Array, at: number): void {
  for (let i = 1; i < text.length; i++) {
    const hash = Math.imul(text.charCodeAt(i - 1), 0x9e3779b1) ^ Math.imul(text.charCodeAt(i), 0x85ebca6b);
    words[at + (hash >>> 30)]! |= 1 << (hash >>> 25);
  }
}
