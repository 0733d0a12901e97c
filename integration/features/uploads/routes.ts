import type { Route } from '../../core/api/routes.ts';
import { EDITING } from '../../core/api/routes.ts';

/** Below `/jsonapi`. */
export const FILES_SEGMENT = '_files';

export const FILE_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'files', below: `/${FILES_SEGMENT}`, methods: ['GET', 'POST'] },
  {
    ...EDITING,
    name: 'file',
    below: `/${FILES_SEGMENT}/[...path]`,
    methods: ['GET', 'PUT', 'PATCH', 'DELETE'],
  },
];
