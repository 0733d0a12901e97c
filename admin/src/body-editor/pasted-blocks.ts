import { syntaxTree } from '@codemirror/language';
import { ChangeSet, type EditorState, type Transaction } from '@codemirror/state';
import { markdownParser } from './language.ts';
import type { SyntaxNode } from './nodes.ts';
import { breaksAround, marksOf } from './placeholders.ts';

/** A change of the text, and the place in the changed text of an offset in the pasted text. */
export interface Pasting {
  readonly transaction: Transaction;
  placeOf(at: number): number;
}

/**
 * Replaces the selection by Markdown. A table is a block of its own: it divides a paragraph, and goes behind a heading or another table.
 */
export function insertPasted(state: EditorState, markdown: string): Pasting {
  const { firstChild, lastChild } = markdownParser.parse(markdown).topNode;
  const [opens, closes] = [firstChild, lastChild].map((node) => node?.name === 'Table');
  const { from, to } = state.selection.main;
  const divides = placeFor(state, from) === from;
  const start = divides && opens ? textBefore(state, from) : from;
  const end = divides && closes ? textAfter(state, to) : to;
  const removal = state.update({ changes: { from: start, to: end } });
  const rest = removal.state;
  const at = opens || closes ? placeFor(rest, start) : start;
  const { before, after } = breaksAround(rest, at);
  const indent = (text: string) =>
    opens || closes ? text.replaceAll('\n', `\n${marksOf(rest.doc.lineAt(at).text)}`) : text;
  const breakBefore = opens ? before : '';
  const insert = breakBefore + indent(markdown);
  const changes = ChangeSet.of(
    { from: at, insert: insert + (closes ? after : '') },
    rest.doc.length,
    state.lineBreak,
  );
  return {
    transaction: state.update({
      changes: removal.changes.compose(changes),
      selection: { anchor: at + insert.length },
      scrollIntoView: true,
      userEvent: 'input.paste',
    }),
    placeOf: (offset) => at + breakBefore.length + indent(markdown.slice(0, offset)).length,
  };
}

/** A position without the spaces before it, which a line would end with. */
function textBefore({ doc }: EditorState, at: number): number {
  const { from, text } = doc.lineAt(at);
  const before = text.slice(0, at - from);
  return from + Math.max(before.trimEnd().length, Math.min(marksOf(text).length, before.length));
}

/** A position without the spaces behind it, which a line would start with. */
function textAfter({ doc }: EditorState, at: number): number {
  const { from, to, text } = doc.lineAt(at);
  const isInMarks = at - from < marksOf(text).length;
  return isInMarks ? at : to - text.slice(at - from).trimStart().length;
}

/** The end of the heading or table around a position, or the position itself. */
function placeFor(state: EditorState, at: number): number {
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, -1);
  for (; node !== null; node = node.parent) if (WHOLE.test(node.name) && at > node.from) return node.to;
  return at;
}

const WHOLE = /^(?:Table|(?:ATX|Setext)Heading\d)$/;
