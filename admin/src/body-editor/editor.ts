import { history, historyKeymap, insertNewlineKeepIndent, standardKeymap } from '@codemirror/commands';
import { deleteMarkupBackward, insertNewlineContinueMarkup, pasteURLAsLink } from '@codemirror/lang-markdown';
import { syntaxTree } from '@codemirror/language';
import { Compartment, EditorState, type Extension, Prec, Text, Transaction } from '@codemirror/state';
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightSpecialChars,
  type KeyBinding,
  keymap,
  panels,
} from '@codemirror/view';
import { text } from '../texts/texts.ts';
import type { Action } from './actions.ts';
import { indentItems, outdentItems, tickTasks } from './commands.ts';
import type { ImageUrls } from './decorate.ts';
import { markdownLanguage } from './language.ts';
import { editorText, type LineEndings, lineEndingsOf } from './line-endings.ts';
import { editorPhrases, type TextPlace, textPlace } from './nodes.ts';
import { paste } from './paste.ts';
import { placeholders } from './placeholders.ts';
import { preview } from './preview.ts';
import { textChanges } from './text-changes.ts';
import { sourceLook, theme } from './theme.ts';

export interface EditorOptions {
  readonly parent: HTMLElement;
  /** Above the text, where panels such as the search open. It may stay in view while the page scrolls. */
  readonly head: HTMLElement;
  readonly value: string;
  /** Allows the style elements of the editor under the page's content security policy. */
  readonly nonce: string;
  readonly place: Omit<TextPlace, 'fileUrls'>;
  readonly actions: readonly Action[];
  readonly keys: readonly KeyBinding[];
  readonly imageUrls: ImageUrls;
  /** Called with the new text after each change that `setValue` did not make. */
  onchange(value: string): void;
  /** Called after each change of the text or the selection. */
  onupdate(state: EditorState): void;
  /** Called with files that are dropped or pasted, and the position for them. */
  onfiles(files: readonly File[], at: number): void;
}

export interface Editor {
  readonly view: EditorView;
  /** Changes the parts of the text that differ. The cursor and the undo history stay. */
  setValue(value: string): void;
  setSource(isSource: boolean): void;
  setReadOnly(isReadOnly: boolean): void;
  setAttributes(attributes: Readonly<Record<string, string>>): void;
  destroy(): void;
}

