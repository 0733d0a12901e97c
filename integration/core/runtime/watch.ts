import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Collector, ContentChange } from '../content/collect.ts';
import { layoutOf } from '../content/layout.ts';
import type { Listing, StorageDriver, StoredFile } from '../storage/driver.ts';
import { errorMessage } from '../util/text.ts';
import type { ProblemLog } from './problem-log.ts';

/** Milliseconds after a change until commit dates are read, and between two reads. */
const DATES = { after: 300, interval: 2000 };

/** Milliseconds after a checkout in which the watcher may still report its files. */
const LATE_EVENTS_MS = 5000;

/** Milliseconds after which the errors of a file are reported, because it may be half written. Responses do not wait. */
export const ERRORS_AFTER_MS = 150;

/** Work that takes longer for more content pauses for this many times its duration. */
const PAUSE_FACTOR = 4;

export interface WatchDeps {
  readonly driver: StorageDriver;
  /** The folder `public/`, whose files fields may name. */
  readonly publicFiles?: StorageDriver | undefined;
  readonly collector: Collector;
  /** The content folder in messages. */
  readonly folder: string;
  readonly log: { info(message: string): void; error(message: string): void };
  readonly problems: ProblemLog;
  /** The listing that the collector has read. Files that have changed since are read again. */
  readonly before: FileStates;
  /** Resolves when watching may start; at once by default. */
  readonly idle?: (() => Promise<void>) | undefined;
  /** Called after a change was applied. */
  onChange(): void;
}

/**
 * Applies changes of the content to the collector, and logs each burst with its new problems. Resolves to the function
 * that stops it. Does nothing if the driver cannot watch.
 */
export async function watchContent(deps: WatchDeps): Promise<() => Promise<void>> {
  const { driver, publicFiles, collector, folder, log, idle } = deps;
  const report = createReport(deps);
  let listing = deps.before;
  let listedChanges = NO_CHANGES;
  let datesTimer: NodeJS.Timeout | undefined;
  let datesPausedUntil = 0;
  /** Duration of the last read, in milliseconds. */
  let datesMs = 0;

  function readDatesSoon(): void {
    const delay = Math.max(DATES.after, datesPausedUntil - performance.now());
    datesTimer ??= setTimeout(() => {
      datesTimer = undefined;
      void applyOrLog([]);
    }, delay);
  }

  /** Reads these files, or without any key the commit dates. */
  async function apply(keys: readonly string[], publicKeys: readonly string[]): Promise<void> {
    const start = performance.now();
    const isForDates = keys.length === 0 && publicKeys.length === 0;
    if (isForDates) datesPausedUntil = start + DATES.interval + PAUSE_FACTOR * datesMs;
    const change = await collector.apply(keys, publicKeys, isForDates ? 'now' : 'later');
    const ms = performance.now() - start;
    if (isForDates) datesMs = ms;
    if (keys.length > 0) readDatesSoon();
    // Waiting requests come before the report.
    await nextTurn();
    if (isEmpty(change) && keys.length === 0) return;
    const contentKeys = keys.filter(isContent);
    const reportedKeys = contentKeys.length > 0 ? contentKeys : keys;
    await report.add({
      keys: reportedKeys,
      describe: (hasErrors) =>
        isEmpty(change) && !hasErrors
          ? undefined
          : `${describeKeys(reportedKeys, publicKeys, folder)}: ${describeChange(change)} in ${ms.toFixed(1)} ms`,
    });
  }

  async function applyOrLog(keys: readonly string[], publicKeys: readonly string[] = []): Promise<void> {
    try {
      await apply(keys, publicKeys);
    } catch (error) {
      const paths = describeKeys(keys, publicKeys, folder);
      log.error(`Changes of ${paths} cannot be read: ${errorMessage(error)}`);
    }
  }

  /** After a checkout: reads all changes since the last listing at once. The watcher reports them in many bursts. */
  async function applyListing(keys: readonly string[]): Promise<void> {
    const former = listing;
    const current = await driver.list();
    listing = fileStates(current);
    const changed = changedKeys(former, current);
    const files = new Map(current.files.map((file) => [file.key, file]));
    listedChanges = { at: performance.now(), files: new Map(changed.map((key) => [key, files.get(key)])) };
    await applyOrLog([...new Set([...keys, ...changed])]);
  }

  /** Reads reported files that were not read with the last listing. */
  async function applyReported(keys: readonly string[]): Promise<void> {
    if (performance.now() - listedChanges.at > LATE_EVENTS_MS) listedChanges = NO_CHANGES;
    const { files } = listedChanges;
    const unread: string[] = [];
    for (const key of keys) {
      const file = files.has(key) ? await driver.stat(key).catch(() => undefined) : undefined;
      if (!files.has(key) || !isSameFile(file, files.get(key))) unread.push(key);
    }
    if (unread.length > 0) await applyOrLog(unread);
    else if (keys.length === 0) readDatesSoon();
  }

  if (driver.watch === undefined) return async () => undefined;
  const publicListing = idle && (await publicFiles?.list());
  const publicBefore = publicListing && fileStates(publicListing);
  // Starting to watch takes longer than reading all files. The second listing has the changes until then.
  if (idle !== undefined) await idle();
  const stop = await driver.watch((keys, moved) => (moved ? applyListing(keys) : applyReported(keys)));
  const stopPublic = await publicFiles?.watch?.((keys) => applyOrLog([], keys));
  const missed = changedKeys(listing, await driver.list());
  await nextTurn();
  // Commit dates may be new even if no file has changed.
  await applyOrLog(missed);
  if (publicFiles !== undefined && publicBefore !== undefined) {
    const publicMissed = changedKeys(publicBefore, await publicFiles.list());
    if (publicMissed.length > 0) await applyOrLog([], publicMissed);
  }
  return async () => {
    clearTimeout(datesTimer);
    report.stop();
    await Promise.all([stop(), stopPublic?.()]);
  };
}

