import type { Feature } from '../../core/runtime/site.ts';
import { JOB_ROUTES, READING_ROUTES } from './routes.ts';

/** The content as plain JSON. */
export const rest: Feature = {
  name: 'rest',
  routes: [...READING_ROUTES, ...JOB_ROUTES],
  handlers: async () => (await import('./handlers.ts')).REST_HANDLERS,
  files: async () => (await import('./static-files.ts')).REST_FILES,
  async open({ services }) {
    const { createBundleNames } = await import('./names.ts');
    return {
      problems() {
        const { store, settings } = services();
        return createBundleNames(store.types.values(), settings.plurals).problems;
      },
    };
  },
  describe: async () => [(await import('./describe.ts')).describeRest],
};
