import type { Raw } from '../../core/engine/store/ordering.ts';
import {
  type ColumnFile,
  type RecentColumn,
  readDeltas,
  readNumbers,
  readValues,
  type ValuesFile,
} from './format.ts';

/** A column before and after the first recent row. Each part can be missing. */
export interface ColumnParts {
  readonly base: ColumnFile | undefined;
  readonly recent: RecentColumn | undefined;
  /** The number of distinct values. */
  readonly size: number;
  /** The codes of the values of `base`, and of those that only `recent` has. */
  readonly codes: readonly [base: Int32Array, added: Int32Array];
}

export function columnParts(base: ColumnFile | undefined, recent: RecentColumn | undefined): ColumnParts {
  const added = readDeltas(recent?.added ?? []);
  const codes = otherNumbers(added, base?.size ?? 0);
  return { base, recent, size: codes.length + added.length, codes: [codes, added] };
}

/** The first numbers that are not among the given ones, which ascend. */
function otherNumbers(given: Int32Array, count: number): Int32Array {
  const numbers = new Int32Array(count);
  let next = 0;
  let at = 0;
  for (let i = 0; i < count; i++) {
    while (given[at] === next) {
      next++;
      at++;
    }
    numbers[i] = next++;
  }
  return numbers;
}

/** One code per row, or per item; -1 for null. `sizes` are the codes of missing parts. */
export function codesOf(
  { base, recent, codes: [codes] }: ColumnParts,
  sizes: readonly [number, number],
): Int32Array {
  const stored = base && readCodes(base).map((code) => (code === 0 ? -1 : codes[code - 1]!));
  const last = recent && readCodes(recent).map((code) => code - 1);
  return joined(stored ?? new Int32Array(sizes[0]).fill(-1), last ?? new Int32Array(sizes[1]).fill(-1));
}

function readCodes({ codes, rising }: ColumnFile): Int32Array {
  return rising === undefined ? readNumbers(codes ?? []) : readDeltas(rising);
}

/** The number of items of each row. `rows` are those of missing parts. */
export function sizesOf({ base, recent }: ColumnParts, rows: readonly [number, number]): Int32Array {
  const read = (part: ColumnFile | undefined, size: number) =>
    part?.sizes === undefined ? new Int32Array(size) : readNumbers(part.sizes);
  return joined(read(base, rows[0]), read(recent, rows[1]));
}

/** The class of each value; null if no values are equal. */
export function classesOf({ base, recent, size, codes: [codes] }: ColumnParts): Int32Array | null {
  const equal = [
    ...readDeltas(base?.equal ?? []).map((code) => codes[code]!),
    ...readDeltas(recent?.equal ?? []),
  ];
  if (equal.length === 0) return null;
  const steps = new Int32Array(size).fill(1);
  for (const code of [0, ...equal]) steps[code] = 0;
  for (let code = 1; code < size; code++) steps[code]! += steps[code - 1]!;
  return steps;
}

export function valuesOf({ recent, size, codes: [codes, added] }: ColumnParts, stored: ValuesFile): Raw[] {
  const values = new Array<Raw>(size);
  readValues(stored).forEach((value, i) => {
    values[codes[i]!] = value;
  });
  readValues(recent?.values ?? []).forEach((value, i) => {
    values[added[i]!] = value;
  });
  return values;
}

/** The first row of each value's target; -1 for none. */
export function joinsOf({ base, recent, size, codes }: ColumnParts, target: string): Int32Array {
  const rows = new Int32Array(size).fill(-1);
  [base, recent].forEach((part, i) => {
    readNumbers(part?.joins?.[target] ?? []).forEach((row, at) => {
      rows[codes[i]![at]!] = row - 1;
    });
  });
  return rows;
}

/** The ranks of all rows. `base` are ranks among the rows before the recent ones. */
export function mergeRanks(base: Int32Array, recent: Int32Array): Int32Array {
  const others = otherNumbers(recent.toSorted(), base.length);
  return joined(
    base.map((rank) => others[rank]!),
    recent,
  );
}

export function joined(a: Int32Array, b: Int32Array): Int32Array {
  if (b.length === 0) return a;
  const all = new Int32Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
