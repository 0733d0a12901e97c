import type { Feature } from '../../core/runtime/site.ts';
import { ADMIN_OPTIONS } from './options.ts';
import { ADMIN_ROUTES } from './routes.ts';

/** The admin, the query explorer, and what only they request. */
export const admin: Feature = {
  name: 'admin',
  // Editors change several entities with it.
  needs: ['operations'],
  options: ADMIN_OPTIONS,
  settings: ({ api, explorer }, { dev }) => ({
    explorer: api !== false && (explorer === 'dev' ? dev : explorer),
  }),
  routes: ADMIN_ROUTES,
  handlers: async () => (await import('./handlers.ts')).ADMIN_HANDLERS,
  files: async () => (await import('./static-files.ts')).EXPLORER_FILES,
  open: async (runtime) => (await import('./open-admin.ts')).openAdmin(runtime),
  tooling: async () => (await import('./tooling.ts')).tooling,
  describe: async () => [(await import('./describe.ts')).describeAdmin],
};
