import { join } from 'node:path';
import { createRetry, type RetryLog } from '../../core/runtime/retry.ts';
import { gitMessage, runGit } from '../../core/runtime/run-git.ts';
import { createFileLock } from '../../core/storage/drivers/fs-lock.ts';
import type { MergedContent } from '../../core/write/commits.ts';
import type { Person } from '../../core/write/person.ts';
import { type BuiltCommit, type CommitInput, createCommitBuilder, isCollision } from './commits.ts';
import { type Batch, type Change, type CommitJournal, mergeFile } from './journal.ts';
import { type CommitTarget, findTarget, NotNowError, type Repository, type Tip } from './repository.ts';
import { clearStaleLock, lockNamedBy } from './stale-locks.ts';

export interface CommitQueueDeps {
  readonly repository: Repository;
  readonly journal: CommitJournal;
  /** The branch to commit to; undefined for the one that is checked out. */
  readonly branch: string | undefined;
  /** A new branch starts at this remote's branch of the same name. */
  readonly remote: string | undefined;
  /** Milliseconds without a change after which an author's changes become one commit; 0 for a commit per change. */
  readonly quietMs: number;
  readonly committer: Person | undefined;
  readonly content: Pick<MergedContent, 'isAllowed'>;
  /** The message of one commit for several changes. */
  formatMessage(subjects: readonly string[], account: string | null): string;
  /** True if finished changes can be looked up later. */
  readonly storeDone: boolean;
  readonly log: RetryLog;
  /** Called after commits were made. */
  onCommitted(): void;
}

/** Commits the changes of the journal, one batch at a time across all processes, and retries until that succeeds. */
export interface CommitQueue {
  /** Has to be called when the journal has a new change. */
  wake(): void;
  /** Why commits have to wait; undefined if they do not. `kind` is `repository` if only a person can change that. */
  waitsFor(): { readonly reason: string; readonly kind: 'repository' | 'lock' | 'git' } | undefined;
  /** Commits all waiting changes, and runs work while no process makes a commit. */
  between<T>(work: () => Promise<T>): Promise<T>;
  /** Commits waiting changes within the time limit (milliseconds), and stops. */
  close(timeLimit: number): Promise<void>;
}

/** If changes never pause, there is a commit after this number of quiet periods. */
export const MAX_QUIET_PERIODS = 10;

/** Changes in one batch. */
const MAX_BATCH = 200;
/** Milliseconds between two batches while changes come faster than single commits: starting git delays requests. */
const PAUSE_MS = 1000;

