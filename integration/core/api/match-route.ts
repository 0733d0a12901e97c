import { ANY_PATH, type Route, type RoutedSite, servedRoutes } from './routes.ts';

/** A request's address, parsed and matched. */
export interface Target {
  readonly route: Route;
  readonly url: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The whole path as sent. */
  readonly pathname: string;
  /** What follows the route's path, still encoded. */
  readonly rest: string;
  /** Without `?`, still encoded. */
  readonly query: string;
  /** Code of the language whose path precedes that of the route. */
  readonly language?: string | undefined;
}

/**
 * Finds the route of an absolute URL as `Request.url` has it; undefined if the site serves it. The path must begin with the
 * site's base, or may do so.
 */
export function createRouteMatcher(
  table: readonly Route[],
  site: RoutedSite,
  base: 'required' | 'optional' = 'required',
): (url: string) => Target | undefined {
  const { ownPages = [] } = site;
  const byFirstSegment = Map.groupBy(
    servedRoutes(table, site).map((route) => ({ route, pattern: patternOf(route) })),
    ({ route }) => firstSegment(route.path),
  );
  const languages = new Map(site.languages?.all.map((each) => [`/${each.path.toLowerCase()}`, each]));
  const prefix = `${site.base}/`;

  return (url) => {
    const start = url.indexOf('/', url.indexOf('://') + 3);
    const hash = url.indexOf('#', start);
    const end = hash < 0 ? url.length : hash;
    const mark = url.indexOf('?', start);
    const pathname = url.slice(start, mark < 0 || mark > end ? end : mark);
    const hasBase = pathname.startsWith(prefix);
    if (!hasBase && base === 'required') return undefined;
    const whole = hasBase ? pathname.slice(site.base.length) : pathname;
    const language = languages.get(firstSegment(whole));
    const path = language === undefined ? whole : whole.slice(language.path.length + 1);
    for (const { route, pattern } of byFirstSegment.get(firstSegment(path)) ?? []) {
      const match = pattern.exec(path);
      const isForPeople = route.option === 'signIn' || route.option === 'admin';
      if (match === null || (!hasBase && isForPeople)) continue;
      if (language !== undefined && route.localized !== true) continue;
      const query = mark < 0 || mark > end ? '' : url.slice(mark + 1, end);
      const isOwn = ownPages.includes(route.path);
      if (isOwn && !(route.option === 'signIn' && isForPrograms(query))) return undefined;
      const origin = url.slice(0, start);
      return { route, url, origin, pathname, rest: match[1] ?? '', query, language: language?.code };
    }
    return undefined;
  };
}

/** Sign-in requests that a page of the site cannot answer: Drupal's `?_format=json`, and the setup link. */
function isForPrograms(query: string): boolean {
  const parameters = new URLSearchParams(query);
  return asksForJson(parameters) || parameters.has('setup');
}

/** Drupal's `?_format=json`. */
export function asksForJson(query: URLSearchParams): boolean {
  return query.get('_format') === 'json';
}

/** Slashes at the end do not count, nor do repeated ones after `path`. */
function patternOf({ path, below = '', exact }: Route): RegExp {
  const rest =
    below === ANY_PATH
      ? '(?:/[^]*)?'
      : below
          .split('/')
          .slice(1)
          .map((segment) => `/+${segmentPattern(segment)}`)
          .join('');
  return new RegExp(`^${path.replaceAll('.', '\\.')}(${rest})/*$`, exact ? '' : 'i');
}

function segmentPattern(segment: string): string {
  if (!segment.startsWith('[')) return segment;
  return segment.startsWith('[...') ? '[^]+' : '[^/]+';
}

function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return (end < 0 ? path : path.slice(0, end)).toLowerCase();
}
