import {
  closeSync,
  type Dirent,
  lstatSync,
  opendirSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { sortInSteps } from '../../util/steps.ts';
import type { SkippedFile, StoredFile, VersionControl, WritableDriver } from '../driver.ts';
import { normalizeKey } from '../key.ts';
import { isLockName } from './fs-lock.ts';
import { codeOf, keyOf, whereAllowed, whereFound } from './fs-paths.ts';
import { changed, createFileBytes, readParts } from './fs-read.ts';
import { isLeftBehind, isTemporaryName } from './fs-temporary.ts';
import { watchFolder } from './fs-watch.ts';
import { createFsWriter } from './fs-write.ts';

/**
 * Files below a folder. Nothing outside the folder is ever read: links are followed only to places inside it, and a
 * linked folder not from within another linked folder.
 *
 * Reading is synchronous beneath its promises: for files as small as content, the way through the thread pool takes
 * five to ten times as long as the reading itself. What a writer that died left behind is taken away at a listing.
 */
export function createFsDriver(
  root: string,
  { versionControl, lockTimeoutMs }: FsDriverOptions = {},
): WritableDriver {
  const folder = resolve(root);
  const files = createFileBytes();
  let realFolder: string | undefined;
  let known: Pick<Walk, 'links' | 'linked'> = { links: new Map(), linked: [] };
  let unwatched: readonly string[] = [];

  function inside(key: string): string | undefined {
    const normalized = normalizeKey(key);
    if (normalized === undefined || isOwnName(basename(normalized))) {
      return undefined;
    }
    const real = realpathSync.native(join(folder, normalized));
    // The folder may be a link that leads elsewhere by now; asked for anew only where that would explain the place.
    if (realFolder === undefined || keyOf(realFolder, real) === undefined) {
      realFolder = realpathSync.native(folder);
    }
    return keyOf(realFolder, real) === undefined ? undefined : real;
  }

  function look(): void {
    const walk = startWalk();
    for (const _ of walkFolder(walk, folder));
    remember(walk);
  }

  function remember({ links, linked }: Walk): void {
    known = { links, linked };
  }

  /** A change of a link's target is one of the link too, and a link that comes or goes takes its files with it. */
  function withLinks(keys: readonly string[]): readonly string[] {
    const all = new Set(keys);
    const changed = keys.filter((key) => known.links.has(key) || isLink(join(folder, key)));
    if (changed.length > 0) {
      const { linked: before } = known;
      look();
      const linked = [...before, ...known.linked];
      for (const key of linked.filter((file) => changed.some((link) => file.startsWith(`${link}/`)))) {
        all.add(key);
      }
    }
    for (const [link, target] of known.links) {
      for (const key of keys) {
        if (key === target || key.startsWith(`${target}/`)) {
          all.add(link + key.slice(target.length));
        }
      }
    }
    return [...all].sort();
  }

  return {
    name: `${basename(folder)}/`,
    async list() {
      const walk = startWalk();
      await inTurns(walkFolder(walk, folder));
      remember(walk);
      for (const path of walk.leftBehind) whereAllowed(() => unlinkSync(path));
      const files = await inTurns(sortInSteps(walk.files, byKey));
      return { files, skipped: walk.skipped.sort(byKey) };
    },
    async stat(key) {
      return whereFound(() => {
        const path = inside(key);
        const stats = path === undefined ? undefined : statSync(path);
        return stats?.isFile() ? describe(normalizeKey(key) ?? key, stats) : undefined;
      });
    },
    async read(key) {
      return whereFound(() => {
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
      return whereFound(() => {
        const path = inside(key);
        return path === undefined || !statSync(path).isFile() ? undefined : readStart(path, length);
      });
    },
    async *readParts(file, length) {
      const path = whereFound(() => inside(file.key));
      if (path === undefined) throw changed(file.key);
      yield* readParts(path, file, length);
    },
    watch: (onChange) =>
      watchFolder(
        folder,
        versionControl?.activity(),
        (keys, moved) => onChange(withLinks(keys), moved),
        (error) => {
          const reason = codeOf(error) ?? String(error);
          unwatched = [`Changes of some files are not noticed (${reason}): restart to see them.`];
        },
      ),
    ...(versionControl && { history: versionControl.history, past: versionControl.past }),
    warnings: () => [...(versionControl?.warnings() ?? []), ...unwatched],
    ...createFsWriter(folder, lockTimeoutMs),
  };
}

export interface FsDriverOptions {
  /** How long work waits for the lock in `exclusively`, in milliseconds. */
  readonly lockTimeoutMs?: number | undefined;
  /** Provides commit dates and past versions; see `git/driver.ts`. */
  readonly versionControl?: VersionControl;
}

const NO_FILE = 'It is neither a file nor a folder.';
/** What stands in a name for bytes that are no UTF-8. */
const REPLACED = '\ufffd';

/** Files that are looked at in one step. */
const STEP = 128;
/** Names that one call of the system returns. */
const NAMES = 1024;
/** Milliseconds after which others have their turn. */
const SLICE_MS = 5;

/** The result of work in steps, between which others have their turn. */
async function inTurns<T>(steps: Generator<void, T, undefined>): Promise<T> {
  for (let started = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - started < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    started = performance.now();
  }
}

function startWalk(): Walk {
  return { files: [], skipped: [], links: new Map(), linked: [], leftBehind: [] };
}

/** Adds every file of a folder, in short steps. */
function* walkFolder(walk: Walk, folder: string): Generator<void, void, undefined> {
  const realRoot = whereFound(() => realpathSync.native(folder));
  if (realRoot === undefined) {
    walk.skipped.push({
      key: '',
      reason: `There is no folder ${basename(folder)}/. Create it, or name another one in the option contentDir.`,
    });
  } else {
    yield* visitFolder(walk, { realRoot, path: realRoot, key: '', linked: false });
  }
}

function* visitFolder(walk: Walk, place: Place): Generator<void, void, undefined> {
  let entries: readonly Dirent[] = [];
  try {
    entries = readFolder(place.path);
  } catch (error) {
    walk.skipped.push({
      key: place.key,
      reason: `The folder cannot be read (${codeOf(error) ?? 'unknown reason'}).`,
    });
  }
  for (const [at, entry] of entries.entries()) {
    if (at % STEP === 0) yield;
    const key = place.key === '' ? entry.name : `${place.key}/${entry.name}`;
    const found: Place = { ...place, path: place.path + sep + entry.name, key };
    if (isOwnName(entry.name)) {
      if (isLeftBehind(entry.name)) walk.leftBehind.push(found.path);
    } else if (normalizeKey(key) === undefined) {
      walk.skipped.push({ key, reason: 'Its name has a character that content paths cannot have.' });
    } else if (entry.isSymbolicLink()) {
      yield* visitLink(walk, found);
    } else if (entry.isDirectory()) {
      if (entry.name !== '.git') {
        yield* visitFolder(walk, found);
      }
    } else if (entry.isFile()) {
      addFile(walk, found);
      if (place.linked) walk.linked.push(key);
    } else {
      walk.skipped.push({ key, reason: NO_FILE });
    }
  }
}

/** As `readdirSync`, but not sorted, which takes more than half of its time. */
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

function* visitLink(walk: Walk, { realRoot, path, key, linked }: Place): Generator<void, void, undefined> {
  const real = whereAllowed(() => realpathSync.native(path));
  const stats = real === undefined ? undefined : whereAllowed(() => statSync(real));
  const target = real === undefined ? undefined : keyOf(realRoot, real);
  if (real === undefined || stats === undefined) {
    walk.skipped.push({ key, reason: 'It is a link to nothing.' });
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

function addFile(walk: Walk, { path, key }: Place): void {
  try {
    // A file may vanish between listing and stat; then it is simply not there.
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) {
      walk.files.push(describe(key, stats));
    } else if (key.includes(REPLACED)) {
      walk.skipped.push({ key, reason: 'Its name is not UTF-8 text.' });
    }
  } catch (error) {
    walk.skipped.push({ key, reason: `The file cannot be read (${codeOf(error) ?? 'unknown reason'}).` });
  }
}

function describe(key: string, { size, mtimeMs }: Stats): StoredFile {
  return { key, size, mtimeMs };
}

function readStart(path: string, length: number): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, 0));
  } finally {
    closeSync(file);
  }
}

/** Files of writers, which are no content. Reading a lock would end it (POSIX, fcntl). */
function isOwnName(name: string): boolean {
  return isTemporaryName(name) || isLockName(name);
}

function isLink(path: string): boolean {
  return whereAllowed(() => lstatSync(path))?.isSymbolicLink() === true;
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1;
}

interface Walk {
  readonly files: StoredFile[];
  readonly skipped: SkippedFile[];
  /** Keys that links point to, by the links' keys. */
  readonly links: Map<string, string>;
  /** Keys of the files in linked folders. */
  readonly linked: string[];
  /** Paths of what writers that died left behind. */
  readonly leftBehind: string[];
}

interface Place {
  readonly realRoot: string;
  readonly path: string;
  readonly key: string;
  /** Whether the way here went through a linked folder. */
  readonly linked: boolean;
}
