/** Where the query explorer is served, below Astro's `base`. */
export const EXPLORER_PATH = '/jsonapi-explorer';

/** Every path answered by the handler begins with one of these, below Astro's `base`. */
const PREFIXES = ['/jsonapi', '/api/content', '/v1/api/content'] as const;

/** Astro route patterns for the prefixes; `[...path]` matches the prefix itself too. */
export const ROUTE_PATTERNS: readonly string[] = [
  ...PREFIXES.map((prefix) => `${prefix}/[...path]`),
  EXPLORER_PATH,
];

/** Whether a path is the integration's. `base` starts with a slash and ends without one (`''` for the root). */
export function isOwnPath(base: string, pathname: string): boolean {
  if (!pathname.startsWith(base)) return false;
  const path = pathname.slice(base.length);
  return isExplorerPath(path) || PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** Whether a path without `base` is the explorer page's. */
export function isExplorerPath(path: string): boolean {
  return path === EXPLORER_PATH || path === `${EXPLORER_PATH}/`;
}
