import { closeSync, fchmodSync, fchownSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { digestBytes } from '../../util/revision.ts';
import { UnwritableStorageError } from '../errors.ts';
import { codeOf, whereAllowed } from './fs-paths.ts';

/**
 * A lock between processes: a write transaction on an empty SQLite database, in which nothing is ever written. The
 * operating system lets go of it the moment its holder dies, however that happens; there is no age after which a lock
 * counts as left behind, so that a holder who sleeps keeps it.
 *
 * Whoever waits holds `<path>.next` meanwhile, and whoever had the lock needs that one too to have it again: of two
 * busy processes none is left waiting.
 */
export function createFileLock(path: string): FileLock {
  const next = `${path}.next`;
  return {
    async take(isWanted) {
      const leaveLine = await takeOne(next, isWanted);
      if (leaveLine === undefined) return undefined;
      try {
        return await takeOne(path, isWanted);
      } finally {
        leaveLine();
      }
    },
  };
}

export interface FileLock {
  /** Waits until the lock is held, and gives the function that lets go; undefined where nobody wants it any more. */
  take(isWanted: () => boolean): Promise<(() => void) | undefined>;
}

/** A lock that one process has, or several share; undefined if another process has it, alone or shared. */
export function takeForSelf(path: string): (() => void) | undefined {
  return tryToTake(path, 'BEGIN EXCLUSIVE');
}

/** Shares such a lock; undefined if another process has it for itself. */
export function takeShared(path: string): (() => void) | undefined {
  return tryToTake(path, 'BEGIN; SELECT count(*) FROM sqlite_schema');
}

/**
 * Where the lock of a content folder lies, for all processes and all ways that lead to the folder: in the folder of the
 * git repository around it, which git itself never looks through, else hidden in the content folder. A temporary
 * folder would not do: services and containers have one each.
 */
export function lockPathOf(realFolder: string): string {
  for (let at = realFolder; ; at = dirname(at)) {
    const gitFolder = gitFolderAt(at);
    if (gitFolder !== undefined) {
      const place = relative(at, realFolder).split(sep).join('/');
      return join(gitFolder, `${LOCK_NAME}.${digestBytes(Buffer.from(place))}`);
    }
    if (at === dirname(at)) return join(realFolder, LOCK_NAME);
  }
}

/** False where the file system or the permissions there do not allow it. */
export function isLockingPossible(path: string): boolean {
  try {
    tryToTake(path)?.();
    return true;
  } catch {
    return false;
  }
}

/** Whether a file of this name is a lock in a content folder, or belongs to one. */
export function isLockName(name: string): boolean {
  return name === LOCK_NAME || name.startsWith(`${LOCK_NAME}.`);
}

const LOCK_NAME = '.astro-jsonapi-lock';
/** Between two tries, milliseconds: the pause grows from the first to the last. */
const PAUSE_MS = { first: 1, last: 5, growth: 1.5 };
/** Primary result code of SQLite for what another one has locked; extended ones have more bits. */
const SQLITE_BUSY = 5;

/** In a submodule or an added worktree, `.git` is a file that names the folder. */
function gitFolderAt(folder: string): string | undefined {
  const path = join(folder, '.git');
  const stats = whereAllowed(() => statSync(path));
  if (stats?.isDirectory()) return isGitFolder(path) ? path : undefined;
  const named = stats?.isFile()
    ? /^gitdir: (.+)/.exec(whereAllowed(() => readFileSync(path, 'utf8')) ?? '')
    : null;
  const target = named?.[1] === undefined ? undefined : resolve(folder, named[1].trimEnd());
  return target !== undefined && isGitFolder(target) ? target : undefined;
}

function isGitFolder(path: string): boolean {
  return whereAllowed(() => statSync(join(path, 'HEAD')))?.isFile() === true;
}

async function takeOne(path: string, isWanted: () => boolean): Promise<(() => void) | undefined> {
  for (let pause = PAUSE_MS.first; isWanted(); pause = Math.min(pause * PAUSE_MS.growth, PAUSE_MS.last)) {
    const release = tryToTake(path);
    if (release !== undefined) return release;
    // Not in step with others who are waiting.
    await new Promise((done) => setTimeout(done, pause * (0.5 + Math.random())));
  }
  return undefined;
}

/** Opened anew each time, since the file may have been deleted: two processes would then lock two files. */
function tryToTake(path: string, begin = 'BEGIN IMMEDIATE'): (() => void) | undefined {
  let database: DatabaseSync | undefined;
  try {
    createIfAbsent(path);
    const before = identityOf(path);
    database = new (sqlite().DatabaseSync)(path, { timeout: 0 });
    // Without it, an empty transaction would still look for a journal on disk.
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
 * Makes an empty file that may be written by whoever may write into the folder, also where the first one was another
 * user. Only a file that was not there is opened: closing another one would end the locks that this process has on it
 * (POSIX, fcntl).
 */
export function createIfAbsent(path: string): void {
  if (whereAllowed(() => statSync(path)) !== undefined) return;
  const { mode, uid, gid } = statSync(dirname(path));
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    throw error;
  }
  try {
    whereAllowed(() => fchownSync(file, uid, gid));
    whereAllowed(() => fchmodSync(file, mode & 0o666));
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

const CANNOT_LOCK = 'The content folder cannot be locked for writing. The log of the server says why.';

/** Loaded when first needed: Node 22 warns of an experiment then, which is of no use to whoever runs a site. */
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
