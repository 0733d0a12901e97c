import { redo, standardKeymap, undo } from '@codemirror/commands';
import {
  Annotation,
  EditorSelection,
  EditorState,
  type Extension,
  Prec,
  Transaction,
} from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  runScopeHandlers,
} from '@codemirror/view';
import { toolsText } from '../../texts/tools.ts';
import { textPlace } from '../nodes.ts';
import { cellLanguage, cellMarks } from './cells.ts';
import { type ActiveCell, escapes, keepsTables, setActive } from './grid.ts';
import type { Cells } from './paste-cells.ts';
import { BREAK, cellAt, missingPipes, spaceAfter } from './table-text.ts';

/** An editor in a cell. The text around it has the same selection and gets each change. */
export interface CellEditor {
  readonly view: EditorView;
  readonly host: HTMLElement;
  /** Takes over the text and the selection of the cell. */
  pull(active: ActiveCell): void;
  destroy(): void;
}

export interface CellEditorOptions {
  /** The editor of the whole text. */
  readonly outer: EditorView;
  readonly host: HTMLElement;
  readonly active: ActiveCell;
  readonly keys: readonly KeyBinding[];
  /** Called with several cells that are pasted into this one. */
  readonly oncells: (cells: Cells) => void;
  /** The look of Markdown, and the handler of pasted text. */
  readonly extensions: Extension;
}

export function createCellEditor({
  outer,
  host,
  active,
  keys,
  oncells,
  extensions,
}: CellEditorOptions): CellEditor {
  let present = active;
  host.replaceChildren();
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: textOf(active),
      selection: selectionIn(active),
      extensions: [
        EditorState.lineSeparator.of('\n'),
        Prec.highest([keymap.of(keys), pasteCells(outer, oncells)]),
        extensions,
        cellMarks,
        cellLanguage,
        EditorState.transactionFilter.of(keepInCell),
        drawSelection(),
        highlightSpecialChars(),
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        EditorView.cspNonce.of(outer.state.facet(EditorView.cspNonce)),
        EditorView.contentAttributes.of({
          'aria-label': labelOf(active),
          'aria-multiline': 'false',
          spellcheck: 'true',
          autocorrect: 'on',
          autocapitalize: 'sentences',
        }),
        keymap.of(standardKeymap),
        Prec.lowest(
          EditorView.domEventHandlers({
            keydown: (event) => runScopeHandlers(outer, event, 'editor'),
            beforeinput(event) {
              const command = { historyUndo: undo, historyRedo: redo }[event.inputType];
              if (command === undefined) return false;
              event.preventDefault();
              return command(outer);
            },
          }),
        ),
      ],
    }),
    dispatchTransactions(transactions, cell) {
      for (const transaction of transactions) {
        cell.update([transaction]);
        if (transaction.annotation(pulled) !== true) push(transaction);
      }
    },
  });

  return {
    view,
    host,
    pull(next) {
      present = next;
      const [before, after] = [view.state.doc.toString(), textOf(next)];
      const selection = selectionIn(next);
      if (before === after && view.state.selection.main.eq(selection.main)) return;
      view.dispatch({
        changes: before === after ? [] : difference(before, after),
        selection,
        annotations: pulled.of(true),
      });
    },
    destroy: () => view.destroy(),
  };

  function textOf({ from, to }: ActiveCell): string {
    return outer.state.sliceDoc(from, to);
  }

  function selectionIn({ from }: ActiveCell): EditorSelection {
    const { anchor, head } = outer.state.selection.main;
    return EditorSelection.single(anchor - from, head - from);
  }

  /** Writes a change of the cell into the text, and what the row needs to stay a row. */
  function push(transaction: Transaction): void {
    if (!transaction.docChanged && transaction.selection === undefined) return;
    const { from, to, block, place } = present;
    const { content: table } = block;
    const row = table.rows[place.row]!;
    const cell = cellAt(table, place)!;
    const markdown = transaction.newDoc.toString();
    const pipes = transaction.docChanged
      ? missingPipes(row, place.column, markdown).map((change) => ({
          ...change,
          from: block.from + change.from,
          to: block.from + change.to,
        }))
      : [];
    const before = pipes.filter((change) => change.from <= from && change.insert.startsWith('|'));
    const base = from + before.reduce((sum, { insert }) => sum + insert.length, 0);
    const changes: { from: number; to: number; insert: string }[] = [];
    transaction.changes.iterChanges((start, end, _from, _to, insert) =>
      changes.push({ from: from + start, to: from + end, insert: insert.toString() }),
    );
    const space = transaction.docChanged ? spaceAfter(cell, markdown) : '';
    const { anchor, head } = transaction.newSelection.main;
    const userEvent = transaction.annotation(Transaction.userEvent);
    outer.dispatch({
      changes: [
        ...before,
        ...changes,
        { from: to, to, insert: space },
        ...pipes.filter((change) => !before.includes(change)),
      ],
      selection: EditorSelection.single(base + anchor, base + head),
      effects: setActive.of({ from: base, to: base + markdown.length }),
      annotations: keepsTables.of(true),
      ...(userEvent !== undefined && { userEvent }),
    });
  }
}

