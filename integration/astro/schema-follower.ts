import { statSync, unwatchFile, watchFile } from 'node:fs';
import path from 'node:path';

/** Milliseconds without changes before a reload, because a save by rename removes the file for a moment. */
const QUIET_MS = 50;
/** Milliseconds between checks of the candidates. Watchers miss a file that is created while they read its folder. */
const POLL_MS = 1000;
const MODULE = /\.(?:[cm]?[jt]s|json)$/;

/** The part of a chokidar watcher that is used. */
export interface FileWatcher {
  add(files: string[]): unknown;
  on(event: 'all', listener: (event: string, file: string) => void): unknown;
}

export interface SchemaFollowerDeps {
  readonly watcher: FileWatcher;
  /** Absolute paths at which a schema may appear. */
  readonly candidates: readonly string[];
  /** Loads the current schema. Rejections are ignored. */
  load(): Promise<void>;
}

/** Loads the schema again when the schema or a module that it imports changes, appears, or disappears. */
export interface SchemaFollower {
  /** Adds imports of the schema: absolute paths. Earlier ones stay, because a failed load reports none. */
  addImports(files: readonly string[]): void;
  /** After a failed load, a change of any module loads the schema again. */
  setFailed(failed: boolean): void;
  close(): void;
}

export function createSchemaFollower({ watcher, candidates, load }: SchemaFollowerDeps): SchemaFollower {
  const followed = new Set(candidates.map(path.normalize));
  let hasFailed = false;
  let isLoading = false;
  let isOutdated = false;
  let timer: NodeJS.Timeout | undefined;
  let loadedState = fileState(candidates);

  function schedule(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void reload(), QUIET_MS);
  }

  async function reload(): Promise<void> {
    isOutdated = true;
    if (isLoading) return;
    isLoading = true;
    while (isOutdated) {
      isOutdated = false;
      loadedState = fileState(candidates);
      await load().catch(() => undefined);
    }
    isLoading = false;
  }

  function poll(): void {
    if (fileState(candidates) !== loadedState) schedule();
  }

  watcher.add([...candidates]);
  watcher.on('all', (_, file) => {
    const name = path.normalize(file);
    if (followed.has(name) || (hasFailed && MODULE.test(name))) schedule();
  });
  for (const file of candidates) watchFile(file, { interval: POLL_MS, persistent: false }, poll);

  return {
    addImports(files) {
      for (const file of files) followed.add(path.normalize(file));
      watcher.add([...files]);
    },
    setFailed(failed) {
      hasFailed = failed;
    },
    close() {
      clearTimeout(timer);
      for (const file of candidates) unwatchFile(file, poll);
    },
  };
}

/** Changes when one of the files changes. */
function fileState(files: readonly string[]): string {
  return files
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stats) => (stats === undefined ? '' : `${stats.mtimeMs} ${stats.size}`))
    .join('\n');
}
