import { accessSync, constants, lstatSync, realpathSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ApiError } from '../../errors.ts';
import type { WritableDriver } from '../driver.ts';
import { RevisionConflictError, UnsafeKeyError, UnwritableStorageError } from '../errors.ts';
import { createWorkQueue, type Exclusively } from '../work-queue.ts';
import { createFileLock, isLockingPossible, lockPathOf } from './fs-lock.ts';
import { codeOf, whereAllowed } from './fs-paths.ts';
import { findPlace, requireNewNames } from './fs-place.ts';
import { createFile, removeFile, replaceFile } from './fs-replace.ts';

/** Changes files below a folder; what it promises is told in `storage/driver.ts`. */
export function createFsWriter(folder: string, lockTimeoutMs?: number): FsWriter {
  let queue: { readonly lockPath: string; readonly exclusively: Exclusively } | undefined;

  /** The folder may be a link that leads elsewhere by now. */
  function queueOfNow(): Exclusively {
    const lockPath = lockPathOf(realpathSync.native(folder));
    if (queue?.lockPath !== lockPath) {
      queue = { lockPath, exclusively: createWorkQueue(createFileLock(lockPath), lockTimeoutMs) };
    }
    return queue.exclusively;
  }

  return {
    write: (key, bytes, when) =>
      orUnwritable(key, async () => {
        const place = findPlace(folder, key);
        const expected = when?.ifRevision;
        if (place.stats !== undefined) return replaceFile({ ...place, stats: place.stats }, bytes, expected);
        if (typeof expected === 'string') throw new RevisionConflictError(place.key, null);
        await requireNewNames(place);
        return createFile(place, bytes, expected);
      }),
    remove: (key, when) =>
      orUnwritable(key, async () => {
        const place = findPlace(folder, key);
        await removeFile(place, when?.ifRevision);
        removeEmptyFolders(folder, place.key);
      }),
    exclusively: async (work) => (await orUnwritable(`${basename(folder)}/`, async () => queueOfNow()))(work),
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
    if (error instanceof ApiError || codeOf(error) === undefined) throw error;
    throw unwritable(key, error);
  }
}

function unwritable(key: string, error: unknown): ApiError {
  const code = codeOf(error) ?? 'unknown reason';
  if (code === 'ENAMETOOLONG') return new UnsafeKeyError(key, 'is too long for a path here.');
  const reason = REASONS[code] ?? 'the file system refuses';
  return new UnwritableStorageError(
    `${key} cannot be written: ${reason} (${code}).`,
    error,
    FULL.has(code) ? 507 : 503,
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
