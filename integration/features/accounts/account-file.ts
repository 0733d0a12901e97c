import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ignoreInGit } from '../../core/storage/drivers/fs-git-ignore.ts';
import { createFileLock } from '../../core/storage/drivers/fs-lock.ts';
import { codeOf, isMissing } from '../../core/storage/drivers/fs-paths.ts';
import { syncFolder } from '../../core/storage/drivers/fs-replace.ts';
import { UnwritableStorageError } from '../../core/storage/errors.ts';
import { createLockedQueue } from '../../core/storage/locked-queue.ts';
import { DomainError } from '../../core/util/errors.ts';
import { errorMessage } from '../../core/util/text.ts';
import { type AccountData, accountDataSchema } from './account.ts';
import { AccountFileError, type AccountStorage, noAccounts, parseAccounts } from './account-storage.ts';

export interface AccountFileDeps {
  /** Absolute path. The file need not exist. */
  readonly file: string;
  /** Called once for each version of the file if its group can read it. */
  readonly warn: (message: string) => void;
}

/** The private accounts file. It is changed under a lock, so several processes can use it. Throws AccountFileError. */
export function createAccountFile({ file, warn }: AccountFileDeps): AccountStorage {
  let cached: { readonly stamp: string; readonly data: AccountData } | undefined;

  async function read(): Promise<AccountData | undefined> {
    const stats = await statOf(file);
    if (stats === undefined) {
      cached = undefined;
      return undefined;
    }
    const stamp = stampOf(stats);
    if (cached?.stamp === stamp) return cached.data;
    checkMode(file, stats, warn);
    const data = parseAccounts(file, await readText(file));
    // If the file has changed in the meantime, it has another stamp, and the next call reads it again.
    cached = { stamp, data };
    return data;
  }

  // A link and its target have the same lock.
  const exclusively = createLockedQueue({
    take: async (isWanted) => {
      const release = await createFileLock(`${await targetOf(file)}.lock`).take(isWanted);
      return release && { changed: [], release };
    },
  });

  async function updateLocked(change: (data: AccountData) => AccountData): Promise<void> {
    const former = await read();
    const changed = change(former ?? noAccounts());
    if (changed === former) return;
    const next = accountDataSchema.parse(changed);
    await removeDrafts(file);
    await replace(file, `${JSON.stringify(next, null, 2)}\n`);
    // With its drafts, its lock and the audit log.
    if (former === undefined) await ignoreInGit(file);
  }

  return {
    name: file,
    read,
    async update(change) {
      try {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await exclusively(() => updateLocked(change));
      } catch (error) {
        // The error itself is about the content folder; its cause is about this lock.
        if (error instanceof UnwritableStorageError)
          throw unusable(file, 'cannot be locked', error.cause ?? error);
        throw error instanceof DomainError ? error : unusable(file, 'cannot be written', error);
      }
    },
  };
}

/** The file with its links resolved, if it exists. */
function targetOf(file: string): Promise<string> {
  return realpath(file).catch(() => file);
}

async function statOf(file: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(file, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return undefined;
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

/** Changes with the bytes, the owner and the mode, and if another file replaces the file. */
function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

function checkMode(file: string, stats: BigIntStats, warn: (message: string) => void): void {
  if (!stats.isFile()) throw new AccountFileError(`The accounts file ${file} is not a file.`);
  // Windows has no permission bits.
  if (process.platform === 'win32') return;
  const mode = Number(stats.mode);
  if ((mode & 0o027) !== 0) {
    const fault = (mode & 0o022) === 0 ? 'read' : 'changed';
    throw new AccountFileError(
      `The accounts file ${file} can be ${fault} by other users of this machine, so it is not used. Make it private: chmod 600 ${file}`,
    );
  }
  if ((mode & 0o040) !== 0) {
    warn(`The accounts file ${file} can be read by its group. To make it private: chmod 600 ${file}`);
  }
}

/** Replaces the file atomically. */
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
        // After a command of root, the file must still belong to the user of the server.
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

/** Removes drafts of dead processes. Requires the lock. */
async function removeDrafts(file: string): Promise<void> {
  const target = await targetOf(file);
  const folder = path.dirname(target);
  for (const name of await readdir(folder)) {
    if (name.startsWith(`${path.basename(target)}.`) && name.endsWith('.tmp'))
      await rm(path.join(folder, name));
  }
}

function unusable(file: string, fault: string, error: unknown): AccountFileError {
  if (error instanceof AccountFileError) return error;
  const reason = codeOf(error) ?? errorMessage(error);
  return new AccountFileError(`The accounts file ${file} ${fault} (${reason}).`, { cause: error });
}
