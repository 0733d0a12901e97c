import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnsafeKeyError, UnwritableStorageError } from '../errors.ts';
import { clashesWith, clashWith, isHidden, nameProblem, requireWritableKey } from '../file-name.ts';
import { keyOf, whereFound } from './fs-paths.ts';

/** Where the file of a key is, or is to be. Links are resolved: none of these paths has any, but `name`. */
export interface Place {
  readonly key: string;
  /** The file itself; a link has been followed to it. */
  readonly path: string;
  /** As `path`, but where the key is that of a link, the link. */
  readonly name: string;
  /** Undefined where there is no such file yet. */
  readonly stats: Stats | undefined;
  /** What is not there yet of the way to the file and the file itself: names below an existing folder. */
  readonly missing: { readonly below: string; readonly names: readonly string[] } | undefined;
}

/**
 * Looks for the place of a key that is to be written or removed. Throws UnsafeKeyError where it leads out of the
 * folder, or where something that is no file is in the way.
 */
export function findPlace(folder: string, writtenKey: string): Place {
  const key = requireWritableKey(writtenKey);
  const realFolder = whereFound(() => realpathSync.native(folder));
  if (realFolder === undefined) {
    throw new UnwritableStorageError(
      'The content folder is not there any more, so that nothing can be written.',
    );
  }
  const names = key.split('/');
  let parent = realFolder;
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const found = join(parent, name);
    const stats = whereFound(() => lstatSync(found));
    if (stats === undefined) {
      const missing = { below: parent, names: names.slice(index) };
      const path = join(parent, ...missing.names);
      return { key, path, name: path, stats: undefined, missing };
    }
    const path = stats.isSymbolicLink() ? followLink(realFolder, found, key) : found;
    const target = statSync(path);
    if (isLast && target.isFile()) return { key, path, name: found, stats: target, missing: undefined };
    if (isLast || !target.isDirectory()) {
      const what = target.isDirectory()
        ? 'a folder'
        : target.isFile()
          ? 'a file'
          : 'neither a file nor a folder';
      throw new UnsafeKeyError(key, `cannot be a file: ${JSON.stringify(name)} is ${what}.`);
    }
    parent = path;
  }
  throw new UnsafeKeyError(key, 'names no file.');
}

/** Rejects with UnsafeKeyError for new names that some file system or git on some system cannot have. */
export async function requireNewNames({ key, missing }: Place): Promise<void> {
  if (missing === undefined) return;
  for (const name of missing.names) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new UnsafeKeyError(key, problem);
  }
  const first = missing.names[0] ?? '';
  const isClash = clashesWith(first);
  const present = (await readdir(missing.below)).find((name) => name !== first && isClash(name));
  if (present !== undefined) throw new UnsafeKeyError(key, clashWith(present));
}

function followLink(realFolder: string, link: string, key: string): string {
  const real = whereFound(() => realpathSync.native(link));
  if (real === undefined) throw new UnsafeKeyError(key, 'goes through a link to nothing.');
  const target = keyOf(realFolder, real);
  if (target === undefined || isHidden(target)) {
    throw new UnsafeKeyError(key, 'goes through a link that leads out of the content folder.');
  }
  return real;
}
