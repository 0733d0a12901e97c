import { EDITING } from '../../core/api/routes.ts';
import type { Feature } from '../../core/runtime/site.ts';
import { FILES_SEGMENT } from './files-segment.ts';

/** The files of the content: lists, uploads, replacements. */
export const uploads: Feature = {
  name: 'uploads',
  routes: [
    { ...EDITING, name: 'files', below: `/${FILES_SEGMENT}`, methods: ['GET', 'POST'] },
    { ...EDITING, name: 'file', below: `/${FILES_SEGMENT}/[...path]`, methods: ['GET', 'PUT', 'DELETE'] },
  ],
  handlers: async () => (await import('./handlers.ts')).FILE_HANDLERS,
};
