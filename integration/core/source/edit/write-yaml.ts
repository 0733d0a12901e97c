import { Scalar, stringify } from 'yaml';
import { readDate, writtenKind } from '../written-date.ts';
import type { Layout } from './layout.ts';
import { isRawList, isRawMap, type Raw, type RawMap, unquotedText } from './raw.ts';
import type { EditedText } from './splice.ts';

interface NodePlace {
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

/** How a file is written. */
export type Style = Pick<EditedText, 'language' | 'layout'>;

/** A pair, or an item of a list, which has no name. */
export interface NewEntry {
  readonly name: string | undefined;
  readonly raw: Raw;
  /** A scalar whose quotes a new one gets: an item of the same list. */
  readonly like?: TextPlace['before'];
  /** As in `NodePlace`. */
  readonly flow?: boolean | undefined;
}

export function entriesOf(raw: RawMap | readonly Raw[]): readonly NewEntry[] {
  return isRawList(raw)
    ? raw.map((item) => ({ name: undefined, raw: item }))
    : Object.entries(raw).map(([name, item]) => ({ name, raw: item }));
}

/** The whole text of a file's data. */
export function writeData(data: RawMap, style: Style): string {
  const lines =
    style.language === 'json'
      ? [writeInline(data, '', style)]
      : entriesOf(data).flatMap((entry) => writeEntry(entry, 0, style));
  return lines.map((line) => line + style.layout.newline).join('');
}

/** `key: value` or `- value` in a block map or list, and the lines below. */
export function writeEntry(entry: NewEntry, column: number, style: Style, gap = ' '): readonly string[] {
  const { name, raw, flow } = entry;
  const isItem = name === undefined;
  const inner = isItem ? column + 1 + gap.length : undefined;
  const { inline, lines } = writeNode(raw, { column, inner, before: exampleFor(entry, style), flow }, style);
  const key = isItem ? `-${gap}` : `${writeKey(name)}:${inline === '' ? '' : ' '}`;
  return [' '.repeat(column) + key + inline, ...lines];
}

/** A value as YAML in a block map or list. */
export function writeNode(raw: Raw, place: NodePlace, style: Style): WrittenNode {
  const { column, inner } = place;
  const { layout } = style;
  if (isRawList(raw) || isRawMap(raw)) {
    const entries = entriesOf(raw);
    const isShort =
      (isRawList(raw) ? layout.flowLists : layout.flowMaps) && Object.values(raw).every(isScalar);
    if (entries.length === 0 || (place.flow ?? isShort)) {
      const line = writeInline(raw, null, style);
      if (entries.length === 0 || place.flow === true || line.length <= MAX_FLOW_WIDTH)
        return inlineNode(line);
    }
    const at = inner ?? column + (isRawList(raw) ? layout.listIndent : layout.indent);
    const lines = entries.flatMap((entry) => writeEntry(entry, at, style));
    // The first line follows the dash.
    return inner === undefined
      ? { inline: '', lines }
      : { inline: lines[0]?.slice(at) ?? '', lines: lines.slice(1) };
  }
  return writeScalar(raw, textPlace(place, layout));
}

/** A value on one line of YAML, or as JSON. `indent` is that of its line in JSON, null to stay on one line. */
export function writeInline(
  raw: Raw,
  indent: string | null,
  style: Style,
  before?: TextPlace['before'],
): string {
  const { language, layout } = style;
  const isJson = language === 'json';
  if (isRawList(raw) || isRawMap(raw)) {
    const isList = isRawList(raw);
    const isLine = !isJson || (isList && layout.flowLists && raw.every(isScalar));
    const inner = isLine || indent === null || layout.jsonIndent === null ? null : indent + layout.jsonIndent;
    const entries = entriesOf(raw).map((entry) => writeInlineEntry(entry, inner, style));
    const [open, close] = isList ? ['[', ']'] : ['{', '}'];
    if (entries.length === 0) return open + close;
    if (inner !== null) {
      const lines = entries.map((entry) => inner + entry).join(`,${layout.newline}`);
      return `${open}${layout.newline}${lines}${layout.newline}${indent}${close}`;
    }
    const pad = !isJson && !isList && layout.paddedBraces ? ' ' : '';
    return `${open}${pad}${entries.join(', ')}${pad}${close}`;
  }
  if (!isJson) return writeScalar(raw, { before, flow: true, column: 0, quote: layout.quote }).inline;
  const text = unquotedText(raw);
  const isNumber = text !== undefined && JSON_NUMBER.test(text) && String(Number(text)) === text;
  return isNumber
    ? text
    : text === undefined && typeof raw !== 'string'
      ? String(raw)
      : doubleQuoted(text ?? String(raw));
}

export function writeInlineEntry(entry: NewEntry, indent: string | null, style: Style): string {
  const { name, raw } = entry;
  const value = writeInline(raw, indent, style, exampleFor(entry, style));
  if (name === undefined) return value;
  return style.language === 'json'
    ? doubleQuoted(name) + style.layout.jsonColon + value
    : `${writeKey(name)}: ${value}`;
}

/** What a new scalar is written like. */
function exampleFor({ name, raw, like }: NewEntry, { layout }: Style): TextPlace['before'] {
  if (like !== undefined || name !== undefined || typeof raw !== 'string') return like;
  return layout.itemQuotes === undefined ? undefined : { style: layout.itemQuotes, source: '' };
}

/** An unquoted text stays so, unless it replaces a text in quotes. */
function writeScalar(raw: Raw, place: TextPlace): WrittenNode {
  const text = unquotedText(raw);
  if (typeof raw !== 'string' && text === undefined) return inlineNode(String(raw));
  const isQuoted = place.before?.style === 'single' || place.before?.style === 'double';
  return text !== undefined && !isQuoted ? inlineNode(text) : writeText(text ?? String(raw), place);
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

function isScalar(raw: Raw): boolean {
  return !isRawList(raw) && !isRawMap(raw);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** The style of a scalar. */
export type TextStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

/** A value as YAML: the part after its key or dash, and the lines below. */
interface WrittenNode {
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
function writeText(text: string, place: TextPlace): WrittenNode {
  const { before, flow } = place;
  const style = before?.style;
  if (!flow && isBlockText(text) && wantsBlock(text, before)) {
    return writeBlock(text, style === 'folded' ? 'BLOCK_FOLDED' : 'BLOCK_LITERAL', place);
  }
  if (style === 'double') return inlineNode(folded(doubleQuoted(text), before?.source));
  if (style === 'single') return inlineNode(folded(singleQuoted(text), before?.source));
  const wasPlainDate = style === 'plain' && writtenKind(before?.source ?? '') !== undefined;
  if (isPlain(text, flow) && (wasPlainDate || !isDate(text))) return inlineNode(text);
  return inlineNode(place.quote === "'" ? singleQuoted(text) : doubleQuoted(text));
}

/** A key of a map. Single letters need no quotes: as keys, no parser reads `y` and `n` as booleans. */
function writeKey(name: string): string {
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

/** Breaks a text in quotes at spaces into lines like those of the text that it replaces, if it had several. */
function folded(quoted: string, source = ''): string {
  const [first = '', ...others] = source.split(/\r?\n/);
  const [indent = ''] = /^[ \t]*/.exec(others[0] ?? '') ?? [];
  if (indent === '' || others.some((line) => line.trim() === '')) return quoted;
  const width = Math.max(...others.slice(0, -1).map((line) => line.length), first.length);
  const lines: string[] = [];
  for (const word of quoted.split(/(?<=\S) (?=\S)/)) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    const limit = lines.length > 1 ? width : first.length;
    if (last === undefined || longer.length <= limit) lines.splice(-1, 1, longer);
    else lines.push(indent + word);
  }
  return lines.join(source.includes('\r\n') ? '\r\n' : '\n');
}

function inlineNode(text: string): WrittenNode {
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
  return readDate(text) !== undefined;
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

/** `place.before` decides the width of folded lines. */
function writeBlock(text: string, type: 'BLOCK_LITERAL' | 'BLOCK_FOLDED', place: TextPlace): WrittenNode {
  const { before, column } = place;
  const widest = Math.max(...(before?.source ?? '').split('\n').map((line) => line.length));
  const lineWidth = Math.min(Math.max(widest, MIN_FOLD), MAX_FOLD) - column;
  const scalar = new Scalar(text);
  scalar.type = type;
  const [header = '', ...lines] = stringify([scalar], { lineWidth, indent: 1 })
    .replace(/\n$/, '')
    .split('\n');
  const pad = ' '.repeat(column);
  return {
    inline: header.slice(BLOCK_INDENT),
    lines: lines.map((line) => (line === '' ? '' : pad + line.slice(BLOCK_INDENT))),
  };
}

/** The width of the `- ` that the `yaml` package writes before an item. */
const BLOCK_INDENT = 2;
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
