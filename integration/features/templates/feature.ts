import type { Feature } from '../../core/runtime/site.ts';
import { TEMPLATE_ROUTES } from './routes.ts';

/** Values with which new entries of a type can begin, in the folder `.templates/`. */
export const templates: Feature = {
  name: 'templates',
  routes: TEMPLATE_ROUTES,
  handlers: async () => (await import('./handlers.ts')).TEMPLATE_HANDLERS,
  describe: async () => [(await import('./describe.ts')).describeTemplates],
};
