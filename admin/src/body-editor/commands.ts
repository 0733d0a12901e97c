import { syntaxTree } from '@codemirror/language';
import {
  type ChangeSpec,
  EditorSelection,
  type EditorState,
  type Line,
  type SelectionRange,
  type StateCommand,
} from '@codemirror/state';

import { addressOf, destinationOf, labelOf, type SyntaxNode } from './nodes.ts';
import { continuationsOf, firstLineOf, softBreakAfter } from './soft-breaks.ts';

export type InlineFormat = 'strong' | 'emphasis' | 'strikethrough' | 'code';
export type BlockFormat = 'h2' | 'h3' | 'h4' | 'bullets' | 'numbers' | 'tasks' | 'quote' | 'codeBlock';
export type Format = InlineFormat | BlockFormat | 'h1' | 'h5' | 'h6' | 'link' | 'image' | 'table';

/** The formats of the text at the cursor. */
export function activeFormats(state: EditorState): ReadonlySet<Format> {
  const formats = new Set<Format>();
  const { from, to, empty } = state.selection.main;
  for (const node of nodesAround(state, from, to)) {
    const format = FORMATS[node.name];
    if (format === undefined) continue;
    // The outer edges of an inline element do not belong to it.
    if (empty && isInline(format) && (node.from === from || node.to === to)) continue;
    if (node.name !== 'ListItem') formats.add(format);
    else if (!LISTS.some((list) => formats.has(list))) formats.add(listFormat(node));
  }
  return formats;
}

/**
 * Adds or removes the marks of an inline format. Without a selection, the word at the cursor changes. At the end of the
 * element, the cursor leaves it.
 */
export function toggleInline(format: InlineFormat): StateCommand {
  const { node: name, mark } = INLINE[format];
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const update = state.changeByRange((range) => {
      const element = nodesAround(state, range.from, range.to).find(
        (node) => node.name === name && !(range.empty && (node.from === range.from || node.to === range.to)),
      );
      if (element !== undefined) return removeMarks(element, range);
      if (range.empty && isBetween(state, range.from, mark)) {
        const from = range.from - mark.length;
        return { changes: { from, to: range.from + mark.length }, range: EditorSelection.cursor(from) };
      }
      return addMarks(state, range, format);
    });
    dispatch(state.update(update, { userEvent: 'input.format', scrollIntoView: true }));
    return true;
  };
}

/** Makes headings of the selected lines; 0, or the level that they have, makes them text. */
export function setHeading(level: number): StateCommand {
  return changeLines((lines, state) => {
    const sign = `${'#'.repeat(level)} `;
    const isHeading = lines.every(({ text }) => HEADING.exec(text)?.[2] === sign);
    return lines.flatMap((line) => {
      const [, prefix = '', present = ''] = HEADING.exec(line.text) ?? [];
      const from = line.from + prefix.length;
      const underline = underlineOf(state, line);
      const isText = level === 0 || isHeading;
      // A heading is one line.
      const breaks = isText
        ? []
        : [line, ...continuationsOf(state, line)].flatMap((each) => softBreakAfter(state, each) ?? []);
      return [
        { from, to: from + present.length, insert: isText ? '' : sign },
        ...breaks.map(({ from: start, to: end }) => ({ from: start, to: end, insert: ' ' })),
        ...(underline === undefined ? [] : [underline]),
      ];
    });
  });
}

/** Makes list items of the selected lines, or text if they are items of that kind. */
export function toggleList(kind: 'bullets' | 'numbers' | 'tasks'): StateCommand {
  return changeLines((lines, state) => {
    const items = lines.map((line) => ({ line, item: readItem(line.text) }));
    const isList = items.every(({ item }) => item.kind === kind);
    const bullet = bulletOf(state);
    return items.flatMap(({ line, item }, at) => {
      const from = line.from + item.prefix.length;
      const sign = kind === 'numbers' ? `${at + 1}. ` : kind === 'tasks' ? `${bullet} [ ] ` : `${bullet} `;
      const insert = isList ? '' : sign;
      // Further lines of the item start below its text.
      const further = continuationsOf(state, line).map((next) => {
        const start = next.from + Math.min(item.prefix.length, indentOf(next));
        const to = Math.min(start + item.sign.length, next.from + indentOf(next));
        return { from: start, to: Math.max(start, to), insert: ' '.repeat(insert.length) };
      });
      return [{ from, to: from + item.sign.length, insert }, ...further];
    });
  });
}

