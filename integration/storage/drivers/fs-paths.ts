import { relative, resolve, sep } from 'node:path';

/** Path below `root` with slashes, empty for `root` itself; undefined where `path` is outside. */
export function keyOf(root: string, path: string): string | undefined {
  const key = relative(root, path).split(sep).join('/');
  return key === '..' || key.startsWith('../') || resolve(root, key) !== resolve(path) ? undefined : key;
}

/** What `find` gives, or undefined where there is no such file or folder. */
export function whereFound<T>(find: () => T): T | undefined {
  try {
    return find();
  } catch (error) {
    if (ABSENT.has(codeOf(error) ?? '')) {
      return undefined;
    }
    throw error;
  }
}

/** As `whereFound`; what may not be looked at counts as not there. */
export function whereAllowed<T>(find: () => T): T | undefined {
  try {
    return whereFound(find);
  } catch {
    return undefined;
  }
}

/** `ENOENT` and the like. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A loop of links leads nowhere either. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENAMETOOLONG']);
