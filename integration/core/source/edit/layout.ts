/** The style of a file, which new parts follow. */
export interface Layout {
  readonly newline: '\n' | '\r\n';
  /** Spaces by which a map is indented below its key. */
  readonly indent: number;
  /** The same for a list. */
  readonly listIndent: number;
  /** Write lists of short values as `[a, b]`, as most lists are. */
  readonly flowLists: boolean;
  /** Write maps of short values as `{ a: 1 }`. */
  readonly flowMaps: boolean;
  /** Put spaces inside the braces of `{ a: 1 }`. */
  readonly paddedBraces: boolean;
  readonly quote: '"' | "'";
  /** The quotes of all strings in lists; undefined without quoted ones. */
  readonly itemQuotes: 'single' | 'double' | undefined;
  /** Indentation of one level of JSON; null if it is all on one line. */
  readonly jsonIndent: string | null;
  readonly jsonColon: ':' | ': ';
  /** Write new dates of TOML as strings. */
  readonly quotedDates: boolean;
}

/** Reads the layout of YAML, TOML or JSON; `usual` fills in what the text does not show. */
export function layoutOf(whole: string, usual: Layout = USUAL): Layout {
  const text = whole
    .slice(0, MAX_LENGTH)
    .split(/\r?\n/)
    .filter((line) => line.length <= MAX_LINE)
    .join('\n');
  const lists = [...text.matchAll(BLOCK_LIST)];
  const map = BLOCK_MAP.exec(text);
  const flowLists = countOf(text, FLOW_LIST);
  const flowMap = FLOW_MAP.test(text);
  const items = new Set(Array.from(text.matchAll(LIST_START), ([, first]) => first));
  const [itemStart = ''] = items;
  const quotes = countOf(text, SINGLE_QUOTED) - countOf(text, DOUBLE_QUOTED);
  return {
    newline: whole.includes('\n') ? (whole.includes('\r\n') ? '\r\n' : '\n') : usual.newline,
    indent: widthOf(map) || usual.indent,
    listIndent: lists[0] === undefined ? usual.listIndent : widthOf(lists[0]),
    flowLists: flowLists === lists.length ? usual.flowLists : flowLists > lists.length,
    flowMaps: flowMap || map !== null ? flowMap && map === null : usual.flowMaps,
    paddedBraces: text.includes('{') ? !/\{[^\s}]/.test(text) : usual.paddedBraces,
    quote: quotes === 0 ? usual.quote : quotes > 0 ? "'" : '"',
    itemQuotes: items.size === 0 ? usual.itemQuotes : items.size === 1 ? QUOTES[itemStart] : undefined,
    jsonIndent: JSON_INDENT.exec(text)?.[1] ?? (/^\s*\{[ \t]*[^\s}]/.test(text) ? null : usual.jsonIndent),
    jsonColon: /"[ \t]*:/.test(text) ? (/":[^\s]/.test(text) ? ':' : ': ') : usual.jsonColon,
    quotedDates: TOML_DATE.exec(text)?.[1]?.length === 1 || (!TOML_DATE.test(text) && usual.quotedDates),
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
  itemQuotes: undefined,
  jsonIndent: '  ',
  jsonColon: ': ',
  quotedDates: false,
};
/** Characters of a text, and of a line, that are matched: limits the time of the patterns. */
const MAX_LENGTH = 64 * 1024;
const MAX_LINE = 200;
const BLOCK_LIST = /(?:^|\n)( *)["'\w][^\n:]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*( *)- /g;
const BLOCK_MAP = /(?:^|\n)( *)["'\w][^\n:]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*( +)["'\w]/;
const FLOW_LIST = /(?:^|\n)[ \t]*["'\w][^\n:]*:[ \t]*\[[^\n[\]]+\]/g;
const FLOW_MAP = /(?:^|\n)[ \t]*["'\w][^\n:]*:[ \t]*\{[^\n{}]*\}/;
/** The first character of an item, or of the first item in brackets. */
const LIST_START = /(?:^[ \t]*-[ \t]+|[:,] *\[[ \t]*)(?!""|'')([^\s\]])/gm;
const QUOTES: Readonly<Record<string, Layout['itemQuotes']>> = { "'": 'single', '"': 'double' };
const SINGLE_QUOTED = /(?::|-|,|\[|^[\w.-]+ *=) *'/gm;
const DOUBLE_QUOTED = /(?::|-|,|\[|^[\w.-]+ *=) *"/gm;
const TOML_DATE = /^[ \t]*[\w.-]+[ \t]*=[ \t]*(["']?)\d{4}-\d\d-\d\d/m;
const JSON_INDENT = /^\s*\{[ \t]*\n([ \t]+)"/;

/** The indentation of the second group relative to the first. */
function widthOf(match: RegExpExecArray | null): number {
  return Math.max((match?.[2]?.length ?? 0) - (match?.[1]?.length ?? 0), 0);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
