import { type Completion, startCompletion } from '@codemirror/autocomplete';
import { openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { Prec, StateEffect } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';
import { readMarkup } from '../api/markup.ts';
import { embedText } from '../texts/embeds.ts';
import type { Action } from './actions.ts';
import { calloutChoices, callouts } from './callouts.ts';
import { codeLanguages } from './code-languages.ts';
import { embeds, requestEmbed } from './embeds.ts';
import { footnote, footnotes } from './footnotes.ts';
import { editorPhrases, textPlace } from './nodes.ts';
import { phrases } from './phrases.ts';
import { inPlace, slashMenu } from './slash-menu.ts';
import { nextCell, previousCell } from './text-cells.ts';
import { startTable } from './typed-table.ts';

const withTools = new WeakSet<EditorView>();

/** Adds the search and the slash menu to an editor, once. */
export function addTools(view: EditorView, actions: readonly Action[]): void {
  if (withTools.has(view)) return;
  withTools.add(view);
  Object.assign(editorPhrases, phrases());
  const further: Completion[] = [...embedChoices()];
  const kinds: string[] = [];
  const tools = [
    search({ top: true }),
    slashMenu(actions, () => (view.state.readOnly ? [] : further)),
    codeLanguages(),
    footnotes,
    embeds,
    callouts(() => kinds),
    Prec.high(
      keymap.of([
        { key: 'Enter', run: startTable },
        { key: 'Tab', run: nextCell, shift: previousCell },
      ]),
    ),
    keymap.of(searchKeymap.filter(({ key }) => SEARCH_KEYS.includes(key ?? ''))),
  ];
  view.dispatch({ effects: StateEffect.appendConfig.of(tools) });
  // For a slash that was typed before.
  startCompletion(view);
  if (view.state.facet(textPlace)?.isMdx) void addComponents(view, further);
  void addCallouts(view, further, kinds);
}

/** Choices of the slash menu for embeds without a button. */
function embedChoices(): readonly Completion[] {
  return (['audio', 'card'] as const).map((kind, at) => ({
    label: `${embedText(kind)} ${embedText(`${kind}Words`)}`,
    displayLabel: embedText(kind),
    boost: -20 - at,
    apply: inPlace((view) => requestEmbed(view, { kind })),
  }));
}

/** Adds the cards of components, and a choice for each of the site to the slash menu. */
async function addComponents(view: EditorView, further: Completion[]): Promise<void> {
  const { components, componentKeys, componentChoices } = await import('./components.ts');
  view.dispatch({ effects: StateEffect.appendConfig.of([components, componentKeys]) });
  further.push(...(await componentChoices()));
  startCompletion(view);
}

/** Adds a choice to the slash menu for each kind of callout that the site shows in texts of the type. */
async function addCallouts(view: EditorView, further: Completion[], kinds: string[]): Promise<void> {
  const known = (await readMarkup()).callouts[view.state.facet(textPlace)?.type ?? ''];
  if (known === undefined) return;
  kinds.push(...known.kinds);
  further.push(...calloutChoices(known));
  // Shows the callouts of the text with these kinds.
  view.dispatch({ effects: StateEffect.appendConfig.of([]) });
  startCompletion(view);
}

export function openSearch(view: EditorView, actions: readonly Action[]): void {
  addTools(view, actions);
  openSearchPanel(view);
}

export { footnote };

const SEARCH_KEYS = ['F3', 'Mod-g', 'Escape'];
