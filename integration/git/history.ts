import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CommitDates, FileHistory } from '../storage/driver.ts';
import type { HistoryCache, KeptHistory } from '../storage/history-cache.ts';
import { reasonOf, runGit } from './run-git.ts';

/**
 * Commit dates of the files below one folder, all in one `git log`. The log is kept in memory, and in `cache`, as long
 * as HEAD stays, and continued where HEAD has moved forward; what differs from HEAD (changed, staged or untracked) has no
 * last commit, which is found out at every call. Renames are not followed: a file's history is that of its path.
 */
export function createGitHistory(folder: string, cache?: HistoryCache): GitHistory {
  let known: KeptHistory | undefined;
  let cacheRead = cache === undefined;
  let traces: GitTraces | undefined;
  let answered: { readonly state: string; readonly history: ReadonlyMap<string, FileHistory> } | undefined;
  let warnings: readonly string[] = [];

  async function read(): Promise<ReadonlyMap<string, FileHistory> | undefined> {
    // Asked at the same time; where there is no repository, nobody waits for its answer.
    const status = readStatus(folder);
    status.catch(() => undefined);
    const repository = await findRepository(folder);
    warnings = repository.warnings;
    traces = repository.traces;
    if (repository.head === undefined) {
      return undefined;
    }
    try {
      return await readAt(repository.head, repository, status);
    } catch (error) {
      warnings = [...warnings, `git cannot say when content was committed: ${reasonOf(error)}`];
      return undefined;
    }
  }

  async function readAt(
    head: string,
    { prefix, shallow }: Repository,
    asked: Promise<string>,
  ): Promise<ReadonlyMap<string, FileHistory>> {
    if (!cacheRead) {
      cacheRead = true;
      const kept = await cache?.read();
      // What is cut off a shallow repository may come without HEAD being moved.
      known = kept?.prefix === prefix && !shallow ? kept : undefined;
    }
    const log = known?.head === head ? known.log : readLogSince(known, head, prefix);
    const [history, status] = await Promise.all([log, asked]);
    if (known?.log !== history) {
      known = { head, prefix, log: history };
      if (!shallow) void cache?.write(known);
    }
    const state = `${head}\n${status}`;
    if (answered?.state !== state) {
      answered = { state, history: withoutChanged(history, status, prefix) };
    }
    return answered.history;
  }

  /** Only what was committed since, where HEAD has but moved forward. */
  async function readLogSince(former: typeof known, head: string, prefix: string): Promise<Log> {
    const range = former === undefined ? undefined : `${former.head}..${head}`;
    if (former === undefined || range === undefined || !(await isAncestor(folder, former.head, head))) {
      return readLog(folder, head, prefix);
    }
    return joinHistories(former.log, await readLog(folder, range, prefix));
  }

  return { read, warnings: () => warnings, traces: async () => traces ?? findTraces(folder) };
}

export interface GitHistory {
  /** By path below the folder; the same map while nothing changed. Undefined without git or outside a repository. */
  read(): Promise<ReadonlyMap<string, FileHistory> | undefined>;
  /** Undefined outside a repository. */
  traces(): Promise<GitTraces | undefined>;
  /** Known after `read`. */
  warnings(): readonly string[];
}

/** Files that tell what git does: absolute paths. */
export interface GitTraces {
  /** Grows with every move of HEAD. */
  readonly headLog: string;
  /** There while git changes files. */
  readonly lock: string;
}

/** Starts a commit in the log; no status letter starts so. */
const COMMIT_MARK = '\u0001';

async function findRepository(folder: string): Promise<Repository> {
  try {
    const asked = ['--is-shallow-repository', '--show-prefix', ...TRACES, 'HEAD'];
    const printed = await runGit(folder, ['rev-parse', ...asked]);
    const [shallowness, prefix = '', headLog, lock, head] = printed.split('\n');
    const shallow = shallowness === 'true';
    return {
      head,
      prefix,
      traces: tracesAt(folder, headLog, lock),
      shallow,
      warnings: shallow ? [SHALLOW] : [],
    };
  } catch (error) {
    const warnings = whyUnknown(folder, error);
    return { head: undefined, prefix: '', traces: undefined, shallow: false, warnings };
  }
}

async function findTraces(folder: string): Promise<GitTraces | undefined> {
  try {
    const [headLog, lock] = (await runGit(folder, ['rev-parse', ...TRACES])).split('\n');
    return tracesAt(folder, headLog, lock);
  } catch {
    return undefined;
  }
}

const TRACES = ['--git-path', 'logs/HEAD', '--git-path', 'index.lock'] as const;

