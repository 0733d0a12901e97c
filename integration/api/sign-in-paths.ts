/** Where people and programs sign in and out, below Astro's `base`. */
export const SIGN_IN_PATHS = [
  '/user/login',
  '/user/logout',
  '/user/login_status',
  '/session/token',
  '/oauth/token',
] as const;
export type SignInPath = (typeof SIGN_IN_PATHS)[number];

/** What of a site belongs to signing in. */
export interface SignInPlaces {
  /** Starts with a slash, ends without one (`''` for the root). */
  readonly base: string;
  /** Those of the paths at which the site has pages of its own. */
  readonly ownPages: readonly string[];
}

/**
 * The path that a request is for; undefined for none of them. What a page of the site's own does not answer is answered
 * at its path all the same: what asks for JSON, and the link of a first start.
 */
export function signInPath(
  { pathname, searchParams }: Pick<URL, 'pathname' | 'searchParams'>,
  { base, ownPages }: SignInPlaces,
): SignInPath | undefined {
  if (!pathname.startsWith(base)) return undefined;
  const asked = pathname.slice(base.length).replace(/\/$/, '');
  const path = SIGN_IN_PATHS.find((each) => each === asked);
  if (path === undefined || !ownPages.includes(path)) return path;
  return asksForJson(searchParams) || searchParams.has('setup') ? path : undefined;
}

/** Drupal's `?_format=json`. */
export function asksForJson(query: URLSearchParams): boolean {
  return query.get('_format') === 'json';
}
