import type { Collector, ContentChange } from './entities/collect.ts';
import type { ProblemLog } from './problem-log.ts';
import type { Listing, StorageDriver, StoredFile } from './storage/driver.ts';
import type { MutableEntityStore } from './store/store.ts';
import { applyChange } from './store/sync.ts';

/** After the last change, git is asked what it has to say of the changed files. */
const DATES_AFTER_MS = 300;

export interface WatchDeps {
  readonly driver: StorageDriver;
  /** The folder `public/`, whose files fields may name. */
  readonly publicFiles?: StorageDriver | undefined;
  readonly collector: Collector;
  readonly store: MutableEntityStore;
  /** How messages call the content folder. */
  readonly folder: string;
  readonly log: { info(message: string): void; error(message: string): void };
  readonly problems: ProblemLog;
  /** The files as they were before the collector read them: what has changed since is read again. */
  readonly before: Listing;
  /** Resolves when watching may begin, which it does at once without it. */
  readonly idle?: (() => Promise<void>) | undefined;
  /** Called when a change has been applied. */
  onChange(): void;
}

/**
 * Carries changes of the content into the store, with a line of log for each burst and the problems it brought.
 * Resolves to the function that ends it; where the driver cannot watch, nothing is followed.
 */
export async function watchContent(deps: WatchDeps): Promise<() => Promise<void>> {
  const { driver, publicFiles, collector, store, folder, log, problems, idle, onChange } = deps;
  let datesDue: NodeJS.Timeout | undefined;

  async function follow(keys: readonly string[], publicKeys: readonly string[]): Promise<void> {
    const start = performance.now();
    const nothingNew = keys.length === 0 && publicKeys.length === 0;
    const change = await collector.apply(keys, publicKeys, nothingNew ? 'now' : 'later');
    applyChange(store, change);
    const ms = performance.now() - start;
    if (keys.length > 0 || nothingNew) clearTimeout(datesDue);
    if (keys.length > 0) datesDue = setTimeout(() => void followOrSay([]), DATES_AFTER_MS);
    // Whoever waits for the change is answered before its problems are put together.
    await new Promise((done) => setImmediate(done));
    if (keys.length === 0 && change.put.length === 0 && change.types.length === 0) return;
    const broken = collector
      .diagnostics()
      .some(({ severity, key }) => severity === 'error' && keys.includes(key));
    log.info(
      `${describeKeys(keys, publicKeys, folder)}: ${describeChange(change, broken)} in ${ms.toFixed(1)} ms`,
    );
    await problems.printNew();
    onChange();
  }

  async function followOrSay(keys: readonly string[], publicKeys: readonly string[] = []): Promise<void> {
    try {
      await follow(keys, publicKeys);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.error(`${describeKeys(keys, publicKeys, folder)} cannot be followed: ${reason}`);
    }
  }

  if (driver.watch === undefined) return async () => undefined;
  // It takes longer than reading the files. What changes before it begins is found by looking once more.
  if (idle !== undefined) await idle();
  const stop = await driver.watch((keys) => followOrSay(keys));
  const stopPublic = await publicFiles?.watch?.((keys) => followOrSay([], keys));
  const missed = changedKeys(deps.before, await driver.list());
  // Without a file there may still be new commits.
  await followOrSay(missed);
  return async () => {
    clearTimeout(datesDue);
    await Promise.all([stop(), stopPublic?.()]);
  };
}

/** Keys that one listing has and the other has not, or has otherwise. */
function changedKeys(before: Listing, after: Listing): readonly string[] {
  const known = new Map(before.files.map((file) => [file.key, file]));
  const changed = after.files.filter((file) => !sameFile(file, known.get(file.key))).map(({ key }) => key);
  const present = new Set(after.files.map(({ key }) => key));
  return [...changed, ...before.files.map(({ key }) => key).filter((key) => !present.has(key))];
}

function sameFile(file: StoredFile, other: StoredFile | undefined): boolean {
  return file.size === other?.size && file.mtimeMs === other.mtimeMs;
}

function describeKeys(keys: readonly string[], publicKeys: readonly string[], folder: string): string {
  const paths = [...keys.map((key) => `${folder}/${key}`), ...publicKeys.map((key) => `public/${key}`)];
  const [first] = paths;
  if (first === undefined) return `Commits of ${folder}/`;
  const others = paths.length - 1;
  return `${first}${others > 0 ? ` and ${others} more` : ''}`;
}

/** A file with errors changes nothing: its last good entity, where it had one, is still answered. */
function describeChange({ put, removed, types, removedTypes }: ContentChange, broken: boolean): string {
  const parts = [
    count(put.length, 'entity', 'entities', 'updated'),
    count(removed.length, 'entity', 'entities', 'removed'),
    count(types.length, 'bundle', 'bundles', 'read anew'),
    count(removedTypes.length, 'bundle', 'bundles', 'removed'),
  ].filter((part) => part !== '');
  const nothing = broken ? 'nothing changed until its errors are mended' : 'nothing to change';
  return parts.length === 0 ? nothing : parts.join(', ');
}

function count(number: number, one: string, many: string, what: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? one : many} ${what}`;
}
