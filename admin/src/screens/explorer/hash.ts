export const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

export const VIEWS = ['json', 'table', 'plan', 'why'] as const;
/** How the response is shown. */
export type View = (typeof VIEWS)[number];

/** The state that a link to the explorer holds. Opening a link only sends reads. */
export interface HashState {
  readonly method: Method;
  /** API path, such as `/node/article?filter[title]=x`; empty to start with the largest bundle. */
  readonly path: string;
  readonly view: View;
}

/** `#/node/article?…`, `#table/node/article?…`, `#POST/node/article`. */
export function writeHash({
  method = 'GET',
  path,
  view = 'json',
}: Partial<HashState> & { path: string }): string {
  return `#${method !== 'GET' ? method : view === 'json' ? '' : view}${path}`;
}

/** Without a hash, the explorer starts with a table. */
export function readHash(hash: string): HashState {
  if (hash === '' || hash === '#') return { method: 'GET', path: '', view: 'table' };
  // Browsers differ in which characters of a hash they encode.
  const text = hash.slice(1).replaceAll('%5B', '[').replaceAll('%5D', ']');
  const slash = text.indexOf('/');
  const name = slash < 0 ? text : text.slice(0, slash);
  return {
    method: METHODS.find((method) => method === name) ?? 'GET',
    path: slash < 0 ? '' : text.slice(slash),
    view: VIEWS.find((view) => view === name) ?? 'json',
  };
}
