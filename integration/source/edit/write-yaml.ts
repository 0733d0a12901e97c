import { canonicalDateTime } from '../date-time.ts';
import type { Layout } from './layout.ts';
import { isRawList, isRawMap, type Raw, unquotedText } from './raw.ts';

export interface NodePlace {
  /** Column of the key or the dash. */
  readonly column: number;
  /** Column after the dash of a list item; undefined after a key. */
  readonly inner?: number | undefined;
  readonly before?: TextPlace['before'];
  /** Write a list or a map on one line; undefined to follow the layout. */
  readonly flow?: boolean | undefined;
}

/** Characters of a list or map on one line. */
const MAX_FLOW_WIDTH = 80;

/** A value as YAML in a block map or list. */
export function writeNode(raw: Raw, place: NodePlace, layout: Layout): WrittenNode {
  const { column, inner, before } = place;
  if (isRawList(raw) || isRawMap(raw)) {
    const size = isRawList(raw) ? raw.length : Object.keys(raw).length;
    const flow =
      place.flow ??
      ((isRawList(raw) ? layout.flowLists : layout.flowMaps) && Object.values(raw).every(isScalar));
    if (size === 0 || flow) {
      const line = writeFlow(raw, layout);
      if (size === 0 || place.flow === true || line.length <= MAX_FLOW_WIDTH)
        return { inline: line, lines: [] };
    }
    const at = inner ?? column + (isRawList(raw) ? layout.listIndent : layout.indent);
    const lines = isRawList(raw)
      ? raw.flatMap((item) => writeItem(item, at, layout))
      : Object.entries(raw).flatMap(([name, item]) => writePair(name, item, at, layout));
    // The first line follows the dash.
    return inner === undefined
      ? { inline: '', lines }
      : { inline: lines[0]?.slice(at) ?? '', lines: lines.slice(1) };
  }
  const text = unquotedText(raw);
  if (text !== undefined && !isQuoted(before)) return { inline: text, lines: [] };
  return typeof raw === 'string' || text !== undefined
    ? writeText(text ?? String(raw), textPlace(place, layout))
    : { inline: String(raw), lines: [] };
}

/** `key: value` and the lines below. */
export function writePair(name: string, raw: Raw, column: number, layout: Layout): readonly string[] {
  const { inline, lines } = writeNode(raw, { column }, layout);
  return [`${' '.repeat(column)}${writeKey(name)}:${inline === '' ? '' : ` ${inline}`}`, ...lines];
}

/** `- value` and the lines below. */
export function writeItem(raw: Raw, column: number, layout: Layout, gap = ' '): readonly string[] {
  const { inline, lines } = writeNode(raw, { column, inner: column + 1 + gap.length }, layout);
  return [`${' '.repeat(column)}-${gap}${inline}`, ...lines];
}

/** A value as YAML on one line. */
export function writeFlow(raw: Raw, layout: Layout, before?: TextPlace['before']): string {
  if (isRawList(raw)) return `[${raw.map((item) => writeFlow(item, layout)).join(', ')}]`;
  if (isRawMap(raw)) {
    const pairs = Object.entries(raw).map(([name, item]) => writeFlowPair(name, item, layout));
    const pad = layout.paddedBraces && pairs.length > 0 ? ' ' : '';
    return `{${pad}${pairs.join(', ')}${pad}}`;
  }
  const text = unquotedText(raw);
  if (text !== undefined && !isQuoted(before)) return text;
  return typeof raw === 'string' || text !== undefined
    ? writeText(text ?? String(raw), { before, flow: true, column: 0, quote: layout.quote }).inline
    : String(raw);
}

export function writeFlowPair(name: string, raw: Raw, layout: Layout): string {
  return `${writeKey(name)}: ${writeFlow(raw, layout)}`;
}

