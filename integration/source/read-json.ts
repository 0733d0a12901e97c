import type { JsonValue } from '../util/json.ts';
import { type ParsedData, dataOf, emptyMap, MAX_DATA_DEPTH, NOTHING_WRITTEN, noData, positionIn, TOO_DEEP } from './parsed-data.ts';
import { findJsonFault } from './scan-json.ts';

/** Reads a JSON text. */
export function readJson(text: string): ParsedData {
  let parsed: unknown;
  try {
    parsed = NUMBER_TO_KEEP.test(text) ? JSON.parse(text, keepNumbers) : JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    const message = `The JSON cannot be read: ${withoutContext(error.message)}.`;
    return noData('json/syntax', message, positionIn(text, findJsonFault(text)?.offset ?? 0));
  }
  const fault = findJsonFault(text);
  if (fault?.kind === 'duplicate') {
    const message = `The key \`${fault.key}\` is written twice.`;
    return noData('data/duplicate-key', message, positionIn(text, fault.offset), 'Remove one of them.');
  }
  const deep = copyJson(parsed, 0);
  return deep === undefined ? noData('data/too-deep', TOO_DEEP) : dataOf(deep, NOTHING_WRITTEN, []);
}

/** A number so long or so large that it may be rounded. */
const NUMBER_TO_KEEP = /\d{16}|\d[eE]/;

/** A whole number beyond what is exact, and one without end, stay as written: a text, as in YAML. */
function keepNumbers(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined && !isExact(value)
    ? context.source
    : value;
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
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
