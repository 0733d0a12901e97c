import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Options } from '../../core/options/options.ts';
import type { PathFlag } from '../../core/runtime/site.ts';
import { isInside } from '../../core/storage/drivers/fs-paths.ts';
import { accountsFileOption, DEFAULT_ACCOUNTS_FILE } from './options.ts';

/** Folders that must not contain the accounts file. Absolute paths. */
export interface PublicFolders {
  readonly contentDir: string;
  readonly publicDir?: string | undefined;
  readonly outDir?: string | undefined;
}

/** The accounts file of a site: of the flag, else of JSONAPI_ACCOUNTS if `readsEnvironment`, else of the options. */
export function accountsFileOf(
  site: PublicFolders & { readonly root: string },
  options: Options,
  readsEnvironment: boolean,
  flag?: PathFlag,
): string {
  if (flag !== undefined) return accountsPathFromFlag(flag, site);
  const fromEnvironment = readsEnvironment ? accountsPathFromEnvironment(site) : undefined;
  return fromEnvironment ?? accountsPathFromOption(accountsFileOption(options), site.root, site);
}

/**
 * The absolute path of the accounts file in the option `editing.accountsFile`, which is relative to the project. Symbolic links are
 * followed. Throws an Error if the file would be served, committed with the content or deleted by a build.
 */
export function accountsPathFromOption(written: string, root: string, folders: PublicFolders): string {
  const file = path.resolve(root, written);
  checkPrivate(file, `Option editing.accountsFile cannot be ${JSON.stringify(written)}`, root, folders);
  return file;
}

function accountsPathFromFlag({ written, cwd }: PathFlag, folders: PublicFolders): string {
  const file = path.resolve(cwd, written);
  checkPrivate(file, `--accounts cannot be ${JSON.stringify(written)}`, cwd, folders);
  return file;
}

/** The same for the environment variable JSONAPI_ACCOUNTS, which overrides the option; undefined if it is not set. */
export function accountsPathFromEnvironment(folders: PublicFolders): string | undefined {
  const value = process.env.JSONAPI_ACCOUNTS;
  if (value === undefined || value === '') return undefined;
  const file = path.resolve(value);
  checkPrivate(file, `JSONAPI_ACCOUNTS cannot be ${JSON.stringify(value)}`, process.cwd(), folders);
  return file;
}

function checkPrivate(file: string, fault: string, from: string, folders: PublicFolders): void {
  for (const [name, why] of PUBLIC_FOLDERS) {
    const folder = folders[name];
    if (folder === undefined || !isInside(real(folder), real(file))) continue;
    throw new Error(
      `${fault}, a file in ${path.relative(from, folder) || folder}: ${why}. Valid: a file elsewhere, such as '${DEFAULT_ACCOUNTS_FILE}'.`,
    );
  }
}

const PUBLIC_FOLDERS = [
  ['contentDir', 'everyone who edits the content can read it'],
  ['publicDir', 'everything in it is public'],
  ['outDir', 'the build output is deployed and overwritten'],
] as const;

/** A path as it is written, and with its links resolved. */
export function spellings(file: string): readonly string[] {
  return [...new Set([file, real(file)])];
}

/** Resolves the links in the part of the path that exists. */
function real(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  const parent = path.dirname(file);
  return parent === file ? file : path.join(real(parent), path.basename(file));
}
