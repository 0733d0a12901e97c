import {
  accessSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestBytes } from '../../util/revision.ts';
import { RevisionConflictError } from '../errors.ts';
import { codeOf, undefinedIfMissing, undefinedIfUnreadable } from './fs-paths.ts';
import type { WriteTarget } from './fs-target.ts';
import { temporaryName } from './fs-temporary.ts';

/*
 * Files are replaced as a whole: the bytes are written to a temporary file and flushed, then the file is renamed and the
 * folder is flushed. A lock separates our own writers, but editors do not use it. So the file is compared immediately
 * before and after the rename, through a hard link to the old file, and bytes that an editor has saved are restored. One
 * gap remains: an editor that renames its own file between two consecutive system calls (see docs/durability.md).
 */

/** Creates a file and its folders. With `expected: null`, throws RevisionConflictError if the file exists by now. */
export async function createFile(
  target: WriteTarget,
  bytes: Uint8Array,
  expected: null | undefined,
): Promise<void> {
  const made = await createFolders(target);
  try {
    await withDraft(target.path, bytes, undefined, async (draft) => {
      if (expected === undefined || !tryToLink(draft, target.path)) {
        if (expected === null && exists(target.path)) throw conflictAt(target);
        renameSync(draft, target.path);
      }
      await rm(draft, { force: true });
      await syncFolder(dirname(target.path));
    });
  } catch (error) {
    for (const folder of made.reverse()) undefinedIfUnreadable(() => rmdirSync(folder));
    throw error;
  }
}

/** Replaces a file and keeps its mode and owner. Throws RevisionConflictError if its digest is not `expected`. */
export async function replaceFile(
  target: WriteTarget & { readonly stats: Stats },
  bytes: Uint8Array,
  expected: string | null | undefined,
): Promise<void> {
  const { path, stats } = target;
  const present = undefinedIfMissing(() => {
    accessSync(path, constants.W_OK);
    return readFileSync(path);
  });
  // An editor that renames files can have taken the file away for a moment.
  if (present === undefined || (expected !== undefined && digestBytes(present) !== expected))
    throw conflictAt(target);
  if (present.equals(bytes)) return;
  await withDraft(path, bytes, stats, async (draft) => {
    if (expected === undefined) {
      renameSync(draft, path);
      await syncFolder(dirname(path));
      return;
    }
    const backup = join(dirname(path), temporaryName());
    try {
      const replaced = swap(target, draft, backup, present);
      requireSettled(target, replaced, bytes);
      await syncFolder(dirname(path));
      requireSettled(target, replaced, bytes);
    } finally {
      await rm(backup, { force: true });
    }
  });
}

/** Removes a file, or only the link if it is one. Throws RevisionConflictError if its digest is not `expected`. */
export async function removeFile(target: WriteTarget, expected: string | undefined): Promise<void> {
  const { path, name, stats } = target;
  if (stats === undefined) {
    if (expected !== undefined) throw conflictAt(target);
    return;
  }
  accessSync(path, constants.W_OK);
  if (expected !== undefined && digestBytes(readFileSync(path)) !== expected) throw conflictAt(target);
  const aside = join(dirname(name), temporaryName());
  renameSync(name, aside);
  try {
    if (name === path) requireUnchanged(target, aside, expected);
    await syncFolder(dirname(name));
    if (name === path) requireUnchanged(target, aside, expected);
  } finally {
    await rm(aside, { force: true });
  }
}

/** Flushes the names in a folder to the disk. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders; NTFS has a journal of names.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    if (!UNSUPPORTED.has(codeOf(error) ?? '')) throw error;
  } finally {
    await folder.close();
  }
}

async function createFolders({ missing }: WriteTarget): Promise<string[]> {
  const made: string[] = [];
  let at = missing?.below ?? '';
  for (const name of missing?.names.slice(0, -1) ?? []) {
    const parent = at;
    at = join(parent, name);
    if (makeFolder(at)) made.push(at);
    await syncFolder(parent);
  }
  return made;
}

/** Creates a folder; false if it exists by now. */
function makeFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Hands over a file beside `path` that has the bytes and is on disk. It is gone afterwards. */
async function withDraft(
  path: string,
  bytes: Uint8Array,
  like: Stats | undefined,
  use: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = join(dirname(path), temporaryName());
  try {
    const file = await open(draft, 'wx', like === undefined ? 0o666 : 0o600);
    try {
      await file.writeFile(bytes);
      if (like !== undefined) await takeAfter(file, like);
      await file.sync();
    } finally {
      await file.close();
    }
    await use(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

async function takeAfter(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  // Only root can change the owner; otherwise the writer owns the new file.
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode & 0o7777);
}

/** Renames the draft to the file, if the file still has the bytes `present`. */
function swap(target: WriteTarget, draft: string, backup: string, present: Buffer): Replaced {
  const { path } = target;
  const hasBackup = tryToLink(path, backup);
  const seen = hasBackup ? backup : path;
  const [seenInode, draftInode] = [inodeOf(seen), inodeOf(draft)];
  if (undefinedIfMissing(() => readFileSync(seen))?.equals(present) !== true) throw conflictAt(target);
  // Nothing may come between these two calls: a file that an editor renames here is lost.
  if (inodeOf(path) !== seenInode) throw conflictAt(target);
  renameSync(draft, path);
  return { backup: hasBackup ? backup : undefined, present, draftInode };
}

/** Throws if an editor wrote into the replaced file, which is then restored, or replaced the new one. */
function requireSettled(
  target: WriteTarget,
  { backup, present, draftInode }: Replaced,
  bytes: Uint8Array,
): void {
  const { path } = target;
  if (backup !== undefined && !readFileSync(backup).equals(present)) {
    if (inodeOf(path) === draftInode) renameSync(backup, path);
    throw conflictAt(target);
  }
  if (undefinedIfMissing(() => readFileSync(path))?.equals(bytes) !== true) throw conflictAt(target);
}

/** Throws if the file that was moved aside is not the expected one; it is then restored. */
function requireUnchanged(target: WriteTarget, aside: string, expected: string | undefined): void {
  if (expected === undefined || digestBytes(readFileSync(aside)) === expected) return;
  if (!tryToLink(aside, target.path) && !exists(target.path)) renameSync(aside, target.path);
  throw conflictAt(target);
}

/** False if `path` exists, `from` does not, or the file system has no hard links. */
function tryToLink(from: string, path: string): boolean {
  try {
    linkSync(from, path);
    return true;
  } catch (error) {
    if (NO_LINK.has(codeOf(error) ?? '')) return false;
    throw error;
  }
}

function exists(path: string): boolean {
  return undefinedIfMissing(() => lstatSync(path)) !== undefined;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, INODE)?.ino;
}

function conflictAt({ key, path }: WriteTarget): RevisionConflictError {
  const bytes = undefinedIfMissing(() => readFileSync(path));
  return new RevisionConflictError(key, bytes === undefined ? null : digestBytes(bytes));
}

const INODE = { bigint: true, throwIfNoEntry: false } as const;
const UNSUPPORTED: ReadonlySet<string> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);
const NO_LINK: ReadonlySet<string> = new Set([
  ...UNSUPPORTED,
  'EEXIST',
  'ENOENT',
  'EPERM',
  'EMLINK',
  'EXDEV',
  'EACCES',
]);

interface Replaced {
  /** A hard link to the replaced file; undefined if the file system does not support them. */
  readonly backup: string | undefined;
  readonly present: Buffer;
  readonly draftInode: bigint | undefined;
}
