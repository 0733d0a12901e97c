import { NotFoundError } from '../util/errors.ts';

/** Decoded segments and the query string of a path that may begin with the base and `/jsonapi`. */
export function splitPath(path: string, base: string): { segments: string[]; query: string } {
  const below = belowPrefix(path, base);
  const mark = below.indexOf('?');
  return mark < 0
    ? { segments: pathSegments(below), query: '' }
    : { segments: pathSegments(below.slice(0, mark)), query: below.slice(mark + 1) };
}

/** `/node/article?…` of that, or of the same with `/jsonapi` or base and `/jsonapi` before it. No fragment. */
export function belowPrefix(path: string, base: string): string {
  const [target = ''] = path.split('#', 1);
  const prefix = [`${base}/jsonapi`, '/jsonapi'].find(
    (each) => target.startsWith(each) && /^([/?]|$)/.test(target.slice(each.length)),
  );
  return target.slice(prefix?.length ?? 0);
}

/** Decoded segments of a path; a slash at its end, and doubled ones, do not count. */
export function pathSegments(pathname: string): string[] {
  try {
    return pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    throw new NotFoundError(`There is nothing at '${pathname}': it is not valid percent-encoded UTF-8.`);
  }
}
