import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { watch as watchFiles } from 'chokidar';
import type { Listing, SkippedFile, StorageDriver, StoredFile } from '../driver.ts';
import { createGitHistory } from '../git/history.ts';
import { normalizeKey } from '../key.ts';

/** Quiet time after a change before it is reported, so that a burst (a checkout, a save by rename) is one call. */
export const WATCH_QUIET_MS = 30;

/**
 * Files below a folder. Nothing outside the folder is ever read: links are followed only to places inside it, and a
 * linked folder only once, not from within another linked folder.
 */
export function createFsDriver(root: string): StorageDriver {
  const folder = resolve(root);
  const history = createGitHistory(folder);
  // Where links point to, by key: a change of the target is a change of the link too.
  let links: ReadonlyMap<string, string> = new Map();

  async function inside(key: string): Promise<string | undefined> {
    const normalized = normalizeKey(key);
    if (normalized === undefined) {
      return undefined;
    }
    const [real, realRoot] = await Promise.all([realpath(join(folder, normalized)), realpath(folder)]);
    return keyOf(realRoot, real) === undefined ? undefined : real;
  }

  return {
    name: `${basename(folder)}/`,
    async list() {
      const walk = createWalk(folder);
      const listing = await walk.listing();
      links = walk.links;
      return listing;
    },
    stat: (key) =>
      whereFound(async () => {
        const path = await inside(key);
        const stats = path === undefined ? undefined : await stat(path);
        return stats?.isFile()
          ? { key: normalizeKey(key) ?? key, size: stats.size, mtimeMs: stats.mtimeMs }
          : undefined;
      }),
    read: (key) =>
      whereFound(async () => {
        const path = await inside(key);
        return path === undefined ? undefined : await readFile(path);
      }),
    watch: (onChange) => watch(folder, (keys) => onChange(withLinks(keys, links))),
    history: async () => (await history.read()) ?? new Map(),
    warnings: () => history.warnings(),
  };
}

function createWalk(folder: string): {
  listing(): Promise<Listing>;
  readonly links: ReadonlyMap<string, string>;
} {
  const files: StoredFile[] = [];
  const skipped: SkippedFile[] = [];
  const links = new Map<string, string>();

  async function visitFolder(path: string, key: string, realRoot: string, linked: boolean): Promise<void> {
    const entries = await readdir(path, { withFileTypes: true });
    await Promise.all(
      entries.map(async (entry) => {
        const entryKey = key === '' ? entry.name : `${key}/${entry.name}`;
        const entryPath = join(path, entry.name);
        if (normalizeKey(entryKey) === undefined) {
          skipped.push({ key: entryKey, reason: 'Its name has a character that content paths cannot have.' });
        } else if (entry.isSymbolicLink()) {
          await visitLink(entryPath, entryKey, realRoot, linked);
        } else if (entry.isDirectory()) {
          if (entry.name !== '.git') {
            await visitFolder(entryPath, entryKey, realRoot, linked);
          }
        } else if (entry.isFile()) {
          await addFile(entryPath, entryKey);
        }
      }),
    );
  }

  async function visitLink(path: string, key: string, realRoot: string, linked: boolean): Promise<void> {
    const real = await whereFound(() => realpath(path));
    const target = real === undefined ? undefined : keyOf(realRoot, real);
    if (real === undefined) {
      skipped.push({ key, reason: 'It is a link to nothing.' });
    } else if (target === undefined) {
      skipped.push({ key, reason: 'It is a link that leads out of the content folder.' });
    } else if ((await stat(real)).isFile()) {
      links.set(key, target);
      await addFile(real, key);
    } else if (linked || target === '' || key.startsWith(`${target}/`)) {
      skipped.push({
        key,
        reason: 'It is a link to a folder from within that folder or another linked one.',
      });
    } else {
      links.set(key, target);
      await visitFolder(real, key, realRoot, true);
    }
  }

  async function addFile(path: string, key: string): Promise<void> {
    // A file may vanish between listing and stat; then it is simply not there.
    const stats = await whereFound(() => stat(path));
    if (stats !== undefined) {
      files.push({ key, size: stats.size, mtimeMs: stats.mtimeMs });
    }
  }

  async function listing(): Promise<Listing> {
    const realRoot = await whereFound(() => realpath(folder));
    if (realRoot === undefined) {
      return { files: [], skipped: [{ key: '', reason: `There is no folder ${basename(folder)}/.` }] };
    }
    await visitFolder(realRoot, '', realRoot, false);
    return { files: files.sort(byKey), skipped: skipped.sort(byKey) };
  }

  return { listing, links };
}

async function watch(
  folder: string,
  onChange: (keys: readonly string[]) => void,
): Promise<() => Promise<void>> {
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  // Links are not followed: one to `/` would watch the whole machine.
  const watcher = watchFiles(folder, {
    ignoreInitial: true,
    atomic: true,
    followSymlinks: false,
    ignored: (path) => basename(path) === '.git',
  });

  function flush(): void {
    const keys = [...pending].sort();
    pending.clear();
    onChange(keys);
  }

  watcher.on('all', (event, path) => {
    const key = keyOf(folder, resolve(folder, path));
    if (key !== undefined && key !== '' && FILE_EVENTS.has(event)) {
      pending.add(key);
      clearTimeout(timer);
      timer = setTimeout(flush, WATCH_QUIET_MS);
    }
  });
  await new Promise<void>((done, failed) => {
    watcher.once('ready', done);
    watcher.once('error', failed);
  });
  return async () => {
    clearTimeout(timer);
    await watcher.close();
  };
}

const FILE_EVENTS: ReadonlySet<string> = new Set(['add', 'change', 'unlink']);

function withLinks(keys: readonly string[], links: ReadonlyMap<string, string>): readonly string[] {
  const all = new Set(keys);
  for (const [link, target] of links) {
    for (const key of keys) {
      if (key === target || key.startsWith(`${target}/`)) {
        all.add(link + key.slice(target.length));
      }
    }
  }
  return [...all].sort();
}

/** Path below `root` with slashes, empty for `root` itself; undefined where `path` is outside. */
function keyOf(root: string, path: string): string | undefined {
  const key = relative(root, path).split(sep).join('/');
  return key === '..' || key.startsWith('../') || resolve(root, key) !== resolve(path) ? undefined : key;
}

/** What `find` gives, or undefined where there is no such file or folder. */
async function whereFound<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      typeof error.code === 'string' &&
      ABSENT.has(error.code)
    ) {
      return undefined;
    }
    throw error;
  }
}

/** A loop of links leads nowhere either. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'ENAMETOOLONG']);

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1;
}
