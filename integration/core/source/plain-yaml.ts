import type { JsonValue } from '../util/json.ts';
import { compactMap, emptyMap } from './data.ts';

/**
 * Reads simple YAML, which is nearly all frontmatter: `name: value` lines, `- value` and `[value, value]` arrays, `>` or
 * `|` blocks and lines with a comment, with strings, numbers and booleans that every YAML parser reads the same way.
 * Undefined for anything else. The `yaml` package takes twenty times as long for the same result.
 */
export function readPlainYaml(source: string): Readonly<Record<string, JsonValue>> | undefined {
  const text = source.replaceAll('\r\n', '\n');
  if (UNUSUAL.test(text)) return undefined;
  const map = emptyMap();
  let size = 0;
  // The array that the current lines belong to, and the indentation of its items.
  let items: JsonValue[] | undefined;
  let indent = -1;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    start = end + 1;
    if (line === '' || line[0] === '#') continue;
    const item = ITEM.exec(line);
    if (item !== null) {
      const depth = item[1]!.length;
      const value = readScalar(item[2]!);
      if (items === undefined || (indent !== -1 && depth !== indent) || value === undefined) return undefined;
      indent = depth;
      items.push(value);
      continue;
    }
    // A key without a value is null, which this reader leaves to the real parser.
    if (items?.length === 0) return undefined;
    const [, name, source] = PAIR.exec(line) ?? [];
    if (name === undefined || RESERVED.test(name) || Object.hasOwn(map, name)) return undefined;
    items = undefined;
    indent = -1;
    size += 1;
    if (source === undefined) {
      items = [];
      map[name] = items;
    } else if (BLOCK.test(source)) {
      const block = readBlock(text, start, source);
      if (block === undefined) return undefined;
      map[name] = block.value;
      start = block.end;
    } else {
      const value = source.startsWith('[') ? readFlowArray(source) : readScalar(source);
      if (value === undefined) return undefined;
      map[name] = value;
    }
  }
  return items?.length === 0 ? undefined : compactMap(map, size);
}

/**
 * Reads the indented lines from `start`. Only lines of equal indentation without blank lines and trailing spaces, so
 * that folding only replaces line breaks with spaces.
 */
function readBlock(text: string, start: number, style: string): { value: string; end: number } | undefined {
  const indent = INDENT.exec(text.slice(start, start + MAX_INDENT + 1))?.[0].length ?? 0;
  if (indent === 0) return undefined;
  const lines: string[] = [];
  let at = start;
  while (text[at] === ' ') {
    const end = text.indexOf('\n', at);
    if (end === -1 || INDENT.exec(text.slice(at, end))?.[0].length !== indent) return undefined;
    const line = text.slice(at + indent, end);
    if (line === '' || line.endsWith(' ')) return undefined;
    lines.push(line);
    at = end + 1;
  }
  if (text[at] === '\n') return undefined;
  const value = lines.join(style.startsWith('>') ? ' ' : '\n') + (style.endsWith('-') ? '' : '\n');
  return { value, end: at };
}

function readFlowArray(source: string): JsonValue[] | undefined {
  if (!FLOW_ARRAY.test(source)) return undefined;
  const inner = source.slice(1, -1).trim();
  const items = inner === '' ? [] : inner.split(/ ?, ?/).map(readScalar);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function readScalar(source: string): JsonValue | undefined {
  if (QUOTED.test(source)) return source.slice(1, -1);
  if (NUMBER.test(source)) return String(Number(source)) === source ? Number(source) : undefined;
  if (source === 'true') return true;
  if (source === 'false') return false;
  if (DATE.test(source)) return source;
  const first = source[0] ?? '';
  const isString = /[0-9]/.test(first) ? NO_NUMBER.test(source) : FIRST.test(first);
  return isString && PLAIN.test(source) && !RESERVED.test(source) ? source : undefined;
}

/** Not printable, or outside the common scripts; includes all line breaks but `\n`. */
const UNUSUAL = /[^\n -~\u00a1-\u1fff\u2010-\u2027\u2030-\ud7ff]/;
/** Neither spaces nor a comment at the end. */
const PAIR = /^([A-Za-z_](?:[A-Za-z0-9_.-]| (?=[A-Za-z0-9_.-])){0,99}):(?: ([^ ].*))?$/;
const ITEM = /^( {0,8})- ([^ ].*)$/;
/** The first character of a string: a letter, or the slash of a path. */
const FIRST = /[A-Za-z/]|[^ -~]/;
/** What rules out a number after a digit: letters that no notation has, and dashes and dots as in dates and versions. */
const NO_NUMBER = /[ ,/g-np-wyzG-NP-WYZ]|[0-9]-|\..*\./;
/** No `: `, no ` #`, no repeated or trailing spaces. */
const PLAIN = /^[^ ](?:[^ :#]|:(?! |$)|(?<! )#| (?! |$))*$/;
const BLOCK = /^[>|]-?$/;
const INDENT = /^ +/;
const MAX_INDENT = 16;
/**
 * Items without the characters of nested arrays, maps and escapes. No two alternatives start with the same character, and none repeats
 * inside the repetition, so a mismatch is found in one pass.
 */
const FLOW_ARRAY = /^\[(?:[\w ,./-]|"[^"\\[\]{},]*"|'[^'\\[\]{},]*')*\]$/;
const QUOTED = /^(?:"[^"\\]*"|'[^'\\]*')$/;
const NUMBER = /^(?:0|[1-9][0-9]{0,13})(?:\.[0-9]{1,3})?$/;
/** A string in YAML 1.2. */
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?$/;
/** Booleans and null, here or in other versions of YAML. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
