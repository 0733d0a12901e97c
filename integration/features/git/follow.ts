import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RetryLog } from '../../core/runtime/retry.ts';
import { exitCode, gitMessage, gitStderr, runGit } from '../../core/runtime/run-git.ts';
import type { FollowedBranch } from '../../core/storage/driver.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { errorMessage } from '../../core/util/text.ts';
import type { MergedContent } from '../../core/write/commits.ts';
import type { Person } from '../../core/write/person.ts';
import type { CommitQueue } from './commit-queue.ts';
import { type ConflictStore, createConflictRefs, FETCH_CONFLICTS } from './conflicts.ts';
import type { CommitJournal } from './journal.ts';
import { remoteOf } from './push-queue.ts';
import { rebaseCommits } from './rebase.ts';
import { findTarget, NotNowError, type Repository } from './repository.ts';
import { takeBackMove } from './take-back-move.ts';

export interface FollowerDeps {
  readonly repository: Repository;
  readonly journal: CommitJournal;
  readonly queue: CommitQueue;
  /** Runs work while no process changes content. `changed` are keys that other processes have changed. */
  exclusively<T>(work: (changed: readonly string[]) => Promise<T>): Promise<T>;
  /** Undefined: the remote that git itself would use for the branch, else `origin`. */
  readonly remote: string | undefined;
  /** The branch on the remote; undefined: the same name. */
  readonly branch: string | undefined;
  readonly committer: Person | undefined;
  readonly content: MergedContent;
  readonly log: RetryLog;
  /** Called if the branch has commits that the remote does not have. */
  onAhead(branch: string): void;
  /** Called after commits were made again. */
  onRebased(): void;
  /** Called if `pushConflicts` has something to push. */
  onConflicts(): void;
  /** Milliseconds between two looks at the branch. Default: POLL_MS. */
  readonly pollMs?: number | undefined;
}

/** A working tree that follows the branch of a remote. */
export interface Follower extends FollowedBranch {
  readonly conflicts: ConflictStore;
  /** Pushes conflicts that the remote does not have, and removes those that are decided. */
  pushConflicts(): Promise<void>;
  /** Fetches the branch and moves the working tree to it: our commits are made again on top. Rejects if that is not possible. */
  pull(): Promise<void>;
  /** Has to be called after a push of this commit to this branch. */
  pushed(branch: string, commit: string): Promise<void>;
  /** The required commit of the branch on the remote for a push of this commit; undefined if that is unknown. */
  expected(branch: string, commit: string): Promise<string | undefined>;
  touch(): void;
  close(): void;
}

const POLL_MS = 10_000;
/** Milliseconds after a change of the content. */
const VERIFY_MS = 100;
const FETCH_TIMEOUT_MS = 60_000;
/** The fetched commit. Each worktree has its own. */
const FETCHED = 'refs/worktree/astro-jsonapi-remote';
/** Followed by a digest of a remote and a branch: its newest commit that the working tree has had. */
const TAKEN = 'refs/worktree/astro-jsonapi-taken-';

