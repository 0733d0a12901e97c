import { createRetry } from '../../core/runtime/retry.ts';
import type { BranchReplica, ReplicaDeps } from '../../core/runtime/site.ts';
import { DomainError, ServiceUnavailableError } from '../../core/util/errors.ts';
import { LruMap } from '../../core/util/lru-map.ts';
import { errorMessage } from '../../core/util/text.ts';

export interface ReplicaTimes {
  /** Milliseconds from one look at the branch to the next. Default: LOOK_EVERY_MS. */
  readonly lookEveryMs?: number;
  /** Milliseconds that a request waits for a commit. Default: WAIT_MS. */
  readonly waitMs?: number;
}

const LOOK_EVERY_MS = 500;
const WAIT_MS = 5000;
/** Seconds after which a client may try again. */
const RETRY_AFTER_S = 1;
/** Reads of commit dates, if the content changes in between. */
const MAX_READS = 5;
/** Commits that are known to be on the branch. */
const MAX_KNOWN = 1000;

/** Knows the commit of the content that a driver follows. */
export function createReplica(deps: ReplicaDeps & ReplicaTimes): Required<BranchReplica> {
  const { followed, lookEveryMs = LOOK_EVERY_MS, waitMs = WAIT_MS } = deps;
  const { commit: first } = followed.takeChanges();
  /** The content has at least this commit. */
  let reached = first;
  /** The content is exactly that of this commit. */
  let applied = first === undefined ? undefined : { commit: first };
  let unapplied: readonly string[] = [];
  const known = new LruMap<string, true>(MAX_KNOWN);
  let isSettling = false;
  /** Changes of the content so far. */
  let changes = 0;
  let lastLook = Number.NEGATIVE_INFINITY;

  /** Gives the content the files of the newest commit. */
  const settle = createRepeated(async () => {
    const { commit, keys } = followed.takeChanges();
    unapplied = [...new Set([...unapplied, ...keys])];
    isSettling = true;
    try {
      // First, changes that the watcher has reported are applied too.
      await deps.apply(unapplied);
      for (let read = 1; read <= MAX_READS; read++) {
        const before = changes;
        await deps.readDates();
        if (changes === before) break;
      }
    } finally {
      isSettling = false;
    }
    unapplied = [];
    if (commit === undefined) return;
    reached = commit;
    applied = { commit };
  });
  const settling = createRetry({
    work: settle,
    firstDelay: 200,
    maxDelay: 10_000,
    log: deps.log,
    describe: errorMessage,
    failing: (reason) =>
      `The content cannot be updated to the newest commit of the branch now. ${reason} It will be tried again.`,
    recovered: 'The content is that of the newest commit again.',
  });
  followed.onMove(settling.run);

  const look = createRepeated(async () => {
    const pause = lastLook + lookEveryMs - performance.now();
    if (pause > 0) await sleep(pause);
    lastLook = performance.now();
    await followed.look();
    await settle();
  });

  function state() {
    return applied !== undefined && applied.commit === followed.commit() ? applied : undefined;
  }

  async function contains(commit: string): Promise<boolean> {
    if (reached === undefined) return false;
    if (reached === commit || known.get(commit) === true) return true;
    if (!(await followed.has(commit))) return false;
    // The files have it. Now the content has it too.
    await settle();
    known.set(commit, true);
    return true;
  }

  async function reach(commit: string, signal: AbortSignal): Promise<void> {
    const until = performance.now() + waitMs;
    for (;;) {
      signal.throwIfAborted();
      const failure = await look().then(
        () => undefined,
        (error: unknown) => error ?? true,
      );
      if (failure === undefined && (await contains(commit))) return;
      if (performance.now() + lookEveryMs < until) continue;
      const branch = followed.name() ?? '';
      if (failure === undefined) {
        throw new DomainError(
          'precondition-failed',
          `The branch ${branch} does not have the commit ${commit}, or has had more than 100 others since.`,
          { source: { header: 'If-Commit-At-Least' } },
        );
      }
      throw new ServiceUnavailableError(
        `The server cannot look for the commit ${commit} on the branch ${branch}. Try again soon.`,
        RETRY_AFTER_S,
      );
    }
  }

  return {
    branch: () => followed.name(),
    state,
    ownCommit: () => followed.written(),
    contentChanged() {
      changes += 1;
      if (isSettling) return;
      applied = undefined;
      if (followed.touch === undefined) settling.run();
      else followed.touch();
    },
    has: (commit) => contains(commit).catch(() => false),
    reach,
    settle: () => settle().catch(() => undefined),
    lookSoon: () => void look().catch(() => undefined),
  };
}

/** Runs work that never overlaps. A call while it runs starts it once more, and all such calls share that run. */
function createRepeated(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function start(): Promise<void> {
    const run = work().finally(() => {
      if (running === run) running = undefined;
    });
    running = run;
    return run;
  }

  return () => {
    if (running === undefined) return start();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
