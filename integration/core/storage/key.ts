/**
 * The canonical form of a storage key: POSIX segments relative to the content folder, without empty or `.` segments.
 * Undefined for an absolute path, a drive, `..`, a backslash or a NUL. Every driver checks every key here; this is the
 * only protection against path traversal.
 */
export function normalizeKey(key: string): string | undefined {
  if (NORMAL.test(key)) return key;
  if (key.startsWith('/') || DRIVE.test(key) || FORBIDDEN.test(key)) return undefined;
  const segments = key.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.length === 0 || segments.includes('..') ? undefined : segments.join('/');
}

/** Like `normalizeKey`, but throws a RangeError for an invalid key. */
export function requireKey(key: string): string {
  const normalized = normalizeKey(key);
  if (normalized === undefined) {
    throw new RangeError(`${JSON.stringify(key)} is not a path inside the content folder.`);
  }
  return normalized;
}

/** Resolves a path relative to the file `from`. Undefined if it leads out of the content folder. */
export function resolveKey(from: string, path: string): string | undefined {
  const segments = from.split('/').slice(0, -1);
  for (const segment of path.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== '' && segment !== '.') {
      segments.push(segment);
    }
  }
  return path.startsWith('/') ? undefined : normalizeKey(segments.join('/'));
}

/** The part of a path after its last slash. */
export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The key of a file as a file of a further collection: `docs/@guides::a.md` for `docs/a.md` in `guides`. */
export function keyInCollection(key: string, collection: string): string {
  const name = lastSegment(key);
  return `${key.slice(0, key.length - name.length)}@${collection}::${name}`;
}

/** The key of the file itself, for a result of `keyInCollection` and for any other key. */
export function fileOfKey(key: string): string {
  return key.includes('::') ? key.replace(IN_COLLECTION, '') : key;
}

/** The collection in a result of `keyInCollection`. */
export function collectionInKey(key: string): string | undefined {
  return key.includes('::') ? IN_COLLECTION.exec(key)?.[1] : undefined;
}

const IN_COLLECTION = /(?<=^|\/)@([\w-]+)::(?=[^/]+$)/;

/** A canonical key, as nearly every key is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL ends a path for the operating system.
const NORMAL = /^(?![a-z]:)[^./\\\u0000][^/\\\u0000]*(?:\/[^./\\\u0000][^/\\\u0000]*)*$/i;
const DRIVE = /^[a-z]:/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL ends a path for the operating system.
const FORBIDDEN = /[\\\u0000]/;
