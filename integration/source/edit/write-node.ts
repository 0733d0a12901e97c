import type { Layout } from './layout.ts';
import { type Raw, isRawList, isRawMap, unquotedText } from './raw.ts';
import { type TextPlace, type WrittenNode, doubleQuoted, writeKey, writeText } from './write-text.ts';

export interface NodePlace {
  /** Of the key or the dash that the node belongs to. */
  readonly column: number;
  /** Of what stands behind the dash in a list; undefined behind a key. */
  readonly inner?: number | undefined;
  readonly before?: TextPlace['before'];
  /** Whether a list or a map stands in one line; undefined leaves it to the layout. */
  readonly flow?: boolean | undefined;
}

/** Values that a list in one line has at most, and characters. */
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
    // The first of them stands behind the dash itself.
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

/** `key: value`, with the lines below. */
export function writePair(name: string, raw: Raw, column: number, layout: Layout): readonly string[] {
  const { inline, lines } = writeNode(raw, { column }, layout);
  return [`${' '.repeat(column)}${writeKey(name)}:${inline === '' ? '' : ` ${inline}`}`, ...lines];
}

/** `- value`, with the lines below. */
export function writeItem(raw: Raw, column: number, layout: Layout, gap = ' '): readonly string[] {
  const { inline, lines } = writeNode(raw, { column, inner: column + 1 + gap.length }, layout);
  return [`${' '.repeat(column)}-${gap}${inline}`, ...lines];
}

/** A value as YAML in one line. */
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

/** A value as JSON; `indent` is that of its line, null for all in one line. */
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

/** Blanks before the lines of a `|` or `>`; undefined of any other text, or of one without lines. */
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
