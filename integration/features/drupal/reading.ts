import { writeJson } from '../../core/read/compose.ts';
import type { Feature } from '../../core/runtime/site.ts';
import { JSONAPI } from '../../core/server/read-handlers.ts';
import { loadCode } from '../../core/util/lazy-code.ts';
import { INDEX_PATH, MENU_PATH, VIEWS_PATH } from './named-paths.ts';
import { READING_ROUTES } from './routes.ts';

/** The part of the feature that reads content. It also runs in a browser, which loads its code at the first request. */
export const drupalReading = {
  name: 'drupal',
  routes: READING_ROUTES,
  handlers: async () => ({
    menu: JSONAPI,
    index: JSONAPI,
    view: JSONAPI,
    'translate-path': {
      async answer(request) {
        const { translatePath } = await loadCode(() => import('./translate-path.ts'));
        return writeJson(await translatePath(request, request.target.origin, request.target.query));
      },
    },
  }),
  documents: {
    segments: [MENU_PATH, INDEX_PATH, VIEWS_PATH],
    load: async () => (await loadCode(() => import('./named.ts'))).findNamed,
  },
} satisfies Feature;
