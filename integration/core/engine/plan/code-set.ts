import type { Operand } from '../resolve/coerce.ts';
import type { Dictionary } from '../store/dictionary.ts';
import type { Ordering, Raw } from '../store/ordering.ts';
import { NULL_CODE } from '../store/postings.ts';

/** A subset of a column's codes: disjoint ascending ranges `[from, to)` as flat pairs, and whether null is in the set. */
export interface CodeSet {
  readonly ranges: readonly number[];
  readonly nulls: boolean;
}

const NONE: CodeSet = { ranges: [], nulls: false };

/** The codes of a dictionary that pass a test. */
export function codesOf(operand: Operand, dictionary: Dictionary, ordering: Ordering): CodeSet {
  const { size } = dictionary;
  switch (operand.kind) {
    case 'null-test':
      return operand.isNull ? { ranges: [], nulls: true } : span(0, size);
    case 'nothing':
      return NONE;
    case 'any-of': {
      const { values } = operand;
      const ranges =
        values.length === 1
          ? flat(dictionary.equalRange(values[0]!))
          : mergeRanges(values.map((raw) => dictionary.equalRange(raw)));
      return { ranges: operand.negated ? complement(ranges, size) : ranges, nulls: false };
    }
    case 'between': {
      const { ends } = operand;
      const ranges =
        ends === undefined
          ? []
          : flat([
              dictionary.lowerBound(ordering.order(ends[0])),
              dictionary.upperBound(ordering.order(ends[1])),
            ]);
      return { ranges: operand.negated ? complement(ranges, size) : ranges, nulls: false };
    }
    case 'compare':
      return operand.value === undefined
        ? NONE
        : SPANS[operand.operator](dictionary, ordering.order(operand.value));
    case 'search':
      return { ranges: runs(dictionary.search(operand.operator, operand.folded)), nulls: false };
    default:
      return operand satisfies never;
  }
}

const SPANS = {
  '>': (dictionary: Dictionary, order: Raw) => span(dictionary.upperBound(order), dictionary.size),
  '>=': (dictionary: Dictionary, order: Raw) => span(dictionary.lowerBound(order), dictionary.size),
  '<': (dictionary: Dictionary, order: Raw) => span(0, dictionary.lowerBound(order)),
  '<=': (dictionary: Dictionary, order: Raw) => span(0, dictionary.upperBound(order)),
} as const;

export function intersectCodes(a: CodeSet, b: CodeSet): CodeSet {
  const ranges: number[] = [];
  for (let i = 0, j = 0; i < a.ranges.length && j < b.ranges.length; ) {
    const from = Math.max(a.ranges[i]!, b.ranges[j]!);
    const to = Math.min(a.ranges[i + 1]!, b.ranges[j + 1]!);
    if (from < to) ranges.push(from, to);
    if (a.ranges[i + 1]! < b.ranges[j + 1]!) i += 2;
    else j += 2;
  }
  return { ranges, nulls: a.nulls && b.nulls };
}

/** Sorted codes as ranges. */
export function runs(codes: ArrayLike<number>): number[] {
  const ranges: number[] = [];
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (ranges.length > 0 && ranges[ranges.length - 1] === code) ranges[ranges.length - 1]!++;
    else ranges.push(code, code + 1);
  }
  return ranges;
}

/** A fast membership test for codes, including null's. */
export function codeTester({ ranges, nulls }: CodeSet): (code: number) => boolean {
  if (ranges.length === 0) return (code) => nulls && code === NULL_CODE;
  if (ranges.length === 2) {
    const from = ranges[0]!;
    const to = ranges[1]!;
    return (code) => (code >= from && code < to) || (nulls && code === NULL_CODE);
  }
  const last = ranges[ranges.length - 1]!;
  const bytes = new Uint8Array(last);
  for (let i = 0; i < ranges.length; i += 2) bytes.fill(1, ranges[i], ranges[i + 1]);
  return (code) => (code === NULL_CODE ? nulls : code < last && bytes[code] === 1);
}

function span(from: number, to: number): CodeSet {
  return { ranges: flat([from, to]), nulls: false };
}

function flat([from, to]: readonly [number, number]): number[] {
  return from < to ? [from, to] : [];
}

function complement(ranges: readonly number[], size: number): number[] {
  const result: number[] = [];
  let from = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    if (from < ranges[i]!) result.push(from, ranges[i]!);
    from = ranges[i + 1]!;
  }
  if (from < size) result.push(from, size);
  return result;
}

function mergeRanges(ranges: readonly (readonly [number, number])[]): number[] {
  const sorted = ranges.filter(([from, to]) => from < to).sort((a, b) => a[0] - b[0]);
  const merged: number[] = [];
  for (const [from, to] of sorted) {
    const end = merged.at(-1);
    if (end !== undefined && from <= end) merged[merged.length - 1] = Math.max(end, to);
    else merged.push(from, to);
  }
  return merged;
}
