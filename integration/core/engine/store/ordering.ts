import type { FieldKind } from '../../content/model.ts';

/** A value in a column. Booleans are 0 and 1; a reference is its `referenceKey`. */
export type Raw = string | number;

/** The kinds of columns: the scalar kinds of fields, ids, and presence. */
export type ColumnKind =
  | Exclude<FieldKind, 'object' | 'json' | 'formatted_text' | 'image' | 'file'>
  | 'id'
  /** 1 if there is a value; for fields that only support IS NULL and IS NOT NULL. */
  | 'presence';

/**
 * How values of one kind compare. Two values are equal if `compare` of their orders is 0, even if their spelling differs
 * (`9.26` and `9.260`; `alpha` and `ALPHA`).
 */
export interface Ordering {
  /** The argument of `compare`; computed once per value. */
  order(raw: Raw): Raw;
  compare(a: Raw, b: Raw): number;
  /** The argument of the text operators, before case folding. */
  text(raw: Raw): string;
}

export const EXACT_ORDERING: Ordering = { order: (raw) => raw, compare: compareRaw, text: String };
const numeric: Ordering = { order: Number, compare: (a, b) => Number(a) - Number(b), text: String };
const instant: Ordering = { ...numeric, order: (raw) => Date.parse(String(raw)) };
const decimal: Ordering = {
  order: (raw) => raw,
  compare: (a, b) => compareDecimals(String(a), String(b)),
  text: String,
};

/** The orderings of the kinds that are the same in every language. */
export const FIXED_ORDERINGS: Readonly<Record<Exclude<ColumnKind, 'string'>, Ordering>> = {
  integer: numeric,
  number: numeric,
  decimal,
  boolean: numeric,
  date: EXACT_ORDERING,
  datetime: instant,
  reference: EXACT_ORDERING,
  id: EXACT_ORDERING,
  presence: numeric,
};

/** The orderings of all kinds; `locale` sets that of strings. */
export function createOrderings(locale: string): Readonly<Record<ColumnKind, Ordering>> {
  const collator = new Intl.Collator(locale, { sensitivity: 'accent' });
  const collate = collator.compare as (a: Raw, b: Raw) => number;
  return { ...FIXED_ORDERINGS, string: { order: (raw) => raw, compare: collate, text: String } };
}

/** Compares strings by code units and numbers by value. */
export function compareRaw(a: Raw, b: Raw): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The first index below `length` that is not below the searched value, or `length`. */
export function binarySearch(length: number, isBelow: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Composed (NFC) and lower-cased, for the text operators. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Compares decimals of any length exactly. */
export function compareDecimals(a: string, b: string): number {
  const rough = Number(a) - Number(b);
  // Doubles order decimals correctly unless both round to the same double.
  if (rough !== 0 && Number.isFinite(rough)) return rough;
  const left = scaled(a);
  const right = scaled(b);
  const places = Math.max(left.places, right.places);
  const x = left.digits * 10n ** BigInt(places - left.places);
  const y = right.digits * 10n ** BigInt(places - right.places);
  return x < y ? -1 : x > y ? 1 : 0;
}

function scaled(text: string): { digits: bigint; places: number } {
  const dot = text.indexOf('.');
  if (dot === -1) return { digits: BigInt(text), places: 0 };
  return {
    digits: BigInt(text.slice(0, dot).replace(/^([+-]?)$/, '$10') + text.slice(dot + 1)),
    places: text.length - dot - 1,
  };
}
