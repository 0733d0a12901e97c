import { ANY_PATH, EDITING, PAGE, type Route } from '../../core/api/routes.ts';

/** Below `/jsonapi`. */
export const SHARES_SEGMENT = '_shares';
/** Below the base of the site: the token of a link, then the path of a page. */
export const SHARED_PATH = '/_shared';

export const SHARE_ROUTES: readonly Route[] = [
  { ...EDITING, name: 'shares', below: `/${SHARES_SEGMENT}`, methods: ['GET', 'POST'] },
  { ...EDITING, name: 'share', below: `/${SHARES_SEGMENT}/[id]`, methods: ['DELETE'] },
  { ...PAGE, name: 'shared-page', path: SHARED_PATH, below: ANY_PATH, option: 'admin', exact: true },
];
