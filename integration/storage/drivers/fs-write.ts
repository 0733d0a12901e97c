import { accessSync, constants, lstatSync, realpathSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { WritableDriver } from '../driver.ts';
import { RevisionConflictError, StorageError, UnsafeKeyError, UnwritableStorageError } from '../errors.ts';
import { createWorkQueue, type Exclusively, type HeldLock } from '../work-queue.ts';
import { createJournal, type Journal } from './fs-journal.ts';

import { createFileLock, isLockingPossible, lockPathOf } from './fs-lock.ts';
import { codeOf, whereAllowed } from './fs-paths.ts';
import { findPlace, requireNewNames } from './fs-place.ts';
import { createFile, removeFile, replaceFile } from './fs-replace.ts';
import { hideFromGit } from './fs-temporary.ts';

/** Changes files below a folder; what it promises is told in `storage/driver.ts`. */
export function createFsWriter(folder: string, lockTimeoutMs?: number): FsWriter {
  const created = Date.now();
  let known: Access | undefined;

  /** The folder may be a link that leads elsewhere by now. */
  function access(): Access {
    const realFolder = realpathSync.native(folder);
    const lockPath = lockPathOf(realFolder);
    if (known?.lockPath !== lockPath) {
      if (dirname(lockPath) !== realFolder) hideFromGit(dirname(lockPath));
      known = createAccess(lockPath, created, lockTimeoutMs);
    }
    return known;
  }

  return {
    write: (key, bytes, when) =>
      orUnwritable(key, async () => {
        const place = findPlace(folder, key);
        const expected = when?.ifRevision;
        access().journal.add(place.key);
        if (place.stats !== undefined) return replaceFile({ ...place, stats: place.stats }, bytes, expected);
        if (typeof expected === 'string') throw new RevisionConflictError(place.key, null);
        await requireNewNames(place);
        return createFile(place, bytes, expected);
      }),
    remove: (key, when) =>
      orUnwritable(key, async () => {
        const place = findPlace(folder, key);
        if (place.stats !== undefined) access().journal.add(place.key);
        await removeFile(place, when?.ifRevision);
        removeEmptyFolders(folder, place.key);
      }),
    async exclusively(work) {
      const { exclusively } = await orUnwritable(`${basename(folder)}/`, async () => access());
      return exclusively(work);
    },
    async obstacle() {
      try {
        accessSync(folder, constants.W_OK);
        const lockPath = lockPathOf(realpathSync.native(folder));
        return isLockingPossible(lockPath)
          ? undefined
          : `The lock ${lockPath} cannot be used: nothing is written.`;
      } catch (error) {
        return unwritable(`${basename(folder)}/`, error).message;
      }
    },
  };
}

export type FsWriter = Pick<WritableDriver, 'write' | 'remove' | 'exclusively' | 'obstacle'>;

interface Access {
  readonly lockPath: string;
  readonly exclusively: Exclusively;
  readonly journal: Journal;
}

function createAccess(lockPath: string, created: number, lockTimeoutMs: number | undefined): Access {
  const lock = createFileLock(lockPath);
  const journal = createJournal(`${lockPath}.log`, created);
  async function take(isWanted: () => boolean): Promise<HeldLock | undefined> {
    const release = await lock.take(isWanted);
    if (release === undefined) return undefined;
    try {
      return { changed: journal.takeNews(), release };
    } catch (error) {
      release();
      throw unwritable('The content folder', error);
    }
  }
  return { lockPath, exclusively: createWorkQueue({ take }, lockTimeoutMs), journal };
}

/** Folders that a removed file leaves empty go with it, but never the bundle's. */
function removeEmptyFolders(folder: string, key: string): void {
  for (let at = dirname(key); at.includes('/'); at = dirname(at)) {
    const path = join(folder, at);
    const isEmptied = whereAllowed(() => {
      if (lstatSync(path).isSymbolicLink()) return false;
      rmdirSync(path);
      return true;
    });
    if (isEmptied !== true) return;
  }
}

async function orUnwritable<T>(key: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (error instanceof StorageError || codeOf(error) === undefined) throw error;
    throw unwritable(key, error);
  }
}

function unwritable(key: string, error: unknown): StorageError {
  const code = codeOf(error) ?? 'unknown reason';
  if (code === 'ENAMETOOLONG') return new UnsafeKeyError(key, 'is too long for a path here.');
  const reason = REASONS[code] ?? 'the file system refuses';
  return new UnwritableStorageError(
    `${key} cannot be written: ${reason} (${code}).`,
    error,
    FULL.has(code) ? 'out-of-space' : 'unavailable',
  );
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const NOT_PERMITTED = 'the server process has no permission to';
const REASONS: Readonly<Record<string, string>> = {
  EACCES: NOT_PERMITTED,
  EPERM: NOT_PERMITTED,
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'no space is left',
  ENOENT: 'its folder is not there any more',
};
