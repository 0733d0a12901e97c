import type { FieldKind } from '../../content/model.ts';

/** A value as a column holds it. Booleans are 0 and 1; a reference is its `referenceKey`. */
export type Raw = string | number;

/** What an index can hold: the scalar kinds of a field, ids, and mere presence. */
export type ColumnKind =
  | Exclude<FieldKind, 'object' | 'json' | 'formatted_text' | 'image' | 'file'>
  | 'id'
  /** 1 where there is a value; for fields that only IS NULL and IS NOT NULL can ask about. */
  | 'presence';

/**
 * How values of one kind compare. Two values are equal when `compare` of their orders is 0, even where they
 * are written differently (`9.26` and `9.260`; `alpha` and `ALPHA`).
 */
export interface Ordering {
  /** What `compare` works on; computed once a value. */
  order(raw: Raw): Raw;
  compare(a: Raw, b: Raw): number;
  /** What the text operators work on, before case folding. */
  text(raw: Raw): string;
}

const exactText: Ordering = { order: (raw) => raw, compare: compareRaw, text: String };
const numeric: Ordering = { order: Number, compare: (a, b) => Number(a) - Number(b), text: String };
const instant: Ordering = { ...numeric, order: (raw) => Date.parse(String(raw)) };
const decimal: Ordering = {
  order: (raw) => raw,
  compare: (a, b) => compareDecimals(String(a), String(b)),
  text: String,
};

/** The ordering of a kind; `locale` decides that of texts. */
export function createOrderings(locale: string): Readonly<Record<ColumnKind, Ordering>> {
  const collator = new Intl.Collator(locale, { sensitivity: 'accent' });
  const collate = collator.compare as (a: Raw, b: Raw) => number;
  return {
    string: { order: (raw) => raw, compare: collate, text: String },
    integer: numeric,
    number: numeric,
    decimal,
    boolean: numeric,
    date: exactText,
    datetime: instant,
    reference: exactText,
    id: exactText,
    presence: numeric,
  };
}

/** Code units for texts, size for numbers. */
export function compareRaw(a: Raw, b: Raw): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Case folded and composed: the form in which the text operators compare. */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Compares decimals of any length exactly, without a conversion to floating point deciding. */
export function compareDecimals(a: string, b: string): number {
  const rough = Number(a) - Number(b);
  // Doubles order decimals rightly unless they round to the same one.
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
