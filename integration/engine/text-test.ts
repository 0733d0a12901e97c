import type { Operand } from './coerce.ts';
import type { Ordering } from './store/ordering.ts';
import { TESTS } from './store/text-search.ts';

/** A text too long to be kept in a dictionary; each form is made when first asked for. */
export interface LongText {
  written(): string;
  /** As `foldText` makes it. */
  folded(): string;
}

/** The same answer that a dictionary gives, for one text at a time. */
export function createTextTest(operand: Operand, ordering: Ordering): (text: LongText | null) => boolean {
  const test = notNullTest(operand, ordering);
  return (text) => (text === null ? operand.kind === 'null-test' && operand.isNull : test(text));
}

function notNullTest(operand: Operand, { order, compare }: Ordering): (text: LongText) => boolean {
  switch (operand.kind) {
    case 'null-test':
      return () => !operand.isNull;
    case 'nothing':
      return () => false;
    case 'any-of':
      return (text) =>
        operand.values.some((value) => compare(order(text.written()), order(value)) === 0) !==
        operand.negated;
    case 'between': {
      const { ends, negated } = operand;
      if (ends === undefined) return () => negated;
      return (text) =>
        (compare(order(text.written()), order(ends[0])) >= 0 &&
          compare(order(text.written()), order(ends[1])) <= 0) !== negated;
    }
    case 'compare': {
      const { value, operator } = operand;
      if (value === undefined) return () => false;
      const holds = COMPARISONS[operator];
      return (text) => holds(compare(order(text.written()), order(value)));
    }
    case 'search': {
      const holds = TESTS[operand.operator];
      return (text) => holds(text.folded(), operand.folded);
    }
    default:
      return operand satisfies never;
  }
}

const COMPARISONS = {
  '>': (sign: number) => sign > 0,
  '>=': (sign: number) => sign >= 0,
  '<': (sign: number) => sign < 0,
  '<=': (sign: number) => sign <= 0,
} as const;
