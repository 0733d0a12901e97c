import { isolateHistory } from '@codemirror/commands';
import { syntaxTree } from '@codemirror/language';
import {
  Annotation,
  EditorSelection,
  EditorState,
  type Range,
  StateEffect,
  StateField,
  type Transaction,
  type TransactionSpec,
} from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, type WidgetType } from '@codemirror/view';
import {
  applyChanges,
  BREAK,
  type BrokenRow,
  type Change,
  cellAt,
  type Place,
  pipesToEscape,
  placeOf,
  readTable,
  type Table,
} from './table-text.ts';

/** A table of the text, with whole lines. */
export interface Block {
  readonly from: number;
  readonly to: number;
  /** `typed`: someone is writing the table as text, and sees it as text until the cursor leaves it. */
  readonly content: Table | Unshown | 'typed';
}

/** Why a table is not shown as a grid: it has a broken row, or is in a list or a quote. */
export type Unshown = BrokenRow | 'nested';

export interface TableBlock extends Block {
  readonly content: Table;
}

/** The cell that is edited. Its range has the spaces that are being typed. */
export interface ActiveCell {
  readonly from: number;
  readonly to: number;
  readonly block: TableBlock;
  readonly place: Place;
}

interface Grid {
  readonly blocks: readonly Block[];
  readonly active: ActiveCell | undefined;
  readonly decorations: DecorationSet;
}

/** Makes the elements of the page. */
export interface Widgets {
  table(block: TableBlock, isEditable: boolean): WidgetType;
  /** Says why a table is shown as text. */
  hint(reason: Unshown): WidgetType;
}

/** Marks changes that keep tables whole. */
export const keepsTables = Annotation.define<boolean>();
/** The range of the edited cell after a change. */
export const setActive = StateEffect.define<{ readonly from: number; readonly to: number }>();

/** The tables of a text, and the cell in which the selection is. */
export function createGrid(widgets: Widgets): StateField<Grid> {
  return StateField.define<Grid>({
    create: (state) => gridOf(state, readBlocks(state, [], false), undefined),
    update(grid, transaction) {
      const { state, startState, changes, effects, selection } = transaction;
      const isParsed = syntaxTree(state) !== syntaxTree(startState);
      const isSame = !transaction.docChanged && !isParsed && state.readOnly === startState.readOnly;
      if (isSame && selection === undefined) return grid;
      const isTyped = grid.blocks.some(({ content }) => content === 'typed');
      const isTyping = isTyped || transaction.isUserEvent('input.type');
      const blocks =
        isSame && !isTyped ? grid.blocks : readBlocks(state, mappedBlocks(grid, transaction), isTyping);
      const explicit = effects.find((effect) => effect.is(setActive))?.value;
      const { active } = grid;
      const mapped = active && {
        from: changes.mapPos(active.from, -1),
        to: changes.mapPos(active.to, 1),
      };
      return gridOf(state, blocks, explicit ?? mapped, blocks === grid.blocks ? grid.decorations : undefined);
    },
    provide: (field) => [
      EditorView.decorations.from(field, ({ decorations }) => decorations),
      EditorView.atomicRanges.of((view) => view.state.field(field, false)?.decorations ?? Decoration.none),
      EditorState.transactionFilter.of((transaction) => {
        const grid = transaction.startState.field(field, false);
        return grid === undefined ? transaction : protect(transaction, grid.blocks.filter(isTable));
      }),
    ],
  });

  function gridOf(
    state: EditorState,
    blocks: readonly Block[],
    range: { readonly from: number; readonly to: number } | undefined,
    decorations = decorate(state, blocks),
  ): Grid {
    return { blocks, active: activeCell(state, blocks, range), decorations };
  }

  function decorate({ readOnly }: EditorState, blocks: readonly Block[]): DecorationSet {
    const ranges = blocks.flatMap((block): readonly Range<Decoration>[] => {
      const { from, to, content } = block;
      if (content === 'typed') return [];
      if (isTable(block)) {
        return [Decoration.replace({ widget: widgets.table(block, !readOnly), block: true }).range(from, to)];
      }
      const widget = widgets.hint(content as Unshown);
      return [Decoration.widget({ widget, block: true, side: 1 }).range(to)];
    });
    return Decoration.set(ranges, true);
  }
}

