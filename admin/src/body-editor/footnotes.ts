import { syntaxTree } from '@codemirror/language';
import type { EditorState, Range, StateCommand } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin } from '@codemirror/view';
import { toolsText } from '../texts/tools.ts';
import { sourceView } from './nodes.ts';

/** A reference such as `[^1]`, or the start of a definition such as `[^1]: Text`. */
export interface Footnote {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly isDefinition: boolean;
}

/** The footnotes of a text, in order. */
export function footnotesOf(state: EditorState, from = 0, to = state.doc.length): readonly Footnote[] {
  return [...state.sliceDoc(from, to).matchAll(FOOTNOTE)].flatMap(({ index, 0: mark, 1: label = '' }) => {
    const start = from + index;
    const end = start + mark.length;
    if (isCode(state, start)) return [];
    const line = state.doc.lineAt(start);
    const isFirst = /^ {0,3}$/.test(state.sliceDoc(line.from, start));
    return [{ from: start, to: end, label, isDefinition: isFirst && state.sliceDoc(end, end + 1) === ':' }];
  });
}

/**
 * At a reference, goes to its text, which is made if it is missing. In the text of a footnote, goes back. Elsewhere, inserts a
 * footnote with the next free number, and goes to its text at the end.
 */
export const footnote: StateCommand = ({ state, dispatch }) => {
  const { head } = state.selection.main;
  const all = footnotesOf(state);
  const line = state.doc.lineAt(head);
  const reference = all.find(({ from, to, isDefinition }) => !isDefinition && from <= head && to >= head);
  const definition = all.find(
    ({ from, isDefinition }) => isDefinition && state.doc.lineAt(from).from === line.from,
  );
  if (reference === undefined && definition !== undefined) {
    const source = all.find(({ label, isDefinition }) => !isDefinition && sameLabel(label, definition.label));
    if (source !== undefined) dispatch(state.update(go(source.to)));
    return true;
  }
  const target = all.find(
    ({ label, isDefinition }) => isDefinition && reference !== undefined && sameLabel(label, reference.label),
  );
  if (target !== undefined) {
    dispatch(state.update(go(state.doc.lineAt(target.from).to)));
    return true;
  }
  if (state.readOnly) return false;
  const label = reference?.label ?? nextLabel(all);
  const mark = `[^${label}]`;
  const insert = `${breaksBeforeEnd(state, all)}${mark}: `;
  const to = state.doc.length;
  dispatch(
    state.update({
      changes: [...(reference === undefined ? [{ from: head, insert: mark }] : []), { from: to, insert }],
      ...go(to + insert.length + (reference === undefined ? mark.length : 0)),
      userEvent: 'input.format',
    }),
  );
  return true;
};

/** Raises references, and marks those whose text is missing. */
export const footnotes = [
  ViewPlugin.define(
    (view) => ({
      decorations: decorate(view),
      update(update) {
        const isParsed = syntaxTree(update.state) !== syntaxTree(update.startState);
        const isReconfigured = update.transactions.some(({ reconfigured }) => reconfigured);
        if (update.docChanged || update.viewportChanged || isParsed || isReconfigured) {
          this.decorations = decorate(update.view);
        }
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  ),
  EditorView.theme({
    '.md-footnote': { color: 'var(--accent)', fontSize: '0.8em', verticalAlign: 'super' },
    '.md-footnote-text': { color: 'var(--accent)', fontWeight: '650' },
    '.md-footnote-missing': {
      color: 'var(--bad)',
      textDecoration: 'underline wavy var(--bad)',
      verticalAlign: 'baseline',
    },
  }),
];

const FOOTNOTE = /\[\^([^\]\s[^]{1,100})\]/g;

function decorate(view: EditorView): DecorationSet {
  const { state } = view;
  if (state.facet(sourceView)) return Decoration.none;
  const defined = new Set(
    footnotesOf(state).flatMap(({ label, isDefinition }) => (isDefinition ? label.toLowerCase() : [])),
  );
  const ranges = view.visibleRanges.flatMap(({ from, to }) =>
    footnotesOf(state, from, to).map((each): Range<Decoration> => {
      const isMissing = !defined.has(each.label.toLowerCase());
      const name = each.isDefinition ? 'md-footnote-text' : 'md-footnote';
      const attributes = isMissing ? { title: toolsText('body.noFootnote') } : {};
      return Decoration.mark({ class: isMissing ? `${name} md-footnote-missing` : name, attributes }).range(
        each.from,
        each.to,
      );
    }),
  );
  return Decoration.set(ranges, true);
}

function nextLabel(all: readonly Footnote[]): string {
  const labels = new Set(all.map(({ label }) => label));
  let number = 1;
  while (labels.has(String(number))) number++;
  return String(number);
}

/** Line breaks between the text and a new definition at its end. Definitions follow each other without a blank line. */
function breaksBeforeEnd({ doc }: EditorState, all: readonly Footnote[]): string {
  let last = doc.line(doc.lines);
  const isAtEnd = last.text.trim() !== '';
  while (last.number > 1 && last.text.trim() === '') last = doc.line(last.number - 1);
  if (last.text.trim() === '') return '\n\n';
  const isDefinition = all.some(
    ({ from, isDefinition: is }) => is && doc.lineAt(from).number === last.number,
  );
  const blank = doc.lines - last.number;
  return isDefinition ? (isAtEnd ? '\n' : '') : '\n'.repeat(Math.max(2 - blank, 0));
}

function go(anchor: number) {
  return { selection: { anchor }, scrollIntoView: true };
}

function sameLabel(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function isCode(state: EditorState, at: number): boolean {
  return /Code|HTML|Comment/.test(syntaxTree(state).resolveInner(at, 1).name);
}