/** Follows the branch that is checked out. Local changes stay: files with uncommitted edits are never overwritten. */
export function createFollower(deps: FollowerDeps): Follower {
  const { repository, journal, queue, log, pollMs = POLL_MS } = deps;
  const { top, prefix } = repository;
  const conflictRefs = createConflictRefs({ repository, branch: () => name, log });
  const untaken = new Set<string>();
  const listeners: (() => void)[] = [];
  let name: string | undefined;
  /** The branch that was fetched last, and the ref of its newest commit. */
  let followed: { readonly branch: string; readonly taken: string } | undefined;
  /** The commit that the content is exactly of. */
  let clean: string | undefined;
  /** The newest commit whose changes are in `untaken`. */
  let seen: string | undefined;
  let touches = 0;
  let failure: string | undefined;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let verifyTimer: NodeJS.Timeout | undefined;
  let pulling: Promise<void> = Promise.resolve();

  const git = (args: readonly string[]) => runGit(top, args);
  const commitOf = async (ref: string) =>
    (await git(['rev-parse', '--verify', '-q', `${ref}^{commit}`]).catch(() => '')).trim();
  async function isAncestor(ancestor: string, commit: string): Promise<boolean> {
    if (ancestor === commit) return true;
    try {
      await git(['merge-base', '--is-ancestor', ancestor, commit]);
      return true;
    } catch (error) {
      if (exitCode(error) === undefined) throw error;
      return false;
    }
  }

  /** Fetches the branch. Returns its commit; an empty string if the remote does not have the branch. */
  async function fetch(branch: string): Promise<string> {
    const remote = deps.remote ?? (await remoteOf(top, branch));
    name = deps.branch ?? branch;
    const url = await git(['ls-remote', '--get-url', '--', remote]);
    followed = { branch, taken: TAKEN + digestBytes(Buffer.from(`${url}${name}`)) };
    const args = [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-write-fetch-head',
      '--no-recurse-submodules',
      '--refmap=',
      '--prune',
    ];
    const refs = [`+refs/heads/${name}:${FETCHED}`, FETCH_CONFLICTS];
    try {
      await runGit(top, [...args, '--', remote, ...refs], {
        trusted: true,
        timeout: FETCH_TIMEOUT_MS,
      });
    } catch (error) {
      if (!gitStderr(error).includes("couldn't find remote ref")) throw error;
      return '';
    }
    return commitOf(FETCHED);
  }

  /** Git removes the content folder with its last file, but changes need it. */
  const keepFolder = () => mkdirSync(join(top, prefix), { recursive: true });

  async function takeOver(): Promise<void> {
    await takeBack();
    await moveToRemote();
    journal.setMove(undefined);
  }

  /** A process that died may have moved some files only. */
  async function takeBack(): Promise<void> {
    const move = journal.move();
    if (move === undefined) return;
    await deps.exclusively(async (changed) => {
      addKeys(changed);
      addPaths(await queue.between(() => takeBackMove(repository, move)));
    });
    touch();
  }

  async function moveToRemote(): Promise<void> {
    const { branch, parent } = await findBranch();
    const theirs = await fetch(branch);
    if (followed === undefined) return;
    const { taken } = followed;
    if (theirs === '') {
      // A branch that was removed stays removed until the next change, whose push creates it.
      await git(['update-ref', '-d', taken]);
      return;
    }
    const local = parent?.commit ?? '';
    const former = await commitOf(taken);
    const isRewritten = former !== '' && !(await isAncestor(former, theirs));
    if (!isRewritten && local !== '' && (await isAncestor(theirs, local))) {
      if (theirs !== local) deps.onAhead(branch);
    } else {
      keepFolder();
      await deps.exclusively(async (changed) => {
        addKeys(changed);
        await queue.between(() => move(theirs, former));
        keepFolder();
      });
      if (isRewritten) {
        log.warn(
          `The branch ${name} was rewritten on the remote (a forced push), and the working tree follows it. \`git log ${former.slice(0, 12)}\` shows the commits from before.`,
        );
      }
    }
    if (theirs !== former) await git(['update-ref', taken, theirs]);
  }

  const findBranch = () =>
    findTarget(repository, { branch: undefined, remote: undefined, ourTip: undefined });

  /** Moves the branch, the index and the working tree. Commits that the remote has had before are not made again. */
  async function move(theirs: string, former: string): Promise<void> {
    const { ref, branch, parent } = await findBranch();
    const seconds = Number((await git(['log', '-1', '--format=%ct', theirs, '--'])).trim());
    const onto = { commit: theirs, seconds };
    const from = parent?.commit ?? theirs;
    const { tip, moved, conflicts } = await rebaseCommits(repository, {
      from,
      onto,
      without: former,
      committer: deps.committer,
      content: deps.content,
      messageOf: conflictRefs.messageOf,
    });
    const lockingSince = journal.move()?.lockingSince ?? Date.now();
    journal.setMove({ lockingSince, from, to: tip.commit });
    // Entries of our commits have no times of files yet.
    await git(['update-index', '-q', '--refresh']).catch(() => undefined);
    touch();
    try {
      await runGit(top, ['read-tree', '-m', '-u', from, tip.commit], { trusted: true });
    } catch (error) {
      const file = /^error: (?:Entry|Untracked working tree file) '([^'\n]+)'/m.exec(gitStderr(error));
      if (file === null) throw error;
      // Git has changed nothing.
      journal.setMove(undefined);
      throw new NotNowError(
        `${file[1]} has changes that are not committed, and the remote has changed it too: commit or stash them.`,
      );
    }
    const lost = [...conflicts.values()].flat();
    await conflictRefs.add(lost);
    await git(['update-ref', '-m', `astro-jsonapi: follow ${branch}`, ref, tip.commit, from]);
    journal.moveDone(
      new Map(
        [...moved].map(([former, commit]) => [former, { commit, conflicts: conflicts.get(former) ?? [] }]),
      ),
    );
    for (const { id, commit, subject, path, refused } of lost) {
      log.warn(
        refused === undefined
          ? `Conflict ${id}: someone else has changed the same field of ${path} as "${subject}", and that change stays. \`git show ${commit.slice(0, 12)}\` shows the other one.`
          : `Conflict ${id}: the commit "${subject}" has a text in ${path} that the account of ${refused} may not write. Its former text is back. \`git show ${commit.slice(0, 12)}\` shows the other one.`,
      );
    }
    if (moved.size > 0) deps.onRebased();
    if (lost.length > 0) deps.onConflicts();
    await addChanges(from, tip.commit);
    if (tip.commit !== theirs) deps.onAhead(branch);
  }

  function addKeys(keys: Iterable<string>): void {
    for (const key of keys) untaken.add(key);
  }

  function addPaths(paths: readonly string[]): void {
    addKeys(paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length)));
  }

  async function addChanges(from: string, to: string): Promise<void> {
    if (from === to) return;
    const printed = await git([
      'diff',
      '--name-only',
      '--no-renames',
      '-z',
      from,
      to,
      '--',
      prefix === '' ? '.' : prefix,
    ]);
    addPaths(printed.split('\0').filter((path) => path !== ''));
  }

  /** Finds out if the content is exactly that of the branch on the remote. */
  async function verify(): Promise<void> {
    const mark = touches;
    if (journal.backlog().changes > 0) return;
    const commits = await git(['rev-parse', 'HEAD^{commit}', `${FETCHED}^{commit}`]).catch(() => '');
    const [local = '', theirs] = commits.split('\n');
    if (local === '' || local !== theirs) return;
    if (local === clean) return;
    const args = [
      'status',
      '--porcelain',
      '--no-renames',
      '--untracked-files=all',
      '--',
      prefix === '' ? '.' : prefix,
    ];
    if ((await git(args)).trim() !== '') return;
    if (seen !== undefined) await addChanges(seen, local);
    if (mark !== touches || journal.backlog().changes > 0) return;
    seen = local;
    clean = local;
    for (const listener of listeners) listener();
  }

  function touch(): void {
    touches += 1;
    clean = undefined;
    // Edits by hand may be what the branch has.
    clearTimeout(verifyTimer);
    if (!isClosed) verifyTimer = setTimeout(() => void verify().catch(() => undefined), VERIFY_MS).unref();
  }

  function report(): void {
    if (untaken.size > 0) for (const listener of listeners) listener();
  }

  function pull(): Promise<void> {
    const next = pulling
      .catch(() => undefined)
      .then(takeOver)
      .finally(report);
    pulling = next;
    return next;
  }

  async function look(): Promise<void> {
    try {
      await pull();
      await verify();
      if (failure !== undefined) log.info('The branch of the remote is followed again.');
      failure = undefined;
    } catch (error) {
      const reason = error instanceof NotNowError ? error.message : reasonOf(error);
      if (reason !== failure) log.warn(`The branch of the remote is not followed now. ${reason}`);
      failure = reason;
      throw error;
    } finally {
      report();
    }
  }

  async function poll(): Promise<void> {
    await look().catch(() => undefined);
    if (!isClosed) timer = setTimeout(poll, pollMs).unref();
  }
  timer = setTimeout(poll, 0).unref();

  return {
    name: () => name,
    commit: () => clean,
    takeChanges() {
      const keys = [...untaken];
      untaken.clear();
      return { commit: seen, keys };
    },
    look,
    has: async (commit) => (await isAncestor(commit, 'HEAD')) && (await isAncestor(commit, FETCHED)),
    written: async () => undefined,
    onMove: (listener) => void listeners.push(listener),
    pull,
    conflicts: {
      list: conflictRefs.list,
      async resolve(conflict, fields) {
        await conflictRefs.resolve(conflict, fields);
        deps.onConflicts();
      },
    },
    async pushConflicts() {
      if (followed === undefined) return;
      await conflictRefs.push(deps.remote ?? (await remoteOf(top, followed.branch)));
    },
    async pushed(branch, commit) {
      if (followed?.branch !== branch) return;
      const { taken } = followed;
      // A later fetch may know more.
      const done = pulling
        .catch(() => undefined)
        .then(async () => {
          const fetched = await commitOf(FETCHED);
          if (fetched !== '' && !(await isAncestor(fetched, commit))) return;
          const lines = [FETCHED, taken].map((ref) => `update ${ref} ${commit}\n`);
          await runGit(top, ['update-ref', '--stdin'], { input: lines.join('') });
        });
      pulling = done;
      await done;
      await verify();
    },
    async expected(branch, commit) {
      if (followed?.branch !== branch) return undefined;
      const former = await commitOf(followed.taken);
      return former !== '' && (await isAncestor(former, commit)) ? former : undefined;
    },
    touch,
    close() {
      isClosed = true;
      clearTimeout(timer);
      clearTimeout(verifyTimer);
    },
  };
}

function reasonOf(error: unknown): string {
  return gitStderr(error) === '' ? errorMessage(error) : `git says: ${gitMessage(error)}`;
}
