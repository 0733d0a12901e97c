import type { JsonValue } from '../util/json.ts';
import { compactMap, emptyMap } from './parsed-data.ts';

/**
 * Reads the plainest YAML, which most frontmatter is: lines of `name: value`, lists of `- value` or `[value, value]`,
 * and texts below `>` or `|`, all of whose values are texts, whole numbers and booleans that nobody could read in two
 * ways. Undefined for anything else at all: then the whole is for a real parser, which for these lines takes twenty
 * times as long and says the same.
 */
export function readPlainYaml(text: string): Readonly<Record<string, JsonValue>> | undefined {
  if (UNUSUAL.test(text)) return undefined;
  const map = emptyMap();
  let keys = 0;
  // The items of the list that the lines are in, and how far these are indented.
  let items: JsonValue[] | undefined;
  let indent = -1;
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, end);
    start = end + 1;
    if (line === '') continue;
    const item = ITEM.exec(line);
    if (item !== null) {
      const depth = item[1]!.length;
      if (items === undefined || (indent !== -1 && depth !== indent)) return undefined;
      const value = readScalar(item[2]!);
      if (value === undefined) return undefined;
      indent = depth;
      items.push(value);
      continue;
    }
    if (items?.length === 0) return undefined;
    const pair = PAIR.exec(line);
    const name = pair?.[1];
    if (pair === null || name === undefined || RESERVED.test(name) || Object.hasOwn(map, name))
      return undefined;
    items = undefined;
    indent = -1;
    keys += 1;
    const written = pair[2];
    if (written === undefined) {
      items = [];
      map[name] = items;
      continue;
    }
    const style = BLOCK.exec(written)?.[0];
    if (style !== undefined) {
      const block = readBlock(text, start, style);
      if (block === undefined) return undefined;
      map[name] = block.value;
      start = block.end;
      continue;
    }
    const value = written.startsWith('[') ? readFlowList(written) : readScalar(written);
    if (value === undefined) return undefined;
    map[name] = value;
  }
  // A key without a value is null, unless a list follows.
  return items?.length === 0 ? undefined : compactMap(map, keys);
}

/**
 * The text of the indented lines from `start`, and where they end. Only lines that are all indented alike, with neither
 * an empty one among them nor blanks at their ends: folding is then nothing but a space.
 */
function readBlock(text: string, start: number, style: string): Block | undefined {
  const indent = INDENT.exec(text.slice(start, start + MAX_INDENT + 1))?.[0].length ?? 0;
  if (indent === 0) return undefined;
  const lines: string[] = [];
  let at = start;
  while (at < text.length && text[at] === ' ') {
    const found = text.indexOf('\n', at);
    if (found === -1) return undefined;
    const line = text.slice(at + indent, found);
    if (
      found < at + indent ||
      BLANK_END.test(line) ||
      INDENT.exec(text.slice(at, found))?.[0].length !== indent
    )
      return undefined;
    lines.push(line);
    at = found + 1;
  }
  if (text[at] === '\n') return undefined;
  return {
    value: lines.join(style.startsWith('>') ? ' ' : '\n') + (style.endsWith('-') ? '' : '\n'),
    end: at,
  };
}

function readFlowList(written: string): JsonValue[] | undefined {
  if (!FLOW_LIST.test(written)) return undefined;
  const inner = written.slice(1, -1).trim();
  const items = inner === '' ? [] : inner.split(BETWEEN_ITEMS).map(readScalar);
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** Undefined for what has to be looked at more closely. */
function readScalar(written: string): JsonValue | undefined {
  if (QUOTED.test(written)) return written.slice(1, -1);
  if (NUMBER.test(written)) return String(Number(written)) === written ? Number(written) : undefined;
  if (written === 'true') return true;
  if (written === 'false') return false;
  if (DATE.test(written)) return written;
  const isText = FIGURE.test(written[0] ?? '') ? NO_NUMBER.test(written) : FIRST.test(written[0] ?? '');
  return isText && PLAIN.test(written) && !RESERVED.test(written) ? written : undefined;
}

interface Block {
  readonly value: string;
  readonly end: number;
}

/** Whatever is neither printable nor of the common scripts, every line break but one included. */
const UNUSUAL = /[^\n -~\u00a1-\u1fff\u2010-\u2027\u2030-\ud7ff]/;
/** Names and values end with their lines: no comment and no blank stands behind them. */
const PAIR = /^([A-Za-z_][A-Za-z0-9_-]{0,99}):(?: ([^ ].*))?$/;
const ITEM = /^( {0,8})- ([^ ].*)$/;
/** A text may begin with a letter, or with a figure where no number could have what is in it. */
const FIRST = /[A-Za-z]|[^ -~]/;
const FIGURE = /[0-9]/;
const NO_NUMBER = /[ ,]/;
/** From its second character on, all of a text means only itself but `: `, ` #`, and blanks that would be dropped. */
const PLAIN = /^[^ ](?:[^ :#]|:(?! |$)|(?<! )#| (?! |$))*$/;
const BLOCK = /^[>|]-?$/;
const INDENT = /^ +/;
const MAX_INDENT = 16;
const BLANK_END = /^ | $|^$/;
/**
 * Of items that have nothing of what lists in brackets and maps in braces are written with. No two alternatives begin alike
 * and none repeats within the repetition: what does not match is found out in one pass.
 */
const FLOW_LIST = /^\[(?:[\w ,./-]|"[^"\\[\]{},]*"|'[^'\\[\]{},]*')*\]$/;
const BETWEEN_ITEMS = / ?, ?/;
const QUOTED = /^(?:"[^"\\]*"|'[^'\\]*')$/;
const NUMBER = /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,3})?$/;
/** A text in YAML 1.2. */
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/;
/** Means something else than its letters, or did in other versions. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
