import { EDITING, PAGE, type Route } from '../../core/api/routes.ts';

/** Below `/jsonapi`. */
export const REDIRECTS_SEGMENT = '_redirects';
/** The parameter `path` is an address at which the site has nothing. */
const REDIRECT_PATH = '/_redirect';

export const REDIRECT_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'redirects', below: `/${REDIRECTS_SEGMENT}`, methods: ['GET', 'POST'] },
  { ...EDITING, name: 'redirect-entry', below: `/${REDIRECTS_SEGMENT}/[id]`, methods: ['DELETE'] },
  { ...PAGE, name: 'redirect', path: REDIRECT_PATH },
];

/** A map from old addresses to targets. The leading underscore keeps the file from being content. */
export const REDIRECTS_FILE = '_redirects.yaml';
