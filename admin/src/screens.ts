import type { Component } from 'svelte';
import type { Parameters, ScreenName } from './addresses.ts';

/** The props of a screen whose address has parameters. */
export interface ScreenProps {
  readonly parameters: Parameters;
}

export type Load = () => Promise<{ readonly default: Screen }>;
/** Screens without parameters get the same props and ignore them. */
export type Screen = Component<ScreenProps> | Component<Record<string, never>>;

/** One screen: the form of a new entity becomes that of a stored one. */
const form = () => import('./screens/edit/EditScreen.svelte');

/** One address for all trees, and one for each. */
const tree = () => import('./screens/menus/MenusScreen.svelte');

/** The component of each screen, loaded when it is first shown. */
export const SCREENS: Readonly<Partial<Record<ScreenName, Load>>> = {
  home: () => import('./screens/home/HomeScreen.svelte'),
  content: () => import('./screens/content/ContentScreen.svelte'),
  create: form,
  edit: form,
  draft: form,
  faulty: () => import('./screens/faulty/FaultyScreen.svelte'),
  history: () => import('./screens/history/HistoryScreen.svelte'),
  media: () => import('./screens/media/MediaScreen.svelte'),
  redirects: () => import('./screens/redirects/RedirectsScreen.svelte'),
  bin: () => import('./screens/bin/BinScreen.svelte'),
  menus: tree,
  menu: tree,
  single: () => import('./screens/single/SingleScreen.svelte'),
  conflicts: () => import('./screens/conflicts/ConflictsScreen.svelte'),
  people: () => import('./screens/people/PeopleScreen.svelte'),
  audit: () => import('./screens/people/AuditScreen.svelte'),
  profile: () => import('./screens/people/ProfileScreen.svelte'),
  translate: () => import('./screens/translate/TranslateScreen.svelte'),
  explorer: () => import('./screens/explorer/AdminExplorer.svelte'),
};
