import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Repository } from './repository.ts';
import { runGit, runGitForBytes } from './run-git.ts';

/** Blobs of files. Git is asked only if a filter of `.gitattributes` may change the bytes. */
export interface FileBlobs {
  /** Id of the blob that `git add` would make of these bytes at this path. */
  idOf(path: string, bytesPath: string): Promise<string>;
  /** Bytes of a blob that the repository may not have yet. */
  pendingBytes(id: string): Uint8Array | undefined;
  bytesOf(id: string): Promise<Uint8Array>;
  /** Id of a blob with exactly these bytes. */
  add(bytes: Uint8Array): string;
}

export async function createFileBlobs(
  { top, zero }: Pick<Repository, 'top' | 'zero'>,
  paths: readonly string[],
): Promise<FileBlobs> {
  const filtered = await findFiltered(top, paths);
  const pending = new Map<string, Uint8Array>();
  let pendingSize = 0;

  function add(bytes: Uint8Array): string {
    const hash = createHash(zero.length > SHA1_LENGTH ? 'sha256' : 'sha1');
    const id = hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    pending.set(id, bytes);
    pendingSize += bytes.length;
    return id;
  }

  return {
    async idOf(path, bytesPath) {
      if (!filtered.has(path) && pendingSize + statSync(bytesPath).size <= MOST_PENDING_BYTES) {
        const bytes = readFileSync(bytesPath);
        // Conversion of line endings removes carriage returns and changes nothing else.
        if (!bytes.includes(CARRIAGE_RETURN)) return add(bytes);
      }
      const args = ['-c', 'core.safecrlf=false', 'hash-object', '-w', `--path=${path}`, '--', bytesPath];
      return (await runGit(top, args, { trusted: true })).trim();
    },
    pendingBytes: (id) => pending.get(id),
    bytesOf: async (id) => pending.get(id) ?? runGitForBytes(top, ['cat-file', 'blob', id]),
    add,
  };
}

const SHA1_LENGTH = 40;
const CARRIAGE_RETURN = 13;
/** What exceeds it is not kept in memory. */
const MOST_PENDING_BYTES = 32 * 1024 * 1024;
/** Attributes that change bytes, other than those for line endings. */
const FILTERS = ['filter', 'ident', 'working-tree-encoding'] as const;

async function findFiltered(top: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const printed = await runGit(top, ['check-attr', '-z', '--stdin', ...FILTERS], { input: paths.join('\0') });
  const parts = printed.split('\0');
  const filtered = new Set<string>();
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [path = '', , value = ''] = parts.slice(at, at + 3);
    if (value !== 'unspecified' && value !== 'unset') filtered.add(path);
  }
  return filtered;
}
