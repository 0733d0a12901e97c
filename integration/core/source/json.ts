import type { JsonValue } from '../util/json.ts';
import {
  isDeeper,
  MAX_DATA_DEPTH,
  type ParsedData,
  parsedData,
  TOO_DEEP,
  unreadableData,
  withoutPrototypes,
} from './data.ts';
import { positionIn } from './diagnostic.ts';

export function readJson(text: string): ParsedData {
  let parsed: JsonValue;
  try {
    parsed = INEXACT_NUMBER.test(text) ? JSON.parse(text, inexactAsString) : JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = `The JSON cannot be parsed: ${withoutContext(error.message)}.`;
    return unreadableData('json/syntax', message, positionIn(text, findJsonFault(text)?.offset ?? 0));
  }
  const fault = findJsonFault(text);
  if (fault?.kind === 'duplicate') {
    const message = `The key \`${fault.key}\` appears twice.`;
    return unreadableData(
      'data/duplicate-key',
      message,
      positionIn(text, fault.offset),
      'Remove one of them.',
    );
  }
  if (isDeeper(parsed, MAX_DATA_DEPTH)) return unreadableData('data/too-deep', TOO_DEEP);
  return parsedData(withoutPrototypes(parsed));
}

/** Finds numbers that may be too long or too large for JavaScript. */
const INEXACT_NUMBER = /\d{16}|\d[eE]/;

/** Keeps a number that JavaScript would round as its source text, as the YAML reader does. */
function inexactAsString(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isInexact =
    typeof value === 'number' &&
    (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value)));
  return isInexact && context?.source !== undefined ? context.source : value;
}

/** Removes the excerpt of the text, which may have many lines, from a message of `JSON.parse`. */
function withoutContext(message: string): string {
  return message.replace(/(?: in JSON)? at position .*$|, (?:\.\.\.)?".*$/s, '');
}

/** A syntax error, or a key that its object already has. */
export type JsonFault =
  | { readonly kind: 'error'; readonly offset: number }
  | { readonly kind: 'duplicate'; readonly offset: number; readonly key: string };

/**
 * Scans a JSON text and stops at the first fault; the offset of an early end is the length of the text. Needed because
 * `JSON.parse` reports the position of some errors only, and no duplicate keys. Source: RFC 8259.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: Container[] = [];
  let expected: keyof typeof EXPECTED = 'value';
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    const offset = at + (SPACE.exec(text)?.[0].length ?? 0);
    TOKEN.lastIndex = offset;
    const token = TOKEN.exec(text)?.[0] ?? '';
    const container = open.at(-1);
    if (expected === 'end' && offset === text.length) return undefined;
    if (!EXPECTED[expected].test(token) || (OPENING[token] ?? container?.bracket) !== container?.bracket) {
      return { kind: 'error', offset };
    }
    at = offset + token.length;
    if (token === '{' || token === '[') {
      open.push({ bracket: token, keys: new Set() });
      expected = token === '{' ? 'key or close' : 'value or close';
    } else if (token === ',') {
      expected = container?.bracket === '{' ? 'key' : 'value';
    } else if (token === ':') {
      expected = 'value';
    } else if (expected === 'key' || (expected === 'key or close' && token !== '}')) {
      const key = String(JSON.parse(token));
      if (container?.keys.has(key)) return { kind: 'duplicate', offset, key };
      container?.keys.add(key);
      expected = 'colon';
    } else {
      if (token === '}' || token === ']') open.pop();
      expected = open.length === 0 ? 'end' : 'comma or close';
    }
  }
}

const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const TOKEN = new RegExp(String.raw`${STRING}|${NUMBER}|true|false|null|[{}[\],:]`, 'y');
const SPACE = /[ \t\r\n]*/y;
/** The first characters of the tokens that may come next. */
const EXPECTED = {
  value: /^["\-\dtfn{[]/,
  'value or close': /^["\-\dtfn{[\]]/,
  key: /^"/,
  'key or close': /^["}]/,
  colon: /^:/,
  'comma or close': /^[,}\]]/,
  end: /^(?!)/,
} as const;
const OPENING: Readonly<Record<string, string>> = { '}': '{', ']': '[' };

interface Container {
  readonly bracket: string;
  readonly keys: Set<string>;
}