/** Makes a quote of the selected lines, or text if they are one. */
export const toggleQuote: StateCommand = changeLines((paragraphs, state) => {
  const lines = paragraphs.flatMap((line) => [line, ...continuationsOf(state, line)]);
  const isQuote = lines.every(({ text }) => QUOTE.test(text));
  return lines.map(({ from, text }) =>
    isQuote ? { from, to: from + (QUOTE.exec(text)?.[0].length ?? 0) } : { from, insert: '> ' },
  );
});

/** Ticks or clears the tasks of the selected lines. */
export const tickTasks: StateCommand = ({ state, dispatch }) => {
  const changes = selectedLines(state).flatMap(({ from, text }): readonly ChangeSpec[] => {
    const [, before = '', tick = ''] = TASK.exec(text) ?? [];
    if (tick === '') return [];
    const at = from + before.length;
    return [{ from: at, to: at + 1, insert: tick === ' ' ? 'x' : ' ' }];
  });
  if (changes.length === 0 || state.readOnly) return false;
  dispatch(state.update({ changes, userEvent: 'input.format' }));
  return true;
};

/** Puts the selected lines into a code block, or takes them out of it. */
export const toggleCodeBlock: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false;
  const { from, to } = state.selection.main;
  const block = nodesAround(state, from, to).find(({ name }) => name === 'FencedCode');
  if (block === undefined) {
    const [first, last] = [state.doc.lineAt(from), state.doc.lineAt(to)];
    const fence = fenceFor(state.sliceDoc(first.from, last.to), 3);
    const opening = `${blankBefore(state, first)}${fence}\n`;
    const { anchor, head } = state.selection.main;
    dispatch(
      state.update({
        changes: [
          { from: first.from, insert: opening },
          { from: last.to, insert: `\n${fence}${blankAfter(state, last)}` },
        ],
        selection: EditorSelection.range(anchor + opening.length, head + opening.length),
        scrollIntoView: true,
        userEvent: 'input.format',
      }),
    );
    return true;
  }
  const fences = block.getChildren('CodeMark').map((mark) => state.doc.lineAt(mark.from));
  const changes = fences.map((line, at) =>
    at === 0
      ? { from: line.from, to: Math.min(line.to + 1, state.doc.length) }
      : { from: line.from - 1, to: line.to },
  );
  // An empty block has one line break between its fences.
  const isEmpty = fences.length === 2 && fences[1]!.number === fences[0]!.number + 1;
  dispatch(
    state.update({
      changes: isEmpty ? { from: block.from, to: block.to } : changes,
      scrollIntoView: true,
      userEvent: 'input.format',
    }),
  );
  return true;
};

/** Inserts lines after the current block, and selects a part of them. */
export function insertBlock(
  block: string,
  select?: { readonly from: number; readonly to: number },
): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const { from: start, to: end } = state.selection.main;
    const table = nodesAround(state, start, end).find(({ name }) => name === 'Table');
    const line = state.doc.lineAt(table?.to ?? end);
    const isBlank = line.text.trim() === '';
    const before = isBlank ? blankBefore(state, line) : '\n\n';
    const from = isBlank ? line.from : line.to;
    const inserted = from + before.length;
    dispatch(
      state.update({
        changes: { from, to: line.to, insert: before + block + blankAfter(state, line) },
        selection:
          select === undefined
            ? EditorSelection.cursor(inserted + block.length)
            : EditorSelection.range(inserted + select.from, inserted + select.to),
        scrollIntoView: true,
        userEvent: 'input.format',
      }),
    );
    return true;
  };
}

export interface LinkTarget {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** Empty for a new link. */
  readonly address: string;
}

