import { syntaxTree } from '@codemirror/language';
import {
  type EditorState,
  type Extension,
  StateEffect,
  StateField,
  type TransactionSpec,
} from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import { text } from '../texts/texts.ts';
import type { SyntaxNode } from './nodes.ts';
import { element } from './widgets.ts';

/** A place in the text for an image that is being uploaded. */
interface Placeholder {
  readonly id: number;
  readonly at: number;
  readonly name: string;
  /** From 0 to 1. */
  readonly progress: number;
}

const add = StateEffect.define<Omit<Placeholder, 'progress'>>({
  map: ({ at, ...others }, changes) => ({ ...others, at: changes.mapPos(at, 1) }),
});
const advance = StateEffect.define<Pick<Placeholder, 'id' | 'progress'>>();
const remove = StateEffect.define<number>();

const field = StateField.define<readonly Placeholder[]>({
  create: () => [],
  update(placeholders, { changes, effects }) {
    let next = changes.empty
      ? placeholders
      : placeholders.map((each) => ({ ...each, at: changes.mapPos(each.at, 1) }));
    for (const effect of effects) {
      if (effect.is(add)) next = [...next, { ...effect.value, progress: 0 }];
      else if (effect.is(remove)) next = next.filter(({ id }) => id !== effect.value);
      else if (effect.is(advance)) {
        const { id, progress } = effect.value;
        next = next.map((each) => (each.id === id ? { ...each, progress } : each));
      }
    }
    return next;
  },
  provide: (self) =>
    EditorView.decorations.from(self, (placeholders) =>
      Decoration.set(
        placeholders.map(({ at, name, progress }) =>
          Decoration.widget({ widget: new ProgressWidget(name, progress), side: 1 }).range(at),
        ),
        true,
      ),
    ),
});

/** Shows the progress of uploads in the text. */
export const placeholders: Extension = field;

/** Keeps a place behind the paragraph at a position, or before it if the position is its start. */
export function addPlaceholder(state: EditorState, id: number, at: number, name: string): TransactionSpec {
  const paragraph = paragraphAt(state, at);
  const isInside = paragraph !== undefined && at > paragraph.from;
  return { effects: add.of({ id, at: isInside ? paragraph.to : at, name }) };
}

export function advancePlaceholder(id: number, progress: number): TransactionSpec {
  return { effects: advance.of({ id, progress }) };
}

export function removePlaceholder(id: number): TransactionSpec {
  return { effects: remove.of(id) };
}

/** Writes text in place of a placeholder, as a paragraph of its own except in tables and code. */
export function fillPlaceholder(state: EditorState, id: number, markdown: string): TransactionSpec {
  const at = state.field(field).find((each) => each.id === id)?.at;
  if (at === undefined) return {};
  const isBlock = isBlank(state.doc.lineAt(at).text) || paragraphAt(state, at) !== undefined;
  const { before, after } = isBlock ? breaksAround(state, at) : { before: '', after: '' };
  const marks = marksOf(state.doc.lineAt(at).text);
  const insert = markdown.replace(/\n(?!\n)/g, `\n${marks}`).replace(/\n(?=\n)/g, `\n${marks.trimEnd()}`);
  const { main } = state.selection;
  return {
    changes: { from: at, insert: before + insert + after },
    ...(main.empty && main.head === at && { selection: { anchor: at + before.length + insert.length } }),
    effects: remove.of(id),
    scrollIntoView: true,
    userEvent: 'input.paste',
  };
}

/** The line breaks that make a block of text at a position, in the same quote or list item. */
export function breaksAround(
  state: EditorState,
  at: number,
): { readonly before: string; readonly after: string } {
  const { doc } = state;
  const line = doc.lineAt(at);
  const [, , marker = ''] = MARKS.exec(line.text) ?? [];
  const marks = marksOf(line.text);
  const blank = `\n${marks.trimEnd()}`;
  const isNextTo = (number: number) => number > 0 && number <= doc.lines && !isBlank(doc.line(number).text);
  const follows = line.from + marks.length < at;
  const precedes = !isBlank(state.sliceDoc(at, line.to));
  const isBelow = marker === '' && isNextTo(line.number - 1);
  return {
    before: follows ? `${blank}\n${marks}` : isBelow ? `\n${marks}` : '',
    after: precedes ? `${blank}\n${marks}` : isNextTo(line.number + 1) ? blank : '',
  };
}

/** The start of the next line in the quote or list item of a line. */
export function marksOf(line: string): string {
  const [, quote = '', marker = ''] = MARKS.exec(line) ?? [];
  return quote + ' '.repeat(marker.length);
}

/** The paragraph or heading at a position. */
function paragraphAt(state: EditorState, at: number): SyntaxNode | undefined {
  for (const side of [-1, 1] as const) {
    let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side);
    for (; node !== null; node = node.parent) if (PARAGRAPH.test(node.name)) return node;
  }
  return undefined;
}

const PARAGRAPH = /^(?:Paragraph|Task|(?:ATX|Setext)Heading\d)$/;
/** The marks of quotes and of a list item at the start of a line. */
const MARKS = /^([\s>]*)((?:[-*+]|\d{1,9}[.)])\s+)?/;

function isBlank(text: string): boolean {
  return /^[\s>]*$/.test(text);
}

class ProgressWidget extends WidgetType {
  readonly name: string;
  readonly progress: number;

  constructor(name: string, progress: number) {
    super();
    this.name = name;
    this.progress = progress;
  }

  override eq({ name, progress }: ProgressWidget): boolean {
    return name === this.name && progress === this.progress;
  }

  override toDOM(): HTMLElement {
    const frame = element('span', { class: 'md-upload' }, text('body.uploading', { name: this.name }));
    const bar = element('progress', { max: '1', 'aria-label': this.name });
    bar.value = this.progress;
    frame.append(bar);
    return frame;
  }

  override updateDOM(frame: HTMLElement, _: EditorView, { name }: this): boolean {
    const bar = frame.querySelector('progress');
    if (bar === null || name !== this.name) return false;
    bar.value = this.progress;
    return true;
  }
}
