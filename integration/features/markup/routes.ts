import { EDITING, type Route } from '../../core/api/routes.ts';

/** Below `/jsonapi`. */
export const MARKUP_SEGMENT = '_markup';

export const MARKUP_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'markup', below: `/${MARKUP_SEGMENT}`, methods: ['GET'] },
];