/** The link at the cursor, or a new link around the selection. */
export function linkAt(state: EditorState): LinkTarget {
  const { from, to } = state.selection.main;
  const link = nodesAround(state, from, to).find(
    (node) => node.name === 'Link' && node.getChild('URL') !== null,
  );
  if (link !== undefined) {
    return {
      from: link.from,
      to: link.to,
      text: labelOf(state, link),
      address: addressOf(state, link) ?? '',
    };
  }
  return { from, to, text: state.sliceDoc(from, to), address: '' };
}

/** Writes a link at its place; an empty address leaves its text. */
export function writeLink(
  { from, to }: Pick<LinkTarget, 'from' | 'to'>,
  label: string,
  address: string,
): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const insert = address === '' ? label : `[${label}](${destinationOf(address)})`;
    dispatch(
      state.update({
        changes: { from, to, insert },
        selection: { anchor: from + insert.length },
        scrollIntoView: true,
        userEvent: 'input.format',
      }),
    );
    return true;
  };
}

/** Indents the selected list items below the item before them. */
export const indentItems: StateCommand = ({ state, dispatch }) => {
  const items = selectedItems(state);
  const [first] = items;
  if (first === undefined || state.readOnly) return false;
  const above = first.prevSibling;
  const sign = above?.getChild('ListMark');
  if (sign == null) return true;
  const columns = sign.to - state.doc.lineAt(sign.from).from + 1;
  const present = columnOf(state, first);
  const spaces = ' '.repeat(Math.max(columns - present, 0));
  const changes = linesOf(state, items).map(({ from }) => ({ from, insert: spaces }));
  dispatch(state.update({ changes, userEvent: 'input.indent' }));
  return true;
};

/** Moves the selected list items out by one level. */
export const outdentItems: StateCommand = ({ state, dispatch }) => {
  const items = selectedItems(state);
  const [first] = items;
  if (first === undefined || state.readOnly) return false;
  const outer = first.parent?.parent;
  const columns = columnOf(state, first) - (outer?.name === 'ListItem' ? columnOf(state, outer) : 0);
  const changes = linesOf(state, items).flatMap(({ from, text }) => {
    const spaces = Math.min(columns, /^\s*/.exec(text)?.[0].length ?? 0);
    return spaces === 0 ? [] : [{ from, to: from + spaces }];
  });
  dispatch(state.update({ changes, userEvent: 'delete.dedent' }));
  return true;
};

const INLINE: Readonly<Record<InlineFormat, { readonly node: string; readonly mark: string }>> = {
  strong: { node: 'StrongEmphasis', mark: '**' },
  emphasis: { node: 'Emphasis', mark: '*' },
  strikethrough: { node: 'Strikethrough', mark: '~~' },
  code: { node: 'InlineCode', mark: '`' },
};

const FORMATS: Readonly<Record<string, Format>> = {
  StrongEmphasis: 'strong',
  Emphasis: 'emphasis',
  Strikethrough: 'strikethrough',
  InlineCode: 'code',
  Link: 'link',
  Image: 'image',
  ATXHeading1: 'h1',
  ATXHeading2: 'h2',
  ATXHeading3: 'h3',
  ATXHeading4: 'h4',
  ATXHeading5: 'h5',
  ATXHeading6: 'h6',
  SetextHeading1: 'h1',
  SetextHeading2: 'h2',
  ListItem: 'bullets',
  Blockquote: 'quote',
  FencedCode: 'codeBlock',
  Table: 'table',
};

const LISTS = ['bullets', 'numbers', 'tasks'] as const;

/** Quote marks and indentation before a block. */
const PREFIX = String.raw`\s*(?:>\s?)*`;
const HEADING = new RegExp(`^(${PREFIX})(#{1,6}\\s+)?`);
const ITEM = new RegExp(String.raw`^(${PREFIX})((?:([-*+])|\d{1,9}[.)])\s+(\[[ xX]\]\s+)?)?`);
const QUOTE = /^\s*>\s?/;
const TASK = new RegExp(String.raw`^(${PREFIX}(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])\]`);

function isInline(format: Format): boolean {
  return Object.hasOwn(INLINE, format) || format === 'link' || format === 'image';
}

