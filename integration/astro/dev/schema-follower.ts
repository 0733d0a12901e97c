import { statSync, unwatchFile, watchFile } from 'node:fs';
import path from 'node:path';

/** Quiet time after a change: a save by rename takes the file away for a moment. */
const QUIET_MS = 50;
/**
 * How often is looked whether there is another schema than the one that was loaded. The watcher misses a file that comes
 * while it reads the folder it comes to.
 */
const LOOK_MS = 1000;
const MODULE = /\.(?:[cm]?[jt]s|json)$/;

/** What Vite's watcher has of it. */
export interface FileWatcher {
  add(files: readonly string[]): unknown;
  on(event: 'all', listener: (event: string, file: string) => void): unknown;
}

export interface SchemaFollowerDeps {
  readonly watcher: FileWatcher;
  /** Where a schema may appear: absolute paths. */
  readonly candidates: readonly string[];
  /** Loads the schema that is there now. Rejects where that fails. */
  load(): Promise<void>;
}

/** Loads the schema again when it, or a module it imports, has changed, appeared or gone. */
export interface SchemaFollower {
  /** Tells what the schema imports: absolute paths. */
  imports(files: readonly string[]): void;
  /** Tells whether the schema could be loaded; where not, any module may be the one that mends it. */
  loaded(whole: boolean): void;
  close(): void;
}

export function createSchemaFollower({ watcher, candidates, load }: SchemaFollowerDeps): SchemaFollower {
  const followed = new Set(candidates.map(path.normalize));
  let whole = true;
  let timer: NodeJS.Timeout | undefined;
  let queue: Promise<unknown> = Promise.resolve();
  let loadedState = stateOf(candidates);

  function schedule(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      queue = queue.then(loadNow).catch(() => undefined);
    }, QUIET_MS);
  }

  async function loadNow(): Promise<void> {
    loadedState = stateOf(candidates);
    await load();
  }

  function look(): void {
    if (stateOf(candidates) !== loadedState) schedule();
  }

  watcher.add(candidates);
  watcher.on('all', (_, file) => {
    const name = path.normalize(file);
    if (followed.has(name) || (!whole && MODULE.test(name))) schedule();
  });
  for (const file of candidates) watchFile(file, { interval: LOOK_MS, persistent: false }, look);

  return {
    imports(files) {
      // What it imported before is followed on: where it cannot be loaded, that is not told.
      for (const file of files) followed.add(path.normalize(file));
      watcher.add(files);
    },
    loaded(now) {
      whole = now;
    },
    close() {
      clearTimeout(timer);
      for (const file of candidates) unwatchFile(file, look);
    },
  };
}

/** Changes whenever one of the files does. */
function stateOf(files: readonly string[]): string {
  return files
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stats) => (stats === undefined ? '' : `${stats.mtimeMs} ${stats.size}`))
    .join('\n');
}
