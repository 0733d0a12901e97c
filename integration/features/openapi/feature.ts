import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { writeJson } from '../../core/read/compose.ts';
import type { Feature } from '../../core/runtime/site.ts';
import { OPENAPI_ROUTES } from './routes.ts';

/** A description of the API as each actor sees it. */
export const openapi: Feature = {
  name: 'openapi',
  routes: OPENAPI_ROUTES,
  files: async () => (await import('./static-files.ts')).DESCRIPTION_FILES,
  handlers: async () => ({
    openapi: {
      async answer({ services, access, target }) {
        const { serverDescription } = await import('./document.ts');
        parseQuery(target.query, 'individual', services.settings);
        return writeJson(await serverDescription(services, access, target.origin));
      },
    },
  }),
};
