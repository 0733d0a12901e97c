import { execFile } from 'node:child_process';

export interface GitRun {
  /** Given to git on its standard input. */
  readonly input?: string | Uint8Array;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which git is stopped; it may take as long as it likes without. */
  readonly timeout?: number;
  /** Whether git acts as its user has set it up, hooks included; else no program that the repository names is started. */
  readonly trusted?: boolean;
}

/**
 * Runs git in a folder, never through a shell. Resolves to what it printed; rejects with an error that has `stdout`,
 * `stderr` and `code` (the exit code, or `ENOENT` where there is no git).
 */
export async function runGit(folder: string, args: readonly string[], run: GitRun = {}): Promise<string> {
  return (await runGitForBytes(folder, args, run)).toString('utf8');
}

/** As `runGit`, for what need not be text. */
export function runGitForBytes(folder: string, args: readonly string[], run: GitRun = {}): Promise<Buffer> {
  const { input, env, timeout = 0, trusted = false } = run;
  const settings = trusted ? SETTINGS : [...SETTINGS, ...SAFE_SETTINGS];
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      [...settings, ...args],
      {
        cwd: folder,
        encoding: 'buffer',
        maxBuffer: Number.POSITIVE_INFINITY,
        env: { ...environment(), ...(trusted ? {} : { GIT_OPTIONAL_LOCKS: '0' }), ...QUIET, ...env },
        windowsHide: true,
        timeout,
      },
      (error, stdout, stderr) => {
        running.delete(child.pid);
        if (error === null) resolve(stdout);
        else
          reject(Object.assign(error, { stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') }));
      },
    );
    running.add(child.pid);
    // Where git ends before it has read all, its exit tells why.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

const running = new Set<number | undefined>();

/** True for a git process that this module has started and that has not ended. */
export function isRunningGit(pid: number): boolean {
  return running.has(pid);
}

/** What git itself said, without the command line. */
export function reasonOf(error: unknown): string {
  const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
  const [first] = said === '' && error instanceof Error ? [error.message] : said.split('\n');
  return first ?? String(error);
}

/** Nobody is there to be asked for a password, and messages are to be the same everywhere. Keys are no patterns. */
const QUIET = { GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', GIT_LITERAL_PATHSPECS: '1' } as const;

const SETTINGS = ['--no-pager', '-c', 'core.quotePath=false'] as const;

// Content may come with its own repository settings: no hook, monitor, pager or external diff of it is ever started.
const SAFE_SETTINGS = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'log.showSignature=false',
] as const;

/** As `git rev-parse --local-env-vars` lists them, but for the settings given on a command line. */
const REPOSITORY_VARIABLES: ReadonlySet<string> = new Set([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_DIR',
  'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_REPLACE_REF_BASE',
  'GIT_SHALLOW_FILE',
  'GIT_WORK_TREE',
]);

/** The environment without what tells git of a certain repository: in a hook, that is another than the content's. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !REPOSITORY_VARIABLES.has(name)));
}
