import type { Route } from '../../core/api/routes.ts';
import { EDITING, JSONAPI } from '../../core/api/routes.ts';

/** Below `/jsonapi`. */
export const CONFLICTS_SEGMENT = '_conflicts';

export const GIT_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'conflicts', below: `/${CONFLICTS_SEGMENT}`, methods: ['GET'] },
  { ...EDITING, name: 'conflict', below: `/${CONFLICTS_SEGMENT}/[id]`, methods: ['GET', 'PATCH'] },
  { ...JSONAPI, name: 'git-hook', below: '/hooks/git', option: 'gitHook', methods: ['POST'] },
];
