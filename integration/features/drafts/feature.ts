import type { Feature } from '../../core/runtime/site.ts';
import { DRAFTS_ROUTES } from './routes.ts';

/**
 * Entries that do not pass the schema: drafts, which are stored in the folder `.drafts/`, and files with errors, whose
 * source and fields can be corrected.
 */
export const drafts: Feature = {
  name: 'drafts',
  routes: DRAFTS_ROUTES,
  async open({ site, services }) {
    const { createHandlers } = await import('./handlers.ts');
    return createHandlers(site, services);
  },
  tooling: async () => (await import('./tooling.ts')).TOOLING,
  describe: async () => [(await import('./describe.ts')).describeDrafts],
};
