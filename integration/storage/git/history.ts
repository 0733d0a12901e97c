import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FileHistory } from '../driver.ts';

/**
 * Commit dates of the files below one folder, all in one `git log`. The log is kept in memory as long as HEAD stays;
 * what differs from HEAD (changed, staged or untracked) is left out at every call. Renames are not followed: a file's
 * history is that of its path.
 */
export function createGitHistory(folder: string): GitHistory {
  let known: { readonly head: string; readonly log: ReadonlyMap<string, FileHistory> } | undefined;
  let answered: { readonly state: string; readonly history: ReadonlyMap<string, FileHistory> } | undefined;
  let warnings: readonly string[] = [];

  async function read(): Promise<ReadonlyMap<string, FileHistory> | undefined> {
    const repository = await findRepository(folder);
    warnings = repository.warnings;
    if (repository.head === undefined) {
      return undefined;
    }
    try {
      return await readAt(repository.head, repository.prefix);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warnings = [...warnings, `git cannot say when content was committed: ${reason}`];
      return undefined;
    }
  }

  async function readAt(head: string, prefix: string): Promise<ReadonlyMap<string, FileHistory>> {
    const log = known?.head === head ? Promise.resolve(known.log) : readLog(folder);
    const [history, status] = await Promise.all([log, readStatus(folder)]);
    known = { head, log: history };
    const state = `${head}\n${status}`;
    if (answered?.state !== state) {
      answered = { state, history: withoutChanged(history, status, prefix) };
    }
    return answered.history;
  }

  return { read, warnings: () => warnings };
}

export interface GitHistory {
  /** By path below the folder; the same map while nothing changed. Undefined without git or outside a repository. */
  read(): Promise<ReadonlyMap<string, FileHistory> | undefined>;
  /** Known after `read`. */
  warnings(): readonly string[];
}

const run = promisify(execFile);

// Content may come with its own repository settings: no hook, monitor, pager or external diff of it is ever started.
const SAFE_SETTINGS = [
  '--no-pager',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'log.showSignature=false',
  '-c',
  'core.quotePath=false',
];

/** Starts a commit in the log; no status letter starts so. */
const COMMIT_MARK = '\u0001';

async function git(folder: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', [...SAFE_SETTINGS, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: Number.POSITIVE_INFINITY,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    windowsHide: true,
  });
  return stdout;
}

async function findRepository(folder: string): Promise<Repository> {
  try {
    const answer = await git(folder, ['rev-parse', '--is-shallow-repository', '--show-prefix', 'HEAD']);
    const [shallow, prefix, head] = answer.split('\n');
    return { head, prefix: prefix ?? '', warnings: shallow === 'true' ? [SHALLOW] : [] };
  } catch (error) {
    const refused = error instanceof Error && error.message.includes('dubious ownership');
    return { head: undefined, prefix: '', warnings: refused ? [DUBIOUS] : [] };
  }
}

async function readLog(folder: string): Promise<ReadonlyMap<string, FileHistory>> {
  const args = ['log', `--format=${COMMIT_MARK}%ct`, '--name-status', '-z', '--no-renames', '--relative'];
  const output = await git(folder, [...args, '--no-ext-diff', '--no-textconv', '--', '.']);
  return parseLog(output);
}

/** Newest commit first: `MARK<seconds>`, then pairs of status letter and path, all ended by NUL. */
export function parseLog(output: string): ReadonlyMap<string, FileHistory> {
  const history = new Map<string, FileHistory>();
  const tokens = output.split('\0');
  let seconds = 0;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = (tokens[index] ?? '').trimStart();
    if (token.startsWith(COMMIT_MARK)) {
      seconds = Number(token.slice(1));
    } else if (token !== '') {
      index += 1;
      const path = tokens[index];
      if (path !== undefined) {
        const later = history.get(path);
        history.set(path, {
          created: later === undefined ? seconds : Math.min(later.created, seconds),
          changed: later === undefined ? seconds : Math.max(later.changed, seconds),
        });
      }
    }
  }
  return history;
}

function readStatus(folder: string): Promise<string> {
  return git(folder, ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--', '.']);
}

/** `status`: entries `XY path`, ended by NUL, relative to the repository's root, of which the folder is `prefix`. */
function withoutChanged(
  log: ReadonlyMap<string, FileHistory>,
  status: string,
  prefix: string,
): ReadonlyMap<string, FileHistory> {
  const history = new Map(log);
  for (const entry of status.split('\0')) {
    const path = entry.slice(3);
    if (path.startsWith(prefix)) {
      history.delete(path.slice(prefix.length));
    }
  }
  return history;
}

const SHALLOW =
  'The git repository is shallow, so first and last commit dates of content are wrong. ' +
  'Run `git fetch --unshallow`; on a build server check out the whole history (`fetch-depth: 0`).';
const DUBIOUS =
  'git refuses to read this repository because it belongs to another user, so content has no commit dates. ' +
  'Run `git config --global --add safe.directory <repository>`.';

interface Repository {
  readonly head: string | undefined;
  /** Path of the folder below the repository's root, ending in a slash, or empty. */
  readonly prefix: string;
  readonly warnings: readonly string[];
}
