import type { Feature } from '../../core/runtime/site.ts';
import { REDIRECTS_OPTIONS } from './options.ts';
import { REDIRECT_ROUTES, REDIRECTS_FILE } from './routes.ts';

/** Leads from old addresses to the present ones, as the file `_redirects.yaml` of the content says. */
export const redirects: Feature = {
  name: 'redirects',
  options: REDIRECTS_OPTIONS,
  routes: REDIRECT_ROUTES,
  carries: [REDIRECTS_FILE],
  async open(runtime) {
    if (!runtime.site.options.redirects) return undefined;
    return (await import('./open-redirects.ts')).openRedirects(runtime);
  },
  tooling: async () => (await import('./tooling.ts')).TOOLING,
  describe: async () => [(await import('./describe.ts')).describeRedirects],
};
