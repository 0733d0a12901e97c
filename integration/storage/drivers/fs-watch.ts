import { realpathSync, unwatchFile, watchFile } from 'node:fs';
import { basename, resolve } from 'node:path';
import { watch } from 'chokidar';
import { isLockName } from './fs-lock.ts';
import { keyOf, whereAllowed } from './fs-paths.ts';
import { isTemporaryName } from './fs-temporary.ts';

/** How often is looked whether HEAD has moved. */
const HEAD_INTERVAL_MS = 1000;

/** So long at most a change waits for others, where they never end. */
export const WATCH_LONGEST_MS = 500;

/**
 * Quiet time after a change before it is reported, so that a burst (a checkout) is one call. One file is through sooner:
 * editors write it at once, or beside its place and rename it, and both take them a few milliseconds.
 */
export const WATCH_QUIET_MS = { one: 10, many: 30 } as const;

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
  const pending = new Set<string>();
  let since = 0;
  let timer: NodeJS.Timeout | undefined;
  // Links are not followed: one to `/` would watch the whole machine. The folder itself may be one.
  const watched = whereAllowed(() => realpathSync.native(folder)) ?? folder;
  const watcher = watch(watched, {
    ignoreInitial: true,
    atomic: true,
    followSymlinks: false,
    ignored: (path) => isIgnored(basename(path)),
  });

  function schedule(): void {
    since = timer === undefined ? performance.now() : since;
    clearTimeout(timer);
    const left = WATCH_LONGEST_MS - (performance.now() - since);
    timer = setTimeout(
      flush,
      Math.max(0, Math.min(pending.size > 1 ? WATCH_QUIET_MS.many : WATCH_QUIET_MS.one, left)),
    );
  }

  function flush(): void {
    timer = undefined;
    const keys = [...pending].sort();
    pending.clear();
    onChange(keys);
  }

  watcher.on('all', (event, path) => {
    const key = keyOf(watched, resolve(watched, path));
    if (key !== undefined && key !== '' && FILE_EVENTS.has(event)) {
      pending.add(key);
      schedule();
    }
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
  if (moves !== undefined) watchFile(moves, { interval: HEAD_INTERVAL_MS, persistent: false }, schedule);
  return async () => {
    if (moves !== undefined) unwatchFile(moves, schedule);
    clearTimeout(timer);
    await watcher.close();
  };
}

function isIgnored(name: string): boolean {
  return name === '.git' || isTemporaryName(name) || isLockName(name);
}

const FILE_EVENTS: ReadonlySet<string> = new Set(['add', 'change', 'unlink']);
