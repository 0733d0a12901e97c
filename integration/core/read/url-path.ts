import { NotFoundError } from '../util/errors.ts';
import { apiRoot } from './links.ts';
import type { ApiSettings } from './settings.ts';

type Site = Pick<ApiSettings, 'base' | 'siteBase' | 'prefix'>;

/** Splits a path that may start with `/jsonapi`, with or without base and prefix, into decoded segments and the query string. */
export function splitPath(path: string, site: Site): { segments: string[]; query: string } {
  const below = belowPrefix(path, site);
  const [pathname = '', ...query] = below.split('?');
  return { segments: pathSegments(pathname), query: query.join('?') };
}

/** The part of such a path that starts after `/jsonapi`, without its fragment: `/node/article?…`. */
export function belowPrefix(path: string, { base, siteBase = base, prefix }: Site): string {
  const [target = ''] = path.split('#', 1);
  const root = [apiRoot({ base: siteBase, prefix }), apiRoot({ base: '', prefix }), '/jsonapi'].find(
    (each) => target.startsWith(each) && /^([/?]|$)/.test(target.slice(each.length)),
  );
  return target.slice(root?.length ?? 0);
}

/** The decoded segments of a path, without empty ones. */
export function pathSegments(pathname: string): string[] {
  try {
    return pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    throw new NotFoundError(`Not found: '${pathname}' is not valid percent-encoded UTF-8.`);
  }
}
