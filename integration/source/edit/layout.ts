/** How a file is laid out, so that what is added to it looks like the rest. */
export interface Layout {
  readonly newline: '\n' | '\r\n';
  /** Blanks by which a map stands further in than its key. */
  readonly indent: number;
  /** The same of a list. */
  readonly listIndent: number;
  /** Whether lists of short values are written `[a, b]`. */
  readonly flowLists: boolean;
  /** Whether maps of short values are written `{ a: 1 }`. */
  readonly flowMaps: boolean;
  /** Whether `{ a: 1 }` has blanks inside its braces. */
  readonly paddedBraces: boolean;
  readonly quote: '"' | "'";
  /** Indentation of one level in JSON; null where it is all in one line. */
  readonly jsonIndent: string | null;
  /** What stands between a key and its value in JSON. */
  readonly jsonColon: ':' | ': ';
}

/** Reads the layout from a text, YAML or JSON; what the text does not show is as `usual`. */
export function layoutOf(whole: string, usual: Layout = USUAL): Layout {
  const text = whole
    .slice(0, MAX_LOOKED_AT)
    .split(/\r?\n/)
    .filter((line) => line.length <= MAX_LINE)
    .join('\n');
  const list = BLOCK_LIST.exec(text);
  const map = BLOCK_MAP.exec(text);
  const flow = FLOW_LIST.test(text);
  const flowMap = FLOW_MAP.test(text);
  const quotes = countOf(text, SINGLE_QUOTED) - countOf(text, DOUBLE_QUOTED);
  return {
    newline: whole.includes('\n') ? (whole.includes('\r\n') ? '\r\n' : '\n') : usual.newline,
    indent: widthOf(map) || usual.indent,
    listIndent: list === null ? usual.listIndent : widthOf(list),
    flowLists: flow || list !== null ? flow && list === null : usual.flowLists,
    flowMaps: flowMap || map !== null ? flowMap && map === null : usual.flowMaps,
    paddedBraces: text.includes('{') ? !/\{[^\s}]/.test(text) : usual.paddedBraces,
    quote: quotes === 0 ? usual.quote : quotes > 0 ? "'" : '"',
    jsonIndent: JSON_INDENT.exec(text)?.[1] ?? (/^\s*\{[ \t]*[^\s}]/.test(text) ? null : usual.jsonIndent),
    jsonColon: /"[ \t]*:/.test(text) ? (/":[^\s]/.test(text) ? ':' : ': ') : usual.jsonColon,
  };
}

const USUAL: Layout = {
  newline: '\n',
  indent: 2,
  listIndent: 2,
  flowLists: false,
  flowMaps: false,
  paddedBraces: true,
  quote: '"',
  jsonIndent: '  ',
  jsonColon: ': ',
};
/** What is looked at of a text, and of a line of it: nobody may make a pattern take long. */
const MAX_LOOKED_AT = 64 * 1024;
const MAX_LINE = 200;
const BLOCK_LIST = /(?:^|\n)( *)["'\w][^\n:]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*( *)- /;
const BLOCK_MAP = /(?:^|\n)( *)["'\w][^\n:]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*( +)["'\w]/;
const FLOW_LIST = /(?:^|\n)[ \t]*["'\w][^\n:]*:[ \t]*\[[^\n[\]]+\]/;
const FLOW_MAP = /(?:^|\n)[ \t]*["'\w][^\n:]*:[ \t]*\{[^\n{}]*\}/;
const SINGLE_QUOTED = /(?::|-|,|\[) *'/g;
const DOUBLE_QUOTED = /(?::|-|,|\[) *"/g;
const JSON_INDENT = /^\s*\{[ \t]*\n([ \t]+)"/;

/** How much further the second group of a match is indented than the first. */
function widthOf(match: RegExpExecArray | null): number {
  return Math.max((match?.[2]?.length ?? 0) - (match?.[1]?.length ?? 0), 0);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
