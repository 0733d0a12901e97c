import type { Feature } from '../../core/runtime/site.ts';
import { OPERATION_ROUTES } from './routes.ts';

/** Several changes in one request, all or none. */
export const operations: Feature = {
  name: 'operations',
  routes: OPERATION_ROUTES,
  handlers: async () => (await import('./handlers.ts')).OPERATION_HANDLERS,
  describe: async () => [(await import('./describe.ts')).describeOperations],
  open: async () => ({
    readOperations: async (request) => (await import('./operations.ts')).readOperationsOf(request),
  }),
};