function tracesAt(folder: string, headLog = '', lock = ''): GitTraces {
  return { headLog: resolve(folder, headLog), lock: resolve(folder, lock) };
}

/** No repository is nothing to warn of; one that git does not read is. */
function whyUnknown(folder: string, error: unknown): readonly string[] {
  if (error instanceof Error && error.message.includes('dubious ownership')) {
    return [DUBIOUS];
  }
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return missing && existsSync(folder) && isInRepository(folder) ? [NO_GIT] : [];
}

function isInRepository(folder: string): boolean {
  const parent = dirname(folder);
  return existsSync(join(folder, '.git')) || (parent !== folder && isInRepository(parent));
}

async function isAncestor(folder: string, former: string, head: string): Promise<boolean> {
  try {
    await runGit(folder, ['merge-base', '--is-ancestor', former, head]);
    return true;
  } catch {
    return false;
  }
}

/** `range`: a commit, or `former..later`. A merge counts where it differs from all its parents. */
async function readLog(folder: string, range: string, prefix: string): Promise<Log> {
  const args = [
    'log',
    '-c',
    range,
    `--format=${COMMIT_MARK}%ct`,
    '--name-status',
    '-z',
    '--no-renames',
    '--relative',
  ];
  const output = await runGit(folder, [...args, '--no-ext-diff', '--no-textconv', '--', '.']);
  return parseLog(output, prefix);
}

/**
 * Newest commit first: `MARK<seconds>`, then pairs of status letters and path, all ended by NUL. A merge has a letter
 * for each of its parents, and paths that git counts from the repository's root, of which the folder is `prefix`.
 */
export function parseLog(output: string, prefix = ''): ReadonlyMap<string, CommitDates> {
  const history = new Map<string, CommitDates>();
  const tokens = output.split('\0');
  let seconds = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = (tokens[index] ?? '').trimStart();
    if (token.startsWith(COMMIT_MARK)) {
      seconds = Number(token.slice(1));
    } else if (token !== '') {
      index += 1;
      const written = tokens[index];
      if (written !== undefined) {
        const ofMerge = token.length > 1 && written.startsWith(prefix);
        const path = ofMerge ? written.slice(prefix.length) : written;
        const later = history.get(path);
        history.set(path, {
          created: Math.min(later?.created ?? seconds, seconds),
          changed: Math.max(later?.changed ?? seconds, seconds),
        });
      }
    }
  }
  return history;
}

function joinHistories(
  former: ReadonlyMap<string, CommitDates>,
  later: ReadonlyMap<string, CommitDates>,
): ReadonlyMap<string, CommitDates> {
  const history = new Map(former);
  for (const [path, { created, changed }] of later) {
    const known = former.get(path);
    history.set(path, {
      created: Math.min(known?.created ?? created, created),
      changed: Math.max(known?.changed ?? changed, changed),
    });
  }
  return history;
}

/** Ignored files as well: one that was committed once is no longer what the log speaks of. */
function readStatus(folder: string): Promise<string> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignored'];
  return runGit(folder, [...args, '--', '.']);
}

/** `status`: entries `XY path`, ended by NUL, relative to the repository's root, of which the folder is `prefix`. */
function withoutChanged(log: Log, status: string, prefix: string): ReadonlyMap<string, FileHistory> {
  const history = new Map<string, FileHistory>(log);
  for (const entry of status.split('\0')) {
    const path = entry.slice(3);
    if (!path.startsWith(prefix)) continue;
    const key = path.slice(prefix.length);
    const dates = history.get(key);
    if (entry.startsWith('!!')) history.delete(key);
    else if (dates !== undefined) history.set(key, { ...dates, changed: null });
  }
  return history;
}

const SHALLOW =
  'The git repository is shallow, so first and last commit dates of content are wrong. ' +
  'Run `git fetch --unshallow`; on a build server check out the whole history (`fetch-depth: 0`).';
const NO_GIT =
  'The content lies in a git repository, but there is no git on the PATH to say when it was committed: files have ' +
  'the dates of their last change on this machine. Install git, or set the option `gitDates: false`.';
const DUBIOUS =
  'git refuses to read this repository because it belongs to another user, so content has no commit dates. ' +
  'Run `git config --global --add safe.directory <repository>`.';

type Log = ReadonlyMap<string, CommitDates>;

interface Repository {
  readonly head: string | undefined;
  /** Path of the folder below the repository's root, ending in a slash, or empty. */
  readonly prefix: string;
  readonly traces: GitTraces | undefined;
  readonly shallow: boolean;
  readonly warnings: readonly string[];
}
