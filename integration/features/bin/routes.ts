import type { Route } from '../../core/api/routes.ts';
import { EDITING } from '../../core/api/routes.ts';

/** Below `/jsonapi`. */
export const BIN_SEGMENT = '_bin';

export const BIN_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'bin', below: `/${BIN_SEGMENT}`, methods: ['GET', 'POST'] },
  { ...EDITING, name: 'bin-entry', below: `/${BIN_SEGMENT}/[id]`, methods: ['GET', 'POST', 'DELETE'] },
];
