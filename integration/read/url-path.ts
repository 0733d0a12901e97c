import { NotFoundError } from '../util/errors.ts';

/** Splits a path that may start with `/jsonapi`, or the base and `/jsonapi`, into decoded segments and the query string. */
export function splitPath(path: string, base: string): { segments: string[]; query: string } {
  const below = belowPrefix(path, base);
  const [pathname = '', ...query] = below.split('?');
  return { segments: pathSegments(pathname), query: query.join('?') };
}

/** The part of such a path that starts after `/jsonapi`, without its fragment: `/node/article?…`. */
export function belowPrefix(path: string, base: string): string {
  const [target = ''] = path.split('#', 1);
  const prefix = [`${base}/jsonapi`, '/jsonapi'].find(
    (each) => target.startsWith(each) && /^([/?]|$)/.test(target.slice(each.length)),
  );
  return target.slice(prefix?.length ?? 0);
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
