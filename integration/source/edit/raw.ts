import type { JsonValue } from '../../util/json.ts';
import type { DataPath } from '../diagnostic.ts';
import { emptyMap, pathKey } from '../parsed-data.ts';

/**
 * Data as it is written: JSON, and texts without quotes that are not what JSON would make of them, such as `9.50` and
 * days.
 */
export type Raw = null | boolean | number | string | Unquoted | readonly Raw[] | RawMap;

export interface RawMap {
  readonly [key: string]: Raw;
}

export interface Unquoted {
  readonly [UNQUOTED]: string;
}

const UNQUOTED: unique symbol = Symbol('unquoted');

/** A decimal or a date without quotes; the text itself where it is neither. */
export function unquoted(text: string): Unquoted | string {
  return DECIMAL_OR_DATE.test(text) ? { [UNQUOTED]: text } : text;
}

/** No blank behind a colon or a dash: nobody reads anything else into it. */
const DECIMAL_OR_DATE =
  /^(?:-?\d+(?:\.\d+)?|\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?[ \t]?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?)?)$/;

/** The text that stands without quotes; undefined for all other data. */
export function unquotedText(raw: Raw | undefined): string | undefined {
  return isUnquoted(raw) ? raw[UNQUOTED] : undefined;
}

/** A scalar as text; undefined for what is none. */
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

/** Data that was read, numbers as their author wrote them. */
export function rawOf(value: JsonValue, written: ReadonlyMap<string, string>, path: DataPath = []): Raw {
  if (typeof value === 'number') {
    const text = written.get(pathKey(path));
    return text === undefined ? value : { [UNQUOTED]: text };
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) => rawOf(item, written, [...path, index]));
  }
  const map = emptyMap<Raw>();
  for (const [name, item] of Object.entries(value)) map[name] = rawOf(item, written, [...path, name]);
  return map;
}

/** Whether two say the same, so that the one need not be replaced by the other. */
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
  // A number that is not exact is read as the text it was written as; whoever checks the value says so.
  const lenient = isUnquoted(a) || isUnquoted(b) || isInexact(a) || isInexact(b);
  return lenient && scalarText(a) !== undefined && scalarText(a) === scalarText(b);
}

function isInexact(raw: Raw | undefined): boolean {
  return typeof raw === 'number' && Number.isInteger(raw) && !Number.isSafeInteger(raw);
}
