import { CST, Parser } from 'yaml';
import { columnOf, lineEnd, NotEditableError, nextLine } from './splice.ts';
import type { NewEntry, TextPlace, TextStyle } from './write-yaml.ts';

/** A map or a list in the source text. Positions are offsets. */
export interface Collection {
  readonly kind: 'map' | 'list';
  /** Written in `{}` or `[]`. */
  readonly flow: boolean;
  readonly start: number;
  /** After its last character. Comments after it do not belong to it. */
  readonly end: number;
  readonly entries: readonly Entry[];
  readonly trailingComma: number | undefined;
}

/** One pair or item. */
export interface Entry {
  /** Includes what precedes the key or the dash. */
  readonly start: number;
  /** Undefined in a list. */
  readonly key: string | undefined;
  /** After the colon or the dash; undefined without one. */
  readonly signEnd: number | undefined;
  /** Anchors and tags of the value. */
  readonly marks: readonly Mark[];
  readonly value: CST.Token | undefined;
  readonly end: number;
  /** The comma before it. */
  readonly comma: number | undefined;
}

export interface Mark {
  readonly start: number;
  /** `&name` or a tag. */
  readonly source: string;
}

/** The value of the first document of a YAML or JSON text; undefined if it is empty. */
export function parseSource(text: string): CST.Token | undefined {
  for (const token of new Parser().parse(text)) {
    if (token.type === 'document') return token.value;
  }
  return undefined;
}

/** Undefined if the token is not a map or a list that can be edited entry by entry. */
export function collectionOf(token: CST.Token | undefined): Collection | undefined {
  switch (token?.type) {
    case 'block-map':
    case 'block-seq': {
      const entries = token.items.flatMap((item) => readEntry(item, token.type === 'block-seq'));
      const end = entries.at(-1)?.end ?? token.offset;
      const kind = token.type === 'block-map' ? 'map' : 'list';
      return { kind, flow: false, start: token.offset, end, entries, trailingComma: undefined };
    }
    case 'flow-collection': {
      const kind = token.start.source === '{' ? 'map' : 'list';
      const entries = token.items.flatMap((item) => readEntry(item, false));
      const last = token.items.at(-1);
      const trailing = last?.value === undefined && last?.key === undefined ? last : undefined;
      const trailingComma = trailing?.start.find(({ type }) => type === 'comma')?.offset;
      // A list with pairs without braces, `[a: 1]`, is too unusual to edit.
      if (kind === 'list' && entries.some(({ key }) => key !== undefined)) return undefined;
      return { kind, flow: true, start: token.offset, end: endOf(token), entries, trailingComma };
    }
    default:
      return undefined;
  }
}

/** How a scalar is written; undefined for other tokens. */
export function styleOf(token: CST.Token | undefined): TextPlace['before'] {
  const source = token !== undefined && 'source' in token ? token.source : '';
  const style = token?.type === 'block-scalar' ? blockStyle(token) : STYLES[token?.type ?? ''];
  return style === undefined ? undefined : { style, source };
}

/** How a new item of a list is written: in the quotes that all items have, and in lines if all are maps in lines. */
export function itemStyle({ kind, entries }: Collection): Pick<NewEntry, 'like' | 'flow'> {
  if (kind === 'map') return {};
  const styles = entries.map(({ value }) => styleOf(value)).filter((style) => !isBlank(style));
  const [first] = styles;
  const isSame = styles.every((style) => style?.style === first?.style);
  const isQuoted = isSame && (first?.style === 'single' || first?.style === 'double');
  const isInLines = entries.every(({ value }) => value?.type === 'block-map');
  const like = isQuoted ? first : ({ style: 'plain', source: '' } as const);
  return { like, ...(isInLines && { flow: false }) };
}

/** An empty string has quotes wherever it is. */
function isBlank(style: TextPlace['before']): boolean {
  return style?.source === '""' || style?.source === "''";
}

/** The spaces between the dash of an item and its value. */
export function gapAfterDash(text: string, entry: Entry | undefined): string {
  const { signEnd, value } = entry ?? {};
  const gap = signEnd === undefined || value === undefined ? '' : text.slice(signEnd, value.offset);
  return /^ +$/.test(gap) ? gap : ' ';
}

