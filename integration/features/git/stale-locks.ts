import { readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { gitStderr, isOwnGit } from '../../core/runtime/run-git.ts';
import { isInside, undefinedIfMissing, undefinedIfUnreadable } from '../../core/storage/drivers/fs-paths.ts';
import type { Repository } from './repository.ts';

export interface StaleLockDeps {
  readonly repository: Pick<Repository, 'top' | 'gitDir' | 'commonDir'>;
  /** When a git process of ours, which may be dead, started to take locks, milliseconds since the Unix epoch. */
  readonly lockingSince: number | undefined;
  readonly log: { warn(message: string): void };
  readonly machine?: Machine;
}

/** Facts about the running processes. */
export interface Machine {
  /** True if no process of another container or machine can write to the file system of a path. */
  seesAllWriters(path: string): boolean;
  /** True if a process may hold the lock: one that has it open, or a git in one of the folders. */
  isInUse(lock: string, folders: readonly string[]): boolean;
}

/** Milliseconds. A lock that was changed more recently is never removed. */
const MIN_AGE_MS = 10_000;
/** The same for a lock that a process elsewhere may hold. */
const MIN_AGE_UNSEEN_MS = 3_600_000;
/** A git command takes its lock within this time. */
const OWN_WINDOW_MS = 10_000;

/**
 * Removes the lock file that an error of git names if its owner died, for example because the whole process group was
 * killed. Returns true if git can be tried again at once. Only the process that holds the commit lock may call it.
 */
export function clearStaleLock(
  error: unknown,
  { repository: { top, gitDir, commonDir }, lockingSince, log, machine = createMachine() }: StaleLockDeps,
): boolean {
  const lock = lockNamedBy(error);
  const folders = [top, gitDir, commonDir].map((folder) => realpathSync.native(folder));
  if (lock === undefined || !folders.slice(1).some((folder) => isReallyInside(folder, dirname(lock))))
    return false;
  const stats = undefinedIfMissing(() => statSync(lock));
  if (stats === undefined) return true;
  const { mtimeMs, ino } = stats;
  const isOwn =
    lockingSince !== undefined && mtimeMs >= lockingSince - 1000 && mtimeMs <= lockingSince + OWN_WINDOW_MS;
  const minAge = isOwn || machine.seesAllWriters(lock) ? MIN_AGE_MS : MIN_AGE_UNSEEN_MS;
  if (Date.now() - mtimeMs < minAge || machine.isInUse(lock, folders)) return false;
  // Another process may have removed it, and git taken it again.
  if (undefinedIfMissing(() => statSync(lock).ino) !== ino) return true;
  rmSync(lock, { force: true });
  log.warn(`Removed ${lock}: the git process that held it died.`);
  return true;
}

/** The absolute path of the lock file that stopped git. */
export function lockNamedBy(error: unknown): string | undefined {
  const [, after = ''] = gitStderr(error).split("Unable to create '", 2);
  const [path = '', rest] = after.split("': File exists", 2);
  return rest !== undefined && path.endsWith('.lock') ? path : undefined;
}

/** False if the path cannot be read. */
function isReallyInside(folder: string, path: string): boolean {
  const real = undefinedIfUnreadable(() => realpathSync.native(path));
  return real !== undefined && isInside(folder, real);
}

function createMachine(): Machine {
  return {
    seesAllWriters(path) {
      if (process.platform !== 'linux') return false;
      const namespace = undefinedIfUnreadable(() => readlinkSync('/proc/self/ns/pid'));
      // Some systems hide processes of other users.
      const firstProcess = undefinedIfUnreadable(() => readFileSync('/proc/1/comm'));
      const fileSystem = undefinedIfUnreadable(() => statfsSync(path).type);
      return (
        namespace === HOST_NAMESPACE &&
        firstProcess !== undefined &&
        fileSystem !== undefined &&
        !SHARED_FILE_SYSTEMS.has(fileSystem)
      );
    },
    isInUse(lock, folders) {
      const pids = undefinedIfUnreadable(() => readdirSync('/proc')) ?? [];
      return pids.some((pid) => /^\d+$/.test(pid) && (hasOpen(pid, lock) || isForeignGit(pid, folders)));
    },
  };
}

/** The process namespace of the machine itself; a container has another one. */
const HOST_NAMESPACE = 'pid:[4026531836]';
/** Types of file systems that other machines may write to (statfs): NFS, SMB, CIFS, 9P, FUSE, Ceph. */
const SHARED_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x00c36400,
]);

function hasOpen(pid: string, lock: string): boolean {
  const files = undefinedIfUnreadable(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return files.some((file) => undefinedIfUnreadable(() => readlinkSync(`/proc/${pid}/fd/${file}`)) === lock);
}

/** True for a running git in one of the folders. Our own git processes hold no lock at this point. */
function isForeignGit(pid: string, folders: readonly string[]): boolean {
  const status = undefinedIfUnreadable(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
  if (!/^Name:\tgit/.test(status) || /^State:\tZ/m.test(status) || isOwnGit(Number(pid))) return false;
  const cwd = undefinedIfUnreadable(() => readlinkSync(`/proc/${pid}/cwd`));
  const command = undefinedIfUnreadable(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  // The folder of another user's process cannot be read.
  if (cwd === undefined) return true;
  return folders.some((folder) => isReallyInside(folder, cwd) || command.includes(folder));
}
