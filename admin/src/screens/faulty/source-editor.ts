import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { Compartment, EditorState, RangeSetBuilder } from '@codemirror/state';
import { Decoration, EditorView, GutterMarker, gutterLineClass, keymap, lineNumbers } from '@codemirror/view';
import type { SourceProblem } from '../../api/unfinished.ts';

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
        lineNumbers(),
        history(),
        marks.of([]),
        keymap.of([{ key: 'Mod-s', run: save }, ...historyKeymap, ...defaultKeymap]),
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
      const lines = [...new Set(problems.map(({ line }) => Math.min(Math.max(line, 1), doc.lines)))].sort(
        (one, other) => one - other,
      );
      const faulty = new RangeSetBuilder<Decoration>();
      const numbers = new RangeSetBuilder<GutterMarker>();
      for (const line of lines) {
        const { from } = doc.line(line);
        faulty.add(from, from, FAULTY_LINE);
        numbers.add(from, from, FAULTY_NUMBER);
      }
      const extensions = [EditorView.decorations.of(faulty.finish()), gutterLineClass.of(numbers.finish())];
      view.dispatch({ effects: marks.reconfigure(extensions) });
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
const FAULTY_NUMBER = new (class extends GutterMarker {
  override elementClass = 'faulty-number';
})();

/** The colours are those of the page, light and dark. */
const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', background: 'var(--panel)', fontSize: '14px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.65' },
  '.cm-content': { padding: '12px 0 24px', minHeight: '280px', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 12px' },
  '.cm-gutters': {
    background: 'var(--sunk)',
    color: 'var(--muted)',
    border: '0',
    borderRight: '1px solid var(--line)',
  },
  '.faulty-line': { background: 'var(--bad-soft)', boxShadow: 'inset 3px 0 0 var(--bad)' },
  '.faulty-number': { background: 'var(--bad-soft)', color: 'var(--bad)', fontWeight: '700' },
});
