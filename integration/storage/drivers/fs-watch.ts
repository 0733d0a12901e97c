import { realpathSync, unwatchFile, watchFile } from 'node:fs';
import { basename, resolve } from 'node:path';
import { watch } from 'chokidar';
import { keyOf, whereAllowed } from './fs-paths.ts';

/** How often is looked whether HEAD has moved. */
const HEAD_INTERVAL_MS = 1000;

/** So long at most a change waits for others, where they never end. */
export const WATCH_LONGEST_MS = 500;

/**
 * Quiet time after a change before it is reported, so that a burst (a checkout) is one call. One file is through sooner.
 * Where a file is gone or empty, more is likely to come: editors rename it, delete it or empty it before they write it, and
 * the other half of a rename may take its time.
 */
export const WATCH_QUIET_MS = { one: 10, many: 30, lacking: 100 } as const;

/**
 * Watches the files below a folder and `headLog`, which changes after the files do: when a pull or a checkout is
 * through, or when they are committed.
 */
export async function watchFolder(
  folder: string,
  headLog: Promise<string | undefined>,
  onChange: (keys: readonly string[]) => void,
  onError: (error: unknown) => void,
): Promise<() => Promise<void>> {
  const burst = createBurst();
  let committed = false;
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  // Links are not followed: one to `/` would watch the whole machine. The folder itself may be one.
  const watched = whereAllowed(() => realpathSync.native(folder)) ?? folder;
  const watcher = watch(watched, {
    ignoreInitial: true,
    // It would keep deletions back and report the other half of a rename before.
    atomic: false,
    followSymlinks: false,
    ignored: (path) => NOT_FOLLOWED.test(basename(path)),
  });

  function schedule(): void {
    since = timer === undefined ? performance.now() : since;
    clearTimeout(timer);
    const left = WATCH_LONGEST_MS - (performance.now() - since);
    timer = setTimeout(flush, Math.max(0, Math.min(burst.quietTime(), left)));
  }

  function flush(): void {
    timer = undefined;
    const keys = burst.take();
    if (keys.length > 0 || committed) onChange(keys);
    committed = false;
  }

  function onCommit(): void {
    committed = true;
    schedule();
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
  const moves = await headLog;
  if (moves !== undefined) watchFile(moves, { interval: HEAD_INTERVAL_MS, persistent: false }, onCommit);
  return async () => {
    if (moves !== undefined) unwatchFile(moves, onCommit);
    clearTimeout(timer);
    await watcher.close();
  };
}

/** Git's own files, and what editors write beside a file for a moment or keep of its former state. */
const NOT_FOLLOWED = /^(?:\.git|\.#.*|#.*#|.*~|.*\.sw[a-z]|4913|.*___jb_(?:tmp|old)___)$/;

/** The files of a burst that are gone or empty, among all of it. A file that comes and goes within it was never there. */
function createBurst() {
  const keys = new Set<string>();
  const fresh = new Set<string>();
  const lacking = new Set<string>();

  return {
    /** Answers whether the event is one of a file. */
    note(event: string, key: string, size: number | undefined): boolean {
      if (event !== 'add' && event !== 'change' && event !== 'unlink') return false;
      if (event === 'add' && !keys.has(key)) fresh.add(key);
      keys.add(key);
      if (event === 'unlink' || size === 0) lacking.add(key);
      else lacking.delete(key);
      if (event === 'unlink' && fresh.delete(key)) {
        keys.delete(key);
        lacking.delete(key);
      }
      return true;
    },
    quietTime(): number {
      if (lacking.size > 0) return WATCH_QUIET_MS.lacking;
      return keys.size > 1 ? WATCH_QUIET_MS.many : WATCH_QUIET_MS.one;
    },
    /** All keys, sorted; the next burst begins. */
    take(): readonly string[] {
      const taken = [...keys].sort();
      for (const set of [keys, fresh, lacking]) set.clear();
      return taken;
    },
  };
}
