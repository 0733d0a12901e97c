import {
  autocompletion,
  type Completion,
  type CompletionContext,
  completionStatus,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import { Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { text } from '../texts/texts.ts';
import { toolsText } from '../texts/tools.ts';
import { type Action, type ActionName, keyName } from './actions.ts';

/** Milliseconds, as CodeMirror has it. */
const TAB_LEAVES_FOR = 2000;

/** A slash at the start of a line opens a menu of blocks to insert. */
export function slashMenu(actions: readonly Action[], further: () => readonly Completion[]) {
  const options = actions.flatMap(({ name, label, run, key }, at): readonly Completion[] =>
    !isInMenu(name)
      ? []
      : [
          {
            label: `${text(label)} ${toolsText(`body.${name}Words`)}`,
            displayLabel: text(label),
            boost: -at,
            ...(key !== undefined && { detail: keyName(key) }),
            apply: inPlace(run),
          },
        ],
  );
  const menu = autocompletion({
    icons: false,
    override: [
      (context: CompletionContext) => {
        const typed = context.matchBefore(/\/[\p{L}\d ]*$/u);
        if (typed === null || !isAtStart(context, typed.from)) return null;
        return {
          from: typed.from + 1,
          options: [...options, ...further()],
          validFor: /^[\p{L}\d]+(?: [\p{L}\d]*)?$|^$/u,
        };
      },
    ],
  });
  return [Prec.highest(keymap.of([{ key: 'Escape', run: letTabLeave }])), menu, combobox];
}

/** While the menu is open, the text is the combobox of its list. A combobox has one line. */
const combobox = EditorView.updateListener.of(({ state, startState, view: { contentDOM } }) => {
  const isOpen = completionStatus(state) === 'active';
  if (isOpen === (completionStatus(startState) === 'active')) return;
  contentDOM.role = isOpen ? 'combobox' : 'textbox';
  contentDOM.ariaExpanded = isOpen ? 'true' : null;
  contentDOM.ariaMultiLine = isOpen ? null : 'true';
});

const IN_MENU = [
  'h2',
  'h3',
  'h4',
  'bullets',
  'numbers',
  'tasks',
  'quote',
  'codeBlock',
  'table',
  'rule',
  'link',
  'image',
  'video',
  'footnote',
] as const satisfies readonly ActionName[];

function isInMenu(name: ActionName): name is (typeof IN_MENU)[number] {
  return (IN_MENU as readonly ActionName[]).includes(name);
}

/** What a choice does in place of the typed slash and the words behind it. */
export function inPlace(
  run: (view: EditorView) => unknown,
): Exclude<Completion['apply'], string | undefined> {
  return (view, completion, from, to) => {
    view.dispatch({
      changes: { from: from - 1, to },
      annotations: pickedCompletion.of(completion),
      userEvent: 'delete',
    });
    run(view);
  };
}

/** Escape lets Tab leave the text, also while a menu is looked for that may never open. */
function letTabLeave(view: EditorView): boolean {
  if (completionStatus(view.state) === 'pending') view.setTabFocusMode(TAB_LEAVES_FOR);
  return false;
}

/** True if only marks of lists and quotes are before the position, and it is not in code. */
function isAtStart({ state }: CompletionContext, at: number): boolean {
  const line = state.doc.lineAt(at);
  if (!/^(?:\s|>|[-*+]\s|\d+[.)]\s)*$/.test(state.sliceDoc(line.from, at))) return false;
  return !/Code|HTML|Comment/.test(syntaxTree(state).resolveInner(at, 1).name);
}
