import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCode, runGit, runGitForBytes } from '../../core/runtime/run-git.ts';
import { undefinedIfMissing } from '../../core/storage/drivers/fs-paths.ts';
import type { MergedContent } from '../../core/write/commits.ts';
import type { JournalFile } from './journal.ts';
import { type CommitTarget, NotNowError, type Repository } from './repository.ts';

/** Blobs of files. Git runs only for files that `.gitattributes` or line endings may change. */
export interface Blobs {
  /** Id of the blob that `git add` would create from these bytes at this path. */
  idOf(path: string, bytes: Uint8Array): Promise<string>;
  /** Bytes of a blob that the repository may not have yet. */
  newBytes(id: string): Uint8Array | undefined;
  bytesOf(id: string): Promise<Uint8Array>;
  /** Adds a blob with exactly these bytes. */
  add(bytes: Uint8Array): string;
}

export async function createBlobs(
  { top, zero }: Pick<Repository, 'top' | 'zero'>,
  paths: readonly string[],
): Promise<Blobs> {
  const filtered = await findFilteredPaths(top, paths);
  const newBlobs = new Map<string, Uint8Array>();

  function add(bytes: Uint8Array): string {
    const hash = createHash(zero.length > 40 ? 'sha256' : 'sha1');
    const id = hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    newBlobs.set(id, bytes);
    return id;
  }

  return {
    async idOf(path, bytes) {
      // Conversion of line endings changes nothing but carriage returns.
      if (!filtered.has(path) && !bytes.includes(CARRIAGE_RETURN)) return add(bytes);
      const args = ['-c', 'core.safecrlf=false', 'hash-object', '-w', '--stdin', `--path=${path}`];
      return (await runGit(top, args, { input: bytes, trusted: true })).trim();
    },
    newBytes: (id) => newBlobs.get(id),
    bytesOf: async (id) => newBlobs.get(id) ?? runGitForBytes(top, ['cat-file', 'blob', id]),
    add,
  };
}

const CARRIAGE_RETURN = 13;
/** Attributes that change bytes, other than those for line endings. */
const FILTERS = ['filter', 'ident', 'working-tree-encoding'] as const;

async function findFilteredPaths(top: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const printed = await runGit(top, ['check-attr', '-z', '--stdin', ...FILTERS], { input: paths.join('\0') });
  const parts = printed.split('\0');
  const filtered = new Set<string>();
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path = '', , value = ''] = parts.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') filtered.add(path);
  }
  return filtered;
}

export interface FileOnBranch {
  readonly file: JournalFile;
  /** The blob of the file on the branch. */
  readonly present: string | undefined;
  /** The blob that our last commit of the file has left. */
  readonly ours: string | undefined;
  /** When the change was made, Unix seconds. */
  readonly seconds: number;
}

/**
 * The blob to commit for a change of a file; null to remove the file. If someone else has committed the file since the
 * change, the change is merged into that commit, as `git stash pop` would; undefined if that fails and the other commit
 * has to stay. Uncommitted edits that the file had before the change are part of the change.
 */
export async function blobToCommit(
  { top }: Repository,
  target: CommitTarget,
  blobs: Blobs,
  { file, present, ours, seconds }: FileOnBranch,
  content: Pick<MergedContent, 'isAllowed'>,
): Promise<string | null | undefined> {
  const { key, path, ifMissing = false } = file;
  const idOf = async (bytes: Uint8Array | undefined) =>
    bytes === undefined ? null : blobs.idOf(path, bytes);
  const after = decode(file.after);
  const blob = await idOf(after);
  if (ifMissing || blob === (present ?? null) || (present !== undefined && present === ours)) return blob;
  const before = await idOf(decode(file.before));
  if (before === (present ?? null)) return blob;

  const inWorkingTree = undefinedIfMissing(() => readFileSync(join(top, path)));
  if (inWorkingTree === undefined ? after === undefined : after && inWorkingTree.equals(after)) return blob;
  if (target.isCheckedOut && (await runGit(top, ['ls-files', '-u', '-z', '--', path])) !== '')
    throw new NotNowError(`${path} has a conflict in the working tree: resolve it.`);
  if (blob !== null && before !== null && present !== undefined) {
    const merged = await mergeBlobs(top, blobs, [present, before, blob]);
    // Both sides can be harmless, and the lines of both dangerous.
    if (merged !== undefined) {
      return (await content.isAllowed(key, await blobs.bytesOf(merged))) ? merged : undefined;
    }
  }
  const isCommittedByHand = (await idOf(inWorkingTree)) === (present ?? null);
  return isCommittedByHand || (await isCommittedSince(top, target, path, seconds)) ? undefined : blob;
}

function decode(base64: string | null): Buffer | undefined {
  return base64 === null ? undefined : Buffer.from(base64, 'base64');
}

/** Merges `[ours, base, theirs]`; undefined if they conflict or are binary. `union` keeps the lines of both. */
export async function mergeBlobs(
  top: string,
  blobs: Blobs,
  versions: readonly [ours: string, base: string, theirs: string],
  union = false,
): Promise<string | undefined> {
  const dir = mkdtempSync(join(tmpdir(), 'astro-jsonapi-merge-'));
  try {
    const files = versions.map((_, index) => join(dir, String(index)));
    for (const [index, blob] of versions.entries())
      writeFileSync(files[index] ?? '', await blobs.bytesOf(blob));
    return blobs.add(
      await runGitForBytes(top, ['merge-file', '-p', '-q', ...(union ? ['--union'] : []), ...files]),
    );
  } catch (error) {
    // The number of conflicts, or 255 for binary files.
    if (exitCode(error) !== undefined) return undefined;
    throw error;
  } finally {
    rmSync(dir, { recursive: true, force: true });
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
