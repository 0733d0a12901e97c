/** What a scan stops at: the place that makes a text no JSON, or a key that its object has already. */
export type JsonFault =
  | { readonly kind: 'error'; readonly offset: number }
  | { readonly kind: 'duplicate'; readonly offset: number; readonly key: string };

/**
 * Goes through a JSON text token by token and stops at the first fault; an early end is one at the text's length.
 * `JSON.parse` says the place of some errors only, and of a key written twice nothing. Source: RFC 8259.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: Container[] = [];
  let expected: Expectation = 'value';
  let at = 0;
  for (;;) {
    BLANK.lastIndex = at;
    const offset = at + (BLANK.exec(text)?.[0].length ?? 0);
    TOKEN.lastIndex = offset;
    const token = TOKEN.exec(text)?.[0] ?? '';
    const container = open.at(-1);
    if (expected === 'nothing' && offset === text.length) {
      return undefined;
    }
    if (!EXPECTED[expected].test(token) || (CLOSING[token] ?? container?.bracket) !== container?.bracket) {
      return { kind: 'error', offset };
    }
    at = offset + token.length;
    if (token === '{' || token === '[') {
      open.push({ bracket: token, keys: new Set() });
      expected = token === '{' ? 'key or end' : 'value or end';
    } else if (token === ',') {
      expected = container?.bracket === '{' ? 'key' : 'value';
    } else if (token === ':') {
      expected = 'value';
    } else if (expected === 'key' || (expected === 'key or end' && token !== '}')) {
      const key = String(JSON.parse(token));
      if (container?.keys.has(key)) {
        return { kind: 'duplicate', offset, key };
      }
      container?.keys.add(key);
      expected = 'colon';
    } else {
      if (token === '}' || token === ']') {
        open.pop();
      }
      expected = open.length === 0 ? 'nothing' : 'comma or end';
    }
  }
}

const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const TOKEN = new RegExp(String.raw`${STRING}|${NUMBER}|true|false|null|[{}[\],:]`, 'y');
const BLANK = /[ \t\r\n]*/y;
/** By the first character of a token. */
const EXPECTED = {
  value: /^["\-\dtfn{[]/,
  'value or end': /^["\-\dtfn{[\]]/,
  key: /^"/,
  'key or end': /^["}]/,
  colon: /^:/,
  'comma or end': /^[,}\]]/,
  nothing: /^(?!)/,
} as const;
const CLOSING: Readonly<Record<string, string>> = { '}': '{', ']': '[' };

type Expectation = keyof typeof EXPECTED;

interface Container {
  readonly bracket: string;
  readonly keys: Set<string>;
}
