import { resolve } from 'node:path';
import type { WritableDriver } from '../../core/storage/driver.ts';
import { createFsDriver } from '../../core/storage/drivers/fs.ts';
import { createGitHistory } from './history.ts';
import type { HistoryCache } from './history-cache.ts';
import { findIgnored } from './ignore-rules.ts';
import { createPastFiles } from './past-files.ts';

export interface GitDriverOptions {
  /** How long work waits for the lock in `exclusively`, in milliseconds. */
  readonly lockTimeoutMs?: number;
  /** Commit dates that earlier starts have read. */
  readonly historyCache?: HistoryCache | undefined;
  /** The branch of past versions. Default: HEAD. */
  readonly branch?: string | undefined;
}

/** A file-system driver with commit dates and past versions from the git repository around the folder, if there is one. */
export function createGitDriver(
  folder: string,
  { lockTimeoutMs, historyCache, branch }: GitDriverOptions = {},
): WritableDriver {
  const root = resolve(folder);
  return createFsDriver(root, {
    lockTimeoutMs,
    versionControl: {
      ...createGitHistory(root, historyCache),
      past: () => createPastFiles(root, branch),
      ignored: (keys, folders) => findIgnored(root, keys, folders),
    },
  });
}
