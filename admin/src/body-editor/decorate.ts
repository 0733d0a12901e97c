import { syntaxTree } from '@codemirror/language';
import type { EditorState, Line, Range } from '@codemirror/state';
import { Decoration, type DecorationSet, type WidgetType } from '@codemirror/view';

import { addressOf, labelOf, type SyntaxNode } from './nodes.ts';
import { softBreakAfter } from './soft-breaks.ts';
import { MAX_INDENT } from './theme.ts';
import { BulletWidget, CheckboxWidget, ImageWidget, RuleWidget } from './widgets.ts';

/** The URLs to try for the address of an image. */
export type ImageUrls = (address: string) => readonly string[];

/**
 * Decorations that show Markdown as it will look, for some ranges of the text. The markup of an element is hidden unless
 * the selection touches the element. Without focus, all markup is hidden.
 */
export function decorate(
  state: EditorState,
  ranges: readonly Span[],
  hasFocus: boolean,
  imageUrls: ImageUrls,
): DecorationSet {
  const decorations: Range<Decoration>[] = [];
  const tree = syntaxTree(state);
  for (const range of ranges) {
    const painter = createPainter(state, range, hasFocus, imageUrls, decorations);
    tree.iterate({
      ...range,
      enter(node) {
        ELEMENTS[node.name]?.(painter, node.node);
        return node.name !== 'Image';
      },
    });
  }
  return Decoration.set(decorations, true);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Adds decorations for a visible part of the text. */
interface Painter {
  readonly state: EditorState;
  readonly imageUrls: ImageUrls;
  /** True if the selection touches the span. */
  isTouched(span: Span): boolean;
  /** The visible lines of a span. */
  lines(span: Span): readonly Line[];
  line(classes: string, line: Line): void;
  mark(classes: string, span: Span, title?: string): void;
  hide(span: Span): void;
  replace(span: Span, widget: WidgetType): void;
  append(at: number, widget: WidgetType): void;
}

function createPainter(
  state: EditorState,
  visible: Span,
  hasFocus: boolean,
  imageUrls: ImageUrls,
  decorations: Range<Decoration>[],
): Painter {
  const { doc, selection } = state;
  return {
    state,
    imageUrls,
    isTouched: ({ from, to }) =>
      hasFocus && selection.ranges.some((range) => range.from <= to && range.to >= from),
    lines({ from, to }) {
      const end = Math.min(to, visible.to);
      const lines: Line[] = [];
      for (let at = Math.max(from, visible.from); at <= end; ) {
        const line = doc.lineAt(at);
        lines.push(line);
        at = line.to + 1;
      }
      return lines;
    },
    line(classes, line) {
      // A line that continues another one has no start of its own.
      const isContinued = line.number > 1 && softBreakAfter(state, doc.line(line.number - 1)) !== undefined;
      if (!isContinued) decorations.push(Decoration.line({ class: prefixed(classes) }).range(line.from));
    },
    mark(classes, { from, to }, title) {
      if (from >= to) return;
      const attributes = title === undefined ? {} : { attributes: { title } };
      decorations.push(Decoration.mark({ class: prefixed(classes), ...attributes }).range(from, to));
    },
    hide({ from, to }) {
      if (from < to) decorations.push(HIDDEN.range(from, to));
    },
    replace: ({ from, to }, widget) => decorations.push(Decoration.replace({ widget }).range(from, to)),
    append: (at, widget) => decorations.push(Decoration.widget({ widget, side: 1 }).range(at)),
  };
}

type Paint = (painter: Painter, node: SyntaxNode) => void;

/** An element between two marks, such as `**strong**`. */
const between =
  (name: string): Paint =>
  (painter, node) => {
    painter.mark(name, node);
    if (painter.isTouched(node) || node.firstChild === null || node.lastChild === null) return;
    painter.hide(node.firstChild);
    painter.hide(node.lastChild);
  };

/** Code that is not Markdown is shown as it is. */
const sourceLines: Paint = (painter, node) => {
  for (const line of painter.lines(node)) painter.line('source', line);
};

/** A picture with a caption shows no tags. */
const htmlBlock: Paint = (painter, node) => {
  const { state } = painter;
  const text = state.sliceDoc(node.from, node.to);
  const [, start = '', caption = ''] = FIGURE_END.exec(text) ?? [];
  const isFigure = text.trimEnd() === '<figure>' || caption !== '';
  if (!isFigure || painter.isTouched(node)) {
    sourceLines(painter, node);
    return;
  }
  for (const line of painter.lines(node)) {
    const at = line.from - node.from;
    painter.line('caption', line);
    if (caption === '' || at > 0)
      painter.hide({ from: Math.max(line.from, node.from), to: Math.min(line.to, node.to) });
    else {
      const from = node.from + start.length;
      painter.hide({ from: node.from, to: from });
      painter.hide({ from: from + caption.length, to: line.to });
    }
  }
};
/** The end of the figure that `imageMarkup` makes. */
const FIGURE_END = /^(<figcaption>)([^<\n]+)<\/figcaption>\n[> \t]*<\/figure>\s*$/;

const source: Paint = (painter, node) => painter.mark('code', node);

const heading =
  (level: number): Paint =>
  (painter, node) => {
    const { doc } = painter.state;
    for (const line of painter.lines(node)) painter.line(`heading h${level}`, line);
    const isTouched = painter.isTouched(node);
    for (const sign of node.getChildren('HeaderMark')) {
      const isUnderline = doc.lineAt(sign.from).from > node.from;
      if (isTouched || isUnderline) painter.mark('faint', sign);
      else if (sign.from === node.from) painter.hide(withSpace(painter.state, sign));
      else painter.hide(sign);
    }
  };

const link: Paint = (painter, node) => {
  const address = addressOf(painter.state, node);
  const labelEnd = node.getChildren('LinkMark')[1]?.from;
  // Brackets alone are text.
  if (labelEnd === undefined || (address === undefined && node.getChild('LinkLabel') === null)) return;
  painter.mark('link', node, address);
  if (painter.isTouched(node) || labelEnd === node.from + 1) return;
  painter.hide({ from: node.from, to: node.from + 1 });
  for (const line of painter.lines({ from: labelEnd, to: node.to })) {
    painter.hide({ from: Math.max(line.from, labelEnd), to: Math.min(line.to, node.to) });
  }
};

const image: Paint = (painter, node) => {
  const { state } = painter;
  const address = addressOf(state, node);
  if (address === undefined || state.doc.lineAt(node.from).to < node.to) {
    painter.mark('code', node);
    return;
  }
  const widget = new ImageWidget(painter.imageUrls(address), labelOf(state, node), address);
  if (painter.isTouched(node)) {
    painter.mark('code', node);
    painter.append(node.to, widget);
  } else {
    painter.replace(node, widget);
  }
};

/** The indentation and the marker of an item are as wide as their columns, so that wrapped lines start below the text. */
const listItem: Paint = (painter, node) => {
  const { doc } = painter.state;
  const sign = node.getChild('ListMark');
  if (sign === null) return;
  const first = doc.lineAt(sign.from);
  const columns = sign.to + 1 - first.from;
  const inner = node.getChild('BulletList') ?? node.getChild('OrderedList');
  const end = inner === null ? node.to : Math.max(first.to, doc.lineAt(inner.from).from - 1);
  for (const line of painter.lines({ from: node.from, to: end })) {
    const isFirst = line.number === first.number;
    const spaces = isFirst ? sign.from - line.from : Math.min(columns, /^\s*/.exec(line.text)![0].length);
    const hang = isFirst || spaces > 0 ? ' hang' : '';
    painter.line(`indent-${Math.min(columns, MAX_INDENT)}${hang}`, line);
    painter.mark(columnsClass(isFirst ? spaces : columns), { from: line.from, to: line.from + spaces });
  }
  const box = withSpace(painter.state, sign);
  if (node.parent?.name === 'BulletList' && !painter.isTouched(box)) painter.replace(box, BULLET);
  else painter.mark(`${columnsClass(sign.to + 1 - sign.from)} faint`, box);
};

const task: Paint = (painter, node) => {
  const { state } = painter;
  const sign = node.getChild('TaskMarker');
  if (sign === null) return;
  const isDone = state.sliceDoc(sign.from + 1, sign.to - 1) !== ' ';
  if (isDone) painter.mark('done', { from: sign.to, to: node.to });
  if (painter.isTouched(sign)) return;
  const label = state.sliceDoc(sign.to, state.doc.lineAt(sign.to).to).trim();
  painter.replace(sign, new CheckboxWidget(isDone, label, state.readOnly));
};

const quoteMark: Paint = (painter, node) => {
  if (!painter.isTouched(painter.state.doc.lineAt(node.from))) painter.hide(withSpace(painter.state, node));
};

const codeBlock: Paint = (painter, node) => {
  const isTouched = painter.isTouched(node);
  const signs = node.getChildren('CodeMark');
  for (const line of painter.lines(node)) {
    const edges = `${line.from <= node.from ? ' first' : ''}${line.to >= node.to ? ' last' : ''}`;
    const isFence = !isTouched && signs.some(({ from }) => from >= line.from && from <= line.to);
    painter.line(`code-line${edges}${isFence ? ' fence' : ''}`, line);
  }
  for (const sign of signs) {
    if (isTouched) painter.mark('faint', sign);
    else painter.hide(sign);
  }
  const info = node.getChild('CodeInfo');
  if (info !== null) painter.mark('faint', info);
};

const ELEMENTS: Readonly<Record<string, Paint>> = {
  ATXHeading1: heading(1),
  ATXHeading2: heading(2),
  ATXHeading3: heading(3),
  ATXHeading4: heading(4),
  ATXHeading5: heading(5),
  ATXHeading6: heading(6),
  SetextHeading1: heading(1),
  SetextHeading2: heading(2),
  Emphasis: between('emphasis'),
  StrongEmphasis: between('strong'),
  Strikethrough: between('strike'),
  InlineCode: between('code'),
  Autolink: between('link'),
  Link: link,
  URL(painter, node) {
    if (!WITH_ADDRESS.includes(node.parent?.name ?? '')) painter.mark('link', node);
  },
  Image: image,
  ListItem: listItem,
  Task: task,
  Blockquote(painter, node) {
    for (const line of painter.lines(node)) painter.line('quote', line);
  },
  QuoteMark: quoteMark,
  FencedCode: codeBlock,
  CodeBlock: codeBlock,
  Table: sourceLines,
  HorizontalRule(painter, node) {
    if (painter.isTouched(node)) painter.mark('faint', node);
    else painter.replace(node, RULE);
  },
  Escape(painter, node) {
    if (!painter.isTouched(node)) painter.hide({ from: node.from, to: node.from + 1 });
  },
  HardBreak(painter, { from, to }) {
    if (!painter.isTouched({ from, to: to - 1 })) painter.hide({ from, to: to - 1 });
  },
  HTMLBlock: htmlBlock,
  CommentBlock: sourceLines,
  ProcessingInstructionBlock: sourceLines,
  ModuleCode: sourceLines,
  LinkReference: sourceLines,
  HTMLTag: source,
  ComponentTag: source,
  Comment: source,
  ProcessingInstruction: source,
  Expression: source,
  Entity: source,
};

const WITH_ADDRESS = ['Link', 'Image', 'Autolink', 'LinkReference'];
const HIDDEN = Decoration.replace({});
const BULLET = new BulletWidget();
const RULE = new RuleWidget();

function columnsClass(count: number): string {
  return `columns columns-${Math.min(count, MAX_INDENT)}`;
}

function prefixed(classes: string): string {
  return classes.replace(/\S+/g, 'md-$&');
}

function withSpace({ doc }: EditorState, { from, to }: Span): Span {
  return { from, to: doc.sliceString(to, to + 1) === ' ' ? to + 1 : to };
}
