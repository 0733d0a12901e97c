import type { CommitJournal } from './commit-journal.ts';
import type { Repository } from './repository.ts';
import { createRetry, type RetryLog } from './retry.ts';
import { reasonOf, runGit } from './run-git.ts';

export interface PushQueueDeps {
  readonly repository: Repository;
  readonly journal: CommitJournal;
  /** Undefined: where git itself would push the branch to, else `origin`. */
  readonly remote: string | undefined;
  /** The branch over there; undefined: of the same name. */
  readonly branch: string | undefined;
  readonly log: RetryLog;
}

/** Pushes what was committed, and tries again until that succeeds, also after a start. */
export interface PushQueue {
  wake(): void;
  reason(): string | undefined;
  close(timeLimit: number): Promise<void>;
}

/** A remote that does not answer is given up, milliseconds. */
const PUSH_TIMEOUT_MS = 120_000;

export function createPushQueue(deps: PushQueueDeps): PushQueue {
  const { repository, journal, log } = deps;
  const { top } = repository;

  /** All branches that have something to push, whatever is checked out by now. */
  async function push(): Promise<void> {
    const pushed = journal.pushed();
    const failures: unknown[] = [];
    for (const [branch, committed] of journal.committed()) {
      if (committed <= (pushed.get(branch) ?? 0)) continue;
      // What somebody has deleted is not missed.
      if (!(await isThere(top, branch))) continue;
      await pushBranch(branch, committed).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async function pushBranch(branch: string, committed: number): Promise<void> {
    const remote = deps.remote ?? (await remoteOf(top, branch));
    const refs = `refs/heads/${branch}:refs/heads/${deps.branch ?? branch}`;
    await runGit(top, ['push', '--porcelain', '--', remote, refs], {
      trusted: true,
      timeout: PUSH_TIMEOUT_MS,
    });
    journal.markPushed(branch, committed);
  }

  const retry = createRetry({
    work: push,
    delays: { first: 2000, last: 300_000 },
    log,
    reasonOf: whyRefused,
    isTrifle: () => false,
    failing: (reason) => `Commits cannot be pushed. ${reason} It is tried again until it succeeds.`,
    mended: 'Commits are pushed again.',
  });

  return {
    wake: retry.run,
    reason: retry.reason,
    close: retry.close,
  };
}

async function isThere(top: string, branch: string): Promise<boolean> {
  try {
    await runGit(top, ['show-ref', '--verify', '-q', `refs/heads/${branch}`]);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 1) return false;
    throw error;
  }
}

/** As git itself finds it for a branch; `origin` where nothing is set. */
export async function remoteOf(top: string, branch: string): Promise<string> {
  for (const name of [`branch.${branch}.pushRemote`, 'remote.pushDefault', `branch.${branch}.remote`]) {
    const found = await runGit(top, ['config', '--get', name]).catch(() => '');
    if (found.trim() !== '') return found.trim();
  }
  return 'origin';
}

/** What git said, without passwords that addresses may have. */
function whyRefused(error: unknown): string {
  if (error instanceof Error && 'killed' in error && error.killed === true) {
    return `The remote has not answered for ${PUSH_TIMEOUT_MS / 1000} seconds.`;
  }
  const said =
    error instanceof Error && 'stdout' in error
      ? `${String(error.stdout)}\n${reasonOf(error)}`
      : reasonOf(error);
  if (/non-fast-forward|fetch first/.test(said)) {
    return 'The remote has commits that are not here: pull them (`git pull`), then it goes on by itself. Nothing here is rebased or merged on its own.';
  }
  return `git says: ${withoutSecrets(reasonOf(error))}.`;
}

export function withoutSecrets(text: string): string {
  return text.replace(/\/\/[^\s/@]+@/g, '//');
}
