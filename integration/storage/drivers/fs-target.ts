import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnsafeKeyError, UnwritableStorageError } from '../errors.ts';
import {
  clashesWith,
  clashMessage,
  createNameIndex,
  isHidden,
  type NameIndex,
  nameProblem,
  requireWritableKey,
} from '../file-name.ts';
import { keyOf, undefinedIfMissing } from './fs-paths.ts';

/** The location of a file to write or remove. Links are resolved in all paths but `name`. */
export interface WriteTarget {
  readonly key: string;
  /** The file itself. */
  readonly path: string;
  /** Like `path`, but if the key names a link, the link. */
  readonly name: string;
  /** Undefined if the file does not exist yet. */
  readonly stats: Stats | undefined;
  /** The names that do not exist yet, below an existing folder. */
  readonly missing: { readonly below: string; readonly names: readonly string[] } | undefined;
}

/** Resolves a key. Throws UnsafeKeyError if it leads out of the folder, or if something other than a file is in the way. */
export function findWriteTarget(folder: string, writtenKey: string): WriteTarget {
  const key = requireWritableKey(writtenKey);
  const realFolder = undefinedIfMissing(() => realpathSync.native(folder));
  if (realFolder === undefined) {
    throw new UnwritableStorageError(
      'The content folder does not exist any more, so nothing can be written.',
    );
  }
  const names = key.split('/');
  let parent = realFolder;
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    const link = join(parent, name);
    const stats = undefinedIfMissing(() => lstatSync(link));
    if (stats === undefined) {
      const missing = { below: parent, names: names.slice(index) };
      const path = join(parent, ...missing.names);
      return { key, path, name: path, stats: undefined, missing };
    }
    const isLink = stats.isSymbolicLink();
    const path = isLink ? followLink(realFolder, link, key) : link;
    const stat = isLink ? statSync(path) : stats;
    if (isLast && stat.isFile()) return { key, path, name: link, stats: stat, missing: undefined };
    if (isLast || !stat.isDirectory()) {
      const what = stat.isDirectory() ? 'a folder' : stat.isFile() ? 'a file' : 'neither a file nor a folder';
      throw new UnsafeKeyError(key, `cannot be a file: ${JSON.stringify(name)} is ${what}.`);
    }
    parent = path;
  }
  throw new UnsafeKeyError(key, 'does not name a file.');
}

/** Rejects with UnsafeKeyError for new names that some file systems, or git on some systems, cannot store. */
export async function requireNewNames({ key, missing }: WriteTarget): Promise<void> {
  if (missing === undefined) return;
  requireValidNames(key, missing.names);
  const first = missing.names[0] ?? '';
  const isClash = clashesWith(first);
  const present = (await readdir(missing.below)).find((name) => name !== first && isClash(name));
  if (present !== undefined) throw new UnsafeKeyError(key, clashMessage(present));
}

/** The same for several new files, which must not clash with each other either. Reads each folder once. */
export async function requireNewNamesOfAll(targets: readonly WriteTarget[]): Promise<void> {
  const folders = new Map<string, NameIndex>();
  for (const { key, missing } of targets) {
    if (missing === undefined) continue;
    requireValidNames(key, missing.names);
    let folder = missing.below;
    for (const name of missing.names) {
      const index =
        folders.get(folder) ?? createNameIndex(folder === missing.below ? await readdir(folder) : []);
      folders.set(folder, index);
      const present = index.clashOf(name);
      if (present !== undefined) throw new UnsafeKeyError(key, clashMessage(present));
      index.add(name);
      folder = join(folder, name);
    }
  }
}

function requireValidNames(key: string, names: readonly string[]): void {
  for (const name of names) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new UnsafeKeyError(key, problem);
  }
}

function followLink(realFolder: string, link: string, key: string): string {
  const real = undefinedIfMissing(() => realpathSync.native(link));
  if (real === undefined) throw new UnsafeKeyError(key, 'goes through a link to nothing.');
  const target = keyOf(realFolder, real);
  if (target === undefined || isHidden(target)) {
    throw new UnsafeKeyError(key, 'goes through a link that leads out of the content folder.');
  }
  return real;
}