/**
 * The start of the line after an entry and after the more indented comments below it. These are about its value, and
 * would become part of a block scalar in its place.
 */
export function entryEnd(text: string, { start, end }: Entry): number {
  const column = columnOf(text, start);
  let result = nextLine(text, end);
  for (let line = result; line < text.length; line = nextLine(text, line)) {
    const [, spaces = '', first = ''] = /^([ \t]*)(\S?)/.exec(text.slice(line, lineEnd(text, line))) ?? [];
    if (first === '#' && spaces.length > column) result = nextLine(text, line);
    else if (first !== '') break;
  }
  return result;
}

/** The end of a value, without the line break that ends it. */
export function endOf(token: CST.Token): number {
  switch (token.type) {
    case 'scalar':
    case 'single-quoted-scalar':
    case 'double-quoted-scalar':
    case 'alias':
      return token.offset + token.source.length;
    case 'block-scalar': {
      const last = token.props.at(-1);
      const start = last !== undefined && 'source' in last ? last.offset + last.source.length : token.offset;
      return start + token.source.replace(/\r?\n$/, '').length;
    }
    case 'flow-collection': {
      const bracket = token.end.find(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end');
      if (bracket === undefined) throw new NotEditableError('A bracket is not closed.');
      return bracket.offset + 1;
    }
    case 'block-map':
    case 'block-seq':
      return collectionOf(token)?.end ?? token.offset;
    default:
      throw new NotEditableError(`Expected a value instead of a ${token.type}.`);
  }
}

/** Empty if the item has only comments. */
function readEntry(item: CST.CollectionItem, inBlockList: boolean): readonly Entry[] {
  const { start, key, sep, value } = item;
  const dash = inBlockList ? start.findIndex(({ type }) => type === 'seq-item-ind') : -1;
  if (inBlockList ? dash === -1 : key === undefined && value === undefined && sep === undefined) return [];
  const colon = sep?.findIndex(({ type }) => type === 'map-value-ind') ?? -1;
  const sign = inBlockList ? start[dash] : sep?.[colon];
  const beforeValue = inBlockList ? start.slice(dash + 1) : sep === undefined ? start : sep.slice(colon + 1);
  const marks = beforeValue
    .filter(({ type }) => type === 'anchor' || type === 'tag')
    .map(({ offset, source }) => ({ start: offset, source }));
  const own = start.find(({ type }) => OWN.has(type));
  const signEnd = sign === undefined ? undefined : sign.offset + sign.source.length;
  const lastMark = marks.at(-1);
  const emptyEnd =
    lastMark === undefined
      ? (signEnd ?? (key ? endOf(key) : undefined))
      : lastMark.start + lastMark.source.length;
  const first = own?.offset ?? key?.offset ?? value?.offset ?? sep?.[0]?.offset;
  const end = value === undefined ? emptyEnd : endOf(value);
  if (first === undefined || end === undefined) throw new NotEditableError('An entry is empty.');
  return [
    {
      start: first,
      key: inBlockList || (key === undefined && sep === undefined) ? undefined : keyName(key),
      signEnd,
      marks,
      value,
      end,
      comma: start.find(({ type }) => type === 'comma')?.offset,
    },
  ];
}

/** The key as the data has it; empty if it is missing. */
function keyName(key: CST.Token | null | undefined): string {
  if (key === undefined || key === null) return '';
  const scalar = CST.resolveAsScalar(key);
  if (scalar === null) throw new NotEditableError('A key is not a string.');
  return scalar.value;
}

function blockStyle({ props }: CST.BlockScalar): TextStyle {
  const header = props.find(({ type }) => type === 'block-scalar-header');
  return header !== undefined && 'source' in header && header.source.startsWith('>') ? 'folded' : 'literal';
}

const OWN: ReadonlySet<string> = new Set(['seq-item-ind', 'explicit-key-ind', 'anchor', 'tag']);
const STYLES: Readonly<Record<string, TextStyle>> = {
  scalar: 'plain',
  'single-quoted-scalar': 'single',
  'double-quoted-scalar': 'double',
};