export function isTable(block: Block): block is TableBlock {
  return typeof block.content === 'object' && 'rows' in block.content;
}

/** Changes a table, and selects a cell: all of it, or its end. */
export function editTable(
  { from, to, content }: TableBlock,
  changes: readonly Change[],
  place: Place,
  select: 'all' | 'end' = 'all',
): TransactionSpec {
  const table = readTable(applyChanges(content.text, changes));
  const cell = 'rows' in table ? cellAt(table, place) : undefined;
  return {
    changes: changes.map((change) => ({ ...change, from: from + change.from, to: from + change.to })),
    selection:
      cell === undefined
        ? EditorSelection.cursor(to)
        : EditorSelection.range(from + (select === 'all' ? cell.start : cell.end), from + cell.end),
    annotations: changes.length === 0 ? keepsTables.of(true) : WHOLE_STEP,
    userEvent: changes.length === 0 ? 'select' : 'input.table',
    scrollIntoView: true,
  };
}

/** Removes a table and the blank line after it. */
export function deleteTable({ doc }: EditorState, { from, to }: TableBlock): TransactionSpec {
  const last = doc.lineAt(to);
  const isFollowed = last.number < doc.lines;
  const isBlankAfter = isFollowed && doc.line(last.number + 1).text.trim() === '';
  const isBlankBefore = from === 0 || doc.line(doc.lineAt(from).number - 1).text.trim() === '';
  const end = isBlankAfter && isBlankBefore ? doc.line(last.number + 1).to : to;
  return {
    changes: { from, to: Math.min(end + Number(end < doc.length && end > to), doc.length) },
    selection: { anchor: from },
    annotations: WHOLE_STEP,
    userEvent: 'delete.table',
    scrollIntoView: true,
  };
}

/** Further changes that keep the text of a cell in one cell. */
export function escapes(text: string): readonly Change[] {
  const pipes = pipesToEscape(text).map((at) => ({ from: at, to: at, insert: '\\' }));
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => ({
    from: index,
    to: index + 1,
    insert: BREAK,
  }));
  return [...pipes, ...breaks].toSorted((a, b) => a.from - b.from);
}

/** Undone on its own. */
const WHOLE_STEP = [keepsTables.of(true), isolateHistory.of('full')];
/** Changes by people. Undoing is not among them, because it restores an earlier text. */
const EVENTS = ['input', 'delete', 'move'];
const CONTAINERS = /^(?:Document|BulletList|OrderedList|ListItem|Blockquote)$/;

/** The tables of the parsed part of a text, and those of the rest that are known. */
function readBlocks(state: EditorState, known: readonly Block[], isTyping: boolean): readonly Block[] {
  const tree = syntaxTree(state);
  const { head } = state.selection.main;
  const blocks: Block[] = [];
  tree.iterate({
    enter({ name, from, to, node }) {
      if (name !== 'Table') return CONTAINERS.test(name);
      const [start, end] = [state.doc.lineAt(from).from, state.doc.lineAt(to).to];
      blocks.push({ from: start, to: end, content: contentOf(start, end, node.parent?.name) });
      return false;
    },
  });
  return [...blocks, ...known.filter(({ from }) => from >= tree.length)];

  function contentOf(from: number, to: number, parent: string | undefined): Block['content'] {
    if (parent !== 'Document') return 'nested';
    const before = known.find((each) => each.from <= to && each.to >= from);
    const isGrid = before !== undefined && isTable(before);
    if (isTyping && !isGrid && head > from && head <= to) return 'typed';
    const text = state.sliceDoc(from, to);
    return isGrid && before.content.text === text ? before.content : readTable(text);
  }
}

function mappedBlocks({ blocks }: Grid, { changes }: Transaction): readonly Block[] {
  return blocks.map((block) => ({
    ...block,
    from: changes.mapPos(block.from, 1),
    to: changes.mapPos(block.to, -1),
  }));
}

