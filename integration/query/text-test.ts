import { TESTS } from '../store/dictionary.ts';
import { foldText, type Ordering } from '../store/ordering.ts';
import type { Operand } from './coerce.ts';

/** The same answer that a dictionary gives, for one text at a time: for texts too long to be kept in one. */
export function createTextTest(operand: Operand, ordering: Ordering): (text: string | null) => boolean {
  const test = notNullTest(operand, ordering);
  return (text) => (text === null ? operand.kind === 'null-test' && operand.isNull : test(text));
}

function notNullTest(operand: Operand, { order, compare }: Ordering): (text: string) => boolean {
  switch (operand.kind) {
    case 'null-test':
      return () => !operand.isNull;
    case 'nothing':
      return () => false;
    case 'any-of':
      return (text) =>
        operand.values.some((value) => compare(order(text), order(value)) === 0) !== operand.negated;
    case 'between': {
      const { ends, negated } = operand;
      if (ends === undefined) return () => negated;
      return (text) =>
        (compare(order(text), order(ends[0])) >= 0 && compare(order(text), order(ends[1])) <= 0) !== negated;
    }
    case 'compare': {
      const { value, operator } = operand;
      if (value === undefined) return () => false;
      const holds = COMPARISONS[operator];
      return (text) => holds(compare(order(text), order(value)));
    }
    case 'search': {
      const holds = TESTS[operand.operator];
      return (text) => holds(foldText(text), operand.folded);
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
