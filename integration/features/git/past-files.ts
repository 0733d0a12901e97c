import {
  exitCode,
  type GitRun,
  gitStderr,
  isMissingProgram,
  runGit,
  runGitForBytes,
} from '../../core/runtime/run-git.ts';
import type { FileVersion, PastFile, PastFiles } from '../../core/storage/driver.ts';
import { PastUnavailableError } from '../../core/storage/errors.ts';
import { normalizeKey } from '../../core/storage/key.ts';
import { ServiceUnavailableError } from '../../core/util/errors.ts';
import { createFairLimiter } from '../../core/util/fair-limiter.ts';
import { LruMap } from '../../core/util/lru-map.ts';
import { CONFLICT_REFS } from './conflicts.ts';

/**
 * Past versions of the files in a folder, from the commits that HEAD or the named branch can reach, and from conflicts that
 * are not decided. No other object of the repository can be read, whatever its hash. Renames are not followed. The bytes are those of the repository:
 * filters (line endings, LFS) do not apply.
 */
export function createPastFiles(folder: string, branch?: string): PastFiles {
  const tips = ['HEAD', ...(branch === undefined ? [] : [`refs/heads/${branch}`])];
  const allTips = [...tips, ...CONFLICT_REFS.map((refs) => `--glob=${refs}*`)];
  const cache = new LruMap<string, PastFile>(MAX_CACHED_BYTES);
  const limited = createFairLimiter(
    MAX_READS,
    MAX_WAITING,
    () => new ServiceUnavailableError('Too many past versions are being read. Try again soon.', 1),
  );

  async function read(key: string, name: string): Promise<PastFile | undefined> {
    if (!(await isReachable(folder, name, tips))) return undefined;
    const cached = cache.get(`${name} ${key}`);
    if (cached !== undefined) return cached;
    const [blob, [version]] = await Promise.all([
      findBlob(folder, key, name),
      listVersions(folder, key, 1, [`${name}^{commit}`]),
    ]);
    if (blob === undefined || version === undefined) return undefined;
    const file = { version, bytes: await runGitForBytes(folder, ['cat-file', 'blob', blob], LIMITS) };
    // An abbreviated hash can become ambiguous.
    if (FULL_HASH.test(name)) cache.set(`${name} ${key}`, file, file.bytes.length + ENTRY_BYTES);
    return file;
  }

  return {
    async read(key, commit) {
      const normalized = normalizeKey(key);
      const name = commit.toLowerCase();
      if (normalized === undefined || !HASH.test(name)) return undefined;
      return limited(() => orIfRefused(() => read(normalized, name), undefined));
    },
    async list(key, most) {
      const normalized = normalizeKey(key);
      if (normalized === undefined) return [];
      return limited(() => orIfRefused(() => listVersions(folder, normalized, most, allTips), []));
    },
  };
}

const MAX_CACHED_BYTES = 8 * 1024 * 1024;
/** The size of a cached file without its bytes. */
const ENTRY_BYTES = 1000;

/** A SHA-1 or SHA-256 hash, or its beginning. */
const HASH = /^[0-9a-f]{7,64}$/;
const FULL_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Concurrent reads, and reads that may wait. */
const MAX_READS = 4;
const MAX_WAITING = 32;
/** Larger files are not content. */
const MAX_BYTES = 5 * 1024 * 1024;
const LIMITS: GitRun = { timeout: 5000 };
// In a partial clone, a hash from a request must not make git download an object.
const NO_FETCH: GitRun = { ...LIMITS, env: { GIT_NO_LAZY_FETCH: '1' } };

async function isReachable(folder: string, name: string, tips: readonly string[]): Promise<boolean> {
  for (const tip of tips) {
    try {
      await runGit(folder, ['merge-base', '--is-ancestor', `${name}^{commit}`, tip], NO_FETCH);
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  try {
    const args = ['for-each-ref', '--count=1', `--contains=${name}`, ...CONFLICT_REFS];
    return (await runGit(folder, args, NO_FETCH)) !== '';
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return false;
  }
}

/** The blob of a regular file of at most `MAX_BYTES`. */
async function findBlob(folder: string, key: string, commit: string): Promise<string | undefined> {
  const printed = await runGit(folder, ['ls-tree', '-z', '-l', `${commit}^{commit}`, `./${key}`], LIMITS);
  const [, mode, blob, size] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t[^\0]*\0$/.exec(printed) ?? [];
  // The blob of a link is its target.
  return mode?.startsWith('100') && Number(size) <= MAX_BYTES ? blob : undefined;
}

async function listVersions(
  folder: string,
  key: string,
  most: number,
  from: readonly string[],
): Promise<readonly FileVersion[]> {
  // A merge counts if it differs from its first parent; a commit that removes the file does not.
  const filter = ['--diff-filter=AMT', '--diff-merges=first-parent', '--no-patch'];
  const args = [
    '-c',
    'log.follow=false',
    'log',
    '--ignore-missing',
    `-${most}`,
    '--encoding=UTF-8',
    '--format=%H%x00%ct%x00%aN%x00%s',
    ...filter,
  ];
  const printed = await runGit(folder, [...args, ...from, '--', `./${key}`], LIMITS);
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [commit = '', at, author = '', message = ''] = line.split('\0');
      return { commit, at: Number(at), author, message };
    });
}

/** Returns `fallback` if git refuses, and throws a domain error if git cannot run or cannot read the repository. */
async function orIfRefused<T>(work: () => Promise<T>, fallback: T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error)) return fallback;
    const stderr = gitStderr(error);
    if (stderr.includes(NO_REPOSITORY))
      throw new PastUnavailableError('the content is not in a git repository.');
    if (stderr.includes(DUBIOUS))
      throw new PastUnavailableError('git refuses a repository that belongs to another user.');
    if (isMissingProgram(error)) throw new PastUnavailableError('git is not on the PATH of the server.');
    throw new ServiceUnavailableError('Past versions cannot be read right now. Try again soon.', 2, error);
  }
}

/** True if git ran, but the repository does not have the object. */
function isRefusal(error: unknown): boolean {
  const stderr = gitStderr(error);
  return exitCode(error) !== undefined && !stderr.includes(NO_REPOSITORY) && !stderr.includes(DUBIOUS);
}

const NO_REPOSITORY = 'not a git repository';
const DUBIOUS = 'dubious ownership';