/** A value as JSON; `indent` is that of its line, null to stay on one line. */
export function writeJson(raw: Raw, indent: string | null, layout: Layout): string {
  if (isRawList(raw)) {
    const line = layout.flowLists && raw.every(isScalar);
    const inner = line ? null : deeper(indent, layout);
    return enclose(
      '[]',
      raw.map((item) => writeJson(item, inner, layout)),
      indent,
      inner,
      layout,
    );
  }
  if (isRawMap(raw)) {
    const inner = deeper(indent, layout);
    const pairs = Object.entries(raw).map(([name, item]) => writeJsonPair(name, item, inner, layout));
    return enclose('{}', pairs, indent, inner, layout);
  }
  const text = unquotedText(raw);
  if (text !== undefined)
    return JSON_NUMBER.test(text) && String(Number(text)) === text ? text : doubleQuoted(text);
  return typeof raw === 'string' ? doubleQuoted(raw) : String(raw);
}

export function writeJsonPair(name: string, raw: Raw, indent: string | null, layout: Layout): string {
  return `${doubleQuoted(name)}${layout.jsonColon}${writeJson(raw, indent, layout)}`;
}

function enclose(
  brackets: '[]' | '{}',
  items: readonly string[],
  indent: string | null,
  inner: string | null,
  { newline }: Layout,
): string {
  const [open, close] = brackets;
  if (items.length === 0) return brackets;
  if (inner === null) return `${open}${items.join(', ')}${close}`;
  return `${open}${newline}${items.map((item) => inner + item).join(`,${newline}`)}${newline}${indent ?? ''}${close}`;
}

function deeper(indent: string | null, { jsonIndent }: Layout): string | null {
  return indent === null || jsonIndent === null ? null : indent + jsonIndent;
}

function textPlace({ column, inner, before }: NodePlace, layout: Layout): TextPlace {
  const width = before === undefined ? undefined : blockIndent(before);
  return { before, flow: false, column: width ?? inner ?? column + layout.indent, quote: layout.quote };
}

/** The indentation of a block scalar; undefined for other scalars. */
function blockIndent({ style, source }: NonNullable<TextPlace['before']>): number | undefined {
  if (style !== 'literal' && style !== 'folded') return undefined;
  return /^( +)\S/m.exec(source)?.[1]?.length;
}

function isQuoted(before: TextPlace['before']): boolean {
  return before?.style === 'single' || before?.style === 'double';
}

