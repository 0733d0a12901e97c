import { CONTENT_FILES_PREFIX } from '../content/file-place.ts';
import { SIGN_IN_PATHS, signInPath } from './sign-in-paths.ts';

/** The query explorer's page; its endpoints lie below. All paths here are below Astro's `base`. */
export const EXPLORER_PATH = '/jsonapi-explorer';

export const API_PATHS = [
  '/jsonapi',
  '/api/content',
  '/v1/api/content',
  '/router/translate-path',
  '/subrequests',
  CONTENT_FILES_PREFIX,
] as const;

/** What of a site belongs to the integration. */
export interface ServedPaths {
  /** Astro's `base`: starts with a slash, ends without one (`''` for the root). */
  readonly base: string;
  /** Whether the query explorer is on. */
  readonly explorer: boolean;
  /** Path of the health route; false for none. */
  readonly health: string | false;
  /** Whether there is a server that people and programs can sign in to. */
  readonly signIn: boolean;
  /** Those of the paths for it at which the site has pages of its own. */
  readonly ownPages?: readonly string[];
}

/** Astro route patterns of everything served; `[...path]` matches the path before it too. */
export function routePatterns({
  explorer,
  health,
  signIn,
  ownPages = [],
}: Omit<ServedPaths, 'base'>): readonly string[] {
  return [
    ...prefixes(explorer).map((prefix) => `${prefix}/[...path]`),
    ...(health === false ? [] : [health]),
    ...(signIn ? SIGN_IN_PATHS.filter((path) => !ownPages.includes(path)) : []),
  ];
}

/** Whether an address is the integration's. Prefixes are matched in any case, as the handler does. */
export function isServedPath(paths: ServedPaths, url: URL): boolean {
  const { base, explorer, health } = paths;
  const { pathname } = url;
  if (!pathname.startsWith(base)) return false;
  const sent = pathname.slice(base.length);
  if (health !== false && (sent === health || sent === `${health}/`)) return true;
  const path = sent.toLowerCase();
  const below = prefixes(explorer).some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  return below || isSignInPath(paths, url);
}

/** Whether it is for signing in or out. */
export function isSignInPath({ base, signIn, ownPages = [] }: ServedPaths, url: URL): boolean {
  return signIn && signInPath(url, { base, ownPages }) !== undefined;
}

/** Whether a path is the explorer page's. */
export function isExplorerPage(
  { base, explorer }: Pick<ServedPaths, 'base' | 'explorer'>,
  pathname: string,
): boolean {
  const page = base + EXPLORER_PATH;
  return explorer && (pathname === page || pathname === `${page}/`);
}

function prefixes(explorer: boolean): readonly string[] {
  return explorer ? [...API_PATHS, EXPLORER_PATH] : API_PATHS;
}
