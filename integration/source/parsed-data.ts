import type { JsonValue } from '../util/json.ts';
import { type DataPath, type Position, type Problem, FILE_START } from './diagnostic.ts';

/** Levels of lists and maps within each other. */
export const MAX_DATA_DEPTH = 32;

/** Keys in the order written; maps have a null prototype, so that no key means anything. */
export interface ParsedData {
  readonly data: Readonly<Record<string, JsonValue>>;
  /** Text as written of the numbers that JavaScript would write otherwise (`007`, `1.50`), by `pathKey`. */
  readonly written: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** One string for a path, as `written` is keyed by. */
export function pathKey(path: DataPath): string {
  return path.join('\u0000');
}

/** The data where it is a map, a problem where it is anything else. */
export function dataOf(
  value: JsonValue,
  written: ReadonlyMap<string, string>,
  problems: readonly Problem[],
): ParsedData {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const what = Array.isArray(value) ? 'a list' : 'a single value';
    return noData('data/not-a-map', `The data is ${what}, not names with values.`, FILE_START, MAP_HINT);
  }
  const data = value as Readonly<Record<string, JsonValue>>;
  return { data, written: written.size === 0 ? NOTHING_WRITTEN : written, problems };
}

export function noData(
  code: string,
  message: string,
  place: Position = FILE_START,
  hint?: string,
): ParsedData {
  const problem: Problem = {
    severity: 'error',
    code,
    ...place,
    message,
    ...(hint === undefined ? {} : { hint }),
  };
  return { data: emptyMap(), written: NOTHING_WRITTEN, problems: [problem] };
}

/**
 * A map without a prototype. Not by `Object.create(null)`: such a map is a hash table from the start, which takes five
 * times the memory and the time of one that shares its list of keys with all maps of the same keys.
 */
export function emptyMap<T = JsonValue>(): Record<string, T> {
  return Object.setPrototypeOf({}, null) as Record<string, T>;
}

/** The map, filled; where it has so many keys that it became a hash table on the way, a copy that is none. */
export function compactMap<T>(map: Readonly<Record<string, T>>, keys: number): Readonly<Record<string, T>> {
  return keys <= KEYS_SHARED ? map : (Object.setPrototypeOf({ ...map }, null) as typeof map);
}

/** Keys that a map can be given one by one. */
const KEYS_SHARED = 16;

/** Takes the prototype from the maps of data that was read from JSON, in their place. */
export function withoutPrototypes<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) Object.setPrototypeOf(value, null);
  for (const item of Object.values(value)) {
    if (typeof item === 'object') withoutPrototypes(item);
  }
  return value;
}

/** What most files have to keep of `written`. */
export const NOTHING_WRITTEN: ReadonlyMap<string, string> = new Map();

export function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
}

export const TOO_DEEP = `Lists and maps are nested deeper than ${MAX_DATA_DEPTH} levels.`;
const MAP_HINT = 'Write `name: value` lines.';
