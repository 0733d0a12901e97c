import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whereFound } from '../storage/drivers/fs-paths.ts';
import type { FileBlobs } from './file-blobs.ts';
import { type CommitTarget, NotNowError, type Repository } from './repository.ts';
import { runGit, runGitForBytes } from './run-git.ts';

export interface ChangedFile {
  readonly file: CommittedFile;
  /** What the branch has of it. */
  readonly present: string | undefined;
  /** The blob that our last commit of the file has left. */
  readonly earlier: string | undefined;
  /** When the first of it was changed, Unix seconds. */
  readonly begun: number;
}

/**
 * The blob to commit of a file, null to remove it. Where somebody else has committed the file since it was changed, the
 * change is brought into what they committed, as `git stash pop` would; undefined where that cannot be done, and theirs is
 * to stay. What had been changed in the working tree before, and not committed, is part of the change.
 */
export async function blobToCommit(
  repository: Repository,
  target: CommitTarget,
  blobs: FileBlobs,
  change: ChangedFile,
): Promise<string | null | undefined> {
  const { top } = repository;
  const { present, earlier, begun } = change;
  const { path, bytes, before } = change.file;
  const blob = bytes === null ? null : await blobs.idOf(path, bytes);
  if (blob === (present ?? null) || before === undefined) return blob;
  if (present !== undefined && present === earlier) return blob;
  const former = before === null ? undefined : await blobs.idOf(path, before);
  if (former === present) return blob;

  const place = join(top, path);
  if (isSame(place, bytes)) return blob;
  if (target.isCheckedOut && (await runGit(top, ['ls-files', '-u', '-z', '--', path])) !== '') {
    throw new NotNowError(`${path} has a conflict in the working tree: resolve it.`);
  }
  if (blob !== null && former !== undefined && present !== undefined && bytes !== null) {
    const merged = await mergeBlobs(top, blobs, { ours: present, former, theirs: blob, place: bytes });
    if (merged !== undefined) return merged;
  }
  const now = existsSync(place) ? await blobs.idOf(path, place) : undefined;
  return now === present || (await isCommittedSince(top, target, path, begun)) ? undefined : blob;
}

/** Whether a file of the working tree has these bytes; null for no file. */
function isSame(place: string, bytes: string | null): boolean {
  const now = whereFound(() => readFileSync(place));
  const wanted = bytes === null ? undefined : whereFound(() => readFileSync(bytes));
  return now === undefined || wanted === undefined ? now === wanted : now.equals(wanted);
}

/** The blob with the changes of both sides; undefined where they contradict each other, or are no text. */
async function mergeBlobs(
  top: string,
  blobs: FileBlobs,
  {
    place,
    ...sides
  }: { readonly ours: string; readonly former: string; readonly theirs: string; readonly place: string },
): Promise<string | undefined> {
  const files: string[] = [];
  try {
    for (const [name, blob] of Object.entries(sides)) {
      const file = `${place}.${name}`;
      files.push(file);
      writeFileSync(file, await blobs.bytesOf(blob));
    }
    const merged = await runGitForBytes(top, ['merge-file', '-p', '-q', ...files]).catch((error) => {
      // The number of contradictions, or 255 for files that are no text.
      if (error instanceof Error && 'code' in error && typeof error.code === 'number') return undefined;
      throw error;
    });
    return merged === undefined ? undefined : blobs.add(merged);
  } finally {
    for (const file of files) rmSync(file, { force: true });
  }
}

async function isCommittedSince(
  top: string,
  { parent }: CommitTarget,
  path: string,
  seconds: number,
): Promise<boolean> {
  if (parent === undefined) return false;
  const printed = await runGit(top, ['log', '-1', '--format=%ct', parent.commit, '--', path]);
  return printed.trim() !== '' && Number(printed) >= seconds;
}

/** A file as it is to be in a commit. */
export interface CommittedFile {
  /** Below the top of the working tree, with slashes. */
  readonly path: string;
  /** Absolute path of a file that has the bytes; null where the file was removed. */
  readonly bytes: string | null;
  /** The same for the file as it was before the change, null where there was none; undefined where nobody knows. */
  readonly before?: string | null | undefined;
  /** Whether it is of interest only where the branch does not have it. */
  readonly ifNew?: boolean | undefined;
}
