import type { Members } from '../../core/access/members.ts';
import { ServiceUnavailableError } from '../../core/util/errors.ts';
import type { ChangeRecorder, CommitState, Commits, RecorderDeps } from '../../core/write/commits.ts';
import {
  ANONYMOUS,
  authorOf,
  type CommitMessages,
  commitMessage,
  isFile,
  joinMessages,
} from '../../core/write/describe-commits.ts';
import type { Person } from '../../core/write/person.ts';
import type { ChangedFile, WrittenEntity } from '../../core/write/writer.ts';
import { createCommitQueue, MAX_QUIET_PERIODS } from './commit-queue.ts';
import type { ConflictStore } from './conflicts.ts';
import { createFollower, type Follower } from './follow.ts';
import { createCommitJournal } from './journal.ts';
import { createPushQueue } from './push-queue.ts';
import { createRecorder } from './recorder.ts';
import { claimBranch, findOperation, openRepository } from './repository.ts';

/** Option `editing.git`. */
export interface CommitOptions {
  /** One commit for each change, or for all changes until a pause of `quiet` seconds. */
  readonly commit: 'each' | { readonly quiet: number };
  readonly branch?: string | undefined;
  readonly push: boolean | { readonly remote?: string | undefined; readonly branch?: string | undefined };
  /** True if the working tree follows the branch on the remote. */
  readonly pull: boolean;
  /** Undefined: `push` if each change is a commit and the branch is followed, else `file`. */
  readonly acknowledge?: Commits['acknowledge'] | undefined;
  readonly message: CommitMessages;
  readonly committer?: Person | undefined;
}

export interface GitCommitsDeps extends Omit<RecorderDeps, 'members' | 'collector' | 'store'> {
  readonly options: CommitOptions;
  readonly folder: string;
  readonly members: Pick<Members, 'find'>;
}

/** Commits changes. */
export interface GitCommits extends Omit<ChangeRecorder, 'conflicts'> {
  /** Set with option `pull`. */
  readonly conflicts: ConflictStore | undefined;
}

/** Milliseconds. */
const CLOSE_LIMIT_MS = 5000;
/** Milliseconds that a response waits for the push of its change. */
const PUSH_WAIT_MS = 10_000;
/** Seconds after which a client may try again while git works in the working tree. */
const RETRY_AFTER_S = 5;
/** Milliseconds after which the health route reports `waiting`, and `behind`. */
const WAITING_AFTER_MS = 60_000;
const BEHIND_AFTER_MS = 300_000;

