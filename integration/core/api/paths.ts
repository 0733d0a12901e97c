import type { ApiSettings } from '../read/settings.ts';
import type { Target } from './match-route.ts';

/** The admin's pages. */
export const ADMIN_PATH = '/admin';
/** The query explorer's page. */
export const EXPLORER_PATH = '/jsonapi-explorer';
/** Below `/jsonapi`. */
export const STATUS_SEGMENT = '_status';

/** The page where people sign in and come back to the address of their request. */
export function signInPath(
  { base, trailingSlash }: Pick<ApiSettings, 'base' | 'trailingSlash'>,
  { pathname, query }: Pick<Target, 'pathname' | 'query'>,
): string {
  const destination = encodeURIComponent(query === '' ? pathname : `${pathname}?${query}`);
  return `${base}/user/login${trailingSlash === 'always' ? '/' : ''}?destination=${destination}`;
}