export function createCommitQueue(deps: CommitQueueDeps): CommitQueue {
  const { repository, journal, quietMs, log } = deps;
  const lock = createFileLock(join(repository.journalDir, 'lock'));
  const builder = createCommitBuilder(repository, deps.committer, deps.content);
  let ourTip: Tip | undefined;
  let quietTimer: NodeJS.Timeout | undefined;
  let waitingSince: number | undefined;
  let isClosed = false;
  /** When the next batch may start, in the time of `performance`. */
  let pausedUntil = 0;

  const commitAll = async (): Promise<void> => withLock(async () => undefined);

  /** Commits waiting changes, and then runs work, which does not run if the queue is closed. */
  async function withLock<T>(work: () => Promise<T>): Promise<T | undefined> {
    clearTimeout(quietTimer);
    waitingSince = undefined;
    const release = await lock.take(() => !isClosed);
    if (release === undefined) return undefined;
    try {
      await finishFormerBatch();
      while (journal.backlog().changes > 0 && !isClosed) {
        const pause = pausedUntil - performance.now();
        if (pause > 0) await new Promise((done) => setTimeout(done, pause));
        const changes = journal.pending(quietMs > 0 ? undefined : MAX_BATCH);
        const complete = changes.filter(({ subject }) => subject !== undefined);
        if (complete.length === 0) break;
        const groups = quietMs > 0 ? groupByAuthor(complete) : complete.map((change) => [change]);
        await commitBatch(groups).catch((error: unknown) => {
          const lockingSince = journal.batch()?.lockingSince;
          if (!clearStaleLock(error, { repository, lockingSince, log })) throw error;
        });
      }
      return await work();
    } finally {
      release();
    }
  }

  /** A process that died may have moved the branch, but not finished the changes. */
  async function finishFormerBatch(): Promise<void> {
    const batch = journal.batch();
    if (typeof batch?.tip !== 'string') return;
    const isPublished = await runGit(repository.top, [
      'merge-base',
      '--is-ancestor',
      batch.tip,
      batch.ref,
    ]).then(
      () => true,
      () => false,
    );
    if (isPublished) await finishBatch(batch);
  }

  async function finishBatch({ done }: Batch): Promise<void> {
    const [first] = done;
    if (first !== undefined) journal.setTime('committed', first.branch, first.doneAt);
    for (const change of done) await journal.finish(change.id, deps.storeDone ? change : undefined);
    journal.setBatch(undefined);
    deps.onCommitted();
  }

  async function commitBatch(groups: readonly (readonly Change[])[]): Promise<void> {
    const start = performance.now();
    try {
      const target = await findTarget(repository, { ...deps, ourTip });
      const inputs = groups.map(inputOf);
      const built = await builder.build(target, inputs);
      const { commits, tip, failure } = built;
      const former = journal.batch();
      const batch: Batch = {
        lockingSince: former?.lockingSince ?? Date.now(),
        tip: tip?.commit ?? null,
        ref: target.ref,
        done: doneChanges(groups, commits, target),
      };
      journal.setBatch(batch);
      try {
        const [subject = ''] = inputs[0]?.message.split('\n') ?? [];
        await builder.publish(target, built, commits.length === 1 ? subject : `${commits.length} changes`);
      } catch (error) {
        journal.setBatch(former);
        throw error;
      }
      ourTip = tip ?? ourTip;
      for (const { detail } of batch.done) if (detail !== undefined) log.warn(`Not committed: ${detail}`);
      await finishBatch(batch);
      if (failure !== undefined) throw failure.error;
    } finally {
      const end = performance.now();
      pausedUntil = end + (groups.length > 1 ? PAUSE_MS : Math.min(end - start, PAUSE_MS));
    }
  }

  function inputOf(changes: readonly Change[]): CommitInput {
    const [first] = changes;
    if (first === undefined) throw new Error('A commit needs a change.');
    const seconds = changes.map(({ at }) => Math.floor(at / 1000));
    return {
      files: changes.flatMap(({ files }) => files).reduce(mergeFile, []),
      author: first.author,
      message: deps.formatMessage(
        changes.map(({ subject = '' }) => subject),
        first.account,
      ),
      from: Math.min(...seconds),
      to: Math.max(...seconds),
    };
  }

  function doneChanges(
    groups: readonly (readonly Change[])[],
    commits: readonly BuiltCommit[],
    { branch }: CommitTarget,
  ): Batch['done'] {
    const doneAt = Math.max(Date.now(), (journal.times('committed').get(branch) ?? 0) + 1);
    return commits.flatMap(({ commit, ignored, overtaken }, index) =>
      (groups[index] ?? []).map(({ id, account, at, about, files }) => {
        const paths = files.map(({ path }) => path);
        const detail = describeOmitted(paths, { ignored, overtaken });
        const isLost = paths.length > 0 && paths.every((path) => ignored.includes(path));
        return {
          ...{ id, account, at, doneAt, branch, paths, commit: isLost ? null : (commit ?? null) },
          ...(about && { about }),
          ...(detail !== '' && { detail }),
        };
      }),
    );
  }

  const retry = createRetry({
    work: commitAll,
    firstDelay: 200,
    maxDelay: 60_000,
    log,
    describe: describeFailure,
    isTransient: isCollision,
    failing: (reason) =>
      `Changes cannot be committed now. ${reason} They are stored, and will be committed as soon as possible.`,
    recovered: 'Changes are committed again.',
  });

  return {
    wake() {
      if (isClosed) return;
      if (quietMs === 0) {
        retry.run();
        return;
      }
      waitingSince ??= Date.now();
      const left = waitingSince + MAX_QUIET_PERIODS * quietMs - Date.now();
      clearTimeout(quietTimer);
      quietTimer = setTimeout(retry.run, Math.max(0, Math.min(quietMs, left))).unref();
    },
    async between(work) {
      const done = await withLock(async () => ({
        result: await work().catch((error: unknown) => {
          const lockingSince = journal.move()?.lockingSince;
          if (!clearStaleLock(error, { repository, lockingSince, log })) throw error;
          return work();
        }),
      }));
      if (done === undefined) throw new NotNowError('The server stops.');
      return done.result;
    },
    waitsFor() {
      const failure = retry.failure();
      if (failure === undefined) return undefined;
      const { error, reason } = failure;
      const kind = error instanceof NotNowError ? 'repository' : isCollision(error) ? 'lock' : 'git';
      return { reason, kind };
    },
    async close(timeLimit) {
      clearTimeout(quietTimer);
      if (waitingSince !== undefined) retry.run();
      await retry.close(timeLimit);
      isClosed = true;
    },
  };
}

/**
 * Groups changes that may share a commit: those of one author, unless another author has changed the same file in
 * between. Commits in this order never put an older state of a file after a newer one.
 */
export function groupByAuthor(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: { readonly author: string; readonly changes: Change[]; readonly paths: Set<string> }[] = [];
  for (const change of changes) {
    const author = JSON.stringify(change.author);
    const paths = change.files.map(({ path }) => path);
    const index = groups.findLastIndex((group) => group.author === author);
    const isFree = groups.slice(index + 1).every((group) => paths.every((path) => !group.paths.has(path)));
    const group = index !== -1 && isFree ? groups[index] : undefined;
    if (group === undefined) groups.push({ author, changes: [change], paths: new Set(paths) });
    else {
      group.changes.push(change);
      for (const path of paths) group.paths.add(path);
    }
  }
  return groups.map((group) => group.changes);
}

function describeFailure(error: unknown): string {
  if (error instanceof NotNowError) return error.message;
  const lock = lockNamedBy(error);
  return lock === undefined
    ? `git says: ${gitMessage(error).replace(/\.$/, '')}.`
    : `Another git holds ${lock}. If no git is running in the repository, remove it: \`rm ${JSON.stringify(lock)}\`.`;
}

/** Sentences about files that are not in the commit. */
function describeOmitted(
  paths: readonly string[],
  { ignored, overtaken }: Pick<BuiltCommit, 'ignored' | 'overtaken'>,
): string {
  const among = (list: readonly string[]) => paths.filter((path) => list.includes(path)).join(', ');
  const [hidden, changed] = [among(ignored), among(overtaken)];
  const sentences = [
    hidden &&
      `git ignores ${hidden} (.gitignore). Remove the pattern, or commit by hand with \`git add --force\`.`,
    changed && `someone else has committed conflicting changes of ${changed}. Those stay.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
