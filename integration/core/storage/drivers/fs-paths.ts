import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The path below `root` with slashes, empty for `root` itself. Undefined if `path` is outside. */
export function keyOf(root: string, path: string): string | undefined {
  const key = relative(root, path).split(sep).join('/');
  return key === '..' || key.startsWith('../') || resolve(root, key) !== resolve(path) ? undefined : key;
}

/** True if `path` is the folder, or is below it. Both are absolute, with links resolved. */
export function isInside(folder: string, path: string): boolean {
  return keyOf(folder, path) !== undefined;
}

/** The top folder of the repository around a folder, and its `.git` folder. Undefined outside a repository. */
export function findGitFolder(
  folder: string,
): { readonly top: string; readonly gitFolder: string } | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const gitFolder = gitFolderAt(top);
    if (gitFolder !== undefined) return { top, gitFolder };
    if (top === dirname(top)) return undefined;
  }
}

/** In a submodule or an added worktree, `.git` is a file with the path of the folder. */
function gitFolderAt(folder: string): string | undefined {
  const path = join(folder, '.git');
  const stats = undefinedIfUnreadable(() => statSync(path));
  if (stats?.isDirectory()) return isGitFolder(path) ? path : undefined;
  const named = stats?.isFile()
    ? /^gitdir: (.+)/.exec(undefinedIfUnreadable(() => readFileSync(path, 'utf8')) ?? '')
    : null;
  const target = named?.[1] === undefined ? undefined : resolve(folder, named[1].trimEnd());
  return target !== undefined && isGitFolder(target) ? target : undefined;
}

function isGitFolder(path: string): boolean {
  return undefinedIfUnreadable(() => statSync(join(path, 'HEAD')))?.isFile() === true;
}

/** The result of `read`; undefined if the file or folder does not exist. */
export function undefinedIfMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True for a system error about a file or folder that does not exist. */
export function isMissing(error: unknown): boolean {
  return MISSING.has(codeOf(error) ?? '');
}

/** Like `undefinedIfMissing`, and also undefined if the file or folder cannot be accessed. */
export function undefinedIfUnreadable<T>(read: () => T): T | undefined {
  try {
    return undefinedIfMissing(read);
  } catch {
    return undefined;
  }
}

/** The code of a system error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** `ELOOP`: a loop of links leads nowhere. */
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENAMETOOLONG']);