function isScalar(raw: Raw): boolean {
  return !isRawList(raw) && !isRawMap(raw);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The style of a scalar. */
export type TextStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

/** A value as YAML: the part after its key or dash, and the lines below. */
export interface WrittenNode {
  readonly inline: string;
  readonly lines: readonly string[];
}

export interface TextPlace {
  /** The scalar that it replaces, as written. */
  readonly before?: { readonly style: TextStyle; readonly source: string } | undefined;
  /** Inside `[]` or `{}`, where everything is on one line. */
  readonly flow: boolean;
  /** Indentation of the lines below. */
  readonly column: number;
  readonly quote: '"' | "'";
}

/** A string as a YAML scalar that reads back unchanged, in its present style if that can hold it. */
export function writeText(text: string, place: TextPlace): WrittenNode {
  const { before, flow } = place;
  const style = before?.style;
  if (!flow && style === 'folded' && isFoldable(text)) return writeFolded(text, place);
  if (!flow && isBlockText(text) && wantsBlock(text, before)) return writeLiteral(text, place);
  if (style === 'double') return inline(doubleQuoted(text));
  if (style === 'single') return inline(singleQuoted(text));
  const wasPlainDate = style === 'plain' && isDate(before?.source ?? '');
  if (isPlain(text, flow) && (wasPlainDate || !isDate(text))) return inline(text);
  return inline(place.quote === "'" ? singleQuoted(text) : doubleQuoted(text));
}

/** A key of a map. Single letters need no quotes: as keys, no parser reads `y` and `n` as booleans. */
export function writeKey(name: string): string {
  const plain = SINGLE_LETTER.test(name) || (isPlain(name, true) && !name.includes(':') && !isDate(name));
  return plain ? name : doubleQuoted(name);
}

/** A string in JSON, which is also YAML. Escapes invisible characters, which confuse editors and other parsers. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(
    INVISIBLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function singleQuoted(text: string): string {
  return isPrintable(text) ? `'${text.replaceAll("'", "''")}'` : doubleQuoted(text);
}

function inline(text: string): WrittenNode {
  return { inline: text, lines: [] };
}

/** True if every YAML 1.1 and 1.2 parser reads the unquoted text as this string. */
function isPlain(text: string, flow: boolean): boolean {
  return (
    text !== '' &&
    text.trim() === text &&
    isPrintable(text) &&
    !INDICATOR.test(text) &&
    !(flow ? BREAKS_FLOW : BREAKS_BLOCK).test(text) &&
    !RESERVED.test(text) &&
    (!NUMBER_LIKE.test(text) || isDate(text))
  );
}

function isDate(text: string): boolean {
  return canonicalDateTime(text) !== undefined;
}

function isPrintable(text: string): boolean {
  return !UNPRINTABLE.test(text) && text.isWellFormed();
}

/** True if every parser reads the text from a block scalar unchanged. */
function isBlockText(text: string): boolean {
  const lines = text.split('\n');
  return (
    text.trim() !== '' &&
    !text.endsWith('\n\n') &&
    !/^\s/.test(text) &&
    lines.every((line) => line === '' || (line.trim() !== '' && isPrintable(line.replaceAll('\t', ''))))
  );
}

function wantsBlock(text: string, before: TextPlace['before']): boolean {
  switch (before?.style) {
    case 'literal':
    case 'folded':
      return true;
    case 'double':
      return text.includes('\n') && !before.source.includes('\\n');
    default:
      return text.includes('\n');
  }
}

function writeLiteral(text: string, { column }: TextPlace): WrittenNode {
  const closed = text.endsWith('\n');
  const lines = (closed ? text.slice(0, -1) : text).split('\n');
  const pad = ' '.repeat(column);
  return { inline: closed ? '|' : '|-', lines: lines.map((line) => (line === '' ? '' : pad + line)) };
}

/** True for paragraphs of words with single spaces. */
function isFoldable(text: string): boolean {
  return isBlockText(text) && !/(?:^|\n)[ \t]|[ \t](?:\n|$)| {2}|\t|\n\n/.test(text);
}

function writeFolded(text: string, { before, column }: TextPlace): WrittenNode {
  const pad = ' '.repeat(column);
  const widest = Math.max(...(before?.source ?? '').split('\n').map((line) => line.length));
  const width = Math.min(Math.max(widest, MIN_FOLD), MAX_FOLD) - column;
  const closed = text.endsWith('\n');
  const paragraphs = (closed ? text.slice(0, -1) : text).split('\n');
  const lines = paragraphs.flatMap((paragraph, index) => [
    ...(index === 0 ? [] : ['']),
    ...fold(paragraph, width).map((line) => pad + line),
  ]);
  return { inline: closed ? '>' : '>-', lines };
}

function fold(paragraph: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

const MIN_FOLD = 60;
const MAX_FOLD = 120;
/** Control characters, other line breaks, and invisible marks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/;
const INVISIBLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;
/** Starts that a plain scalar cannot have; three dots end the document. */
const INDICATOR = /^(?:[-?:,[\]{}#&*!|>'"%@`]|\.\.\.)/;
const BREAKS_BLOCK = /:(?:\s|$)|\s#/;
const BREAKS_FLOW = /:(?:\s|$)|\s#|[,[\]{}]/;
const SINGLE_LETTER = /^[a-z]$/i;
/** Booleans, null and the like, here or in YAML 1.1. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~|<<|=|\.)$/i;
const NUMBER_LIKE = /^[-+]?(?:\.?[0-9][0-9a-fox_.,:+-]*|\.(?:inf|nan))$/i;
