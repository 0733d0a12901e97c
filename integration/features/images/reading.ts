import type { ContentFeature } from '../../core/api/request.ts';
import { IMAGE_ROUTES } from './routes.ts';

/** The links, also in snapshots, and the addresses to which they lead. */
export const imageReading = {
  name: 'images',
  routes: IMAGE_ROUTES,
  fileLinks: async () => (await import('./image-links.ts')).imageLinks,
} satisfies ContentFeature;
