import { syntaxTree } from '@codemirror/language';
import { type EditorState, type Line, type Range, StateField, type Transaction } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, type KeyBinding, keymap } from '@codemirror/view';
import type { SyntaxNode } from './nodes.ts';
import { SpaceWidget } from './widgets.ts';

/** A line break of the source that is a space on the page, with the spaces and quote marks around it. */
export interface SoftBreak {
  readonly from: number;
  readonly to: number;
}

const breaks = StateField.define<DecorationSet>({
  create: (state) => Decoration.set(breaksIn(state, 0, state.doc.length)),
  update(present, transaction) {
    const { state, startState, changes } = transaction;
    if (syntaxTree(state) === syntaxTree(startState)) return present;
    const paragraph = changedParagraph(transaction);
    if (paragraph === undefined) return Decoration.set(breaksIn(state, 0, state.doc.length));
    const { from, to } = paragraph;
    return present.map(changes).update({
      filterFrom: from,
      filterTo: to,
      filter: (start, end) => end <= from || start >= to,
      add: breaksIn(state, from, to),
    });
  },
  provide: (field) => [
    EditorView.decorations.from(field),
    EditorView.atomicRanges.of(({ state }) => state.field(field, false) ?? Decoration.none),
  ],
});

/**
 * Shows the paragraphs of hard-wrapped text as the page does: a line break inside of a paragraph is a space. Enter starts a
 * new paragraph there, and Shift+Enter a new line.
 */
export function flowingText() {
  return [
    breaks,
    keymap.of(KEYS),
    EditorView.inputHandler.of((view, from, to, text) => from === to && typeOnBlankLine(view, from, text)),
  ];
}

/** The soft break between a line and the next one; undefined if the next line starts on its own. */
export function softBreakAfter(state: EditorState, { to }: Line): SoftBreak | undefined {
  return softBreakAt(state, to);
}

/** The first line of the paragraph that a line belongs to, as the text shows it. */
export function firstLineOf(state: EditorState, line: Line): Line {
  let first = line;
  while (first.number > 1 && softBreakAfter(state, state.doc.line(first.number - 1)) !== undefined) {
    first = state.doc.line(first.number - 1);
  }
  return first;
}

/** The lines that continue a line in the text as it shows. */
export function continuationsOf(state: EditorState, line: Line): readonly Line[] {
  const lines: Line[] = [];
  for (let last = line; softBreakAfter(state, last) !== undefined; ) {
    last = state.doc.line(last.number + 1);
    lines.push(last);
  }
  return lines;
}

const SPACE = Decoration.replace({ widget: new SpaceWidget() });
const FLOWING = ['Paragraph', 'Task'];
/** Code in a paragraph, which keeps its lines. */
const CODE = ['ComponentTag', 'Expression', 'HTMLTag', 'Comment', 'ProcessingInstruction'];
/** The start of a line decides what the line is. A change behind these characters stays in its paragraph. */
const LINE_START = 10;

const KEYS: readonly KeyBinding[] = [
  { key: 'Enter', run: splitParagraph, shift: breakLine },
  { key: 'Backspace', run: joinParagraphs },
];

function softBreakAt(state: EditorState, at: number): SoftBreak | undefined {
  let touched: SoftBreak | undefined;
  state.field(breaks, false)?.between(at, at, (from, to) => {
    touched = { from, to };
  });
  return touched;
}

function breaksIn(state: EditorState, from: number, to: number): readonly Range<Decoration>[] {
  const { doc } = state;
  const ranges: Range<Decoration>[] = [];
  const tree = syntaxTree(state);
  tree.iterate({
    from,
    to,
    enter(node) {
      if (!FLOWING.includes(node.name)) return;
      for (let line = doc.lineAt(node.from); line.to < node.to; ) {
        const next = doc.line(line.number + 1);
        const isCode = CODE.includes(tree.resolveInner(line.to, 0).name);
        if (!isCode && !isHardBreak(line.text)) {
          const start = line.from + line.text.trimEnd().length;
          ranges.push(SPACE.range(start, next.from + prefixOf(next).length));
        }
        line = next;
      }
      return false;
    },
  });
  return ranges;
}

/** Source: https://spec.commonmark.org/0.31.2/#hard-line-breaks */
function isHardBreak(line: string): boolean {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.endsWith('  ') || (/\\+$/.exec(text)?.[0].length ?? 0) % 2 === 1;
}

/** The paragraph in which all changes are; undefined if they can change the structure of the text. */
function changedParagraph({ startState, state, changes, docChanged }: Transaction): SyntaxNode | undefined {
  if (!docChanged) return undefined;
  let paragraph: SyntaxNode | undefined;
  let isInner = true;
  changes.iterChanges((fromA, toA, fromB, toB, inserted) => {
    const line = startState.doc.lineAt(fromA);
    const found = paragraphAt(state, fromB);
    isInner &&=
      inserted.lines === 1 &&
      toA < line.to &&
      fromA > line.from + prefixOf(line).length + LINE_START &&
      found !== undefined &&
      found.to >= toB &&
      (paragraph === undefined || paragraph.from === found.from);
    paragraph = found;
  });
  return isInner ? paragraph : undefined;
}

function paragraphAt(state: EditorState, at: number): SyntaxNode | undefined {
  for (const side of [-1, 1] as const) {
    let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side);
    while (node !== null && !FLOWING.includes(node.name)) node = node.parent;
    if (node !== null) return node;
  }
  return undefined;
}

