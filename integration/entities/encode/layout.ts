/** How a file is laid out, so that what is added to it looks like the rest. */
export interface Layout {
  readonly newline: '\n' | '\r\n';
  /** Blanks by which a map stands further in than its key. */
  readonly indent: number;
  /** The same of a list. */
  readonly listIndent: number;
  /** Whether lists of short values are written `[a, b]`. */
  readonly flowLists: boolean;
  /** Whether `{ a: 1 }` has blanks inside its braces. */
  readonly paddedBraces: boolean;
  readonly quote: '"' | "'";
  /** Indentation of one level in JSON; null where it is all in one line. */
  readonly jsonIndent: string | null;
}

/** Reads the layout from a text, YAML or JSON; of what the text does not show, the usual. */
export function layoutOf(text: string): Layout {
  const list = BLOCK_LIST.exec(text);
  const map = BLOCK_MAP.exec(text);
  const json = JSON_INDENT.exec(text);
  return {
    newline: /\r\n/.test(text) ? '\r\n' : '\n',
    indent: widthOf(map?.[1], map?.[2]) || 2,
    listIndent: list === null ? 2 : widthOf(list[1], list[2]),
    flowLists: FLOW_LIST.test(text) && list === null,
    paddedBraces: !/\{[^\s}]/.test(text),
    quote: countOf(text, SINGLE_QUOTED) > countOf(text, DOUBLE_QUOTED) ? "'" : '"',
    jsonIndent: json?.[1] ?? (/^\s*\{\s*\}?\s*$/.test(text) || text === '' ? '  ' : null),
  };
}

const BLOCK_LIST = /^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*( *)- /m;
const BLOCK_MAP = /^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*( +)[^\s#-]/m;
const FLOW_LIST = /^[^#\n]*:[ \t]*\[[^\n]*\S[^\n]*\]/m;
const SINGLE_QUOTED = /(?::|-|,|\[) *'/g;
const DOUBLE_QUOTED = /(?::|-|,|\[) *"/g;
const JSON_INDENT = /^\s*\{[ \t]*\r?\n([ \t]+)"/;

function widthOf(outer = '', inner = ''): number {
  return Math.max(inner.length - outer.length, 0);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
