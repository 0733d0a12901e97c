import path from 'node:path';

/** Quiet time after a change: a save by rename takes the file away for a moment. */
const QUIET_MS = 50;
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
}

export function createSchemaFollower({ watcher, candidates, load }: SchemaFollowerDeps): SchemaFollower {
  const followed = new Set(candidates.map(path.normalize));
  let whole = true;
  let timer: NodeJS.Timeout | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  watcher.add(candidates);
  watcher.on('all', (_, file) => {
    const name = path.normalize(file);
    if (!followed.has(name) && (whole || !MODULE.test(name))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      queue = queue.then(load).catch(() => undefined);
    }, QUIET_MS);
  });

  return {
    imports(files) {
      // What it imported before is followed on: where it cannot be loaded, that is not told.
      for (const file of files) followed.add(path.normalize(file));
      watcher.add(files);
    },
    loaded(now) {
      whole = now;
    },
  };
}
