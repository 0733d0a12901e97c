import type { Feature } from '../../core/runtime/site.ts';
import { PREVIEW_ROUTES } from './routes.ts';

/** Pages of the site with changes that are not saved. */
export const preview: Feature = {
  name: 'preview',
  needs: ['admin', 'operations'],
  routes: PREVIEW_ROUTES,
  async open(runtime) {
    const { settings } = runtime.site;
    if (!settings.admin || settings.readOnly) return undefined;
    return (await import('./open-preview.ts')).openPreview(runtime.site);
  },
};
