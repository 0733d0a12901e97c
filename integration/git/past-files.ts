import type { FileVersion, PastFile, PastFiles } from '../storage/driver.ts';
import { PastUnavailableError } from '../storage/errors.ts';
import { normalizeKey } from '../storage/key.ts';
import { ServiceUnavailableError } from '../util/errors.ts';
import { createTurns } from '../util/turns.ts';
import { type GitRun, runGit, runGitForBytes } from './run-git.ts';

/**
 * Files of a folder as the commits have them that HEAD, or the named branch, comes from; nothing else of the repository
 * can be read, whatever its hash. Renames are not followed. The bytes are those of the repository: no filter (line ends, LFS) changes them.
 */
export function createPastFiles(folder: string, branch?: string): PastFiles {
  const ends = ['HEAD', ...(branch === undefined ? [] : [`refs/heads/${branch}`])];
  const turns = createTurns(
    AT_ONCE,
    WAITING,
    () => new ServiceUnavailableError('Too many past versions are being read. Try again soon.', 1),
  );
  const kept = createKeptFiles();

  async function read(key: string, name: string): Promise<PastFile | undefined> {
    const known = kept.get(key, name);
    if (!(await isBehind(folder, name, ends))) return undefined;
    if (known !== undefined) return known;
    const [blob, [version]] = await Promise.all([
      findBlob(folder, key, name),
      listVersions(folder, key, 1, [`${name}^{commit}`]),
    ]);
    if (blob === undefined || version === undefined) return undefined;
    const bytes = await runGitForBytes(folder, ['cat-file', 'blob', blob], LIMITS);
    const file = { version, bytes };
    kept.set(key, name, file);
    return file;
  }

  return {
    async read(key, commit) {
      const normalized = normalizeKey(key);
      const name = commit.toLowerCase();
      if (normalized === undefined || !NAME.test(name)) return undefined;
      return turns(() => answered(() => read(normalized, name), undefined));
    },
    async list(key, most) {
      const normalized = normalizeKey(key);
      if (normalized === undefined) return [];
      return turns(() => answered(() => listVersions(folder, normalized, most, ends), []));
    },
  };
}

/** A hash of SHA-1 or SHA-256, or its beginning. */
const NAME = /^[0-9a-f]{7,64}$/;
/** Whole, so that it can be of one commit alone. */
const WHOLE = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads at a time, and those that may wait for them. */
const AT_ONCE = 4;
const WAITING = 32;
/** Larger files are no content. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
const LIMITS: GitRun = { timeout: 5000 };
// Of a partial clone: what nobody has looked at yet is not asked of the remote by a name from outside.
const NO_FETCH: GitRun = { ...LIMITS, env: { GIT_NO_LAZY_FETCH: '1' } };

async function isBehind(folder: string, name: string, ends: readonly string[]): Promise<boolean> {
  for (const end of ends) {
    try {
      await runGit(folder, ['merge-base', '--is-ancestor', `${name}^{commit}`, end], NO_FETCH);
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  return false;
}

/** The hash of the file's bytes; undefined where there is none that is a plain file of a size that content has. */
async function findBlob(folder: string, key: string, commit: string): Promise<string | undefined> {
  const printed = await runGit(folder, ['ls-tree', '-z', '-l', `${commit}^{commit}`, `./${key}`], LIMITS);
  const [, mode, blob, size] = /^(\d+) blob ([0-9a-f]+) +(\d+)\t[^\0]*\0$/.exec(printed) ?? [];
  // A link is a file whose bytes are its target.
  return mode?.startsWith('100') && Number(size) <= MAX_BYTES ? blob : undefined;
}

async function listVersions(
  folder: string,
  key: string,
  most: number,
  from: readonly string[],
): Promise<readonly FileVersion[]> {
  // A merge counts where it differs from all its parents; what removed the file left none.
  const which = ['--diff-filter=AMT', '--diff-merges=first-parent', '--no-patch'];
  const args = ['-c', 'log.follow=false', 'log', '--ignore-missing', `-${most}`, '--format=%H %ct', ...which];
  const printed = await runGit(folder, [...args, ...from, '--', `./${key}`], LIMITS);
  return printed
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [commit = '', at] = line.split(' ');
      return { commit, at: Number(at) };
    });
}

/** What git refuses is not there; that it could not be asked is another matter. */
async function answered<T>(ask: () => Promise<T>, nothing: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (isRefusal(error)) return nothing;
    const said = saidBy(error);
    if (said.includes(NO_REPOSITORY))
      throw new PastUnavailableError('the content lies in no git repository.');
    if (said.includes(DUBIOUS)) throw new PastUnavailableError('git refuses a repository of another user.');
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new PastUnavailableError('there is no git on the PATH of the server.');
    throw new ServiceUnavailableError('Past versions cannot be read just now. Try again soon.', 2, error);
  }
}

/** Whether git ran to its end and did not find what it was asked for. */
function isRefusal(error: unknown): boolean {
  const ended = error instanceof Error && 'code' in error && typeof error.code === 'number';
  return ended && ![NO_REPOSITORY, DUBIOUS].some((fault) => saidBy(error).includes(fault));
}

function saidBy(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
}

const NO_REPOSITORY = 'not a git repository';
const DUBIOUS = 'dubious ownership';

/** What a commit says never changes: the files read last are kept. */
function createKeptFiles() {
  const kept = new Map<string, PastFile>();
  let bytes = 0;
  return {
    get: (key: string, name: string) => kept.get(`${name} ${key}`),
    set(key: string, name: string, file: PastFile): void {
      if (!WHOLE.test(name)) return;
      bytes += file.bytes.length - (kept.get(`${name} ${key}`)?.bytes.length ?? 0);
      kept.set(`${name} ${key}`, file);
      for (const [oldest, { bytes: held }] of kept) {
        if (bytes <= MAX_KEPT_BYTES && kept.size <= MAX_KEPT) return;
        kept.delete(oldest);
        bytes -= held.length;
      }
    },
  };
}

const MAX_KEPT = 1000;
