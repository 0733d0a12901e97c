import type { JsonValue } from '../../util/json.ts';
import { emptyMap, pathKey } from '../data.ts';
import type { DataPath } from '../diagnostic.ts';

/** Data as written: JSON, and unquoted text that JSON would write differently, such as `9.50` and dates. */
export type Raw = null | boolean | number | string | Unquoted | readonly Raw[] | RawMap;

export interface RawMap {
  readonly [key: string]: Raw;
}

export interface Unquoted {
  readonly [UNQUOTED]: string;
}

const UNQUOTED: unique symbol = Symbol('unquoted');

/** A decimal or a date that needs no quotes; any other text stays a string. */
export function unquoted(text: string): Unquoted | string {
  return DECIMAL_OR_DATE.test(text) ? { [UNQUOTED]: text } : text;
}

/** Read the same way by every YAML parser: no space after a colon or a dash. */
const DECIMAL_OR_DATE =
  /^(?:-?\d+(?:\.\d+)?|\d\d?\/\d\d?\/\d{4}|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?[ \t]?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)?)$/;

/** The unquoted text; undefined for other data. */
export function unquotedText(raw: Raw | undefined): string | undefined {
  return isUnquoted(raw) ? raw[UNQUOTED] : undefined;
}

/** A scalar as text; undefined for lists, maps and null. */
export function scalarText(raw: Raw | undefined): string | undefined {
  if (raw === undefined || raw === null || isRawMap(raw) || isRawList(raw)) return undefined;
  return unquotedText(raw) ?? String(raw);
}

export function isRawMap(raw: Raw | undefined): raw is RawMap {
  return typeof raw === 'object' && raw !== null && !isRawList(raw) && !isUnquoted(raw);
}

export function isRawList(raw: Raw | undefined): raw is readonly Raw[] {
  return Array.isArray(raw);
}

function isUnquoted(raw: Raw | undefined): raw is Unquoted {
  return typeof raw === 'object' && raw !== null && UNQUOTED in raw;
}

/** Parsed data with numbers as written; `numerals` is that of `ParsedData`. */
export function rawOf(value: JsonValue, numerals: ReadonlyMap<string, string>, path: DataPath = []): Raw {
  if (typeof value === 'number') {
    const text = numerals.get(pathKey(path));
    return text === undefined ? value : { [UNQUOTED]: text };
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) => rawOf(item, numerals, [...path, index]));
  }
  const map = emptyMap<Raw>();
  for (const [name, item] of Object.entries(value)) map[name] = rawOf(item, numerals, [...path, name]);
  return map;
}

/** True if two raw values mean the same, so that neither needs to replace the other. */
export function sameRaw(a: Raw | undefined, b: Raw | undefined): boolean {
  if (a === b) return true;
  if (isRawList(a)) {
    return isRawList(b) && a.length === b.length && a.every((item, index) => sameRaw(item, b[index]));
  }
  if (isRawMap(a)) {
    if (!isRawMap(b)) return false;
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && sameRaw(a[name], b[name]))
    );
  }
  // An inexact number is read back as its source text.
  const isLenient = isUnquoted(a) || isUnquoted(b) || isInexact(a) || isInexact(b);
  return isLenient && scalarText(a) !== undefined && scalarText(a) === scalarText(b);
}

function isInexact(raw: Raw | undefined): boolean {
  return typeof raw === 'number' && Number.isInteger(raw) && !Number.isSafeInteger(raw);
}
