import type { Feature } from '../../core/runtime/site.ts';
import { FILE_ROUTES } from './routes.ts';

/** The files of the content: lists, uploads, replacements. */
export const uploads: Feature = {
  name: 'uploads',
  routes: FILE_ROUTES,
  handlers: async () => (await import('./handlers.ts')).FILE_HANDLERS,
};
