import { EditorSelection, type EditorState, type StateCommand } from '@codemirror/state';
import { nodesAround } from './commands.ts';
import type { SyntaxNode } from './nodes.ts';

/** Selects the next cell of a table that is shown as text: nested, broken, or before the editor of tables is loaded. */
export const nextCell: StateCommand = (target) =>
  select(target, ({ cells, to }) => cells.find((cell) => cell.from > to));

/** Selects the previous cell. */
export const previousCell: StateCommand = (target) =>
  select(target, ({ cells, from }) => cells.findLast((cell) => cell.to < from));

function select(
  { state, dispatch }: Parameters<StateCommand>[0],
  choose: (of: {
    readonly cells: readonly Cell[];
    readonly from: number;
    readonly to: number;
  }) => Cell | undefined,
): boolean {
  const { from, to } = state.selection.main;
  const table = nodesAround(state, from, to).find(({ name }) => name === 'Table');
  const cell = table && !state.readOnly && choose({ cells: cellsOf(state, table), from, to });
  if (!cell) return false;
  const selection = EditorSelection.range(cell.from, cell.to);
  dispatch(state.update({ selection, scrollIntoView: true, userEvent: 'select' }));
  return true;
}

/** The text of each cell, without the spaces around it. */
function cellsOf({ doc }: EditorState, { from, to }: SyntaxNode): readonly Cell[] {
  const first = doc.lineAt(from).number;
  const cells: Cell[] = [];
  for (let number = first; number <= doc.lineAt(to).number; number++) {
    // The second line has the alignments.
    if (number === first + 1) continue;
    const line = doc.line(number);
    let at = Math.max(from, line.from);
    const parts = doc.sliceString(at, line.to).split(/(?<!\\)\|/);
    for (const [index, part] of parts.entries()) {
      const text = part.trim();
      const isEdge = index === 0 || index === parts.length - 1;
      if (!isEdge || /[^\s>]/.test(text)) {
        const start = at + (text === '' ? Math.min(1, part.length) : part.indexOf(text));
        cells.push({ from: start, to: start + text.length });
      }
      at += part.length + 1;
    }
  }
  return cells;
}

interface Cell {
  readonly from: number;
  readonly to: number;
}
