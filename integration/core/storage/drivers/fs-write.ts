import { accessSync, constants, lstatSync, readFileSync, realpathSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FileChange, WritableDriver } from '../driver.ts';
import { RevisionConflictError, StorageError, UnsafeKeyError, UnwritableStorageError } from '../errors.ts';
import { type AcquiredLock, createLockedQueue, type Exclusively } from '../locked-queue.ts';
import { type Batches, type BatchFiles, createBatches, hasBatch } from './fs-batch.ts';
import { type ChangeLog, createChangeLog } from './fs-change-log.ts';
import { createFileLock, isLockingPossible, lockPathOf, tryLockExclusive } from './fs-lock.ts';
import { codeOf, undefinedIfMissing, undefinedIfUnreadable } from './fs-paths.ts';
import { createFile, removeFile, replaceFile } from './fs-replace.ts';
import { findWriteTarget, requireNewNames } from './fs-target.ts';
import { hideFromGit } from './fs-temporary.ts';

/** Writes files below a folder, as `WritableDriver` specifies. */
export function createFsWriter(folder: string, lockTimeoutMs?: number): FsWriter {
  const created = Date.now();
  let cached: Access | undefined;

  /** The folder may be a link that has a new target. */
  function access(): Access {
    const realFolder = realpathSync.native(folder);
    const lockPath = lockPathOf(realFolder);
    if (cached?.lockPath !== lockPath) {
      if (dirname(lockPath) !== realFolder) hideFromGit(dirname(lockPath));
      cached = createAccess(lockPath, created, lockTimeoutMs, { read: readTarget, change });
    }
    return cached;
  }

  const write = (
    key: string,
    bytes: Uint8Array,
    expected: string | null | undefined,
    checkNames?: typeof requireNewNames,
  ): Promise<void> =>
    orUnwritable(key, async () => {
      const target = findWriteTarget(folder, key);
      access().changeLog.add(target.key);
      if (target.stats !== undefined) return replaceFile({ ...target, stats: target.stats }, bytes, expected);
      if (typeof expected === 'string') throw new RevisionConflictError(target.key, null);
      await checkNames?.([target]);
      return createFile(target, bytes, expected);
    });

  const remove: FsWriter['remove'] = (key, when) =>
    orUnwritable(key, async () => {
      const target = findWriteTarget(folder, key);
      if (target.stats !== undefined) access().changeLog.add(target.key);
      await removeFile(target, when?.ifRevision);
      removeEmptyFolders(folder, target.key);
    });

  /** The names of new files have been checked. */
  async function change({ key, bytes, ifRevision }: FileChange): Promise<void> {
    if (bytes !== null) await write(key, bytes, ifRevision);
    else if (ifRevision !== null) await remove(key, { ifRevision });
  }

  function readTarget(key: string): Uint8Array | undefined {
    const { path, stats } = findWriteTarget(folder, key);
    return stats && undefinedIfMissing(() => readFileSync(path));
  }

  const exclusively: FsWriter['exclusively'] = async (work) => {
    const { exclusively: locked, batches } = await orUnwritable(`${basename(folder)}/`, async () => access());
    return locked(async (changed) => {
      const recovered = await orUnwritable(`${basename(folder)}/`, batches.recover);
      return work([...changed, ...recovered]);
    });
  };

  return {
    write: (key, bytes, when) => write(key, bytes, when?.ifRevision, requireNewNames),
    remove,
    writeAll: (changes) =>
      orUnwritable(`${basename(folder)}/`, async () => {
        const created = changes.filter(({ ifRevision }) => ifRevision === null);
        await requireNewNames(created.map(({ key }) => findWriteTarget(folder, key)));
        await access().batches.write(changes);
      }),
    exclusively,
    async settle() {
      const realFolder = undefinedIfMissing(() => realpathSync.native(folder));
      if (realFolder === undefined || !hasBatch(batchPathOf(lockPathOf(realFolder)))) return;
      try {
        const { lockPath, batches } = access();
        // Without waiting: a process that has the lock finishes its own changes.
        const release = tryLockExclusive(lockPath);
        if (release !== undefined) await orUnwritable(folder, batches.recover).finally(release);
      } catch (error) {
        // A process that cannot write reads the files as they are.
        if (!(error instanceof StorageError)) throw error;
      }
    },
    async obstacle() {
      try {
        accessSync(folder, constants.W_OK);
        const lockPath = lockPathOf(realpathSync.native(folder));
        return isLockingPossible(lockPath)
          ? undefined
          : `The lock ${lockPath} cannot be used, so nothing can be written.`;
      } catch (error) {
        return unwritable(`${basename(folder)}/`, error).message;
      }
    },
  };
}

export interface FsWriter
  extends Pick<WritableDriver, 'write' | 'remove' | 'writeAll' | 'exclusively' | 'obstacle'> {
  /** Finishes the changes of a process that died in `writeAll`. */
  settle(): Promise<void>;
}

interface Access {
  readonly lockPath: string;
  readonly batches: Batches;
  readonly exclusively: Exclusively;
  readonly changeLog: ChangeLog;
}

function createAccess(
  lockPath: string,
  created: number,
  lockTimeoutMs: number | undefined,
  files: BatchFiles,
): Access {
  const lock = createFileLock(lockPath);
  const changeLog = createChangeLog(`${lockPath}.log`, created);
  async function take(isWanted: () => boolean): Promise<AcquiredLock | undefined> {
    const release = await lock.take(isWanted);
    if (release === undefined) return undefined;
    try {
      return { changed: changeLog.readNew(), release };
    } catch (error) {
      release();
      throw unwritable('The content folder', error);
    }
  }
  const batches = createBatches(batchPathOf(lockPath), files);
  return { lockPath, batches, exclusively: createLockedQueue({ take }, lockTimeoutMs), changeLog };
}

function batchPathOf(lockPath: string): string {
  return `${lockPath}.batch`;
}

/** Removes folders that are empty without the file, except the bundle's. */
function removeEmptyFolders(folder: string, key: string): void {
  for (let at = dirname(key); at.includes('/'); at = dirname(at)) {
    const path = join(folder, at);
    const isRemoved = undefinedIfUnreadable(() => {
      if (lstatSync(path).isSymbolicLink()) return false;
      rmdirSync(path);
      return true;
    });
    if (isRemoved !== true) return;
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
  if (code === 'ENAMETOOLONG') return new UnsafeKeyError(key, 'is too long for a path on this system.');
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
  ENOENT: 'its folder does not exist any more',
};
