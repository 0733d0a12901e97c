import { realpathSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { VersionControlActivity } from '../driver.ts';
import { type Bursts, createBursts, WATCH_LONGEST_MS } from './fs-bursts.ts';
import { isLockName } from './fs-lock.ts';
import { keyOf, undefinedIfUnreadable } from './fs-paths.ts';
import { readSome } from './fs-read.ts';
import { isTemporaryName } from './fs-temporary.ts';
import { watchFolders } from './fs-watch-folders.ts';

/** Milliseconds between two checks of HEAD and of the folder itself. */
const POLLING_MS = 1000;

/** Milliseconds for which changes wait while git changes files. An older lock is stale. */
const LOCK_LONGEST_MS = 10_000;

/**
 * Watches the files below a folder, and git's log of HEAD. The log changes after the files: at the end of a pull, a
 * checkout or a commit. `moved` stands for all moves of HEAD but commits of the working tree.
 */
export async function watchFolder(
  folder: string,
  activity: Promise<VersionControlActivity | undefined> | undefined,
  onChange: (keys: readonly string[], moved: 'moved' | undefined) => void,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  let traces: VersionControlActivity | undefined;
  let head: HeadLog = NO_LOG;
  const bursts = createBursts({
    mustWait: (waitedMs, files) => traces !== undefined && isGitActive(traces, waitedMs, files),
    report(keys) {
      const before = head;
      head = readHeadLog(traces?.headLog);
      if (keys.length > 0 || head.mtimeMs !== before.mtimeMs)
        onChange(keys, hasOnlyCommits(traces?.headLog, before, head) ? undefined : 'moved');
    },
  });
  let files = await watchFiles(folder, bursts, onError);
  traces = await activity;
  const headLog = traces?.headLog;
  head = readHeadLog(headLog);

  /** Watches the new folder if the folder was moved, deleted or replaced, or if it is a link that has a new target. */
  async function followFolder(): Promise<void> {
    const identity = await identityOf(folder);
    if (identity === files.identity && !files.isGone()) return;
    for (const key of files.keys()) bursts.add('change', key);
    await files.close();
    files = await watchFiles(folder, bursts, onError, 'report existing files').catch(() => ({
      ...NO_FILES,
      identity,
    }));
  }

  async function poll(): Promise<void> {
    await followFolder();
    if (readHeadLog(headLog).mtimeMs !== head.mtimeMs) bursts.schedule();
    polling = undefined;
  }

  let polling: Promise<void> | undefined;
  // Not `watchFile`: it compares with the folder that it sees first, which can be the next one already.
  const timer = setInterval(() => {
    polling ??= poll();
  }, POLLING_MS).unref();
  return async () => {
    clearInterval(timer);
    await polling;
    bursts.stop();
    await files.close();
  };
}

interface WatchedFiles {
  /** Which folder is watched: see `identityOf`. */
  readonly identity: string | undefined;
  /** True if the folder has been moved or deleted since. */
  isGone(): boolean;
  /** The files that are watched. */
  keys(): readonly string[];
  close(): Promise<void>;
}

/** Without a folder, or after an error, which is reported. The next folder at this place is watched again. */
const NO_FILES: WatchedFiles = {
  identity: undefined,
  isGone: () => false,
  keys: () => [],
  close: async () => undefined,
};

/** Text that differs for each two folders that exist at the same time. Undefined without a folder. */
async function identityOf(folder: string): Promise<string | undefined> {
  const stats = await stat(folder).catch(() => undefined);
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Watches the files that are below a folder now, until the folder is replaced. */
async function watchFiles(
  folder: string,
  bursts: Bursts,
  onError: (error: unknown) => void,
  existing?: 'report existing files',
): Promise<WatchedFiles> {
  // Links are not followed, because a link to `/` would watch the whole machine. The folder itself may be a link.
  const watched = undefinedIfUnreadable(() => realpathSync.native(folder));
  if (watched === undefined) return NO_FILES;
  const identity = await identityOf(watched);
  // Polling, for file systems that report no changes, is part of chokidar.
  if (process.platform === 'linux' && process.env.CHOKIDAR_USEPOLLING === undefined) {
    const folders = await watchFolders(watched, {
      isIgnored,
      report: bursts.add,
      onError,
      reportsExisting: existing !== undefined,
    }).catch((error: unknown) => {
      onError(error);
      throw error;
    });
    return { identity, ...folders, close: async () => folders.close() };
  }
  let isGone = false;
  const watcher = watch(watched, {
    ignoreInitial: existing === undefined,
    // It would delay deletions and report only one half of a rename.
    atomic: false,
    followSymlinks: false,
    ignored: (path) => isIgnored(basename(path)),
  });

  watcher.on('all', (event, path, stats) => {
    const key = keyOf(watched, resolve(watched, path));
    if (key === '') isGone = event === 'unlinkDir';
    else if (key !== undefined) bursts.add(event, key, stats?.size);
  });
  await new Promise<void>((done, failed) => {
    watcher.once('ready', done);
    // Stays registered, because an error without a listener would end the process.
    watcher.on('error', (error) => {
      onError(error);
      failed(error);
    });
  });
  return {
    identity,
    isGone: () => isGone,
    keys: () => watchedKeys(watcher, watched),
    close: () => watcher.close(),
  };
}

function watchedKeys(watcher: FSWatcher, watched: string): readonly string[] {
  const names = watcher.getWatched();
  return Object.entries(names)
    .flatMap(([folder, entries]) => entries.map((name) => join(folder, name)))
    .filter((path) => names[path] === undefined)
    .flatMap((path) => keyOf(watched, path) ?? []);
}

function isIgnored(name: string): boolean {
  return IGNORED.test(name) || isTemporaryName(name) || isLockName(name);
}

/**
 * True while git changes files. A single file does not wait long, because `git commit --all` also holds the lock while
 * the user edits the message.
 */
function isGitActive({ lock }: VersionControlActivity, waitedMs: number, files: number): boolean {
  if (waitedMs > (files > 1 ? LOCK_LONGEST_MS : WATCH_LONGEST_MS)) return false;
  const since = undefinedIfUnreadable(() => statSync(lock))?.mtimeMs;
  return since !== undefined && Date.now() - since < LOCK_LONGEST_MS;
}

interface HeadLog {
  readonly mtimeMs: number;
  readonly size: number;
}

const NO_LOG: HeadLog = { mtimeMs: 0, size: 0 };

function readHeadLog(path: string | undefined): HeadLog {
  return (path === undefined ? undefined : undefinedIfUnreadable(() => statSync(path))) ?? NO_LOG;
}

/** True if HEAD has not moved between two states of its log, or only to new commits, which leave the files as they are. */
function hasOnlyCommits(path: string | undefined, before: HeadLog, after: HeadLog): boolean {
  if (path === undefined || after.mtimeMs === before.mtimeMs) return true;
  if (after.size <= before.size) return false;
  const added = undefinedIfUnreadable(() => readSome(path, before.size, after.size - before.size));
  const lines = added?.toString('utf8').trimEnd().split('\n') ?? [''];
  return lines.every((line) => COMMIT.test(line));
}

/** A line of the log about a commit of the working tree. Merges are excluded, because they can change files. */
const COMMIT = /^[^\t]*\tcommit(?: \((?:initial|amend)\))?: /;

/** Git's files, and temporary and backup files of editors. */
const IGNORED = /^(?:\.git|\.#.*|#.*#|.*~|.*\.sw[a-z]|4913|.*___jb_(?:tmp|old)___)$/;
