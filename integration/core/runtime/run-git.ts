import { execFile, spawn } from 'node:child_process';
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
  const { input, timeout = 0 } = run;
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      argumentsOf(args, run),
      { ...optionsOf(folder, run), encoding: 'buffer', maxBuffer: Number.POSITIVE_INFINITY, timeout },
      (error, stdout, stderr) => {
        running.delete(child.pid);
        if (error === null) resolve(stdout);
        else failure({ folder, args, run, error, stdout, stderr }).then(reject, reject);
      },
    );
    running.add(child.pid);
    // If git exits before it has read its input, the exit code is the error to report.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** Like `runGit`, for output of any length: `onText` gets it in pieces while git prints it. */
export function streamGit(
  folder: string,
  args: readonly string[],
  onText: (text: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', argumentsOf(args), {
      ...optionsOf(folder),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', onText);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    function fail(error: Error): void {
      failure({ folder, args, run: {}, error, stdout: '', stderr }).then(reject, reject);
    }
    child.on('error', fail);
    child.on('close', (code) => {
      running.delete(child.pid);
      if (code === 0) resolve();
      else fail(Object.assign(new Error(`git ${args[0]} ended with ${code}.`), { code }));
    });
    running.add(child.pid);
  });
}

function argumentsOf(args: readonly string[], { trusted = false }: GitRun = {}): readonly string[] {
  return [...SETTINGS, ...(trusted ? [] : SAFE_SETTINGS), ...args];
}

function optionsOf(folder: string, { env, trusted = false }: GitRun = {}) {
  const locks = trusted ? {} : { GIT_OPTIONAL_LOCKS: '0' };
  return { cwd: folder, env: { ...environment(), ...locks, ...QUIET, ...env }, windowsHide: true };
}

/** Only runs with the user's configuration talk to remotes. */
async function secretsOfRun(folder: string, args: readonly string[], trusted: boolean): Promise<Secrets> {
  if (!trusted) return secretsOf([]);
  const settings = await runGit(folder, ['config', '-z', '--get-regexp', ADDRESSES]).catch(() => '');
  // `key \n value`. The key can be `url.<address>.insteadof`.
  const configured = settings
    .split(/[\0\n]/)
    .map((each) => each.replace(/^url\.|\.(?:push)?insteadof$/g, ''));
  return secretsOf([...args, ...configured]);
}

const ADDRESSES =
  '^(remote\\.pushdefault|remote\\..*\\.(push)?url|remote\\..*\\.proxy|branch\\..*remote|url\\..*|http\\..*proxy)$';

interface FailedRun {
  readonly folder: string;
  readonly args: readonly string[];
  readonly run: GitRun;
  readonly error: Error & { readonly code?: unknown; readonly killed?: unknown; readonly signal?: unknown };
  readonly stdout: Buffer | string;
  readonly stderr: Buffer | string;
}

/** What git has printed is not enumerable, so that it is not logged with the error. */
async function failure({ folder, args, run, error, stdout, stderr }: FailedRun): Promise<Error> {
  // Node reports a missing folder as a missing program.
  if (isMissingProgram(error) && !existsSync(folder)) return new Error(`There is no folder ${folder}.`);
  const secrets = await secretsOfRun(folder, args, run.trusted === true);
  const { code, killed, signal } = error;
  const safe = new Error(withoutSecrets(error.message, secrets));
  return Object.defineProperties(Object.assign(safe, { code, killed, signal }), {
    stdout: { value: stdout.toString() },
    stderr: { value: stderr.toString() },
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
