import type { ApiSettings } from '../../core/read/settings.ts';

/** The address of a page; undefined for another origin, and for a path that cannot be decoded. */
export function pageUrl(path: string, origin: string): URL | undefined {
  // The parser of URLs leaves line breaks out.
  if (!path.startsWith('/') || /\p{Cc}/u.test(path) || !URL.canParse(path, origin)) return undefined;
  const url = new URL(path, origin);
  try {
    decodeURI(url.pathname);
  } catch {
    return undefined;
  }
  // A browser would read the path `//name` as another origin.
  return url.origin === origin && !url.pathname.startsWith('//') ? url : undefined;
}

/** A path in the form that `trailingSlash` asks for. */
export function withSlash(pathname: string, trailingSlash: ApiSettings['trailingSlash']): string {
  if (trailingSlash === 'never') return pathname === '/' ? pathname : pathname.replace(/\/$/, '');
  return trailingSlash === 'always' && !/(?:\/|\.\w+)$/.test(pathname) ? `${pathname}/` : pathname;
}
