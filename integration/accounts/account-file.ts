import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { appendFile, mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFileLock } from '../storage/drivers/fs-lock.ts';
import { codeOf } from '../storage/drivers/fs-paths.ts';
import { syncFolder } from '../storage/drivers/fs-replace.ts';
import { UnwritableStorageError } from '../storage/errors.ts';
import { createLockedQueue } from '../storage/locked-queue.ts';
import { ApiError } from '../util/errors.ts';
import { errorMessage } from '../util/text.ts';
import { type AccountData, accountDataSchema } from './account.ts';
import { base64Url } from './secret.ts';

export interface AccountFileDeps {
  /** Absolute. The file need not exist. */
  readonly file: string;
  /** Told once for each state of the file: that a group can read it. */
  readonly warn: (message: string) => void;
}

/** The file in which the accounts are kept. Throws AccountFileError where it cannot be used as it is. */
export interface AccountFile {
  readonly path: string;
  /** The same object as long as the file is the same; undefined where there is no file. */
  read(): Promise<AccountData | undefined>;
  /**
   * Replaces the accounts while no other process does. `change` is given the newest accounts and returns them changed.
   * When this resolves they are on disk. Nothing is written where `change` throws.
   */
  update(change: (data: AccountData) => AccountData): Promise<void>;
}

/** What is wrong with the accounts file, and what to do about it. Holds nothing that is secret. */
export class AccountFileError extends Error {
  override readonly name = 'AccountFileError';
}

export function createAccountFile({ file, warn }: AccountFileDeps): AccountFile {
  let kept: { readonly stamp: string; readonly data: AccountData } | undefined;

  async function read(): Promise<AccountData | undefined> {
    const stats = await statOf(file);
    if (stats === undefined) {
      kept = undefined;
      return undefined;
    }
    const stamp = stampOf(stats);
    if (kept?.stamp === stamp) return kept.data;
    checkMode(file, stats, warn);
    const data = parse(file, await readText(file));
    // A file that changed meanwhile has another stamp, so that the next call reads it again.
    kept = { stamp, data };
    return data;
  }

  // Of a link, whoever changes what it leads to has the same lock.
  const exclusively = createLockedQueue({
    take: async (isWanted) => {
      const release = await createFileLock(`${await targetOf(file)}.lock`).take(isWanted);
      return release && { changed: [], release };
    },
  });

  async function updateLocked(change: (data: AccountData) => AccountData): Promise<void> {
    const former = await read();
    const changed = change(former ?? emptyData());
    if (changed === former) return;
    const next = accountDataSchema.parse(changed);
    await removeDrafts(file);
    await replace(file, `${JSON.stringify(next, null, 2)}\n`);
    if (former === undefined) await ignoreInGit(file);
  }

  return {
    path: file,
    read,
    async update(change) {
      try {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await exclusively(() => updateLocked(change));
      } catch (error) {
        // What is told of the content's lock, too, is meant for whoever reads the log.
        if (error instanceof UnwritableStorageError)
          throw unusable(file, 'cannot be locked', error.cause ?? error);
        throw error instanceof ApiError ? error : unusable(file, 'cannot be written', error);
      }
    },
  };
}

function emptyData(): AccountData {
  return { version: 1, tokenKey: base64Url(randomBytes(32)), accounts: [] };
}

/** With links followed, where there is such a file. */
function targetOf(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

async function statOf(file: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(file, { bigint: true });
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw unusable(file, 'cannot be read', error);
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unusable(file, 'cannot be read', error);
  }
}

/** Changes with every change of bytes, of owner or of mode; a file put in place of another has another number. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

function checkMode(file: string, stats: BigIntStats, warn: (message: string) => void): void {
  if (!stats.isFile()) throw new AccountFileError(`The accounts file ${file} is no file.`);
  // Windows has no such bits.
  if (process.platform === 'win32') return;
  const mode = Number(stats.mode);
  if ((mode & 0o027) !== 0) {
    const fault = (mode & 0o022) === 0 ? 'read' : 'changed';
    throw new AccountFileError(
      `The accounts file ${file} can be ${fault} by other users of this machine, so it is not used. Make it private: chmod 600 ${file}`,
    );
  }
  if ((mode & 0o040) !== 0) {
    warn(`The accounts file ${file} can be read by its group. Unless that is meant: chmod 600 ${file}`);
  }
}

function parse(file: string, text: string): AccountData {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which is secret.
    throw new AccountFileError(`The accounts file ${file} is not valid JSON, so nobody can sign in. ${MEND}`);
  }
  const result = accountDataSchema.safeParse(json);
  if (result.success) return result.data;
  const faults = result.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `\n  ${placeOf(path)}: ${message}`);
  throw new AccountFileError(
    `The accounts file ${file} is not as it should be, so nobody can sign in. ${MEND}${faults.join('')}`,
  );
}

const MEND = 'Correct it, or bring back a copy of it.';

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** Whoever reads meanwhile, and whoever comes after a crash, finds the old file or the new one whole. */
async function replace(file: string, text: string): Promise<void> {
  const target = await targetOf(file);
  const former = await statOf(target);
  const draft = `${target}.${process.pid}-${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      if (former !== undefined) {
        await handle.chmod(Number(former.mode) & 0o640);
        // An administrator's command must leave the file to the account that the server runs under.
        await handle.chown(Number(former.uid), Number(former.gid)).catch(() => undefined);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, target);
    await syncFolder(path.dirname(target));
  } catch (error) {
    await rm(draft, { force: true });
    throw unusable(file, 'cannot be written', error);
  }
}

/** What a process that died while it wrote has left; the lock is ours, so nobody writes now. */
async function removeDrafts(file: string): Promise<void> {
  const target = await targetOf(file);
  const folder = path.dirname(target);
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${path.basename(target)}.`) && name.endsWith('.tmp'))
      await rm(path.join(folder, name));
  }
}

/** Keeps a new accounts file, with its drafts, its lock and its audit log, out of the repository it may lie in. */
export async function ignoreInGit(file: string): Promise<void> {
  const folder = path.dirname(file);
  if (!(await isInRepository(folder))) return;
  const ignoreFile = path.join(folder, '.gitignore');
  const former = await readFile(ignoreFile, 'utf8').catch(() => '');
  const line = `/${path.basename(file)}*`;
  if (former.split(/\r?\n/).includes(line)) return;
  await appendFile(ignoreFile, `${former === '' || former.endsWith('\n') ? '' : '\n'}${line}\n`);
}

async function isInRepository(folder: string): Promise<boolean> {
  for (let at = folder; ; at = path.dirname(at)) {
    if ((await statOf(path.join(at, '.git'))) !== undefined) return true;
    if (path.dirname(at) === at) return false;
  }
}

function unusable(file: string, fault: string, error: unknown): AccountFileError {
  if (error instanceof AccountFileError) return error;
  const reason = codeOf(error) ?? errorMessage(error);
  return new AccountFileError(`The accounts file ${file} ${fault} (${reason}).`, { cause: error });
}

function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
