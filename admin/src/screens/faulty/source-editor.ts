import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { Compartment, EditorState, type Range } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, keymap, ViewPlugin } from '@codemirror/view';
import type { SourceProblem } from '../../api/unfinished-lists.ts';

export interface SourceEditorOptions {
  readonly parent: HTMLElement;
  readonly value: string;
  readonly label: string;
  /** Allows the style elements of the editor under the page's content security policy. */
  readonly nonce: string;
  onchange(value: string): void;
  onsave(): void;
}

export interface SourceEditor {
  /** Marks the lines with errors. */
  mark(problems: readonly Pick<SourceProblem, 'line'>[]): void;
  /** Moves the cursor to a place and takes the focus. */
  show(problem: Pick<SourceProblem, 'line' | 'column'>): void;
  destroy(): void;
}

/** A text field for the whole text of a file, with line numbers. */
export function createSourceEditor({
  parent,
  value,
  label,
  nonce,
  onchange,
  onsave,
}: SourceEditorOptions): SourceEditor {
  const marks = new Compartment();
  const save = () => {
    onsave();
    return true;
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: value,
      extensions: [
        EditorView.cspNonce.of(nonce),
        LINE_NUMBERS,
        history(),
        marks.of([]),
        keymap.of([{ key: 'Mod-s', run: save }, ...historyKeymap, ...standardKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-multiline': 'true',
          spellcheck: 'false',
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onchange(state.doc.toString());
        }),
        THEME,
      ],
    }),
  });
  return {
    mark(problems) {
      const { doc } = view.state;
      const lines = [...new Set(problems.map(({ line }) => Math.min(Math.max(line, 1), doc.lines)))];
      const faulty = lines.map((line) => FAULTY_LINE.range(doc.line(line).from));
      view.dispatch({ effects: marks.reconfigure(EditorView.decorations.of(Decoration.set(faulty, true))) });
    },
    show({ line, column }) {
      const { from, length } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      const at = from + Math.min(Math.max(column - 1, 0), length);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

const FAULTY_LINE = Decoration.line({ class: 'faulty-line' });
/** The numbers of the lines in view. */
const LINE_NUMBERS = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = numbersOf(view);
    }
    update({
      view,
      docChanged,
      viewportChanged,
    }: {
      view: EditorView;
      docChanged: boolean;
      viewportChanged: boolean;
    }): void {
      if (docChanged || viewportChanged) this.decorations = numbersOf(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function numbersOf({ state: { doc }, viewport }: EditorView): DecorationSet {
  const last = doc.lineAt(viewport.to).number;
  const numbers: Range<Decoration>[] = [];
  for (let number = doc.lineAt(viewport.from).number; number <= last; number++) {
    const numbered = Decoration.line({ attributes: { 'data-line': String(number) } });
    numbers.push(numbered.range(doc.line(number).from));
  }
  return Decoration.set(numbers);
}

/** The colours are those of the page, light and dark. */
const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', background: 'var(--panel)', fontSize: '14px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.65' },
  '.cm-content': { padding: '12px 0 24px', minHeight: '280px', caretColor: 'var(--ink)' },
  '.cm-line': { position: 'relative', padding: '0 12px 0 64px' },
  '.cm-line::before': {
    content: 'attr(data-line)',
    position: 'absolute',
    inset: '0 auto 0 0',
    width: '48px',
    paddingRight: '8px',
    boxSizing: 'border-box',
    textAlign: 'right',
    color: 'var(--muted)',
    background: 'var(--sunk)',
    borderRight: '1px solid var(--line)',
  },
  '.faulty-line': { background: 'var(--bad-soft)' },
  '.faulty-line::before': {
    color: 'var(--bad)',
    background: 'var(--bad-soft)',
    borderRight: '3px solid var(--bad)',
    fontWeight: '700',
  },
});
