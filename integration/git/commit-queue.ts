import { createFileLock } from '../storage/drivers/fs-lock.ts';
import {
  type CommitInput,
  type CommitResult,
  type CommitSettings,
  commitFiles,
  isCollision,
  readCommitSettings,
} from './commit-files.ts';
import type { CommitJob, CommitJournal, DoneJob } from './commit-journal.ts';
import { groupJobs } from './group-jobs.ts';
import type { Person } from './person.ts';
import { findTarget, NotNowError, type Repository } from './repository.ts';
import { createRetry, type RetryLog } from './retry.ts';
import { reasonOf } from './run-git.ts';
import { createStaleLocks, lockNamedBy } from './stale-locks.ts';

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
  /** The kind of that reason: something only a person can end, a lock of another git, or another error of git. */
  cause(): 'repository' | 'lock' | 'git' | undefined;
  /** Stops; what is due is committed before, as far as that can be done in the time (milliseconds). */
  close(timeLimit: number): Promise<void>;
}

/** Where changes never cease, there is a commit after so many quiet periods at the latest. */
export const LONGEST_IN_PERIODS = 10;

/** Changes that one run of git commits at most. */
const MOST_AT_ONCE = 200;
/** Milliseconds between two runs while changes come faster than git commits them one by one: starting git delays answers. */
const REST_MS = 500;

/** What git's configuration says of commits holds for so long. */
const SETTINGS_MS = 10_000;