/** Rejects with the reason if changes cannot be committed. */
export async function openGitCommits(deps: GitCommitsDeps): Promise<GitCommits> {
  const { folder, members, content, log } = deps;
  const { commit, branch, push, pull, committer, message } = deps.options;
  const { acknowledge = pull && commit === 'each' ? 'push' : 'file' } = deps.options;
  const quietMs = commit === 'each' ? 0 : commit.quiet * 1000;
  const remote = push === true ? {} : push;
  const repository = await openRepository(folder);
  const journal = createCommitJournal(repository.journalDir);
  const release = await claimBranch(repository, branch);
  /** Called when a commit was pushed or made again. */
  const waiting = new Set<() => void>();
  const notify = () => {
    for (const each of waiting) each();
  };
  let follower: Follower | undefined;
  const pushes =
    remote === false
      ? undefined
      : createPushQueue({
          ...{ top: repository.top, journal, log },
          ...{ remote: remote.remote, branch: remote.branch },
          ...(pull && { pull: () => follower?.pull() ?? Promise.resolve() }),
          expected: async (name, hash) => follower?.expected(name, hash),
          also: async () => follower?.pushConflicts(),
          async onPushed(name, hash) {
            notify();
            await follower?.pushed(name, hash);
          },
        });
  const queue = createCommitQueue({
    ...{ repository, journal, branch, quietMs, committer, content, log },
    remote: remote === false ? undefined : (remote.remote ?? 'origin'),
    formatMessage: (subjects, account) => joinMessages(message, subjects, account ?? ANONYMOUS),
    storeDone: acknowledge !== 'file',
    onCommitted: () => pushes?.run(),
  });
  const recorder = createRecorder({
    ...{ driver: deps.driver, folder, repository, journal, log },
    onChange: queue.wake,
  });
  await recorder.recover();
  pushes?.run();
  if (pull && remote !== false) {
    follower = createFollower({
      ...{ repository, journal, queue, committer, content, log },
      ...{ remote: remote.remote, branch: remote.branch },
      exclusively: deps.driver.exclusively,
      // Commits that were made by hand are pushed too.
      onAhead: (ahead) => pushes?.runFor(ahead),
      onRebased: notify,
      onConflicts: () => pushes?.run(),
    });
  }

  function find(id: string): CommitState | undefined {
    const change = journal.find(id);
    if (change === undefined) return undefined;
    const { account, at, about: { type, id: entityId, ...language } = {} } = change;
    const entity =
      type === undefined || entityId === undefined ? undefined : { ...language, type, id: entityId };
    const common = { id, account, at, entity };
    if (!('doneAt' in change)) {
      const detail = queue.waitsFor()?.reason ?? null;
      return {
        ...common,
        status: 'pending',
        detail,
        commit: null,
        branch: null,
        pushed: pushes ? false : null,
        conflicts: [],
      };
    }
    const { commit: hash, branch: name, doneAt, detail, conflicts = [] } = change;
    const isPushed = hash !== null && doneAt <= (journal.times('pushed').get(name) ?? 0);
    return {
      ...common,
      status: hash === null ? 'failed' : 'committed',
      detail: detail ?? (isPushed ? null : (pushes?.failure()?.reason ?? null)),
      commit: hash,
      branch: name,
      pushed: pushes === undefined ? null : isPushed,
      conflicts,
    };
  }

  return {
    driver: recorder.driver,
    followed: follower,
    conflicts: follower?.conflicts,
    async onBegin({ actor: { name } }) {
      const operation = findOperation(repository);
      if (operation !== undefined) {
        throw new ServiceUnavailableError(
          `${operation} is in progress in the repository of the content: finish it or abort it. Until then, nothing can be changed.`,
          RETRY_AFTER_S,
        );
      }
      follower?.touch();
      recorder.begin(name, await authorOf(name, members));
    },
    onWritten(written, keys, { actor }) {
      const about = written.length === 1 ? written.map(subjectOf)[0] : undefined;
      const id = recorder.finish(commitMessage(message, written, actor), keys, about);
      return acknowledge === 'file' ? undefined : id;
    },
    commits: {
      acknowledge,
      async pushed(id) {
        const until = performance.now() + PUSH_WAIT_MS;
        for (;;) {
          const state = find(id);
          const rest = until - performance.now();
          if (state?.status === 'failed' || state?.pushed !== false || rest <= 0) return state;
          await new Promise<void>((done) => {
            const timer = setTimeout(next, rest);
            function next(): void {
              clearTimeout(timer);
              waiting.delete(next);
              done();
            }
            waiting.add(next);
          });
        }
      },
      find,
      isBusy() {
        if (queue.waitsFor() !== undefined || pushes?.failure() !== undefined) return false;
        if (journal.backlog().changes > 0) return true;
        const pushed = journal.times('pushed');
        return (
          pushes !== undefined &&
          [...journal.times('committed')].some(([name, at]) => at > (pushed.get(name) ?? 0))
        );
      },
      obstacles: () => [queue.waitsFor(), pushes?.failure()].flatMap((each) => each?.reason ?? []),
      health() {
        const { changes, since } = journal.backlog();
        const waitedMs = since === undefined ? 0 : Math.max(0, Date.now() - since);
        const lateMs = waitedMs - quietMs * MAX_QUIET_PERIODS;
        const waitsFor = queue.waitsFor()?.kind;
        const isWaiting = lateMs > WAITING_AFTER_MS || waitsFor !== undefined;
        return {
          commits: lateMs > BEHIND_AFTER_MS ? 'behind' : isWaiting ? 'waiting' : 'ok',
          backlog: { changes, oldestSeconds: Math.floor(waitedMs / 1000) },
          ...(waitsFor && { waitsFor }),
          ...(pushes && { pushes: pushes.failure() === undefined ? 'ok' : 'waiting' }),
        };
      },
    },
    async close() {
      recorder.close();
      follower?.close();
      await queue.close(CLOSE_LIMIT_MS);
      await pushes?.close(CLOSE_LIMIT_MS);
      release();
    },
  };
}

function subjectOf(written: WrittenEntity | ChangedFile): Readonly<Record<string, string>> | undefined {
  if (isFile(written) || written.change === 'removed') return undefined;
  const { type, id, translation } = written.entity;
  return { type, id, ...(translation !== undefined && { translation }) };
}
