import { createFileLock } from '../drivers/fs-lock.ts';
import { type CommitInput, commitFiles, isCollision, readCommitSettings } from './commit-files.ts';
import type { CommitJob, CommitJournal } from './commit-journal.ts';
import { groupJobs } from './group-jobs.ts';
import type { Person } from './person.ts';
import { findTarget, NotNowError, type Repository } from './repository.ts';
import { createRetry, type RetryLog } from './retry.ts';
import { reasonOf } from './run-git.ts';

export interface CommitQueueDeps {
  readonly repository: Repository;
  readonly journal: CommitJournal;
  /** The branch to commit to; undefined for the one that is checked out. */
  readonly branch: string | undefined;
  /** A new branch begins where this remote has it, if it does. */
  readonly remote: string | undefined;
  /** Milliseconds without a change after which one commit is made of what an author did; 0 for a commit each. */
  readonly quietMs: number;
  readonly committer: Person | undefined;
  /** The message of one commit for several changes, of each of which there is a line. */
  messageOf(subjects: readonly string[], account: string | null): string;
  /** Whether somebody may ask what became of a job. */
  readonly keepsDone: boolean;
  readonly log: RetryLog;
  /** Something was committed. */
  onCommitted(): void;
}

/** Makes commits of what the journal has, one at a time whatever processes there are, for as long as it takes. */
export interface CommitQueue {
  /** There is something new in the journal. */
  wake(): void;
  /** Why commits have to wait, in a sentence; undefined where they do not. */
  reason(): string | undefined;
  /** Stops; what is due is committed before, as far as that can be done in the time (milliseconds). */
  close(timeLimit: number): Promise<void>;
}

/** Where changes never cease, there is a commit after so many quiet periods at the latest. */
const LONGEST_IN_PERIODS = 10;

/** What git's configuration says of commits holds for so long. */
const SETTINGS_MS = 10_000;

export function createCommitQueue(deps: CommitQueueDeps): CommitQueue {
  const { repository, journal, quietMs } = deps;
  const lock = createFileLock(journal.lockPath);
  /** Blobs by path, as the commits of this process have left them. */
  const earlier = new Map<string, string>();
  let quiet: NodeJS.Timeout | undefined;
  let waitingSince: number | undefined;
  let isClosed = false;
  let known:
    | { readonly at: number; readonly read: Awaited<ReturnType<typeof readCommitSettings>> }
    | undefined;

  /** Somebody may set them while the server runs. */
  async function settings() {
    if (known === undefined || performance.now() - known.at > SETTINGS_MS) {
      known = { at: performance.now(), read: await readCommitSettings(repository.top) };
    }
    return known.read;
  }

  async function commitAll(): Promise<void> {
    clearTimeout(quiet);
    waitingSince = undefined;
    const release = await lock.take(() => !isClosed);
    if (release === undefined) return;
    try {
      const jobs = journal.pending().filter(({ subject }) => subject !== undefined);
      for (const group of quietMs > 0 ? groupJobs(jobs) : jobs.map((job) => [job])) await commitGroup(group);
    } finally {
      release();
    }
  }

  async function commitGroup(jobs: readonly CommitJob[]): Promise<void> {
    const [first] = jobs;
    if (first === undefined) return;
    const files = new Map<string, CommitInput['files'][number]>();
    const placeOf = (name: string | null) => (name === null ? null : journal.bytesPath(name));
    for (const { path, bytes, before, ifNew } of jobs.flatMap((job) => job.files)) {
      const listed = files.get(path);
      if (ifNew === true && listed !== undefined) continue;
      const first = listed === undefined || listed.ifNew === true ? before && placeOf(before) : listed.before;
      files.set(path, { path, bytes: placeOf(bytes), before: first, ifNew });
    }
    const target = await findTarget(repository, deps.branch, deps.remote);
    const input = {
      files: [...files.values()],
      author: first.author,
      settings: { committer: deps.committer, ...(await settings()) },
      message: deps.messageOf(
        jobs.map(({ subject = '' }) => subject),
        first.account,
      ),
      earlier,
      begun: Math.floor(Math.min(...jobs.map(({ at }) => at)) / 1000),
      seconds: Math.floor(Math.max(...jobs.map(({ at }) => at)) / 1000),
    };
    const { commit, ignored, overtaken, blobs } = await commitFiles(
      repository,
      target,
      input,
      journal.freshIndex(),
    );
    for (const [path, blob] of blobs) earlier.set(path, blob);
    // Where the branch has it already, a process that died may have committed it.
    const doneAt = journal.markCommitted(target.branch);
    for (const job of jobs) {
      const missed = job.files.filter(({ path }) => ignored.includes(path)).map(({ path }) => path);
      if (missed.length > 0) deps.log.warn(`Not committed: ${ignoredDetail(missed)}`);
      const passed = job.files.filter(({ path }) => overtaken.includes(path)).map(({ path }) => path);
      if (passed.length > 0) deps.log.warn(`Not committed: ${overtakenDetail(passed)}`);
      const details = [
        ...(missed.length > 0 ? [ignoredDetail(missed)] : []),
        ...(passed.length > 0 ? [overtakenDetail(passed)] : []),
      ];
      const { id, account, at, about } = job;
      const isLost = missed.length === job.files.length && missed.length > 0;
      const done = {
        id,
        account,
        at,
        ...(about && { about }),
        doneAt,
        commit: isLost ? null : (commit ?? target.parent?.commit ?? null),
        branch: target.branch,
        ...(details.length > 0 && { detail: details.join(' ') }),
      };
      journal.finish(job, deps.keepsDone ? done : undefined);
    }
    deps.onCommitted();
  }

  const retry = createRetry({
    work: commitAll,
    delays: { first: 200, last: 60_000 },
    log: deps.log,
    reasonOf: (error) =>
      error instanceof NotNowError ? error.message : `git says: ${reasonOf(error).replace(/\.$/, '')}.`,
    isTrifle: isCollision,
    failing: (reason) =>
      `Changes cannot be committed now. ${reason} They are kept, and committed as soon as that can be done.`,
    mended: 'Changes are committed again.',
  });

  return {
    wake() {
      if (isClosed) return;
      if (quietMs === 0) {
        retry.run();
        return;
      }
      waitingSince ??= Date.now();
      const left = waitingSince + LONGEST_IN_PERIODS * quietMs - Date.now();
      clearTimeout(quiet);
      quiet = setTimeout(retry.run, Math.max(0, Math.min(quietMs, left)));
      quiet.unref();
    },
    reason: retry.reason,
    async close(timeLimit) {
      clearTimeout(quiet);
      if (waitingSince !== undefined) retry.run();
      await retry.close(timeLimit);
      isClosed = true;
    },
  };
}

function overtakenDetail(paths: readonly string[]): string {
  return `somebody has committed ${paths.join(', ')} since the change, otherwise than it was left. That stays.`;
}

function ignoredDetail(paths: readonly string[]): string {
  return `git ignores ${paths.join(', ')} (.gitignore). Let it be tracked, or commit it by hand with \`git add --force\`.`;
}
