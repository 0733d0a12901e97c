import type { Collector, ContentChange } from '../content/collect.ts';
import { roleOf } from '../content/resource-type.ts';
import type { Listing, StorageDriver, StoredFile } from '../storage/driver.ts';
import { errorMessage } from '../util/text.ts';
import type { ProblemLog } from './problem-log.ts';

/** After the last change, git is asked what it has to say of the changed files. */
const DATES_AFTER_MS = 300;

/** So long after a switch of branches the watcher may still tell of its files. */
const LATE_EVENTS_MS = 5000;

/** A file with errors may be written by half: only after so long it is told. What is answered does not wait. */
export const ERRORS_AFTER_MS = 150;

export interface WatchDeps {
  readonly driver: StorageDriver;
  /** The folder `public/`, whose files fields may name. */
  readonly publicFiles?: StorageDriver | undefined;
  readonly collector: Collector;
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
  const { driver, publicFiles, collector, folder, log, idle } = deps;
  const report = createReport(deps);
  let listed = deps.before;
  let taken = NOTHING_TAKEN;
  let datesDue: NodeJS.Timeout | undefined;

  async function follow(keys: readonly string[], publicKeys: readonly string[]): Promise<void> {
    const start = performance.now();
    const nothingNew = keys.length === 0 && publicKeys.length === 0;
    const change = await collector.apply(keys, publicKeys, nothingNew ? 'now' : 'later');
    const ms = performance.now() - start;
    if (keys.length > 0 || nothingNew) clearTimeout(datesDue);
    if (keys.length > 0) datesDue = setTimeout(() => void followOrSay([]), DATES_AFTER_MS);
    // Whoever waits for the change is answered before its problems are put together.
    await othersTurn();
    if (isNothing(change) && keys.length === 0) return;
    const content = keys.filter(concernsContent);
    const told = content.length > 0 ? content : keys;
    const place = describeKeys(told, publicKeys, folder);
    await report.add({
      keys: told,
      text: (broken) =>
        isNothing(change) && !broken
          ? undefined
          : `${place}: ${describeChange(change)} in ${ms.toFixed(1)} ms`,
    });
  }

  async function followOrSay(keys: readonly string[], publicKeys: readonly string[] = []): Promise<void> {
    try {
      await follow(keys, publicKeys);
    } catch (error) {
      const reason = errorMessage(error);
      log.error(`${describeKeys(keys, publicKeys, folder)} cannot be followed: ${reason}`);
    }
  }

  /** After a switch of branches: reads all that has changed since the last listing. The watcher tells of it in many steps. */
  async function followListed(keys: readonly string[]): Promise<void> {
    const now = await driver.list();
    const changed = changedKeys(listed, now);
    listed = now;
    const files = new Map(now.files.map((file) => [file.key, file]));
    taken = { at: performance.now(), files: new Map(changed.map((key) => [key, files.get(key)])) };
    await followOrSay([...new Set([...keys, ...changed])]);
  }

  /** Reads what the watcher tells of, but for what has been read already with the listing. */
  async function followTold(keys: readonly string[]): Promise<void> {
    if (performance.now() - taken.at > LATE_EVENTS_MS) taken = NOTHING_TAKEN;
    const { files } = taken;
    const fresh: string[] = [];
    for (const key of keys) {
      const now = files.has(key) ? await driver.stat(key).catch(() => undefined) : undefined;
      if (!files.has(key) || !sameFile(now, files.get(key))) fresh.push(key);
    }
    if (fresh.length > 0 || keys.length === 0) await followOrSay(fresh);
  }

  if (driver.watch === undefined) return async () => undefined;
  const publicListed = idle && (await publicFiles?.list());
  // It takes longer than reading the files. What changes before it begins is found by looking once more.
  if (idle !== undefined) await idle();
  const stop = await driver.watch((keys, moved) => (moved ? followListed(keys) : followTold(keys)));
  const stopPublic = await publicFiles?.watch?.((keys) => followOrSay([], keys));
  const missed = changedKeys(listed, await driver.list());
  await othersTurn();
  // Without a file there may still be new commits.
  await followOrSay(missed);
  if (publicFiles !== undefined && publicListed !== undefined) {
    const publicMissed = changedKeys(publicListed, await publicFiles.list());
    if (publicMissed.length > 0) await followOrSay([], publicMissed);
  }
  return async () => {
    clearTimeout(datesDue);
    report.stop();
    await Promise.all([stop(), stopPublic?.()]);
  };
}

