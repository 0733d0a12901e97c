import { JSON_OF_JSONAPI } from '../../core/api/routes.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { writeJson } from '../../core/read/compose.ts';
import type { Feature } from '../../core/runtime/site.ts';
import { OPENAPI_PATH } from './openapi-path.ts';

/** A description of the API as each actor sees it. */
export const openapi: Feature = {
  name: 'openapi',
  routes: [{ ...JSON_OF_JSONAPI, name: 'openapi', path: OPENAPI_PATH, cached: true, prebuilt: true }],
  handlers: async () => ({
    openapi: {
      async answer({ services, access, target }) {
        const { serverDescription } = await import('./document.ts');
        parseQuery(target.query, 'individual', services.settings);
        return writeJson(serverDescription(services, access, target.origin));
      },
    },
  }),
};
