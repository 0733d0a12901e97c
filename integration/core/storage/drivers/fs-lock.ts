import { closeSync, fchmodSync, fchownSync, openSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { digestText } from '../../util/revision.ts';
import { UnwritableStorageError } from '../errors.ts';
import { codeOf, findGitFolder, undefinedIfUnreadable } from './fs-paths.ts';

/**
 * A lock between processes: a write transaction on an empty SQLite database, in which nothing is written. The operating
 * system releases it when its process dies. It has no maximum age, so a slow or sleeping process keeps it.
 *
 * A waiting process holds `<path>.next`, and every process needs that lock first, so two busy processes take turns.
 */
export function createFileLock(path: string): FileLock {
  const next = `${path}.next`;
  return {
    async take(isWanted) {
      const leaveQueue = await takeOne(next, isWanted);
      if (leaveQueue === undefined) return undefined;
      try {
        return await takeOne(path, isWanted);
      } finally {
        leaveQueue();
      }
    },
  };
}

export interface FileLock {
  /** Waits for the lock and returns the function that releases it; undefined once `isWanted` returns false. */
  take(isWanted: () => boolean): Promise<(() => void) | undefined>;
}

/** Takes a shareable lock exclusively; undefined if another process holds or shares it. */
export function tryLockExclusive(path: string): (() => void) | undefined {
  return tryToTake(path, 'BEGIN EXCLUSIVE');
}

/** Shares a lock; undefined if another process holds it exclusively. */
export function tryLockShared(path: string): (() => void) | undefined {
  return tryToTake(path, 'BEGIN; SELECT count(*) FROM sqlite_schema');
}

/**
 * The lock of a content folder, the same for all processes and links: in the `.git` folder around it, which git does not
 * scan, else hidden in the content folder. The system's temporary folder would not work, because services and containers
 * have their own.
 */
export function lockPathOf(realFolder: string): string {
  const repository = findGitFolder(realFolder);
  if (repository === undefined) return join(realFolder, LOCK_NAME);
  const path = relative(repository.top, realFolder).split(sep).join('/');
  return join(repository.gitFolder, `${LOCK_NAME}.${digestText(path)}`);
}

/** False if the file system or the permissions do not allow locks. */
export function isLockingPossible(path: string): boolean {
  try {
    tryToTake(path)?.();
    return true;
  } catch {
    return false;
  }
}

/** True for the name of a lock, or of a file that belongs to one. */
export function isLockName(name: string): boolean {
  return name === LOCK_NAME || name.startsWith(`${LOCK_NAME}.`);
}

const LOCK_NAME = '.astro-jsonapi-lock';
/** Milliseconds between two attempts; the pause grows from the first to the last. */
const PAUSE_MS = { first: 1, last: 5, growth: 1.5 };
/** SQLite's primary result code for a locked database; extended codes have more bits. */
const SQLITE_BUSY = 5;

async function takeOne(path: string, isWanted: () => boolean): Promise<(() => void) | undefined> {
  for (let pause = PAUSE_MS.first; isWanted(); pause = Math.min(pause * PAUSE_MS.growth, PAUSE_MS.last)) {
    const release = tryToTake(path);
    if (release !== undefined) return release;
    // Random, so that waiting processes do not stay in step.
    await new Promise((done) => setTimeout(done, pause * (0.5 + Math.random())));
  }
  return undefined;
}

/** Opens the file each time: if it was deleted, two processes could lock two different files. */
function tryToTake(path: string, begin = 'BEGIN IMMEDIATE'): (() => void) | undefined {
  let database: DatabaseSync | undefined;
  try {
    createIfAbsent(path);
    const before = identityOf(path);
    database = new (sqlite().DatabaseSync)(path, { timeout: 0 });
    // Otherwise SQLite looks for a journal on disk.
    database.exec(`PRAGMA journal_mode=MEMORY; ${begin}`);
    if (before === identityOf(path)) return () => database?.close();
  } catch (error) {
    if (!isBusy(error) && codeOf(error) !== 'ENOENT') {
      database?.close();
      throw new UnwritableStorageError(CANNOT_LOCK, new Error(`The lock ${path} fails.`, { cause: error }));
    }
  }
  database?.close();
  return undefined;
}

/**
 * Creates an empty file with the owner and permissions of the folder, so that all users with write access there can use it.
 * An existing file is not opened: closing it would release the locks of this process on it (POSIX, fcntl).
 */
export function createIfAbsent(path: string): void {
  if (undefinedIfUnreadable(() => statSync(path)) !== undefined) return;
  const { mode, uid, gid } = statSync(dirname(path));
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  try {
    undefinedIfUnreadable(() => fchownSync(file, uid, gid));
    undefinedIfUnreadable(() => fchmodSync(file, mode & 0o666));
  } finally {
    closeSync(file);
  }
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === SQLITE_BUSY
  );
}

const CANNOT_LOCK = 'The content folder cannot be locked for writing. See the server log for the reason.';

/** Loaded lazily, and without the warning of Node 22 about an experimental module. */
function sqlite(): typeof import('node:sqlite') {
  const warn = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    const loaded = process.getBuiltinModule('node:sqlite');
    if (loaded === undefined) throw new Error('This runtime has no module node:sqlite.');
    return loaded;
  } finally {
    process.emitWarning = warn;
  }
}