/** Marks what the cell takes over from the text. */
const pulled = Annotation.define<boolean>();

/** The pipes and line breaks that people type or paste become those of a cell. */
function keepInCell(transaction: Transaction) {
  if (!transaction.docChanged || transaction.annotation(pulled) === true) return transaction;
  const changes = escapes(transaction.newDoc.toString());
  return changes.length === 0 ? transaction : [transaction, { changes, sequential: true }];
}

function labelOf({ block, place: { row, column } }: ActiveCell): string {
  const { text: source, rows } = block.content;
  const { start, end } = rows[0]!.cells[column]!;
  const title = source.slice(start, end) || toolsText('body.column', { number: column + 1 });
  return row === 0 ? title : toolsText('body.cell', { title, row: row + 1 });
}

/** The part of a text that differs. */
function difference(before: string, after: string) {
  const length = Math.min(before.length, after.length);
  let start = 0;
  while (start < length && before[start] === after[start]) start++;
  let end = 0;
  while (end < length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}

/** Cells of a spreadsheet or of another table. `Ctrl+Shift+V` pastes their text into the one cell. */
function pasteCells(outer: EditorView, oncells: (cells: Cells) => void): Extension {
  let isPlain = false;
  return EditorView.domEventHandlers({
    keydown(event) {
      isPlain = event.shiftKey;
      return false;
    },
    paste(event, view) {
      const html = event.clipboardData?.getData('text/html') ?? '';
      const plain = event.clipboardData?.getData('text/plain') ?? '';
      const hasCells = /<t[dh][\s>]/i.test(html) || (html === '' && plain.includes('\t'));
      if (isPlain || !hasCells) return false;
      event.preventDefault();
      void import('../html-to-markdown.ts').then(
        ({ cellsOf, htmlToMarkdown }) => {
          const isMdx = outer.state.facet(textPlace)?.isMdx;
          const cells = cellsOf(html, plain, isMdx);
          if (cells !== undefined && cells.flat().length > 1) oncells(cells);
          else pasteText(view, html === '' ? plain : htmlToMarkdown(html, isMdx).markdown);
        },
        // Offline, the converter cannot be loaded.
        () => pasteText(view, plain),
      );
      return true;
    },
  });
}

function pasteText(view: EditorView, text: string): void {
  view.dispatch({ ...view.state.replaceSelection(text), userEvent: 'input.paste' });
}

/** The line break that Enter makes in a cell. */
export function breakLine({ state, dispatch }: EditorView): boolean {
  dispatch(state.update(state.replaceSelection(BREAK), { userEvent: 'input', scrollIntoView: true }));
  return true;
}
