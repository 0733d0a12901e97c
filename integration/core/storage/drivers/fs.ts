import { type Dirent, lstatSync, opendirSync, realpathSync, type Stats, statSync, unlinkSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { createPauses } from '../../util/pauses.ts';
import { sortInSteps } from '../../util/steps.ts';
import type { SkippedFile, StoredFile, VersionControl, WritableDriver } from '../driver.ts';
import { normalizeKey } from '../key.ts';
import { isLockName } from './fs-lock.ts';
import { codeOf, keyOf, undefinedIfMissing, undefinedIfUnreadable } from './fs-paths.ts';
import { changed, createFileBytes, readParts, readSome } from './fs-read.ts';
import { isLeftBehind, isTemporaryName } from './fs-temporary.ts';
import { watchFolder } from './fs-watch.ts';
import { createFsWriter } from './fs-write.ts';

/**
 * Files below a folder. Nothing outside the folder is read: links are followed only to targets inside it, and a linked
 * folder only from outside of linked folders.
 *
 * Reads are synchronous internally: for files as small as content, the thread pool takes five to ten times as long as
 * the read itself. A listing finishes what dead writers have begun, and removes their temporary files.
 */
export function createFsDriver(
  root: string,
  { versionControl, lockTimeoutMs }: FsDriverOptions = {},
): WritableDriver {
  const folder = resolve(root);
  const files = createFileBytes();
  const { settle, ...writer } = createFsWriter(folder, lockTimeoutMs);
  let realFolder: string | undefined;
  let lastWalk: Pick<Walk, 'links' | 'linked'> = { links: new Map(), linked: [] };
  let unwatched: readonly string[] = [];

  function inside(key: string): string | undefined {
    const normalized = normalizeKey(key);
    if (normalized === undefined || isOwnName(basename(normalized))) return undefined;
    const real = realpathSync.native(join(folder, normalized));
    // The folder may be a link with a new target; checked only if the path seems to be outside.
    if (realFolder === undefined || keyOf(realFolder, real) === undefined) {
      realFolder = realpathSync.native(folder);
    }
    return keyOf(realFolder, real) === undefined ? undefined : real;
  }

  function walkAgain(): void {
    const walk = startWalk();
    for (const _ of walkFolder(walk, folder));
    remember(walk);
  }

  function remember({ links, linked }: Walk): void {
    lastWalk = { links, linked };
  }

  /** Adds the keys of links to changed files, and the files in linked folders that appeared or disappeared. */
  function withLinks(keys: readonly string[]): readonly string[] {
    const all = new Set(keys);
    const isLink = (key: string) =>
      undefinedIfUnreadable(() => lstatSync(join(folder, key)))?.isSymbolicLink() === true;
    const changed = keys.filter((key) => lastWalk.links.has(key) || isLink(key));
    if (changed.length > 0) {
      const { linked: before } = lastWalk;
      walkAgain();
      const linked = [...before, ...lastWalk.linked];
      for (const key of linked.filter((file) => changed.some((link) => file.startsWith(`${link}/`)))) {
        all.add(key);
      }
    }
    for (const [link, target] of lastWalk.links) {
      for (const key of keys) {
        if (key === target || key.startsWith(`${target}/`)) all.add(link + key.slice(target.length));
      }
    }
    return [...all].sort();
  }

  return {
    name: `${basename(folder)}/`,
    async list() {
      await settle();
      const walk = startWalk();
      await inSlices(walkFolder(walk, folder));
      remember(walk);
      for (const path of walk.leftBehind) undefinedIfUnreadable(() => unlinkSync(path));
      const files = await inSlices(sortInSteps(walk.files, byKey));
      return { files, skipped: walk.skipped.sort(byKey) };
    },
    async stat(key) {
      return undefinedIfMissing(() => {
        const path = inside(key);
        const stats = path === undefined ? undefined : statSync(path);
        return stats?.isFile() ? describe(normalizeKey(key) ?? key, stats) : undefined;
      });
    },
    async read(key) {
      return undefinedIfMissing(() => {
        const normalized = normalizeKey(key);
        const bytes =
          normalized === undefined || isOwnName(basename(normalized))
            ? undefined
            : files.readInside(folder, normalized);
        if (bytes !== undefined) return bytes;
        const path = inside(key);
        return path === undefined ? undefined : files.read(path);
      });
    },
    async readStart(key, length) {
      return undefinedIfMissing(() => {
        const path = inside(key);
        return path === undefined || !statSync(path).isFile() ? undefined : readSome(path, 0, length);
      });
    },
    async *readParts(file, length, range) {
      const path = undefinedIfMissing(() => inside(file.key));
      if (path === undefined) throw changed(file.key);
      yield* readParts(path, file, length, range);
    },
    watch: (onChange) =>
      watchFolder(
        folder,
        versionControl?.activity(),
        (keys, moved) => onChange(withLinks(keys), moved),
        (error) => {
          const reason = codeOf(error) ?? String(error);
          unwatched = [`Changes of some files cannot be watched (${reason}): restart to see them.`];
        },
      ),
    ...(versionControl && {
      history: versionControl.history,
      past: versionControl.past,
      uncommitted: versionControl.uncommitted,
      ignored: versionControl.ignored,
    }),
    warnings: () => [...(versionControl?.warnings() ?? []), ...unwatched],
    ...writer,
  };
}

export interface FsDriverOptions {
  /** How long work waits for the lock in `exclusively`, in milliseconds. */
  readonly lockTimeoutMs?: number | undefined;
  /** Provides commit dates and past versions; see `git/driver.ts`. */
  readonly versionControl?: VersionControl;
}

const NO_FILE = 'It is neither a file nor a folder.';
/** Replaces invalid UTF-8 in a name. */
const REPLACED = '\ufffd';

/** Files per step. */
const STEP = 128;
/** Names per system call. */
const NAMES = 1024;

/** Runs a generator in time slices. */
async function inSlices<T>(steps: Generator<void, T, undefined>): Promise<T> {
  const pause = createPauses(setImmediate);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await pause();
  }
}