interface AppliedChange {
  readonly keys: readonly string[];
  /** A line for the log; undefined if nothing has changed. */
  describe(hasErrors: boolean): string | undefined;
}

/** Logs changes and the problems they cause. Errors are logged only if they are still there after a while. */
function createReport({ collector, log, problems, onChange }: WatchDeps) {
  let waiting: readonly AppliedChange[] = [];
  let timer: NodeJS.Timeout | undefined;
  let pausedUntil = 0;

  function hasErrors({ keys }: AppliedChange): boolean {
    const start = performance.now();
    const diagnostics = collector.diagnostics();
    const end = performance.now();
    pausedUntil = Math.max(pausedUntil, end + PAUSE_FACTOR * (end - start));
    return diagnostics.some(({ severity, key }) => severity === 'error' && keys.includes(key));
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const changes = waiting;
    waiting = [];
    try {
      for (const change of changes) {
        const line = change.describe(hasErrors(change));
        if (line !== undefined) log.info(line);
      }
      await problems.printNew();
      onChange();
    } catch (error) {
      log.error(`Problems of the content cannot be reported: ${errorMessage(error)}`);
    }
  }

  async function flushIfPossible(): Promise<void> {
    const pause = pausedUntil - performance.now();
    if (pause > 0) timer ??= setTimeout(flushAfterPause, pause);
    else if (waiting.some(hasErrors)) timer ??= setTimeout(flush, ERRORS_AFTER_MS);
    else await flush();
  }

  function flushAfterPause(): void {
    timer = undefined;
    void flushIfPossible();
  }

  return {
    async add(change: AppliedChange): Promise<void> {
      // A file that has been completed by now is reported once.
      waiting = [...waiting.filter(({ keys }) => !isWithin(keys, change.keys)), change];
      await flushIfPossible();
    },
    stop: () => clearTimeout(timer),
  };
}

function isWithin(keys: readonly string[], others: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => others.includes(key));
}

function isEmpty({ put, removed, types, removedTypes }: ContentChange): boolean {
  return [put, removed, types, removedTypes].every((list) => list.length === 0);
}

/** False for the temporary files of editors and tools, for example. */
function isContent(key: string): boolean {
  const { role } = layoutOf()(key);
  return role === 'entity' || role === 'misplaced';
}

/** The files of a listing as columns, which take a fifth of the memory. */
export interface FileStates {
  /** In code-unit order. */
  readonly keys: readonly string[];
  readonly sizes: Float64Array;
  readonly mtimes: Float64Array;
}

export function fileStates({ files }: Listing): FileStates {
  return {
    keys: files.map(({ key }) => key),
    sizes: Float64Array.from(files, ({ size }) => size),
    mtimes: Float64Array.from(files, ({ mtimeMs }) => mtimeMs),
  };
}

/** Keys of files that differ between two listings, both in code-unit order. */
function changedKeys({ keys, sizes, mtimes }: FileStates, { files: after }: Listing): readonly string[] {
  const changed: string[] = [];
  for (let b = 0, a = 0; b < keys.length || a < after.length; ) {
    const [old, file] = [keys[b], after[a]];
    if (old === file?.key) {
      if (file !== undefined && (file.size !== sizes[b] || file.mtimeMs !== mtimes[b]))
        changed.push(file.key);
      b++;
      a++;
    } else if (old !== undefined && (file === undefined || old < file.key)) {
      changed.push(old);
      b++;
    } else if (file !== undefined) {
      changed.push(file.key);
      a++;
    }
  }
  return changed;
}

function isSameFile(file: StoredFile | undefined, other: StoredFile | undefined): boolean {
  return file?.size === other?.size && file?.mtimeMs === other?.mtimeMs;
}

/** Changed files as they were read with a listing; undefined for a removed file. */
interface ListedChanges {
  /** Time of `performance`. */
  readonly at: number;
  readonly files: ReadonlyMap<string, StoredFile | undefined>;
}

const NO_CHANGES: ListedChanges = { at: 0, files: new Map() };

function describeKeys(keys: readonly string[], publicKeys: readonly string[], folder: string): string {
  const paths = [...keys.map((key) => `${folder}/${key}`), ...publicKeys.map((key) => `public/${key}`)];
  const [first] = paths;
  if (first === undefined) return `Commits of ${folder}/`;
  const others = paths.length - 1;
  return `${first}${others > 0 ? ` and ${others} more` : ''}`;
}

/** If a file has errors, its last good entity is still served. */
function describeChange({ put, removed, types, removedTypes }: ContentChange): string {
  const parts = [
    count(put.length, 'entity', 'entities', 'updated'),
    count(removed.length, 'entity', 'entities', 'removed'),
    count(types.length, 'bundle', 'bundles', 'read again'),
    count(removedTypes.length, 'bundle', 'bundles', 'removed'),
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing changes until its errors are fixed' : parts.join(', ');
}

function count(number: number, singular: string, plural: string, verb: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? singular : plural} ${verb}`;
}
