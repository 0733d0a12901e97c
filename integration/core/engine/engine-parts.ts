import * as facets from './facets.ts';
import * as cursors from './plan/cursor-page.ts';
import * as explain from './plan/explain.ts';
import * as merge from './plan/merge-parts.ts';
import * as search from './search.ts';

/**
 * Code that few queries need. A server has all of it. A browser loads a part when a query needs it: the function throws
 * NotLoadedError, and the query starts again.
 */
export interface EngineParts {
  readonly cursors: () => typeof cursors;
  readonly explain: () => typeof explain;
  readonly facets: () => typeof facets;
  /** For lists with several types. */
  readonly merge: () => typeof merge;
  readonly search: () => typeof search;
}

export const ALL_PARTS: EngineParts = {
  cursors: () => cursors,
  explain: () => explain,
  facets: () => facets,
  merge: () => merge,
  search: () => search,
};
