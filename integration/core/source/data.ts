import type { JsonValue } from '../util/json.ts';
import { type DataPath, FILE_START, type Position, type Problem, problem } from './diagnostic.ts';

/** Nested arrays and maps. */
export const MAX_DATA_DEPTH = 32;
export const TOO_DEEP = `Arrays and maps are nested more than ${MAX_DATA_DEPTH} levels deep.`;

/** `yaml`, `json`, or the language of a `DataFormat`. */
export type DataLanguage = string;

/** The data of a file. Keys are in the order written; maps have a null prototype. */
export interface ParsedData {
  readonly data: Readonly<Record<string, JsonValue>>;
  /** Source text, by `pathKey`, of the numbers that JavaScript writes differently (`007`, `1.50`). */
  readonly numerals: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

export const NO_NUMERALS: ReadonlyMap<string, string> = new Map();

export function pathKey(path: DataPath): string {
  return path.join('\u0000');
}

/** The parsed value if it is a map, else a problem. */
export function parsedData(
  value: JsonValue,
  numerals: ReadonlyMap<string, string> = NO_NUMERALS,
  problems: readonly Problem[] = [],
): ParsedData {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const kind = Array.isArray(value) ? 'an array' : 'a single value';
    return unreadableData('data/not-a-map', `The data must be a map, not ${kind}.`, FILE_START, MAP_HINT);
  }
  const data = value as Readonly<Record<string, JsonValue>>;
  return { data, numerals: numerals.size === 0 ? NO_NUMERALS : numerals, problems };
}

export function unreadableData(
  code: string,
  message: string,
  position: Position = FILE_START,
  hint?: string,
): ParsedData {
  return {
    data: emptyMap(),
    numerals: NO_NUMERALS,
    problems: [problem('error', code, message, hint, position)],
  };
}

const MAP_HINT = 'Write `name: value` lines.';

/**
 * A map with a null prototype. `Object.create(null)` would create a hash table, which takes five times the memory and
 * time of an object that shares its hidden class with other maps of the same keys.
 */
export function emptyMap<T = JsonValue>(): Record<string, T> {
  return Object.setPrototypeOf({}, null) as Record<string, T>;
}

/** Copies a map with many keys, which V8 turned into a hash table while keys were added one by one. */
export function compactMap<T>(map: Readonly<Record<string, T>>, size: number): Readonly<Record<string, T>> {
  return size <= MAX_FAST_KEYS ? map : (Object.setPrototypeOf({ ...map }, null) as typeof map);
}

const MAX_FAST_KEYS = 16;

/** Removes the prototypes of all maps, in place. */
export function withoutPrototypes<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) Object.setPrototypeOf(value, null);
  for (const item of Object.values(value)) {
    if (typeof item === 'object') withoutPrototypes(item);
  }
  return value;
}

/** True if anything lies more than `levels` levels deep in arrays and maps. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((item: unknown) => levels === 0 || isDeeper(item, levels - 1));
}
