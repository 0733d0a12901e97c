import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { codeOf } from '../storage/drivers/fs-paths.ts';
import { errorMessage } from '../util/text.ts';
import { type Secrets, secretsOf, withoutSecrets } from './remote-address.ts';

export interface GitRun {
  /** Sent to git's standard input. */
  readonly input?: string | Uint8Array;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which git is killed; no limit by default. */
  readonly timeout?: number;
  /** True to run git with the user's full configuration, hooks included. By default, git starts no program that the repository names. */
  readonly trusted?: boolean;
}

/**
 * Runs git in a folder, without a shell, and resolves to its output. Rejects with an Error that has `stdout`, `stderr`
 * and `code`: the exit code, or `ENOENT` if git is not installed. Its message, and that of `gitMessage`, have no credentials of
 * remotes; what git has printed can have some.
 */
export async function runGit(folder: string, args: readonly string[], run: GitRun = {}): Promise<string> {
  return (await runGitForBytes(folder, args, run)).toString('utf8');
}

/** Like `runGit`, for output that may be binary. */
export function runGitForBytes(folder: string, args: readonly string[], run: GitRun = {}): Promise<Buffer> {
  const { input, env, timeout = 0, trusted = false } = run;
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      [...SETTINGS, ...(trusted ? [] : SAFE_SETTINGS), ...args],
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
        // Node reports a missing folder as a missing program.
        else if (isMissingProgram(error) && !existsSync(folder))
          reject(new Error(`There is no folder ${folder}.`));
        else
          secretsOfRun(folder, args, trusted)
            .then((secrets) => reject(failureOf(error, { stdout, stderr, secrets })))
            .catch(reject);
      },
    );
    running.add(child.pid);
    // If git exits before it has read its input, the exit code is the error to report.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** Only runs with the user's configuration talk to remotes. */
async function secretsOfRun(folder: string, args: readonly string[], trusted: boolean): Promise<Secrets> {
  if (!trusted) return secretsOf([]);
  const settings = await runGit(folder, ['config', '-z', '--get-regexp', ADDRESSES]).catch(() => '');
  // `key \n value`, where the key can be `url.<address>.insteadof`.
  const configured = settings
    .split(/[\0\n]/)
    .map((each) => each.replace(/^url\.|\.(?:push)?insteadof$/g, ''));
  return secretsOf([...args, ...configured]);
}

const ADDRESSES =
  '^(remote\\.pushdefault|remote\\..*\\.(push)?url|remote\\..*\\.proxy|branch\\..*remote|url\\..*|http\\..*proxy)$';

/** Of a failed run. What git has printed is not enumerable, so that it is not logged with the error. */
function failureOf(
  error: ExecFileException,
  {
    stdout,
    stderr,
    secrets,
  }: { readonly stdout: Buffer; readonly stderr: Buffer; readonly secrets: Secrets },
): Error {
  const { code, killed, signal } = error;
  const failure = new Error(withoutSecrets(error.message, secrets));
  return Object.defineProperties(Object.assign(failure, { code, killed, signal }), {
    stdout: { value: stdout.toString('utf8') },
    stderr: { value: stderr.toString('utf8') },
    secrets: { value: secrets },
  });
}

const running = new Set<number | undefined>();

/** True for a running git process that this module has started. */
export function isOwnGit(pid: number): boolean {
  return running.has(pid);
}

/** All that git printed to its standard error; empty for other errors. */
export function gitStderr(error: unknown): string {
  return error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
}

/** The first line of git's own error message, without the command line. It can have credentials: compare it, do not show it. */
export function gitReason(error: unknown): string {
  const [first = ''] = gitStderr(error).trim().split('\n');
  return first === '' ? errorMessage(error) : first;
}

/** The first line of git's own error message, without the command line and credentials. */
export function gitMessage(error: unknown): string {
  return withoutSecretsOf(error, gitReason(error));
}

/** A text that git has printed in a failed run, without credentials. */
export function withoutSecretsOf(error: unknown, text: string): string {
  return withoutSecrets(
    text,
    error instanceof Error && 'secrets' in error ? (error.secrets as Secrets) : NONE,
  );
}

const NONE = secretsOf([]);

/** The exit code; undefined if git did not exit by itself. */
export function exitCode(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
}

/** True if git is not on the PATH. */
export function isMissingProgram(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}

/** No password prompts, messages in English, and paths that are not patterns. */
const QUIET = { GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', GIT_LITERAL_PATHSPECS: '1' } as const;

const SETTINGS = ['--no-pager', '-c', 'core.quotePath=false'] as const;

// Content may come with its own repository settings: none of its hooks, monitors or signature checks are started.
const SAFE_SETTINGS = [
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.hooksPath=/dev/null'],
  ...['-c', 'log.showSignature=false'],
] as const;

/** The variables of `git rev-parse --local-env-vars`, except settings given on a command line. */
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

/** The environment without variables that select a repository: inside a git hook, they select another one. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !REPOSITORY_VARIABLES.has(name)));
}
