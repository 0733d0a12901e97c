import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, sep } from 'node:path';
import { whereAllowed, whereFound } from '../storage/drivers/fs-paths.ts';
import type { Repository } from './repository.ts';
import type { RetryLog } from './retry.ts';
import { isRunningGit } from './run-git.ts';

/** Lock files of git whose owner died, for example because the whole process group was killed. */
export interface StaleLocks {
  /** Runs git commands that take locks, and notes that they are under way, so that the next process knows. */
  whileLocking(work: () => Promise<void>): Promise<void>;
  /** Removes the lock that an error of git names if its owner is dead. True if git can be tried again at once. */
  clear(error: unknown): boolean;
}

export interface StaleLocksDeps {
  readonly repository: Pick<Repository, 'top' | 'gitDir' | 'commonDir'>;
  /** A file that exists while git commands of ours take locks. */
  readonly notePath: string;
  readonly log: Pick<RetryLog, 'warn'>;
  readonly machine?: Machine;
}

/** Facts about the running processes. */
export interface Machine {
  /** True if no process can write to the file system of a path unseen: from another container or machine. */
  seesAllWriters(path: string): boolean;
  /** True if a process may hold the lock: one that has it open, or a git in one of the folders. */
  isInUse(lock: string, folders: readonly string[]): boolean;
}

/** Milliseconds. A lock that was changed more recently is never removed. */
const YOUNGEST_MS = 10_000;
/** A lock that a process elsewhere may hold. */
const YOUNGEST_UNSEEN_MS = 3_600_000;
/** A git command takes its lock this soon after it was noted. */
const OWN_WINDOW_MS = 10_000;

/** To be used by one process at a time: the one that has the lock of the commit journal. */
export function createStaleLocks({
  repository: { top, gitDir, commonDir },
  notePath,
  log,
  machine = createMachine(),
}: StaleLocksDeps): StaleLocks {
  /** When a process that died had git commands under way, milliseconds since the Unix epoch. */
  function noted(): number | undefined {
    const text = whereFound(() => readFileSync(notePath, 'utf8'));
    return text === undefined ? undefined : Number(text);
  }

  function isLeftByUs(lockedAt: number): boolean {
    const at = noted();
    return at !== undefined && lockedAt >= at - 1000 && lockedAt <= at + OWN_WINDOW_MS;
  }

  return {
    async whileLocking(work) {
      const inherited = existsSync(notePath);
      if (!inherited) writeFileSync(notePath, String(Date.now()));
      let succeeded = false;
      try {
        await work();
        succeeded = true;
      } finally {
        // A note of a dead process stays as long as its lock may be in the way.
        if (succeeded || !inherited) rmSync(notePath, { force: true });
      }
    },
    clear(error) {
      const lock = lockNamedBy(error);
      const folders = [top, gitDir, commonDir].map((folder) => realpathSync.native(folder));
      if (lock === undefined || !folders.slice(1).some((folder) => isWithin(dirname(lock), folder)))
        return false;
      const stats = whereFound(() => statSync(lock));
      if (stats === undefined) return true;
      const isSure = isLeftByUs(stats.mtimeMs) || machine.seesAllWriters(lock);
      const youngest = isSure ? YOUNGEST_MS : YOUNGEST_UNSEEN_MS;
      if (Date.now() - stats.mtimeMs < youngest || machine.isInUse(lock, folders)) return false;
      // Another process may have removed it, and git taken it again.
      if (whereFound(() => statSync(lock))?.ino !== stats.ino) return true;
      rmSync(lock, { force: true });
      log.warn(`Removed ${lock}: the git process that held it died.`);
      return true;
    },
  };
}

/** Absolute path of the lock file that kept git from its work. */
export function lockNamedBy(error: unknown): string | undefined {
  const printed = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  const [, after = ''] = printed.split("Unable to create '", 2);
  const [path = '', rest] = after.split("': File exists", 2);
  return rest !== undefined && path.endsWith('.lock') ? path : undefined;
}

function isWithin(path: string, folder: string): boolean {
  const real = whereAllowed(() => realpathSync.native(path));
  return real === folder || real?.startsWith(folder + sep) === true;
}

function createMachine(): Machine {
  return {
    seesAllWriters(path) {
      if (process.platform !== 'linux') return false;
      const own = whereAllowed(() => readlinkSync('/proc/self/ns/pid'));
      // Some systems hide processes of other users.
      const first = whereAllowed(() => readFileSync('/proc/1/comm'));
      const system = whereAllowed(() => statfsSync(path).type);
      return own === FIRST_NAMESPACE && first !== undefined && system !== undefined && !SHARED.has(system);
    },
    isInUse(lock, folders) {
      const pids = whereAllowed(() => readdirSync('/proc')) ?? [];
      return pids.some((pid) => /^\d+$/.test(pid) && (hasOpen(pid, lock) || isGitIn(pid, folders)));
    },
  };
}

/** The process namespace of the machine itself; a container has another one. */
const FIRST_NAMESPACE = 'pid:[4026531836]';
/** Types of file systems that other machines may write to (statfs): NFS, SMB, CIFS, 9P, FUSE, Ceph. */
const SHARED: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546, 0x00c36400,
]);

function hasOpen(pid: string, lock: string): boolean {
  const files = whereAllowed(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return files.some((file) => whereAllowed(() => readlinkSync(`/proc/${pid}/fd/${file}`)) === lock);
}

/** True for a git process at work in one of the folders, unless it is one of ours: those hold no lock by now. */
function isGitIn(pid: string, folders: readonly string[]): boolean {
  const status = whereAllowed(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
  if (!/^Name:\tgit/.test(status) || /^State:\tZ/m.test(status)) return false;
  if (isRunningGit(Number(pid))) return false;
  const place = whereAllowed(() => readlinkSync(`/proc/${pid}/cwd`));
  const command = whereAllowed(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  // The folder of a process of another user cannot be read.
  if (place === undefined) return true;
  return folders.some((folder) => isWithin(place, folder) || command.includes(folder));
}
