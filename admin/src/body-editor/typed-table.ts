import { syntaxTree } from '@codemirror/language';
import { EditorSelection, type StateCommand } from '@codemirror/state';

/** Enter behind a line such as `| Place | Height |` makes a table of it. */
export const startTable: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const line = state.doc.lineAt(main.head);
  const cells = line.text.split('|').slice(1, -1);
  const isRow =
    line.text.startsWith('|') && line.text.trimEnd().endsWith('|') && cells.some((cell) => cell.trim());
  if (!main.empty || main.head !== line.to || !isRow || state.readOnly) return false;
  const { name, from, to } = syntaxTree(state).resolveInner(line.from, 1);
  if (name !== 'Paragraph' || from !== line.from || to > line.to) return false;
  const divider = `\n|${' --- |'.repeat(cells.length)}\n|`;
  dispatch(
    state.update({
      changes: { from: line.to, insert: `${divider}${'  |'.repeat(cells.length)}` },
      selection: EditorSelection.cursor(line.to + divider.length + 1),
      scrollIntoView: true,
      userEvent: 'input.format',
    }),
  );
  return true;
};