/** A text field for Markdown. The text is never normalized: all parts that are not edited keep their bytes. */
export function createEditor(options: EditorOptions): Editor {
  const { value, actions, onchange, onupdate } = options;
  const [look, readOnly, attributes, separator] = [
    new Compartment(),
    new Compartment(),
    new Compartment(),
    new Compartment(),
  ];
  let endings = lineEndingsOf(value);
  let isReplacing = false;
  const editing = preview(options.imageUrls);
  const pasting = [pasteURLAsLink, Prec.high(paste(options.onfiles))];
  let tables: Extension | undefined;
  let isSource = false;
  const textOf = ({ doc }: EditorState): string => doc.sliceString(0, doc.length, endings.separator);

  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({
      doc: editorText(value, endings),
      extensions: [
        separator.of(separatorOf(endings)),
        look.of(editing),
        readOnly.of([]),
        attributes.of([]),
        EditorView.cspNonce.of(options.nonce),
        textPlace.of({ ...options.place, fileUrls: options.imageUrls }),
        EditorState.phrases.of(
          Object.assign(editorPhrases, { 'Control character': text('body.controlCharacter') }),
        ),
        keymap.of([...options.keys, ...actions.flatMap(keyOf), ...MARKDOWN_KEYS]),
        markdownLanguage,
        pasting,
        history(),
        drawSelection(),
        dropCursor(),
        highlightSpecialChars({ specialChars: HIDDEN_CHARACTERS }),
        EditorView.lineWrapping,
        // Each line has the direction of its own letters.
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of({
          spellcheck: 'true',
          autocorrect: 'on',
          autocapitalize: 'sentences',
        }),
        panels({ topContainer: options.head }),
        EditorView.scrollMargins.of(() => ({ top: coveredBy(options.head) })),
        // Only people who use the text need them.
        EditorView.domEventHandlers({
          focus: (_, focused) => loadTools(focused),
        }),
        placeholders,
        keymap.of([...historyKeymap, ...standardKeymap]),
        theme,
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isReplacing) onchange(textOf(update.state));
          if (update.docChanged || update.selectionSet) onupdate(update.state);
          if (syntaxTree(update.state) !== syntaxTree(update.startState)) loadTables(update.state);
        }),
      ],
    }),
  });

  loadTables(view.state);
  if (/<(?:video|audio)\s/.test(value)) loadTools(view);

  return {
    view,
    setValue(next) {
      if (next === textOf(view.state)) return;
      endings = lineEndingsOf(next);
      const changes = textChanges(view.state.doc.toString(), editorText(next, endings));
      isReplacing = true;
      view.dispatch({
        changes: changes.map((change) => ({ ...change, insert: Text.of(change.insert.split('\n')) })),
        effects: separator.reconfigure(separatorOf(endings)),
        annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)],
      });
      isReplacing = false;
    },
    setSource(next) {
      isSource = next;
      show();
    },
    setReadOnly: (isReadOnly) =>
      view.dispatch({ effects: readOnly.reconfigure(isReadOnly ? EditorState.readOnly.of(true) : []) }),
    setAttributes: (values) =>
      view.dispatch({ effects: attributes.reconfigure(EditorView.contentAttributes.of({ ...values })) }),
    destroy: () => view.destroy(),
  };

  function loadTools(of: EditorView): void {
    void import('./tools.ts').then(({ addTools }) => addTools(of, actions));
  }

  function show(): void {
    view.dispatch({ effects: look.reconfigure(isSource ? sourceLook : [editing, tables ?? []]) });
  }

  /** Only texts with tables need their editor. Without it, tables are shown as text. */
  function loadTables(state: EditorState): void {
    if (tables !== undefined || !hasTable(state)) return;
    tables = [];
    import('./tables/tables.ts').then(
      (module) => {
        tables = module.tables(options.imageUrls, [editing, pasting]);
        show();
      },
      () => (tables = undefined),
    );
  }
}

/** True if the parsed part of a text has a table. */
function hasTable(state: EditorState): boolean {
  let found = false;
  syntaxTree(state).iterate({
    enter({ name }) {
      found ||= name === 'Table';
      return WITH_BLOCKS.test(name);
    },
  });
  return found;
}

const WITH_BLOCKS = /^(?:Document|Blockquote|\w*List|ListItem)$/;

/** Lists continue on a new line. Tab changes the level of a list item; elsewhere, and after Escape, it moves the focus. */
const MARKDOWN_KEYS: readonly KeyBinding[] = [
  { key: 'Enter', run: (view) => insertNewlineContinueMarkup(view) || insertNewlineKeepIndent(view) },
  { key: 'Backspace', run: deleteMarkupBackward },
  { key: 'Tab', run: indentItems, shift: outdentItems },
  { key: 'Alt-Enter', run: tickTasks },
];
/** Characters that cannot be seen, except carriage returns: texts with several kinds of line endings have them. */
const HIDDEN_CHARACTERS = /[^\P{Cc}\t\r\n]|[\u00ad\u200b\u200e\u200f\u2028\u2029\ufeff]/gu;

/** Pixels at the top of the window that an element covers when it sticks there. */
function coveredBy(element: HTMLElement): number {
  return element.offsetHeight + Number.parseFloat(getComputedStyle(element).top);
}

function separatorOf({ isMixed }: LineEndings) {
  return isMixed ? EditorState.lineSeparator.of('\n') : [];
}

/** The application has shortcuts of its own, such as Ctrl+K. */
function keyOf({ key, run }: Action): readonly KeyBinding[] {
  return key === undefined ? [] : [{ key, run, preventDefault: true, stopPropagation: true }];
}
