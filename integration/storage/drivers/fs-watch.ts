import { realpathSync, statSync, unwatchFile, watchFile } from 'node:fs';
import { basename, resolve } from 'node:path';
import { watch } from 'chokidar';
import type { VersionControlActivity } from '../driver.ts';
import { isLockName } from './fs-lock.ts';
import { keyOf, whereAllowed } from './fs-paths.ts';
import { isTemporaryName } from './fs-temporary.ts';

/** How often is looked whether HEAD has moved. */
const HEAD_INTERVAL_MS = 1000;

/** So long at most a change waits for others, where they never end. */
export const WATCH_LONGEST_MS = 500;

/**
 * Quiet time after a change before it is reported, so that a burst (a checkout) is one call. One file is through sooner.
 * Where a file is gone or empty, more is likely to come: editors rename it, delete it or empty it before they write it, and
 * the other half of a rename may take its time. An empty file says nothing that could not wait.
 */
export const WATCH_QUIET_MS = { one: 10, many: 30, gone: 100, empty: WATCH_LONGEST_MS } as const;

/** While git changes files, a change waits for all of them, so long at most: a lock as old as that was left behind. */
const LOCK_LONGEST_MS = 10_000;

/**
 * Watches the files below a folder, and of git the log of HEAD, which changes after the files do: when a pull or a checkout
 * is through, or when they are committed.
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
  let head: number | undefined;
  // Links are not followed: one to `/` would watch the whole machine. The folder itself may be one.
  const watched = whereAllowed(() => realpathSync.native(folder)) ?? folder;
  const watcher = watch(watched, {
    ignoreInitial: true,
    // It would keep deletions back and report the other half of a rename before.
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
    if (traces !== undefined && isAtWork(traces, performance.now() - since, burst.size())) {
      timer = setTimeout(flush, burst.quietTime());
      return;
    }
    timer = undefined;
    const keys = burst.take();
    const before = head;
    head = traces && changeTime(traces.headLog);
    if (keys.length > 0 || head !== before) onChange(keys, head === before ? undefined : 'moved');
  }

  watcher.on('all', (event, path, stats) => {
    const key = keyOf(watched, resolve(watched, path));
    if (key !== undefined && key !== '' && burst.note(event, key, stats?.size)) schedule();
  });
  await new Promise<void>((done, failed) => {
    watcher.once('ready', done);
    // Kept on afterwards: an error without a listener would end the process.
    watcher.on('error', (error) => {
      onError(error);
      failed(error);
    });
  });
  traces = await activity;
  const headLog = traces?.headLog;
  head = headLog === undefined ? undefined : changeTime(headLog);
  if (headLog !== undefined) watchFile(headLog, { interval: HEAD_INTERVAL_MS, persistent: false }, schedule);
  return async () => {
    if (headLog !== undefined) unwatchFile(headLog, schedule);
    clearTimeout(timer);
    await watcher.close();
  };
}

function isIgnored(name: string): boolean {
  return NOT_FOLLOWED.test(name) || isTemporaryName(name) || isLockName(name);
}

/**
 * Whether git is changing files. One file does not wait long: `git commit --all` holds the lock too, while its message is
 * being written.
 */
function isAtWork({ lock }: VersionControlActivity, waitedMs: number, files: number): boolean {
  if (waitedMs > (files > 1 ? LOCK_LONGEST_MS : WATCH_LONGEST_MS)) return false;
  const since = changeTime(lock);
  return since !== undefined && Date.now() - since < LOCK_LONGEST_MS;
}

/** Milliseconds since the Unix epoch; undefined where there is no such file. */
function changeTime(path: string): number | undefined {
  return whereAllowed(() => statSync(path))?.mtimeMs;
}

/** Git's own files, and what editors write beside a file for a moment or keep of its former state. */
const NOT_FOLLOWED = /^(?:\.git|\.#.*|#.*#|.*~|.*\.sw[a-z]|4913|.*___jb_(?:tmp|old)___)$/;

/** The files of a burst, and which of them are gone or empty. A file that comes and goes within it was never there. */
function createBurst() {
  const keys = new Set<string>();
  const fresh = new Set<string>();
  const gone = new Set<string>();
  const empty = new Set<string>();

  return {
    /** Answers whether the event is one of a file. */
    note(event: string, key: string, size: number | undefined): boolean {
      if (event !== 'add' && event !== 'change' && event !== 'unlink') return false;
      if (event === 'add' && !keys.has(key)) fresh.add(key);
      keys.add(key);
      gone.delete(key);
      empty.delete(key);
      if (event !== 'unlink') {
        if (size === 0) empty.add(key);
      } else if (fresh.delete(key)) keys.delete(key);
      else gone.add(key);
      return true;
    },
    size: () => keys.size,
    quietTime(): number {
      if (empty.size > 0) return WATCH_QUIET_MS.empty;
      if (gone.size > 0) return WATCH_QUIET_MS.gone;
      return keys.size > 1 ? WATCH_QUIET_MS.many : WATCH_QUIET_MS.one;
    },
    /** All keys, sorted; the next burst begins. */
    take(): readonly string[] {
      const taken = [...keys].sort();
      for (const set of [keys, fresh, gone, empty]) set.clear();
      return taken;
    },
  };
}
