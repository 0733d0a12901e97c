import { findJsonError } from './json-error.ts';
import type { JsonValue } from './model.ts';
import {
  dataOf,
  emptyMap,
  MAX_DATA_DEPTH,
  noData,
  type ParsedData,
  positionIn,
  TOO_DEEP,
} from './parsed-data.ts';

/** Reads a JSON text; of a key written twice the last counts. */
export function readJson(text: string): ParsedData {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    const message = `The JSON cannot be read: ${withoutContext(error.message)}.`;
    return noData('json/syntax', message, positionIn(text, findJsonError(text)));
  }
  const deep = copyJson(parsed, 0);
  return deep === undefined ? noData('data/too-deep', TOO_DEEP) : dataOf(deep, new Map(), []);
}

/** What the engine says, without the text around the place, which may be many lines. */
function withoutContext(message: string): string {
  return message.replace(/(?: in JSON)? at position .*$|, (?:\.\.\.)?".*$/s, '');
}

/** Undefined where too deep. */
function copyJson(value: unknown, depth: number): JsonValue | undefined {
  if (depth > MAX_DATA_DEPTH) {
    return undefined;
  }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => copyJson(item, depth + 1));
    return items.includes(undefined) ? undefined : (items as JsonValue[]);
  }
  if (typeof value === 'object' && value !== null) {
    const map = emptyMap();
    for (const [key, item] of Object.entries(value)) {
      const copy = copyJson(item, depth + 1);
      if (copy === undefined) {
        return undefined;
      }
      map[key] = copy;
    }
    return map;
  }
  return value as JsonValue;
}