/** The elements around a range, the innermost first. */
export function nodesAround(state: EditorState, from: number, to: number): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  for (const side of [1, -1] as const) {
    let node: SyntaxNode | null = syntaxTree(state).resolveInner(from, side);
    for (; node !== null; node = node.parent) {
      const { name, from: start, to: end } = node;
      const isKnown = nodes.some((other) => other.name === name && other.from === start && other.to === end);
      if (start <= from && end >= to && !isKnown) nodes.push(node);
    }
  }
  return nodes;
}

function listFormat(item: SyntaxNode): (typeof LISTS)[number] {
  if (item.getChild('Task') !== null) return 'tasks';
  return item.parent?.name === 'OrderedList' ? 'numbers' : 'bullets';
}

function removeMarks(element: SyntaxNode, range: SelectionRange) {
  const [start, end] = [element.firstChild!, element.lastChild!];
  if (range.empty && range.from === end.from) return { range: EditorSelection.cursor(end.to) };
  const width = start.to - start.from;
  const moved = (at: number): number => Math.min(Math.max(at, start.to), end.from) - width;
  return {
    changes: [
      { from: start.from, to: start.to },
      { from: end.from, to: end.to },
    ],
    range: EditorSelection.range(moved(range.anchor), moved(range.head)),
  };
}

function addMarks(state: EditorState, range: SelectionRange, format: InlineFormat) {
  const word = range.empty ? state.wordAt(range.from) : range;
  const spans = word === null ? [range] : textSpans(state, word);
  if (word === null || spans.length === 0) {
    const { mark } = INLINE[format];
    return {
      changes: { from: range.from, insert: mark + mark },
      range: EditorSelection.cursor(range.from + mark.length),
    };
  }
  const changes = state.changes(
    spans.flatMap(({ from, to }) => {
      const [start, end] = marksFor(state.sliceDoc(from, to), format);
      return [
        { from, insert: start },
        { from: to, insert: end },
      ];
    }),
  );
  return {
    changes,
    range: range.empty
      ? EditorSelection.cursor(
          changes.mapPos(range.head, -1) + (range.head === spans[0]!.from ? INLINE[format].mark.length : 0),
        )
      : EditorSelection.range(changes.mapPos(spans[0]!.from, 1), changes.mapPos(spans.at(-1)!.to, -1)),
  };
}

/** The text of a range in each line that shows, without the marks of blocks and without spaces around it. */
function textSpans(state: EditorState, { from, to }: { readonly from: number; readonly to: number }) {
  const spans = linesBetween(state, from, to).flatMap((line) => {
    const { prefix, sign } = readItem(line.text);
    const heading = HEADING.exec(line.text)?.[0].length ?? 0;
    const start = Math.max(from, line.from + Math.max(prefix.length + sign.length, heading));
    const end = Math.min(to, line.to);
    if (start >= end) return [];
    const text = state.sliceDoc(start, end);
    const trimmed = text.trim();
    if (trimmed === '') return [];
    const offset = start + text.indexOf(trimmed);
    return [{ from: offset, to: offset + trimmed.length }];
  });
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    const isContinued =
      last !== undefined && softBreakAfter(state, state.doc.lineAt(last.to))?.to === span.from;
    if (isContinued) joined.splice(-1, 1, { from: last.from, to: span.to });
    else joined.push(span);
  }
  return joined;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The number of spaces at the start of a line. */
function indentOf({ text }: Line): number {
  return /^ */.exec(text)![0].length;
}

function marksFor(text: string, format: InlineFormat): readonly [start: string, end: string] {
  const { mark } = INLINE[format];
  if (format !== 'code') return [mark, mark];
  const fence = fenceFor(text, 1);
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return [fence + space, space + fence];
}

