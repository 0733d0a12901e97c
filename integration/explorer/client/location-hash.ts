/** How the answer is shown. */
export type AnswerView = 'json' | 'table' | 'plan';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a link to the explorer holds: what is to be done with which API path, and the view of the answer. */
export interface ExplorerState {
  /** Any other than GET opens its form; no link sends anything. */
  readonly method: Method;
  /** `/node/article?filter[title]=x`; empty where nothing is asked yet. */
  readonly path: string;
  readonly view: AnswerView;
}

/** `#/node/article?…`, `#table/node/article?…`, `#POST/node/article`. */
export function writeHash({ method = 'GET', path, view }: Partial<ExplorerState> & { path: string }): string {
  if (method !== 'GET') return `#${method}${path}`;
  return `#${view === undefined || view === 'json' ? '' : view}${path}`;
}

/** The hash of a link; a click on it keeps the view that is open then. */
export function linkHash(path: string): string {
  return writeHash({ path });
}

/** Reads any hash: an unknown view is the first one, a missing path is empty. */
export function readHash(hash: string): ExplorerState {
  const text = hash.replace(/^#/, '');
  const slash = text.indexOf('/');
  const name = slash < 0 ? text : text.slice(0, slash);
  return {
    method: METHODS.find((method) => method === name) ?? 'GET',
    path: slash < 0 ? '' : text.slice(slash),
    view: VIEWS.find((view) => view === name) ?? 'json',
  };
}

export const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'DELETE'];

export const VIEWS: readonly AnswerView[] = ['json', 'table', 'plan'];
