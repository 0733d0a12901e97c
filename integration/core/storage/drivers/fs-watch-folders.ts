import { type FSWatcher, lstatSync, opendirSync, type Stats, watch } from 'node:fs';
import { basename } from 'node:path';
import { createPauses } from '../../util/pauses.ts';
import { undefinedIfMissing, undefinedIfUnreadable } from './fs-paths.ts';

/** Files of a folder with everything below it, while they are watched. */
export interface WatchedFolders {
  /** True if the folder itself has been moved or deleted. */
  isGone(): boolean;
  /** Keys of the files that are watched. */
  keys(): readonly string[];
  close(): void;
}

export interface FolderWatchDeps {
  /** Names of files and folders that are not watched. */
  readonly isIgnored: (name: string) => boolean;
  /** `size` is the size of the file in bytes. */
  readonly report: (event: 'add' | 'change' | 'unlink', key: string, size?: number) => void;
  /** Called if a folder can no longer be watched. */
  readonly onError: (error: unknown) => void;
  /** True to report the files that exist already. */
  readonly reportsExisting: boolean;
}

interface Folder {
  readonly watcher: FSWatcher;
  readonly inode: number;
  /** Names of its files and links. */
  readonly files: Set<string>;
}

/** Names per system call. */
const NAMES = 1024;

/**
 * Watches a folder on Linux. The system reports changes of the entries of one folder only. Links are not followed. Files need
 * no `stat` until they change. Resolves once everything is watched, and rejects if something cannot be watched.
 */
export async function watchFolders(root: string, deps: FolderWatchDeps): Promise<WatchedFolders> {
  const { isIgnored, report, onError } = deps;
  /** By key. */
  const folders = new Map<string, Folder>();
  let isGone = false;
  let isClosed = false;

  const pathOf = (key: string) => (key === '' ? root : `${root}/${key}`);

  /** Watches a folder before it reads its entries, so none is missed. Yields after some entries. */
  function* addFolder(key: string, reports: boolean): Generator<void, void, undefined> {
    const path = pathOf(key);
    const inode = undefinedIfMissing(() => lstatSync(path))?.ino;
    const watcher = inode === undefined ? undefined : undefinedIfMissing(() => watch(path));
    if (inode === undefined || watcher === undefined) return;
    const folder: Folder = { watcher, inode, files: new Set() };
    folders.set(key, folder);
    watcher.on('change', (event, name) => changed(key, folder, event, String(name)));
    watcher.on('error', onError);
    const directory = undefinedIfMissing(() => opendirSync(path, { bufferSize: NAMES }));
    if (directory === undefined) return;
    const inside: string[] = [];
    try {
      for (let at = 1, entry = directory.readSync(); entry !== null; at += 1, entry = directory.readSync()) {
        const child = key === '' ? entry.name : `${key}/${entry.name}`;
        if (isIgnored(entry.name)) continue;
        if (entry.isDirectory()) inside.push(child);
        else folder.files.add(entry.name);
        if (reports && !entry.isDirectory()) reportFile('add', child, statOf(child));
        if (at % NAMES === 0) yield;
      }
    } finally {
      directory.closeSync();
    }
    for (const child of inside) yield* addFolder(child, reports);
  }

  function addNow(key: string): void {
    try {
      for (const _ of addFolder(key, true));
    } catch (error) {
      onError(error);
    }
  }

  /** Reports the files of a folder that no longer exists under this key. */
  function removeFolder(key: string): void {
    for (const [other, { watcher, files }] of [...folders]) {
      if (other !== key && !other.startsWith(`${key}/`)) continue;
      watcher.close();
      folders.delete(other);
      for (const name of files) report('unlink', `${other}/${name}`);
    }
  }

  const statOf = (key: string): Stats | undefined => undefinedIfUnreadable(() => lstatSync(pathOf(key)));

  function reportFile(event: 'add' | 'change', key: string, stats: Stats | undefined): void {
    if (stats !== undefined) report(event, key, stats.size);
  }

  /** The system has reported a change of the entry `name`, or with its own name as a renamed entry the end of the folder. */
  function changed(key: string, folder: Folder, event: string, name: string): void {
    if (isClosed || folders.get(key) !== folder) return;
    const child = key === '' ? name : `${key}/${name}`;
    const stats = statOf(child);
    const isUnknown = stats === undefined && !folder.files.has(name) && !folders.has(child);
    if (event === 'rename' && name === basename(pathOf(key)) && (isUnknown || key !== '')) {
      ended(key);
      return;
    }
    if (isUnknown || isIgnored(name)) return;
    const isFolder = stats?.isDirectory() === true;
    const former = folders.get(child);
    if (former !== undefined && (!isFolder || former.inode !== stats.ino)) removeFolder(child);
    const wasFile = folder.files.has(name);
    if (stats !== undefined && !isFolder) {
      folder.files.add(name);
      reportFile(wasFile ? 'change' : 'add', child, stats);
      return;
    }
    if (folder.files.delete(name)) report('unlink', child);
    if (isFolder && !folders.has(child)) addNow(child);
  }

  /** The folder was removed or moved. Another one at its place may have its inode, so it is watched from the start. */
  function ended(key: string): void {
    if (key === '') {
      isGone = true;
      return;
    }
    removeFolder(key);
    if (statOf(key)?.isDirectory() === true) addNow(key);
  }

  function close(): void {
    isClosed = true;
    for (const { watcher } of folders.values()) watcher.close();
    folders.clear();
  }

  const pause = createPauses(setImmediate);
  try {
    for (const _ of addFolder('', deps.reportsExisting)) await pause();
  } catch (error) {
    close();
    throw error;
  }
  return {
    isGone: () => isGone,
    keys: () =>
      [...folders].flatMap(([key, { files }]) =>
        [...files].map((name) => (key === '' ? name : `${key}/${name}`)),
      ),
    close,
  };
}
