import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { UnsafeKeyError, UnwritableStorageError } from '../errors.ts';
import { clashMessage, createClashFinder, isHidden, nameProblem, requireWritableKey } from '../file-name.ts';
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

/**
 * Rejects with UnsafeKeyError for new names that some file systems, or git on some systems, cannot store: beside each
 * other or beside present files. Reads each folder once.
 */
export async function requireNewNames(targets: readonly WriteTarget[]): Promise<void> {
  const present = new Set<string>();
  /** By folder, the new names and the keys that contain them. */
  const folders = new Map<string, Map<string, string>>();
  for (const { key, missing } of targets) {
    if (missing === undefined) continue;
    let folder = missing.below;
    present.add(folder);
    for (const name of missing.names) {
      const problem = nameProblem(name);
      if (problem !== undefined) throw new UnsafeKeyError(key, problem);
      folders.set(folder, (folders.get(folder) ?? new Map()).set(name, key));
      folder = join(folder, name);
    }
  }
  for (const [folder, keys] of folders) {
    const clashOf = createClashFinder(keys.keys());
    for (const other of [...keys.keys(), ...(present.has(folder) ? await readdir(folder) : [])]) {
      const key = keys.get(clashOf(other) ?? '');
      if (key !== undefined) throw new UnsafeKeyError(key, clashMessage(other));
    }
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
