import { createRetry, type Retry, type RetryLog } from '../../core/runtime/retry.ts';
import { exitCode, gitMessage, gitReason, runGit } from '../../core/runtime/run-git.ts';
import type { CommitJournal } from './journal.ts';
import { NotNowError } from './repository.ts';

export interface PushQueueDeps {
  /** The top folder of the working tree. */
  readonly top: string;
  readonly journal: CommitJournal;
  /** Undefined: the remote that git itself would use for the branch, else `origin`. */
  readonly remote: string | undefined;
  /** The branch on the remote; undefined: the same name. */
  readonly branch: string | undefined;
  readonly log: RetryLog;
  /** Takes over the commits of the remote, if the working tree follows it. */
  readonly pull?: (() => Promise<void>) | undefined;
  /** The required commit of the branch on the remote for a push of this commit, so that a push does not undo a forced push. */
  expected?(branch: string, commit: string): Promise<string | undefined>;
  /** Pushes other refs, after the branches. */
  also?(): Promise<void>;
  /** Called after a commit was pushed. */
  onPushed?(branch: string, commit: string): Promise<void>;
}

/** A push is killed after this time, in milliseconds. */
const PUSH_TIMEOUT_MS = 120_000;
/** Pushes at once if others push at the same time. */
const PUSH_ATTEMPTS = 5;

export interface PushQueue extends Retry {
  /** Pushes a branch although the journal has no new commit on it. */
  runFor(branch: string): void;
}

/** Pushes commits of the journal, and retries until that succeeds, also after a restart. */
export function createPushQueue({
  top,
  journal,
  log,
  pull,
  expected,
  also,
  onPushed,
  ...options
}: PushQueueDeps): PushQueue {
  /** Branches with commits that the journal does not know, such as those made by hand. */
  const ahead = new Set<string>();

  /** Pushes all branches with new commits, whatever is checked out now. */
  async function push(): Promise<void> {
    const pushed = journal.times('pushed');
    const failures: unknown[] = [];
    const committed = journal.times('committed');
    for (const branch of new Set([...committed.keys(), ...ahead])) {
      const committedAt = committed.get(branch) ?? 0;
      const isNew = committedAt > (pushed.get(branch) ?? 0);
      if (!(isNew || ahead.has(branch)) || !(await branchExists(top, branch))) continue;
      const remote = options.remote ?? (await remoteOf(top, branch));
      try {
        const commit = await pushBranch(remote, branch, PUSH_ATTEMPTS);
        ahead.delete(branch);
        if (isNew) journal.setTime('pushed', branch, committedAt);
        await onPushed?.(branch, commit);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    await also?.();
  }

  /** Returns the pushed commit. */
  async function pushBranch(remote: string, branch: string, attemptsLeft: number): Promise<string> {
    const commit = (await runGit(top, ['rev-parse', `refs/heads/${branch}`])).trim();
    const ref = `refs/heads/${options.branch ?? branch}`;
    const former = await expected?.(branch, commit);
    const lease = former === undefined ? [] : [`--force-with-lease=${ref}:${former}`];
    try {
      await runGit(top, ['push', '--porcelain', ...lease, '--', remote, `${commit}:${ref}`], {
        trusted: true,
        timeout: PUSH_TIMEOUT_MS,
      });
      return commit;
    } catch (error) {
      if (pull === undefined || attemptsLeft === 1 || !isBehind(error)) throw error;
      await pull();
      return pushBranch(remote, branch, attemptsLeft - 1);
    }
  }

  const retry = createRetry({
    work: push,
    firstDelay: 2000,
    maxDelay: 300_000,
    log,
    describe: (error) => describeFailure(error, pull !== undefined),
    failing: (reason) => `Commits cannot be pushed. ${reason} The server retries until it succeeds.`,
    recovered: 'Commits are pushed again.',
  });
  return {
    ...retry,
    runFor(branch) {
      ahead.add(branch);
      retry.run();
    },
  };
}

async function branchExists(top: string, branch: string): Promise<boolean> {
  try {
    await runGit(top, ['show-ref', '--verify', '-q', `refs/heads/${branch}`]);
    return true;
  } catch (error) {
    if (exitCode(error) === 1) return false;
    throw error;
  }
}

export async function remoteOf(top: string, branch: string): Promise<string> {
  const args = ['config', '-z', '--get-regexp', '^(branch\\..*\\.(push)?remote|remote\\.pushdefault)$'];
  const printed = await runGit(top, args).catch(() => '');
  // `key \n value`. Git prints the lower-case form of a key, except a branch. The last value of a key counts.
  const remotes = new Map(
    printed.split('\0').map((each) => {
      const [key = '', remote = ''] = each.split('\n');
      return [key, remote];
    }),
  );
  const keys = [`branch.${branch}.pushremote`, 'remote.pushdefault', `branch.${branch}.remote`];
  return keys.map((key) => remotes.get(key)).find((remote) => remote) ?? 'origin';
}

function describeFailure(error: unknown, follows: boolean): string {
  if (error instanceof Error && 'killed' in error && error.killed === true)
    return `The remote has not responded for ${PUSH_TIMEOUT_MS / 1000} seconds.`;
  if (error instanceof NotNowError) return error.message;
  if (!isBehind(error)) return `git says: ${gitMessage(error)}.`;
  return follows
    ? 'Others push to the branch again and again.'
    : 'The remote has commits that are missing here: pull them (`git pull`), then pushing continues. The server does not rebase or merge by itself, unless option editing.git.pull is set.';
}

/** True if the remote has commits that are missing here. */
function isBehind(error: unknown): boolean {
  const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
  return /non-fast-forward|fetch first|stale info|cannot lock ref|failed to update ref/.test(
    stdout + gitReason(error),
  );
}
