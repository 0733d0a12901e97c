import {
  accessSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestBytes } from '../../util/revision.ts';
import { RevisionConflictError } from '../errors.ts';
import { codeOf, whereAllowed, whereFound } from './fs-paths.ts';
import type { Place } from './fs-place.ts';
import { temporaryName } from './fs-temporary.ts';

/*
 * Files change as a whole: the bytes are written beside the file and reach the disk, then the name moves over to them
 * and the folder reaches the disk. Writers of this project are kept apart by a lock; editors do not know it. So a file
 * is looked at once more in the moment before and in the moment after, through a second name of what is replaced, and
 * an editor's bytes found there are put back. What remains: an editor that moves a new file into place between two
 * system calls that follow each other at once (see docs/durability.md).
 */

/** Makes a file and the folders to it. `expected` null: throws RevisionConflictError where there is one by now. */
export async function createFile(place: Place, bytes: Uint8Array, expected: null | undefined): Promise<void> {
  const made = await createFolders(place);
  try {
    await withDraft(place.path, bytes, undefined, async (draft) => {
      if (expected === undefined || !tryToLink(draft, place.path)) {
        if (expected === null && exists(place.path)) throw conflictAt(place);
        renameSync(draft, place.path);
      }
      rmSync(draft, { force: true });
      await syncFolder(dirname(place.path));
    });
  } catch (error) {
    for (const folder of made.reverse()) whereAllowed(() => rmdirSync(folder));
    throw error;
  }
}

/** Replaces a file, with its mode and owner kept. Where it is not as `expected` says: RevisionConflictError. */
export async function replaceFile(
  place: Place & { readonly stats: Stats },
  bytes: Uint8Array,
  expected: string | null | undefined,
): Promise<void> {
  const { path, stats } = place;
  accessSync(path, constants.W_OK);
  const present = readFileSync(path);
  if (expected !== undefined && digestBytes(present) !== expected) throw conflictAt(place);
  if (present.equals(bytes)) return;
  await withDraft(path, bytes, stats, async (draft) => {
    if (expected === undefined) {
      renameSync(draft, path);
      await syncFolder(dirname(path));
      return;
    }
    const backup = join(dirname(path), temporaryName());
    try {
      const replaced = swap(place, draft, backup, present);
      requireSettled(place, replaced, bytes);
      await syncFolder(dirname(path));
      requireSettled(place, replaced, bytes);
    } finally {
      rmSync(backup, { force: true });
    }
  });
}

/** Removes a file; of a link, only the link. `expected` as the digest of the file: else RevisionConflictError. */
export async function removeFile(place: Place, expected: string | undefined): Promise<void> {
  const { path, name, stats } = place;
  if (stats === undefined) {
    if (expected !== undefined) throw conflictAt(place);
    return;
  }
  accessSync(path, constants.W_OK);
  if (expected !== undefined && digestBytes(readFileSync(path)) !== expected) throw conflictAt(place);
  const aside = join(dirname(name), temporaryName());
  renameSync(name, aside);
  try {
    if (name === path) requireUnchanged(place, aside, expected);
    await syncFolder(dirname(name));
    if (name === path) requireUnchanged(place, aside, expected);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Resolves when the names in a folder have reached the disk. */
export async function syncFolder(path: string): Promise<void> {
  // Folders cannot be opened there; NTFS keeps a journal of names.
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

async function createFolders({ missing }: Place): Promise<string[]> {
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

/** Makes a folder; false where somebody else has made it meanwhile. */
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
    rmSync(draft, { force: true });
  }
}

async function takeAfter(file: FileHandle, { uid, gid, mode }: Stats): Promise<void> {
  const own = await file.stat();
  // Only root may give files away; for everybody else, the file is the writer's from now on.
  if (own.uid !== uid || own.gid !== gid) await file.chown(uid, gid).catch(() => undefined);
  await file.chmod(mode & 0o7777);
}

/** Moves the draft to the file's place, where that still has the bytes `present` a moment before. */
function swap(place: Place, draft: string, backup: string, present: Buffer): Replaced {
  const { path } = place;
  const hasBackup = tryToLink(path, backup);
  const seen = hasBackup ? backup : path;
  const [seenInode, draftInode] = [inodeOf(seen), inodeOf(draft)];
  if (whereFound(() => readFileSync(seen))?.equals(present) !== true) throw conflictAt(place);
  // As little as can be between these two calls: whatever an editor moves into place there is lost.
  if (inodeOf(path) !== seenInode) throw conflictAt(place);
  renameSync(draft, path);
  return { backup: hasBackup ? backup : undefined, present, draftInode };
}

/** Throws where an editor wrote into the file that was replaced, which then is in its place again, or replaced the new one. */
function requireSettled(place: Place, { backup, present, draftInode }: Replaced, bytes: Uint8Array): void {
  const { path } = place;
  if (backup !== undefined && !readFileSync(backup).equals(present)) {
    if (inodeOf(path) === draftInode) renameSync(backup, path);
    throw conflictAt(place);
  }
  if (whereFound(() => readFileSync(path))?.equals(bytes) !== true) throw conflictAt(place);
}

/** Throws where the file that was put aside is another than expected; then it is in its place again. */
function requireUnchanged(place: Place, aside: string, expected: string | undefined): void {
  if (expected === undefined || digestBytes(readFileSync(aside)) === expected) return;
  if (!tryToLink(aside, place.path) && !exists(place.path)) renameSync(aside, place.path);
  throw conflictAt(place);
}

/** False where there is something at `path` already, or nothing at `from`, or where the file system has no links. */
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
  return whereFound(() => lstatSync(path)) !== undefined;
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, INODE)?.ino;
}

function conflictAt({ key, path }: Place): RevisionConflictError {
  const bytes = whereFound(() => readFileSync(path));
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
  /** Path of what was replaced; undefined where the file system has no second names. */
  readonly backup: string | undefined;
  readonly present: Buffer;
  readonly draftInode: bigint | undefined;
}
