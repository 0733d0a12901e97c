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
 * The absolute path of the accounts file that option `editing.accountsFile` names, relative to the project. Throws an
 * Error where it would be served, committed with the content or wiped by a build; symbolic links are followed.
 */
export function findAccountPlace(written: string, root: string, folders: PublicFolders): string {
  const file = path.resolve(root, written);
  checkPrivate(file, `Option editing.accountsFile cannot be ${JSON.stringify(written)}`, root, folders);
  return file;
}

/** The same for one that `--accounts` names, relative to the folder the command runs in. */
export function accountPlaceOfFlag(written: string, cwd: string, folders: PublicFolders): string {
  const file = path.resolve(cwd, written);
  checkPrivate(file, `--accounts cannot be ${JSON.stringify(written)}`, cwd, folders);
  return file;
}

/**
 * The absolute path of the accounts file that JSONAPI_ACCOUNTS names, for a process that has them elsewhere than its
 * site says; undefined where it names none. Throws as `findAccountPlace` does.
 */
export function accountPlaceOfProcess(folders: Partial<PublicFolders>): string | undefined {
  const named = process.env.JSONAPI_ACCOUNTS;
  if (named === undefined || named === '') return undefined;
  const file = path.resolve(named);
  checkPrivate(file, `JSONAPI_ACCOUNTS cannot be ${JSON.stringify(named)}`, process.cwd(), folders);
  return file;
}

function checkPrivate(file: string, fault: string, from: string, folders: Partial<PublicFolders>): void {
  for (const [name, why] of PUBLIC_FOLDERS) {
    const folder = folders[name];
    if (folder === undefined || !isInside(real(file), real(folder))) continue;
    throw new Error(
      `${fault}, a file in ${path.relative(from, folder) || folder}: ${why}. Valid: a file elsewhere, such as '${DEFAULT_ACCOUNTS_FILE}'.`,
    );
  }
}

const PUBLIC_FOLDERS = [
  ['contentDir', 'the content is for everybody who works on it'],
  ['publicDir', 'everything there is served to everybody'],
  ['outDir', 'what is built is deployed, and built anew'],
] as const;

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
