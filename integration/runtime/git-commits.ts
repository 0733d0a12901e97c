import type { AccountStore } from '../accounts/accounts.ts';
import { shortTypeName } from '../content/resource-type.ts';
import { claimBranch } from '../git/claim-branch.ts';
import { createCommitJournal } from '../git/commit-journal.ts';
import { createCommitQueue, LONGEST_IN_PERIODS } from '../git/commit-queue.ts';
import { journalFolder } from '../git/journal-folder.ts';
import { type Person, personOf } from '../git/person.ts';
import { createPushQueue } from '../git/push-queue.ts';
import { createRecorder } from '../git/record-changes.ts';
import { openRepository } from '../git/repository.ts';
import type { GitOptions } from '../options/options.ts';
import type { WritableDriver } from '../storage/driver.ts';
import { type ChangeWords, changeMessage, DEFAULT_MESSAGES, listMessage } from '../write/commit-message.ts';
import type { CommitHealth, CommitState, Commits } from '../write/commits.ts';
import type { UploadedAlone, WriterDeps, WrittenEntity } from '../write/writer.ts';

export interface GitCommitsDeps {
  readonly options: GitOptions;
  readonly driver: WritableDriver;
  /** Absolute path of the driver's folder. */
  readonly folder: string;
  /** Undefined where nobody can sign in. */
  readonly accounts: Pick<AccountStore, 'find'> | undefined;
  readonly log: { info(message: string): void; warn(message: string): void };
}

/** What commands need so that their changes are committed. */
export interface GitCommits extends Required<Pick<WriterDeps, 'onBegin' | 'onWritten'>> {
  readonly driver: WritableDriver;
  readonly commits: Commits;
  /** Commits what is due, as far as that is quickly done; the rest is committed after the next start. */
  close(): Promise<void>;
}

/** Milliseconds in which the last commits of a process have to be made. */
const LAST_COMMITS_MS = 5000;
/** Milliseconds after which the health route reports that commits wait, and then that they are behind. */
const WAITING_AFTER_MS = 60_000;
const BEHIND_AFTER_MS = 300_000;
/** After a change that failed. */
const RECOVER_AFTER_MS = 2000;