/** Indentation and quote marks before the text of a line. */
function prefixOf({ text }: Line): string {
  return /^[ \t>]*/.exec(text)![0];
}

function isBlank({ text }: Line): boolean {
  return /^[\s>]*$/.test(text);
}

/** Enter inside of a paragraph. At its start, and on the first line of a list item, the keys of Markdown do their work. */
function splitParagraph({ state, dispatch }: EditorView): boolean {
  const { main, ranges } = state.selection;
  const paragraph = ranges.length === 1 && !state.readOnly ? paragraphAt(state, main.from) : undefined;
  if (paragraph === undefined || main.from === paragraph.from) return false;
  const line = state.doc.lineAt(paragraph.from);
  const isItem = isInList(paragraph);
  if (isItem && line.to >= main.from) return false;
  // The rows of a table that is written by hand.
  if (line.text.trimStart().startsWith('|')) return false;
  const start = softBreakAt(state, main.from)?.from ?? main.from;
  const end = softBreakAt(state, main.to)?.to ?? main.to;
  const before = /[ \t]*$/.exec(state.sliceDoc(paragraph.from, start))![0].length;
  const after = /^[ \t]*/.exec(state.sliceDoc(end, Math.max(end, state.doc.lineAt(end).to)))![0].length;
  const prefix = state.sliceDoc(line.from, paragraph.from);
  const insert = isItem ? `\n${nextItem(prefix, paragraph.name)}` : `\n${prefix.trimEnd()}\n${prefix}`;
  dispatch(
    state.update({
      changes: { from: start - before, to: end + after, insert: state.toText(insert) },
      selection: { anchor: start - before + insert.length },
      scrollIntoView: true,
      userEvent: 'input',
    }),
  );
  return true;
}

/** The start of the item behind one that starts with `prefix`, such as `- ` or `1. `. */
function nextItem(prefix: string, name: string): string {
  const sign = prefix.replace(/\d+(?=[.)]\s*$)/, (number) => String(Number(number) + 1));
  return name === 'Task' ? `${sign}[ ] ` : sign;
}

/** Shift+Enter. */
function breakLine({ state, dispatch }: EditorView): boolean {
  const { main, ranges } = state.selection;
  const paragraph = ranges.length === 1 && !state.readOnly ? paragraphAt(state, main.from) : undefined;
  if (paragraph === undefined || main.from === paragraph.from || main.to >= paragraph.to) return false;
  const line = state.doc.lineAt(paragraph.from);
  const prefix = state.sliceDoc(line.from, paragraph.from).replace(/[^>\s]/g, ' ');
  const start = softBreakAt(state, main.from)?.from ?? main.from;
  const end = softBreakAt(state, main.to)?.to ?? main.to;
  const insert = `\\\n${prefix}`;
  dispatch(
    state.update({
      changes: { from: start, to: end, insert: state.toText(insert) },
      selection: { anchor: start + insert.length },
      scrollIntoView: true,
      userEvent: 'input',
    }),
  );
  return true;
}

/** Backspace at the start of a paragraph, or behind a soft break. */
function joinParagraphs({ state, dispatch }: EditorView): boolean {
  const { main, ranges } = state.selection;
  if (ranges.length > 1 || !main.empty || state.readOnly) return false;
  const from = softBreakAt(state, main.head)?.from ?? paragraphBefore(state, main.head);
  if (from === undefined || from === main.head) return false;
  dispatch(
    state.update({ changes: { from, to: main.head }, scrollIntoView: true, userEvent: 'delete.backward' }),
  );
  return true;
}

/** The end of the paragraph above the blank line above the start of this one; undefined without it. */
function paragraphBefore(state: EditorState, at: number): number | undefined {
  const { doc } = state;
  const line = doc.lineAt(at);
  if (line.number < 3 || at !== line.from + prefixOf(line).length) return undefined;
  const [last, blank] = [doc.line(line.number - 2), doc.line(line.number - 1)];
  const own = isBlank(line) ? undefined : paragraphAt(state, at);
  const above = isBlank(last) ? undefined : paragraphAt(state, last.to);
  const isText = isBlank(line) || (own !== undefined && own.from === at && !isInList(own));
  const isBelowText = above !== undefined && above.to >= last.to && !isInList(above);
  const depths = [line, blank, last].map((each) => prefixOf(each).split('>').length);
  if (!isBlank(blank) || !isText || !isBelowText || new Set(depths).size > 1) return undefined;
  return last.to;
}

function isInList(node: SyntaxNode): boolean {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (outer.name === 'ListItem') return true;
  }
  return false;
}

/** Text on a blank line beside a paragraph does not become a part of that paragraph. */
function typeOnBlankLine(view: EditorView, at: number, text: string): boolean {
  const { state } = view;
  const { doc } = state;
  const line = doc.lineAt(at);
  if (line.text.trim() !== '' || state.readOnly || view.composing) return false;
  const isText = (number: number, side: 'from' | 'to'): boolean => {
    if (number < 1 || number > doc.lines || isBlank(doc.line(number))) return false;
    const paragraph = paragraphAt(state, doc.line(number)[side]);
    return paragraph !== undefined && !isInList(paragraph);
  };
  const [before, after] = [
    isText(line.number - 1, 'to') ? '\n' : '',
    isText(line.number + 1, 'from') ? '\n' : '',
  ];
  if (before === '' && after === '') return false;
  view.dispatch({
    changes: { from: at, insert: state.toText(before + text + after) },
    selection: { anchor: at + before.length + text.length },
    scrollIntoView: true,
    userEvent: 'input.type',
  });
  return true;
}
