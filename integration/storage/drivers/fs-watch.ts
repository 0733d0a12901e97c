import { realpathSync, statSync, unwatchFile, watchFile } from 'node:fs';
import { basename, resolve } from 'node:path';
import { watch } from 'chokidar';
import type { VersionControlActivity } from '../driver.ts';
import { isLockName } from './fs-lock.ts';
import { keyOf, undefinedIfUnreadable } from './fs-paths.ts';
import { readSome } from './fs-read.ts';
import { isTemporaryName } from './fs-temporary.ts';

/** Milliseconds between two checks of HEAD. */
const HEAD_INTERVAL_MS = 1000;

/** Milliseconds after which a change is reported even if more changes arrive. */
export const WATCH_LONGEST_MS = 500;

/**
 * Milliseconds of quiet before changes are reported, so that a burst (a checkout) is one call. A single file is reported
 * sooner. If a file is missing or empty, more changes are likely: editors rename, delete or truncate a file before they
 * write it.
 */
export const WATCH_QUIET_MS = { one: 10, many: 30, missing: 100, empty: WATCH_LONGEST_MS } as const;

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
  const burst = createBurst();
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  let traces: VersionControlActivity | undefined;
  let head: HeadLog = NO_LOG;
  // Links are not followed, because a link to `/` would watch the whole machine. The folder itself may be a link.
  const watched = undefinedIfUnreadable(() => realpathSync.native(folder)) ?? folder;
  const watcher = watch(watched, {
    ignoreInitial: true,
    // It would delay deletions and report only one half of a rename.
    atomic: false,
    followSymlinks: false,
    ignored: (path) => isIgnored(basename(path)),
  });

  function schedule(): void {
    since = timer === undefined ? performance.now() : since;
    clearTimeout(timer);
    const left = WATCH_LONGEST_MS - (performance.now() - since);
    timer = setTimeout(flush, Math.max(0, Math.min(burst.quietTime(), left)));
  }

  function flush(): void {
    if (traces !== undefined && isGitActive(traces, performance.now() - since, burst.size())) {
      timer = setTimeout(flush, burst.quietTime());
      return;
    }
    timer = undefined;
    const keys = burst.take();
    const before = head;
    head = readHeadLog(traces?.headLog);
    if (keys.length > 0 || head.mtimeMs !== before.mtimeMs)
      onChange(keys, hasOnlyCommits(traces?.headLog, before, head) ? undefined : 'moved');
  }

  watcher.on('all', (event, path, stats) => {
    const key = keyOf(watched, resolve(watched, path));
    if (key !== undefined && key !== '' && burst.note(event, key, stats?.size)) schedule();
  });
  await new Promise<void>((done, failed) => {
    watcher.once('ready', done);
    // Stays registered, because an error without a listener would end the process.
    watcher.on('error', (error) => {
      onError(error);
      failed(error);
    });
  });
  traces = await activity;
  const headLog = traces?.headLog;
  head = readHeadLog(headLog);
  if (headLog !== undefined) watchFile(headLog, { interval: HEAD_INTERVAL_MS, persistent: false }, schedule);
  return async () => {
    if (headLog !== undefined) unwatchFile(headLog, schedule);
    clearTimeout(timer);
    await watcher.close();
  };
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
  const since = changeTime(lock);
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

/** Milliseconds since the Unix epoch; undefined if there is no such file. */
function changeTime(path: string): number | undefined {
  return undefinedIfUnreadable(() => statSync(path))?.mtimeMs;
}

/** Git's files, and temporary and backup files of editors. */
const IGNORED = /^(?:\.git|\.#.*|#.*#|.*~|.*\.sw[a-z]|4913|.*___jb_(?:tmp|old)___)$/;

/** The files of a burst, and which of them are missing or empty. A file that is added and removed is not reported. */
function createBurst() {
  const keys = new Set<string>();
  const fresh = new Set<string>();
  const missing = new Set<string>();
  const empty = new Set<string>();

  return {
    /** Returns true for an event of a file. */
    note(event: string, key: string, size: number | undefined): boolean {
      if (event !== 'add' && event !== 'change' && event !== 'unlink') return false;
      if (event === 'add' && !keys.has(key)) fresh.add(key);
      keys.add(key);
      missing.delete(key);
      empty.delete(key);
      if (event !== 'unlink') {
        if (size === 0) empty.add(key);
      } else if (fresh.delete(key)) keys.delete(key);
      else missing.add(key);
      return true;
    },
    size: () => keys.size,
    quietTime(): number {
      if (empty.size > 0) return WATCH_QUIET_MS.empty;
      if (missing.size > 0) return WATCH_QUIET_MS.missing;
      return keys.size > 1 ? WATCH_QUIET_MS.many : WATCH_QUIET_MS.one;
    },
    /** All keys, sorted; the next burst begins. */
    take(): readonly string[] {
      const taken = [...keys].sort();
      for (const set of [keys, fresh, missing, empty]) set.clear();
      return taken;
    },
  };
}