/** Rejects with an Error whose message says why nothing can be committed. */
export async function openGitCommits(deps: GitCommitsDeps): Promise<GitCommits> {
  const { options, folder, accounts, log } = deps;
  const { commit, branch, push, acknowledge, committer } = options;
  const { one = DEFAULT_MESSAGES.one, many = DEFAULT_MESSAGES.many } = options.message;
  const messages = { one, many };
  const repository = await openRepository(folder);
  const place = journalFolder(repository);
  const journal = createCommitJournal(place);
  const release = await claimBranch(place, branch);
  const target = push === false ? undefined : push === true ? {} : push;
  const pushes =
    target &&
    createPushQueue({
      repository,
      journal,
      remote: target.remote,
      branch: target.branch,
      log,
    });
  const queue = createCommitQueue({
    repository,
    journal,
    branch,
    remote: target && (target.remote ?? 'origin'),
    quietMs: commit === 'each' ? 0 : commit.quiet * 1000,
    committer,
    messageOf: (subjects, account) =>
      subjects.length === 1 ? (subjects[0] ?? '') : listMessage(messages, subjects, account ?? NOBODY),
    keepsDone: acknowledge === 'commit',
    log,
    onCommitted: () => pushes?.wake(),
  });
  let remains: NodeJS.Timeout | undefined;
  const recorder = createRecorder({
    driver: deps.driver,
    folder,
    repository,
    journal,
    onJob: queue.wake,
    onRemains() {
      clearTimeout(remains);
      remains = setTimeout(() => void recover(), RECOVER_AFTER_MS);
      remains.unref();
    },
  });

  async function recover(): Promise<void> {
    try {
      await recorder.recover();
    } catch (error) {
      log.warn(`Earlier changes are not committed yet: ${error instanceof Error ? error.message : error}`);
    }
  }

  async function authorOf(account: string | null): Promise<Person> {
    const found = account === null ? undefined : await accounts?.find(account).catch(() => undefined);
    return personOf(account ?? NOBODY, found ?? {});
  }

  /** Milliseconds for which a change waits by design. */
  const planned = commit === 'each' ? 0 : commit.quiet * 1000 * LONGEST_IN_PERIODS;

  function health(): CommitHealth {
    const { changes, since } = journal.backlog();
    const waitedMs = since === undefined ? 0 : Math.max(0, Date.now() - since);
    const late = waitedMs - planned;
    const cause = queue.cause();
    const isWaiting = late > WAITING_AFTER_MS || cause !== undefined;
    return {
      commits: late > BEHIND_AFTER_MS ? 'behind' : isWaiting ? 'waiting' : 'ok',
      backlog: { changes, oldestSeconds: Math.floor(waitedMs / 1000) },
      ...(cause && { waitsFor: cause }),
      ...(pushes && { pushes: pushes.reason() === undefined ? 'ok' : 'waiting' }),
    };
  }

  await recover();
  pushes?.wake();

  return {
    driver: recorder.driver,
    async onBegin({ actor }) {
      recorder.begin(actor.name, await authorOf(actor.name));
    },
    onWritten(written, keys, { actor }) {
      const words = { ...wordsOf(written), account: actor.name ?? NOBODY };
      const id = recorder.finish(changeMessage(messages, words), keys, aboutOf(written));
      return acknowledge === 'commit' ? id : undefined;
    },
    commits: {
      acknowledge,
      find(id) {
        const job = journal.find(id);
        if (job === undefined) return undefined;
        const { account, at, about } = job;
        const { type, id: entityId } = about ?? {};
        const entity = type === undefined || entityId === undefined ? undefined : { type, id: entityId };
        const common = { id, account, at, entity } as const;
        if (!('doneAt' in job)) {
          return { ...common, ...PENDING, detail: queue.reason() ?? null, pushed: pushes ? false : null };
        }
        const isPushed = job.commit !== null && job.doneAt <= (journal.pushed().get(job.branch) ?? 0);
        const notPushed = pushes !== undefined && !isPushed ? pushes.reason() : undefined;
        return {
          ...common,
          status: job.commit === null ? 'failed' : 'committed',
          detail: job.detail ?? notPushed ?? null,
          commit: job.commit,
          branch: job.branch,
          pushed: pushes === undefined ? null : isPushed,
        };
      },
      health,
    },
    async close() {
      clearTimeout(remains);
      await queue.close(LAST_COMMITS_MS);
      await pushes?.close(LAST_COMMITS_MS);
      release();
    },
  };
}

const PENDING = { status: 'pending', commit: null, branch: null } as const satisfies Partial<CommitState>;
/** How messages call somebody without an account. */
const NOBODY = 'anonymous';

const ACTIONS = { created: 'create', updated: 'update', unchanged: 'update', removed: 'remove' } as const;

function wordsOf(written: WrittenEntity | UploadedAlone): Omit<ChangeWords, 'account'> {
  if (written.change === 'uploaded') {
    const { type, key } = written;
    const name = key.slice(key.lastIndexOf('/') + 1);
    return { action: 'upload', type: shortTypeName(type.name), id: key, title: name };
  }
  const { entity, change } = written;
  const { title } = entity.values;
  return {
    action: ACTIONS[change],
    type: shortTypeName(entity.type),
    id: entity.id,
    title: typeof title === 'string' ? title : entity.id,
  };
}

function aboutOf(written: WrittenEntity | UploadedAlone): Readonly<Record<string, string>> | undefined {
  if (written.change === 'uploaded' || written.change === 'removed') return undefined;
  return { type: written.entity.type, id: written.entity.id };
}
