import type { Feature } from '../../core/runtime/site.ts';
import { SHARE_ROUTES } from './routes.ts';

/** Links that show an unpublished entry on the site's pages to people without an account. */
export const share: Feature = {
  name: 'share',
  needs: ['accounts', 'admin'],
  routes: SHARE_ROUTES,
  async open(runtime) {
    const { settings } = runtime.site;
    if (!settings.admin || settings.readOnly) return undefined;
    return (await import('./open-share.ts')).openShare(runtime);
  },
  describe: async () => [(await import('./describe.ts')).describeShares],
};
