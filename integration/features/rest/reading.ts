import type { Feature } from '../../core/runtime/site.ts';
import { loadCode } from '../../core/util/lazy-code.ts';
import { READING_ROUTES } from './routes.ts';

const load = () => loadCode(() => import('./document.ts'));

/** The part of the feature that reads content. It also runs in a browser, which loads its code at the first request. */
export const restReading: Feature = {
  name: 'rest',
  routes: READING_ROUTES,
  handlers: async () => ({
    'rest-entry': { answer: async (request) => (await load()).readBundles(request) },
    rest: {
      answer: async (request) => (await load()).readRest(request),
      options: async (request) => (await load()).restOptions(request),
    },
  }),
};
