import { syntaxTree } from '@codemirror/language';
import type { Range } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type KeyBinding,
  keymap,
  ViewPlugin,
  WidgetType,
} from '@codemirror/view';
import { toolsText } from '../texts/tools.ts';
import { type SyntaxNode, sourceView } from './nodes.ts';
import { element } from './widgets.ts';

/** Names that highlighters know. Others can be typed. */
const LANGUAGES =
  'astro bash c cpp csharp css diff docker go graphql html http ini java javascript json jsx kotlin lua make markdown mdx nginx php powershell python ruby rust scss sql svelte swift toml tsx typescript vue xml yaml'.split(
    ' ',
  );

/** A field for the language at each code block between fences. */
export function codeLanguages() {
  const fields = ViewPlugin.define(
    (view) => ({
      decorations: decorate(view),
      update(update) {
        const isParsed = syntaxTree(update.state) !== syntaxTree(update.startState);
        const isSame = !update.docChanged && !update.viewportChanged && !update.selectionSet && !isParsed;
        if (!isSame || update.transactions.some(({ reconfigured }) => reconfigured)) {
          this.decorations = decorate(update.view);
        }
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  );
  return [fields, keymap.of([FOCUS]), theme];
}

/** The range of the language behind a fence; empty without a language. */
export function languageOf(view: Pick<EditorView, 'state'>, block: SyntaxNode): Span | undefined {
  const { state } = view;
  const fence = block.getChild('CodeMark');
  if (fence === null) return undefined;
  const info = block.getChild('CodeInfo');
  if (info === null) return { from: fence.to, to: fence.to };
  const [word = ''] = /^\S*/.exec(state.sliceDoc(info.from, info.to)) ?? [];
  return { from: info.from, to: info.from + word.length };
}

/** A language as it is written behind a fence: one word without backticks. */
export function languageName(typed: string): string {
  return typed.trim().replaceAll('`', '').replace(/\s+/g, '-');
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function decorate(view: EditorView): DecorationSet {
  const { state } = view;
  const ranges: Range<Decoration>[] = [];
  if (state.readOnly || state.facet(sourceView)) return Decoration.none;
  for (const range of view.visibleRanges) {
    syntaxTree(state).iterate({
      ...range,
      enter({ name, node }) {
        if (name !== 'FencedCode') return;
        const language = languageOf(view, node);
        const line = state.doc.lineAt(node.from);
        if (language === undefined || line.from < range.from) return;
        const { main } = state.selection;
        const isTouched = view.hasFocus && main.from <= line.to && main.to >= line.from;
        if (!isTouched && language.from < language.to) {
          ranges.push(Decoration.replace({}).range(language.from, language.to));
        }
        const widget = new LanguageWidget(state.sliceDoc(language.from, language.to));
        ranges.push(Decoration.widget({ widget, side: 1 }).range(line.to));
      },
    });
  }
  return Decoration.set(ranges, true);
}

class LanguageWidget extends WidgetType {
  readonly language: string;

  constructor(language: string) {
    super();
    this.language = language;
  }
  override eq({ language }: LanguageWidget): boolean {
    return language === this.language;
  }
  override toDOM(view: EditorView): HTMLElement {
    const label = toolsText('body.codeLanguage');
    const list = `languages-${Math.random().toString(36).slice(2)}`;
    const input = element('input', {
      class: 'md-code-language',
      'aria-label': label,
      placeholder: label,
      list,
      autocapitalize: 'off',
      autocomplete: 'off',
      spellcheck: 'false',
    });
    input.value = this.language;
    input.addEventListener('change', () => writeLanguage(view, input));
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === 'Enter') writeLanguage(view, input);
      view.focus();
    });
    const options = element('datalist', { id: list });
    options.append(...LANGUAGES.map((value) => element('option', { value })));
    const frame = element('span', { class: 'md-code-info' });
    frame.append(input, options);
    return frame;
  }
  override updateDOM(frame: HTMLElement): boolean {
    const input = frame.querySelector('input');
    if (input !== null) input.value = this.language;
    return input !== null;
  }
}

function writeLanguage(view: EditorView, input: HTMLInputElement): void {
  const block = codeAt(view, view.posAtDOM(input));
  const language = block && languageOf(view, block);
  if (language === undefined) return;
  const insert = languageName(input.value);
  if (view.state.sliceDoc(language.from, language.to) === insert) return;
  view.dispatch({ changes: { ...language, insert }, userEvent: 'input.format' });
}

/** The code block around a position, or in its line. */
function codeAt({ state }: EditorView, at: number): SyntaxNode | undefined {
  for (const side of [-1, 1] as const) {
    let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side);
    for (; node !== null; node = node.parent) if (node.name === 'FencedCode') return node;
  }
  return undefined;
}

/** The same key as in tables. */
const FOCUS: KeyBinding = {
  key: 'Alt-F10',
  run(view) {
    const block = codeAt(view, view.state.selection.main.head);
    if (block === undefined) return false;
    for (const input of view.contentDOM.querySelectorAll<HTMLInputElement>('.md-code-language')) {
      if (codeAt(view, view.posAtDOM(input))?.from !== block.from) continue;
      input.focus();
      input.select();
      return true;
    }
    return false;
  },
};

const theme = EditorView.theme({
  '.md-code-info': { display: 'inline-block', verticalAlign: 'middle', textIndent: '0' },
  '.md-code-language': {
    width: '130px',
    height: '26px',
    margin: '0 6px',
    padding: '0 6px',
    border: '1px solid var(--line)',
    borderRadius: '5px',
    background: 'var(--panel)',
    color: 'var(--muted)',
    fontFamily: 'var(--sans)',
    fontSize: '12.5px',
  },
});
