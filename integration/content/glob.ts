/**
 * The pattern of a glob for storage keys: `*` and `?` match within a name, `**` also across folders, and `{a,b}` one of several.
 * The glob of a folder matches everything below it.
 */
export function globPattern(glob: string): RegExp {
  let depth = 0;
  const source = glob
    .replace(/^\.?\//, '')
    .replace(/\/$/, '')
    .replaceAll(TOKEN, (token) => {
      if (token === '{') depth += 1;
      const isBrace = token === '{' || depth > 0;
      if (token === '}') depth = Math.max(0, depth - 1);
      return WILDCARDS[token] ?? (isBrace ? BRACES[token] : undefined) ?? `\\${token}`;
    });
  return new RegExp(`^${source}${')'.repeat(depth)}(?:/|$)`);
}

/** Wildcards, and characters with a meaning in patterns. */
const TOKEN = /\*\*\/|\*\*|[*?{},\\^$.|+()[\]]/g;
const WILDCARDS: Readonly<Record<string, string>> = {
  '**/': '(?:[^/]+/)*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};
const BRACES: Readonly<Record<string, string>> = { '{': '(?:', ',': '|', '}': ')' };
