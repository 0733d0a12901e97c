/** How the answer is shown. */
export type AnswerView = 'json' | 'table' | 'plan';

/** What a link to the explorer holds: the API path with its query, and the view of its answer. */
export interface ExplorerState {
  /** `/node/article?filter[title]=x`; empty where nothing is asked yet. */
  readonly path: string;
  readonly view: AnswerView;
}

/** `#/node/article?…`, `#table/node/article?…`. */
export function writeHash(state: ExplorerState): string {
  return `#${state.view === 'json' ? '' : state.view}${state.path}`;
}

/** The hash of a link; a click on it keeps the view that is open then. */
export function linkHash(path: string): string {
  return writeHash({ path, view: 'json' });
}

/** Reads any hash: an unknown view is the first one, a missing path is empty. */
export function readHash(hash: string): ExplorerState {
  const text = hash.replace(/^#/, '');
  const slash = text.indexOf('/');
  const name = slash < 0 ? text : text.slice(0, slash);
  return { path: slash < 0 ? '' : text.slice(slash), view: VIEWS.find((view) => view === name) ?? 'json' };
}

export const VIEWS: readonly AnswerView[] = ['json', 'table', 'plan'];
