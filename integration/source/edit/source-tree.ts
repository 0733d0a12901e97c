import { CST, Parser } from 'yaml';
import { columnOf, lineEnd, NotEditableError, nextLine } from './splice.ts';
import type { TextPlace, TextStyle } from './write-text.ts';

/** A map or a list as it is written. Offsets into the text. */
export interface Collection {
  readonly kind: 'map' | 'list';
  /** Written in `{}` or `[]`. */
  readonly flow: boolean;
  readonly start: number;
  /** Behind its last character; comments that follow are not its own. */
  readonly end: number;
  readonly entries: readonly Entry[];
  /** Where the comma behind the last entry stands. */
  readonly trailingComma: number | undefined;
}

/** One pair or item. */
export interface Entry {
  /** Of its key, its dash, or whatever stands before these. */
  readonly start: number;
  /** Undefined in a list. */
  readonly key: string | undefined;
  /** Behind the colon or the dash; undefined where there is none. */
  readonly behindSign: number | undefined;
  /** Anchors and tags of the value. */
  readonly marks: readonly Mark[];
  readonly value: CST.Token | undefined;
  readonly end: number;
  /** Where the comma before it stands. */
  readonly comma: number | undefined;
}

export interface Mark {
  readonly start: number;
  /** `&name` or a tag. */
  readonly source: string;
}

/** The value of the first document of a YAML text, or of the JSON that is a part of it; undefined where it is empty. */
export function parseSource(text: string): CST.Token | undefined {
  for (const token of new Parser().parse(text)) {
    if (token.type === 'document') return token.value;
  }
  return undefined;
}

/** Undefined where the token is no map and no list, or one that is not edited entry by entry. */
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
      // A pair without braces in a list: nobody writes that by hand.
      if (kind === 'list' && entries.some(({ key }) => key !== undefined)) return undefined;
      return { kind, flow: true, start: token.offset, end: endOf(token), entries, trailingComma };
    }
    default:
      return undefined;
  }
}

/** How a scalar is written; undefined for what is none. */
export function styleOf(token: CST.Token | undefined): TextPlace['before'] {
  const source = token !== undefined && 'source' in token ? token.source : '';
  const style = token?.type === 'block-scalar' ? blockStyle(token) : STYLES[token?.type ?? ''];
  return style === undefined ? undefined : { style, source };
}

/** The blanks between the dash of an item and its value. */
export function gapBehindDash(text: string, entry: Entry | undefined): string {
  const { behindSign, value } = entry ?? {};
  const gap = behindSign === undefined || value === undefined ? '' : text.slice(behindSign, value.offset);
  return /^ +$/.test(gap) ? gap : ' ';
}

/**
 * Where the line after an entry starts, and after the comments below that are indented further: these are about its
 * value, and a text of many lines in its place would swallow them.
 */
export function behindEntry(text: string, { start, end }: Entry): number {
  const column = columnOf(text, start);
  let behind = nextLine(text, end);
  for (let line = behind; line < text.length; line = nextLine(text, line)) {
    const [, blanks = '', mark = ''] = /^([ \t]*)(\S?)/.exec(text.slice(line, lineEnd(text, line))) ?? [];
    if (mark === '#' && blanks.length > column) behind = nextLine(text, line);
    else if (mark !== '') break;
  }
  return behind;
}

/** Behind the last character that belongs to a value; a line break that ends it is not counted. */
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
      throw new NotEditableError(`There is a ${token.type} where a value is expected.`);
  }
}

/** None where there are only comments. */
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
  const behindSign = sign === undefined ? undefined : sign.offset + sign.source.length;
  const lastMark = marks.at(-1);
  const behind =
    lastMark === undefined
      ? (behindSign ?? (key ? endOf(key) : undefined))
      : lastMark.start + lastMark.source.length;
  const first = own?.offset ?? key?.offset ?? value?.offset ?? sep?.[0]?.offset;
  const end = value === undefined ? behind : endOf(value);
  if (first === undefined || end === undefined) throw new NotEditableError('An entry is empty.');
  return [
    {
      start: first,
      key: inBlockList || (key === undefined && sep === undefined) ? undefined : keyName(key),
      behindSign,
      marks,
      value,
      end,
      comma: start.find(({ type }) => type === 'comma')?.offset,
    },
  ];
}

/** As data names it; empty for a key that is not there. */
function keyName(key: CST.Token | null | undefined): string {
  if (key === undefined || key === null) return '';
  const scalar = CST.resolveAsScalar(key);
  if (scalar === null) throw new NotEditableError('A key is not a text.');
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