/** More backticks than the text has in a row; at least `least`. */
function fenceFor(text: string, least: number): string {
  const rows = (text.match(/`+/g) ?? []).map(({ length }) => length + 1);
  return '`'.repeat(Math.max(least, ...rows));
}

function isBetween(state: EditorState, at: number, mark: string): boolean {
  return state.sliceDoc(at - mark.length, at) === mark && state.sliceDoc(at, at + mark.length) === mark;
}

function changeLines(
  changesOf: (lines: readonly Line[], state: EditorState) => readonly ChangeSpec[],
): StateCommand {
  return ({ state, dispatch }) => {
    if (state.readOnly) return false;
    const lines = selectedLines(state);
    const changes = state.changes([...changesOf(lines, state)]);
    const selection = EditorSelection.create(
      state.selection.ranges.map(({ anchor, head }) =>
        EditorSelection.range(changes.mapPos(anchor, 1), changes.mapPos(head, 1)),
      ),
      state.selection.mainIndex,
    );
    dispatch(state.update({ changes, selection, scrollIntoView: true, userEvent: 'input.format' }));
    return true;
  };
}

/** The lines of the selection, as the text shows them: those with text, or the only one. */
function selectedLines(state: EditorState): readonly Line[] {
  const lines = state.selection.ranges
    .flatMap(({ from, to }) => linesBetween(state, from, to))
    .map((line) => firstLineOf(state, line));
  const unique = [...new Map(lines.map((line) => [line.from, line])).values()];
  return unique.length === 1 ? unique : unique.filter(({ text }) => text.trim() !== '');
}

function linesBetween({ doc }: EditorState, from: number, to: number): readonly Line[] {
  const first = doc.lineAt(from).number;
  const last = doc.lineAt(to).number;
  return Array.from({ length: last - first + 1 }, (_, at) => doc.line(first + at));
}

/** The underline of a heading whose text ends in this line, with the line break before it. */
function underlineOf(state: EditorState, line: Line): ChangeSpec | undefined {
  const heading = nodesAround(state, line.from, line.to).find(({ name }) => name.startsWith('SetextHeading'));
  return heading && { from: line.to, to: heading.to };
}

function readItem(text: string): {
  readonly prefix: string;
  /** The marker with the spaces behind it; empty for other text. */
  readonly sign: string;
  readonly kind: 'bullets' | 'numbers' | 'tasks' | undefined;
} {
  const [, prefix = '', sign = '', bullet, box] = ITEM.exec(text) ?? [];
  const kind = box ? 'tasks' : bullet ? 'bullets' : sign === '' ? undefined : 'numbers';
  return { prefix, sign, kind };
}

/** The character of the first bullet in the text, so that all lists look the same. */
function bulletOf({ doc }: EditorState): string {
  for (const line of doc.iterLines(1, Math.min(doc.lines, MAX_BULLET_LINES) + 1)) {
    const bullet = /^\s*([-*+])\s/.exec(line)?.[1];
    if (bullet !== undefined) return bullet;
  }
  return '-';
}

const MAX_BULLET_LINES = 1000;

function blankBefore({ doc }: EditorState, line: Line): string {
  return line.number === 1 || doc.line(line.number - 1).text.trim() === '' ? '' : '\n';
}

function blankAfter({ doc }: EditorState, line: Line): string {
  if (line.number === doc.lines) return '';
  return doc.line(line.number + 1).text.trim() === '' ? '' : '\n';
}

/** The innermost list items of the selection, without the items inside of them. */
function selectedItems(state: EditorState): readonly SyntaxNode[] {
  const { from, to } = state.selection.main;
  const items: SyntaxNode[] = [];
  for (const line of linesBetween(state, from, to)) {
    const start = line.from + (/^\s*/.exec(line.text)?.[0].length ?? 0);
    let node: SyntaxNode | null = syntaxTree(state).resolveInner(start, 1);
    while (node !== null && node.name !== 'ListItem') node = node.parent;
    const last = items.at(-1);
    if (node !== null && (last === undefined || node.from >= last.to)) items.push(node);
  }
  return items;
}

function columnOf({ doc }: EditorState, { from }: SyntaxNode): number {
  return from - doc.lineAt(from).from;
}

function linesOf(state: EditorState, nodes: readonly SyntaxNode[]): readonly Line[] {
  return nodes.flatMap(({ from, to }) => linesBetween(state, from, to));
}
