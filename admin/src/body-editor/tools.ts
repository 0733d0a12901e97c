import { search, searchKeymap } from '@codemirror/search';
import type { Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import type { Action } from './actions.ts';
import { slashMenu } from './slash-menu.ts';

export { openSearchPanel } from '@codemirror/search';

/** The search and the slash menu. They load after the text can be edited. */
export function editorTools(actions: readonly Action[]): Extension {
  return [
    search({ top: true }),
    slashMenu(actions),
    keymap.of(searchKeymap.filter(({ key }) => SEARCH_KEYS.includes(key ?? ''))),
  ];
}

const SEARCH_KEYS = ['F3', 'Mod-g', 'Escape'];
