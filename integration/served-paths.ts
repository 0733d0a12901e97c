import { CONTENT_FILES_PREFIX } from './entities/file-place.ts';

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
}

/** Astro route patterns of everything served; `[...path]` matches the path before it too. */
export function routePatterns({ explorer, health }: Omit<ServedPaths, 'base'>): readonly string[] {
  const patterns = prefixes(explorer).map((prefix) => `${prefix}/[...path]`);
  return health === false ? patterns : [...patterns, health];
}

/** Whether a path is the integration's. Prefixes are matched in any case, as the handler does. */
export function isServedPath({ base, explorer, health }: ServedPaths, pathname: string): boolean {
  if (!pathname.startsWith(base)) return false;
  const sent = pathname.slice(base.length);
  if (health !== false && (sent === health || sent === `${health}/`)) return true;
  const path = sent.toLowerCase();
  return prefixes(explorer).some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** Whether a path is the explorer page's. */
export function isExplorerPage({ base, explorer }: ServedPaths, pathname: string): boolean {
  const page = base + EXPLORER_PATH;
  return explorer && (pathname === page || pathname === `${page}/`);
}

function prefixes(explorer: boolean): readonly string[] {
  return explorer ? [...API_PATHS, EXPLORER_PATH] : API_PATHS;
}