export function createCommitQueue(deps: CommitQueueDeps): CommitQueue {
  const { repository, journal, quietMs } = deps;
  const lock = createFileLock(journal.lockPath);
  const staleLocks = createStaleLocks({ repository, notePath: journal.lockingPath, log: deps.log });
  /** Blobs by path, as the commits of this process have left them. */
  const earlier = new Map<string, string>();
  let quiet: NodeJS.Timeout | undefined;
  let waitingSince: number | undefined;
  let isClosed = false;
  let known: { readonly at: number; readonly read: CommitSettings } | undefined;
  /** When the next commits may begin, on the clock of `performance`. */
  let restsUntil = 0;

  /** Somebody may set them while the server runs. */
  async function settings(): Promise<CommitSettings> {
    if (known === undefined || performance.now() - known.at > SETTINGS_MS) {
      known = { at: performance.now(), read: await readCommitSettings(repository.top) };
    }
    const { signs, committer } = known.read;
    return { signs, committer: deps.committer ?? committer };
  }

  async function commitAll(): Promise<void> {
    clearTimeout(quiet);
    waitingSince = undefined;
    const release = await lock.take(() => !isClosed);
    if (release === undefined) return;
    try {
      while (journal.backlog().changes > 0 && !isClosed) {
        const rest = restsUntil - performance.now();
        if (rest > 0) await new Promise((done) => setTimeout(done, rest));
        const groups = nextGroups();
        if (groups.length === 0) return;
        await commitGroups(groups).catch((error: unknown) => {
          if (!staleLocks.clear(error)) throw error;
        });
      }
    } finally {
      release();
    }
  }

  /** Changes that wait, those of one commit together. */
  function nextGroups(): readonly (readonly CommitJob[])[] {
    const isFinished = ({ subject }: CommitJob) => subject !== undefined;
    if (quietMs > 0) return groupJobs(journal.pending().filter(isFinished));
    return journal
      .pending(MOST_AT_ONCE)
      .filter(isFinished)
      .map((job) => [job]);
  }

  async function commitGroups(groups: readonly (readonly CommitJob[])[]): Promise<void> {
    const begun = performance.now();
    try {
      const target = await findTarget(repository, deps.branch, deps.remote);
      const commits = groups.map(inputOf);
      const { whileLocking } = staleLocks;
      const batch = { commits, settings: await settings(), earlier, whileLocking };
      const { results, failure } = await commitFiles(repository, target, batch);
      const doneAt = journal.markCommitted(target.branch);
      let tip = target.parent?.commit ?? null;
      for (const [at, result] of results.entries()) {
        // If the branch has it already, a process that died may have committed it.
        tip = result.commit ?? tip;
        for (const job of groups[at] ?? [])
          await finish(job, result, { doneAt, commit: tip, branch: target.branch });
      }
      deps.onCommitted();
      if (failure !== undefined) throw failure.error;
    } finally {
      const end = performance.now();
      restsUntil = end + (groups.length > 1 ? REST_MS : Math.min(end - begun, REST_MS));
    }
  }

  function inputOf(jobs: readonly CommitJob[]): CommitInput {
    const [first] = jobs;
    if (first === undefined) throw new Error('A commit has no change.');
    const files = new Map<string, CommitInput['files'][number]>();
    const placeOf = (name: string | null) => (name === null ? null : journal.bytesPath(name));
    for (const { path, bytes, before, ifNew } of jobs.flatMap((job) => job.files)) {
      const listed = files.get(path);
      if (ifNew === true && listed !== undefined) continue;
      const former =
        listed === undefined || listed.ifNew === true ? before && placeOf(before) : listed.before;
      files.set(path, { path, bytes: placeOf(bytes), before: former, ifNew });
    }
    return {
      files: [...files.values()],
      author: first.author,
      message: deps.messageOf(
        jobs.map(({ subject = '' }) => subject),
        first.account,
      ),
      begun: Math.floor(Math.min(...jobs.map(({ at }) => at)) / 1000),
      seconds: Math.floor(Math.max(...jobs.map(({ at }) => at)) / 1000),
    };
  }

  async function finish(
    job: CommitJob,
    { ignored, overtaken }: CommitResult,
    made: Pick<DoneJob, 'doneAt' | 'commit' | 'branch'>,
  ): Promise<void> {
    const { id, account, at, about, files } = job;
    const among = (paths: readonly string[]) =>
      files.map(({ path }) => path).filter((path) => paths.includes(path));
    const missed = among(ignored);
    const passed = among(overtaken);
    const details = [
      ...(missed.length > 0 ? [ignoredDetail(missed)] : []),
      ...(passed.length > 0 ? [overtakenDetail(passed)] : []),
    ];
    for (const detail of details) deps.log.warn(`Not committed: ${detail}`);
    const isLost = missed.length === files.length && missed.length > 0;
    const done = {
      ...{ id, account, at, ...made },
      ...(about && { about }),
      ...(isLost && { commit: null }),
      ...(details.length > 0 && { detail: details.join(' ') }),
    };
    await journal.finish(job, deps.keepsDone ? done : undefined);
  }

  const retry = createRetry({
    work: commitAll,
    delays: { first: 200, last: 60_000 },
    log: deps.log,
    reasonOf: whyNot,
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
    cause() {
      if (retry.reason() === undefined) return undefined;
      if (retry.error() instanceof NotNowError) return 'repository';
      return isCollision(retry.error()) ? 'lock' : 'git';
    },
    async close(timeLimit) {
      clearTimeout(quiet);
      if (waitingSince !== undefined) retry.run();
      await retry.close(timeLimit);
      isClosed = true;
    },
  };
}

function whyNot(error: unknown): string {
  if (error instanceof NotNowError) return error.message;
  const lock = lockNamedBy(error);
  if (lock !== undefined) {
    return `Another git holds ${lock}. If no git is at work in the repository, remove it: \`rm ${JSON.stringify(lock)}\`.`;
  }
  return `git says: ${reasonOf(error).replace(/\.$/, '')}.`;
}

function overtakenDetail(paths: readonly string[]): string {
  return `somebody has committed ${paths.join(', ')} since the change, otherwise than it was left. That stays.`;
}

function ignoredDetail(paths: readonly string[]): string {
  return `git ignores ${paths.join(', ')} (.gitignore). Let it be tracked, or commit it by hand with \`git add --force\`.`;
}
