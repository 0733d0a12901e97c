import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_ACCOUNTS_FILE } from './account.ts';

/** Folders of a project in which its accounts must not lie. All absolute. */
export interface PublicFolders {
  readonly contentDir: string;
  readonly publicDir: string;
  readonly outDir: string;
}

/**
 * The absolute path of the accounts file that option `accounts` names, relative to the project. Throws an Error where
 * it would be served, committed with the content or wiped by a build; symbolic links are followed.
 */
export function findAccountPlace(written: string, root: string, folders: PublicFolders): string {
  const file = path.resolve(root, written);
  for (const { folder, why } of [
    { folder: folders.contentDir, why: 'the content is for everybody who works on it' },
    { folder: folders.publicDir, why: 'everything there is served to everybody' },
    { folder: folders.outDir, why: 'what is built is deployed, and built anew' },
  ]) {
    if (!isInside(real(file), real(folder))) continue;
    throw new Error(
      `Option accounts cannot be ${JSON.stringify(written)}, a file in ${path.relative(root, folder) || folder}: ${why}. Valid: a file elsewhere, such as '${DEFAULT_ACCOUNTS_FILE}'.`,
    );
  }
  return file;
}

/** A path as it is written, and with its links followed. */
export function spellings(file: string): readonly string[] {
  return [...new Set([file, real(file)])];
}

function isInside(file: string, folder: string): boolean {
  const way = path.relative(folder, file);
  return way === '' || (way !== '..' && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way));
}

/** With the links of as much of the path as exists followed. */
function real(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  const parent = path.dirname(file);
  return parent === file ? file : path.join(real(parent), path.basename(file));
}
