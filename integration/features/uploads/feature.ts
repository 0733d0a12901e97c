import type { Feature } from '../../core/runtime/site.ts';
import { FILE_ROUTES } from './routes.ts';

/** The files of the content: lists, uploads, also to fields, and replacements. */
export const uploads: Feature = {
  name: 'uploads',
  routes: FILE_ROUTES,
  open: async ({ site }) => (await import('./open-uploads.ts')).openUploads(site),
  describe: async () => [(await import('./describe.ts')).describeFiles],
};
