import { type Completion, startCompletion } from '@codemirror/autocomplete';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { EditorState, Prec, StateEffect } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';
import type { Action } from './actions.ts';
import { codeLanguages } from './code-languages.ts';
import { embeds } from './embeds.ts';
import { footnote, footnotes } from './footnotes.ts';
import { textPlace } from './nodes.ts';
import { phrases } from './phrases.ts';
import { slashMenu } from './slash-menu.ts';
import { startTable } from './typed-table.ts';

const withTools = new WeakSet<EditorView>();

/** Adds the search and the slash menu to an editor, once. */
export function addTools(view: EditorView, actions: readonly Action[]): void {
  if (withTools.has(view)) return;
  withTools.add(view);
  const further: Completion[] = [];
  const tools = [
    EditorState.phrases.of(phrases()),
    search({ top: true }),
    slashMenu(actions, () => (view.state.readOnly ? [] : further)),
    codeLanguages(),
    footnotes,
    embeds,
    Prec.high(keymap.of([{ key: 'Enter', run: startTable }])),
    keymap.of(searchKeymap.filter(({ key }) => SEARCH_KEYS.includes(key ?? ''))),
  ];
  view.dispatch({ effects: StateEffect.appendConfig.of(tools) });
  // For a slash that was typed before.
  startCompletion(view);
  if (view.state.facet(textPlace)?.isMdx) void addComponents(view, further);
}

/** Adds the cards of components, and a choice for each of the site to the slash menu. */
async function addComponents(view: EditorView, further: Completion[]): Promise<void> {
  const { components, componentKeys, componentChoices } = await import('./components.ts');
  view.dispatch({ effects: StateEffect.appendConfig.of([components, componentKeys]) });
  further.push(...(await componentChoices()));
}

export function openSearch(view: EditorView, actions: readonly Action[]): void {
  addTools(view, actions);
  openSearchPanel(view);
}

export { footnote };

const SEARCH_KEYS = ['F3', 'Mod-g', 'Escape'];