interface Followed {
  readonly keys: readonly string[];
  /** A line of log; undefined where there is nothing to say. */
  text(broken: boolean): string | undefined;
}

/** Tells of changes, with the problems they brought. Where one of their files has errors, it waits whether that stays. */
function createReport({ collector, log, problems, onChange }: WatchDeps) {
  let held: readonly Followed[] = [];
  let due: NodeJS.Timeout | undefined;

  function isBroken({ keys }: Followed): boolean {
    return collector.diagnostics().some(({ severity, key }) => severity === 'error' && keys.includes(key));
  }

  async function tell(): Promise<void> {
    clearTimeout(due);
    due = undefined;
    const all = held;
    held = [];
    for (const followed of all) {
      const text = followed.text(isBroken(followed));
      if (text !== undefined) log.info(text);
    }
    await problems.printNew();
    onChange();
  }

  async function tellOrSay(): Promise<void> {
    try {
      await tell();
    } catch (error) {
      log.error(`Problems cannot be told: ${errorMessage(error)}`);
    }
  }

  return {
    async add(followed: Followed): Promise<void> {
      // A file that is whole by now had no errors worth a word.
      held = [...held.filter(({ keys }) => !isWithin(keys, followed.keys)), followed];
      if (held.some(isBroken)) due ??= setTimeout(() => void tellOrSay(), ERRORS_AFTER_MS);
      else await tell();
    },
    stop: () => clearTimeout(due),
  };
}

function isWithin(keys: readonly string[], others: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => others.includes(key));
}

function isNothing({ put, removed, types, removedTypes }: ContentChange): boolean {
  return [put, removed, types, removedTypes].every((list) => list.length === 0);
}

/** Files that editors and tools leave for a moment are none of them, for example. */
function concernsContent(key: string): boolean {
  const { role } = roleOf(key);
  return role === 'entity' || role === 'misplaced';
}

function othersTurn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/** Keys that one listing has and the other has not, or has otherwise. Both are in code-unit order. */
function changedKeys({ files: before }: Listing, { files: after }: Listing): readonly string[] {
  const changed: string[] = [];
  for (let b = 0, a = 0; b < before.length || a < after.length; ) {
    const [old, file] = [before[b], after[a]];
    if (old?.key === file?.key) {
      if (file !== undefined && !sameFile(old, file)) changed.push(file.key);
      b++;
      a++;
    } else if (old !== undefined && (file === undefined || old.key < file.key)) {
      changed.push(old.key);
      b++;
    } else if (file !== undefined) {
      changed.push(file.key);
      a++;
    }
  }
  return changed;
}

function sameFile(file: StoredFile | undefined, other: StoredFile | undefined): boolean {
  return file?.size === other?.size && file?.mtimeMs === other?.mtimeMs;
}

/** Files as they were read with a listing, and when that was; undefined for one that was gone. */
interface Taken {
  readonly at: number;
  readonly files: ReadonlyMap<string, StoredFile | undefined>;
}

const NOTHING_TAKEN: Taken = { at: 0, files: new Map() };

function describeKeys(keys: readonly string[], publicKeys: readonly string[], folder: string): string {
  const paths = [...keys.map((key) => `${folder}/${key}`), ...publicKeys.map((key) => `public/${key}`)];
  const [first] = paths;
  if (first === undefined) return `Commits of ${folder}/`;
  const others = paths.length - 1;
  return `${first}${others > 0 ? ` and ${others} more` : ''}`;
}

/** A file with errors changes nothing: its last good entity, where it had one, is still answered. */
function describeChange({ put, removed, types, removedTypes }: ContentChange): string {
  const parts = [
    count(put.length, 'entity', 'entities', 'updated'),
    count(removed.length, 'entity', 'entities', 'removed'),
    count(types.length, 'bundle', 'bundles', 'read anew'),
    count(removedTypes.length, 'bundle', 'bundles', 'removed'),
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing changed until its errors are mended' : parts.join(', ');
}

function count(number: number, one: string, many: string, what: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? one : many} ${what}`;
}
