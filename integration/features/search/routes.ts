import { JSONAPI, type Route } from '../../core/api/routes.ts';

export const SUGGEST_SEGMENT = '_suggest';

export const SEARCH_ROUTES: readonly Route[] = [
  { ...JSONAPI, name: 'suggest', below: `/${SUGGEST_SEGMENT}`, localized: true, cached: true },
];