function startWalk(): Walk {
  return { files: [], skipped: [], links: new Map(), linked: [], leftBehind: [] };
}

/** Adds every file of a folder, in short steps. */
function* walkFolder(walk: Walk, folder: string): Generator<void, void, undefined> {
  const realRoot = undefinedIfMissing(() => realpathSync.native(folder));
  if (realRoot === undefined) {
    walk.skipped.push({
      key: '',
      reason: `There is no folder ${basename(folder)}/. Create it, or set the option contentDir.`,
    });
  } else {
    yield* visitFolder(walk, { realRoot, path: realRoot, key: '', linked: false });
  }
}

function* visitFolder(walk: Walk, parent: FolderEntry): Generator<void, void, undefined> {
  let entries: readonly Dirent[] = [];
  try {
    entries = readFolder(parent.path);
  } catch (error) {
    walk.skipped.push({
      key: parent.key,
      reason: `The folder cannot be read (${codeOf(error) ?? 'unknown reason'}).`,
    });
  }
  for (const [at, entry] of entries.entries()) {
    if (at % STEP === 0) yield;
    if (TOOL_FOLDERS.has(entry.name)) continue;
    const key = parent.key === '' ? entry.name : `${parent.key}/${entry.name}`;
    const child: FolderEntry = { ...parent, path: parent.path + sep + entry.name, key };
    if (isOwnName(entry.name)) {
      if (isLeftBehind(entry.name)) walk.leftBehind.push(child.path);
    } else if (normalizeKey(key) === undefined) {
      walk.skipped.push({
        key,
        reason: 'Its name contains a character that is not allowed in content paths.',
      });
    } else if (entry.isSymbolicLink()) {
      yield* visitLink(walk, child);
    } else if (entry.isDirectory()) {
      yield* visitFolder(walk, child);
    } else if (entry.isFile()) {
      addFile(walk, child);
      if (parent.linked) walk.linked.push(key);
    } else {
      walk.skipped.push({ key, reason: NO_FILE });
    }
  }
}

/** Folders of packages and tools, or links to them. They can have more files than the content. */
const TOOL_FOLDERS: ReadonlySet<string> = new Set(['.git', '.obsidian', 'node_modules']);

/** Like `readdirSync`, without the sorting that takes more than half of its time. */
function readFolder(path: string): Dirent[] {
  const folder = opendirSync(path, { bufferSize: NAMES });
  try {
    const entries: Dirent[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) entries.push(entry);
    return entries;
  } finally {
    folder.closeSync();
  }
}

function* visitLink(
  walk: Walk,
  { realRoot, path, key, linked }: FolderEntry,
): Generator<void, void, undefined> {
  const real = undefinedIfUnreadable(() => realpathSync.native(path));
  const stats = real === undefined ? undefined : undefinedIfUnreadable(() => statSync(real));
  const target = real === undefined ? undefined : keyOf(realRoot, real);
  if (real === undefined || stats === undefined) {
    walk.skipped.push({ key, reason: 'It is a link to a missing file.' });
  } else if (target === undefined) {
    walk.skipped.push({ key, reason: 'It is a link that leads out of the content folder.' });
  } else if (stats.isFile()) {
    walk.links.set(key, target);
    walk.files.push(describe(key, stats));
  } else if (!stats.isDirectory()) {
    walk.skipped.push({ key, reason: NO_FILE });
  } else if (linked || target === '' || key.startsWith(`${target}/`)) {
    walk.skipped.push({
      key,
      reason: 'It is a link to a folder from within that folder or another linked one.',
    });
  } else {
    walk.links.set(key, target);
    yield* visitFolder(walk, { realRoot, path: real, key, linked: true });
  }
}

function addFile(walk: Walk, { path, key }: FolderEntry): void {
  try {
    // A file may be deleted between listing and stat.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) {
      walk.files.push(describe(key, stats));
    } else if (key.includes(REPLACED)) {
      walk.skipped.push({ key, reason: 'Its name is not valid UTF-8.' });
    }
  } catch (error) {
    walk.skipped.push({ key, reason: `The file cannot be read (${codeOf(error) ?? 'unknown reason'}).` });
  }
}

function describe(key: string, { size, mtimeMs, birthtimeMs }: Stats): StoredFile {
  // Zero on file systems without a time of birth.
  const createdMs = birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
  return { key, size, mtimeMs, createdMs };
}

/** True for temporary files and locks, which are not content. Reading a lock would release it (POSIX, fcntl). */
function isOwnName(name: string): boolean {
  return isTemporaryName(name) || isLockName(name);
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1;
}

interface Walk {
  readonly files: StoredFile[];
  readonly skipped: SkippedFile[];
  /** Keys of link targets by keys of links. */
  readonly links: Map<string, string>;
  /** Keys of the files in linked folders. */
  readonly linked: string[];
  /** Paths of temporary files of dead writers. */
  readonly leftBehind: string[];
}

interface FolderEntry {
  readonly realRoot: string;
  readonly path: string;
  readonly key: string;
  /** True within a linked folder. */
  readonly linked: boolean;
}
