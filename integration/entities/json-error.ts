/**
 * Offset of the first token that makes a text no JSON; its length where it ends too early. Engines say it for some
 * errors only. Source: RFC 8259.
 */
export function findJsonError(text: string): number {
  const open: string[] = [];
  let expected: Expectation = 'value';
  let at = 0;
  for (;;) {
    BLANK.lastIndex = at;
    const start = at + (BLANK.exec(text)?.[0].length ?? 0);
    TOKEN.lastIndex = start;
    const token = TOKEN.exec(text)?.[0];
    if (
      token === undefined ||
      !EXPECTED[expected].test(token) ||
      (CLOSING[token] ?? open.at(-1)) !== open.at(-1)
    ) {
      return start;
    }
    at = start + token.length;
    if (token === '{' || token === '[') {
      open.push(token);
      expected = token === '{' ? 'key or end' : 'value or end';
    } else if (token === ',') {
      expected = open.at(-1) === '{' ? 'key' : 'value';
    } else if (token === ':') {
      expected = 'value';
    } else if (expected === 'key' || (expected === 'key or end' && token !== '}')) {
      expected = 'colon';
    } else {
      if (token === '}' || token === ']') {
        open.pop();
      }
      expected = open.length === 0 ? 'nothing' : 'comma or end';
    }
  }
}

const STRING = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*"`;
const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?`;
const TOKEN = new RegExp(String.raw`${STRING}|${NUMBER}|true|false|null|[{}[\],:]`, 'iy');
const BLANK = /[ \t\r\n]*/y;
/** By the first character of a token. */
const EXPECTED = {
  value: /^["\-\dtfn{[]/,
  'value or end': /^["\-\dtfn{[\]]/,
  key: /^"/,
  'key or end': /^["}]/,
  colon: /^:/,
  'comma or end': /^[,}\]]/,
  nothing: /^$/,
} as const;
const CLOSING: Readonly<Record<string, string>> = { '}': '{', ']': '[' };

type Expectation = keyof typeof EXPECTED;