/** The cell around the selection. While it is edited, it keeps its range. */
function activeCell(
  state: EditorState,
  blocks: readonly Block[],
  range: { readonly from: number; readonly to: number } | undefined,
): ActiveCell | undefined {
  const { from, to } = state.selection.main;
  const block = blocks.find((each) => each.from <= from && to <= each.to);
  if (state.readOnly || block === undefined || !isTable(block)) return undefined;
  const { content: table, from: offset } = block;
  const place = placeOf(table, from - offset, to - offset);
  const cell = place && cellAt(table, place);
  if (place === undefined || cell === undefined) return undefined;
  const isKept =
    range !== undefined &&
    range.from >= offset + cell.from &&
    range.to <= offset + cell.to &&
    range.from <= from &&
    to <= range.to;
  const { from: start, to: end } = isKept ? range : { from: offset + cell.start, to: offset + cell.end };
  return { from: Math.min(start, from), to: Math.max(end, to), block, place };
}

/** Keeps tables whole: changes of people are inside of a cell, around a table, or do not happen. */
function protect(
  transaction: Transaction,
  blocks: readonly TableBlock[],
): Transaction | readonly TransactionSpec[] {
  const { changes, newDoc } = transaction;
  if (!transaction.docChanged || transaction.annotation(keepsTables) === true) return transaction;
  if (!EVENTS.some((event) => transaction.isUserEvent(event))) return transaction;
  const further: Change[] = [];
  let isWhole = true;
  for (const block of blocks) {
    const { from, to, content } = block;
    const cells = new Set<string>();
    changes.iterChangedRanges((start, end) => {
      if (end < from || start > to || (start <= from && end >= to)) return;
      const place = placeOf(content, start - from, end - from);
      if (place !== undefined) cells.add(`${place.row} ${place.column}`);
      else if (start < to && end > from) isWhole = false;
    });
    for (const key of cells) {
      const [row, column] = key.split(' ').map(Number);
      const cell = cellAt(content, { row: row!, column: column! })!;
      const [start, end] = [changes.mapPos(from + cell.from, -1), changes.mapPos(from + cell.to, 1)];
      further.push(
        ...escapes(newDoc.sliceString(start, end)).map(({ insert, ...range }) => ({
          insert,
          from: start + range.from,
          to: start + range.to,
        })),
      );
    }
    further.push(...lineBreaksAround(transaction, block));
  }
  if (!isWhole) return [];
  return further.length === 0
    ? transaction
    : [transaction, { changes: further, sequential: true, annotations: keepsTables.of(true) }];
}

/** Text that is typed at the edge of a table gets a line of its own, with a blank line between. */
function lineBreaksAround({ changes, newDoc, startState }: Transaction, { from, to, content }: TableBlock) {
  const breaks: Change[] = [];
  const [first, last] = [content.rows[0]!, content.rows.at(-1)!];
  const [start, end] = [changes.mapPos(from, 1), changes.mapPos(to, -1)];
  if (start >= end) return breaks;
  const isBefore = first.opens && newDoc.lineAt(start).from < start;
  if (isBefore) breaks.push({ from: start, to: start, insert: '\n\n' });
  const line = newDoc.lineAt(end);
  if (last.closes && line.to > end) breaks.push({ from: end, to: end, insert: '\n\n' });
  // A line below a table is a row of it.
  const { number } = startState.doc.lineAt(to);
  const wasBlank = number < startState.doc.lines && isBlank(startState.doc.line(number + 1).text);
  const below = line.number < newDoc.lines ? newDoc.line(line.number + 1) : undefined;
  const isEnd = number === startState.doc.lines;
  if (line.to === end && (wasBlank || isEnd) && below !== undefined && startsText(below.text)) {
    breaks.push({ from: below.from, to: below.from, insert: '\n' });
  }
  return breaks;
}

/** True for a line that is not meant to be a row. */
function startsText(line: string): boolean {
  return !isBlank(line) && !line.trimStart().startsWith('|');
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
