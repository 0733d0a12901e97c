import type { Feature } from '../../core/runtime/site.ts';
import { JSONAPI } from '../../core/server/read-handlers.ts';
import { loadCode } from '../../core/util/lazy-code.ts';
import { SEARCH_ROUTES, SUGGEST_SEGMENT } from './routes.ts';

/** What a search box needs. It also runs in a browser, which loads its code at the first request. */
export const search: Feature = {
  name: 'search',
  routes: SEARCH_ROUTES,
  handlers: async () => ({ suggest: JSONAPI }),
  documents: {
    segments: [SUGGEST_SEGMENT],
    load: async () => (await loadCode(() => import('./suggest.ts'))).findSuggestions,
  },
  describeMatches: async () => (await loadCode(() => import('./highlights.ts'))).describeMatches,
  describe: async () => [(await import('./describe.ts')).describeSearch],
};
