import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gitMessage, gitReason, isMissingProgram, runGit } from '../../core/runtime/run-git.ts';
import { createFileLock, tryLockExclusive, tryLockShared } from '../../core/storage/drivers/fs-lock.ts';
import { undefinedIfMissing } from '../../core/storage/drivers/fs-paths.ts';
import { digestBytes } from '../../core/util/revision.ts';

/** The git repository around a content folder. All paths are absolute. */
export interface Repository {
  /** The top folder of the working tree, links resolved. */
  readonly top: string;
  /** The folder of HEAD and the index. In a submodule or an added worktree, it is not below `top`. */
  readonly gitDir: string;
  /** The folder of the branches: in an added worktree the one of the main worktree, else `gitDir`. */
  readonly commonDir: string;
  /** The content folder below `top`, ending in a slash, or empty. */
  readonly prefix: string;
  /** The folder for changes that wait for their commit; git and the site ignore it. */
  readonly journalDir: string;
  /** The hash that means "no object". */
  readonly zero: string;
}

/** The branch for the next commit. */
export interface CommitTarget {
  /** For example `refs/heads/main`. */
  readonly ref: string;
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** The parent of the next commit; undefined for the first commit. */
  readonly parent: Tip | undefined;
  /** False if the branch has to be created at `parent`. */
  readonly exists: boolean;
  /** True if the branch is checked out in the working tree. */
  readonly isCheckedOut: boolean;
}

export interface Tip {
  readonly commit: string;
  /** Commit date, Unix seconds. */
  readonly seconds: number;
}

/** Commits have to wait for something that only a person can change. The message is a sentence that says what. */
export class NotNowError extends Error {
  override readonly name = 'NotNowError';
}

/** Rejects with an Error whose message says why nothing can be committed. */
export async function openRepository(folder: string): Promise<Repository> {
  try {
    const folders = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
    const [top = '', gitDir = '', common = '', format, prefix = ''] = (
      await runGit(folder, ['rev-parse', ...folders, '--show-object-format', '--show-prefix'])
    ).split('\n');
    return {
      ...{ top, gitDir, prefix },
      commonDir: resolve(folder, common),
      journalDir: join(gitDir, 'astro-jsonapi', digestBytes(Buffer.from(prefix))),
      zero: '0'.repeat(format === 'sha256' ? 64 : 40),
    };
  } catch (error) {
    if (isMissingProgram(error))
      throw new Error('git is not on the PATH. Install git, or remove the option editing.git');
    const message = gitMessage(error);
    if (message.includes('dubious ownership')) {
      throw new Error(
        'git refuses this repository because it belongs to another user. Run `git config --global --add safe.directory <repository>`',
      );
    }
    throw new Error(
      /not a git repository|must be run in a work tree/.test(message)
        ? 'the content folder is not in a working tree of a git repository. Run `git init`, or remove the option editing.git'
        : `git says: ${message}`,
    );
  }
}

export interface TargetOptions {
  /** Undefined for the branch that is checked out. */
  readonly branch: string | undefined;
  /** A new branch starts at this remote's branch of the same name, else at HEAD. */
  readonly remote: string | undefined;
  /** Our last commit: git is not asked about it again. */
  readonly ourTip: Tip | undefined;
}

/** Finds the branch for the next commit. Throws NotNowError if commits have to wait. */
export async function findTarget(
  repository: Repository,
  { branch: name, remote, ourTip }: TargetOptions,
): Promise<CommitTarget> {
  const { top } = repository;
  const head = await readHead(repository);
  const ref = name === undefined ? head : `refs/heads/${name}`;
  const isCheckedOut = ref === head;
  const operation = findOperation(repository);
  if (operation !== undefined && (isCheckedOut || ref === undefined))
    throw new NotNowError(`${operation} is in progress in the repository: finish it or abort it.`);
  if (ref === undefined) {
    throw new NotNowError(
      'No branch is checked out (HEAD is detached): check one out, or set the option editing.git.branch.',
    );
  }
  const branch = ref.slice('refs/heads/'.length);
  if (!isCheckedOut) {
    const elsewhere = (await runGit(top, ['for-each-ref', '--format=%(worktreepath)', ref])).trim();
    if (elsewhere !== '')
      throw new NotNowError(`The branch ${branch} is checked out in another worktree, ${elsewhere}.`);
  }
  const tip = isAt(repository, ref, ourTip) ? ourTip : await readTip(top, ref);
  const remoteTip =
    tip === undefined && remote !== undefined
      ? await readTip(top, `refs/remotes/${remote}/${branch}`)
      : undefined;
  const parent = tip ?? remoteTip ?? (await readTip(top, 'HEAD'));
  return { ref, branch, parent, exists: tip !== undefined, isCheckedOut };
}

/** The ref of the branch that is checked out; undefined if HEAD is detached. */
async function readHead({ top, gitDir }: Repository): Promise<string | undefined> {
  const [, ref] = /^ref: (.+)/.exec(readFileSync(join(gitDir, 'HEAD'), 'utf8')) ?? [];
  // Repositories with the reftable format have HEAD elsewhere.
  if (ref !== 'refs/heads/.invalid') return ref;
  return runGit(top, ['symbolic-ref', '-q', 'HEAD']).then(
    (printed) => printed.trim(),
    () => undefined,
  );
}

/** True if the file of a ref names this commit. The file is missing if the ref is packed. */
function isAt({ commonDir }: Repository, ref: string, tip: Tip | undefined): boolean {
  const text = undefinedIfMissing(() => readFileSync(join(commonDir, ref), 'utf8'));
  return text !== undefined && text.trim() === tip?.commit;
}

async function readTip(top: string, ref: string): Promise<Tip | undefined> {
  try {
    const printed = await runGit(top, ['log', '-1', '--format=%H %ct', ref, '--']);
    const [commit = '', seconds = ''] = printed.trim().split(' ');
    return commit === '' ? undefined : { commit, seconds: Number(seconds) };
  } catch (error) {
    if (/unknown revision|bad revision|ambiguous argument/.test(gitReason(error))) return undefined;
    throw error;
  }
}

/** The operation of git that is in progress in the working tree, such as `A rebase`. Its end or its abort can overwrite every file. */
export function findOperation({ gitDir }: Pick<Repository, 'gitDir'>): string | undefined {
  return OPERATIONS.find(([file]) => existsSync(join(gitDir, file)))?.[1];
}

/** Files in the git folder that exist during an operation. */
const OPERATIONS: readonly (readonly [file: string, operation: string])[] = [
  ['MERGE_HEAD', 'A merge'],
  ['rebase-merge', 'A rebase'],
  ['rebase-apply', 'A rebase'],
  ['CHERRY_PICK_HEAD', 'A cherry-pick'],
  ['REVERT_HEAD', 'A revert'],
  ['BISECT_LOG', 'A bisect'],
];

/**
 * Claims a working tree for commits to one branch, until the returned function is called or the process dies. Servers
 * with the same branch share the claim. Rejects with an Error that names the other branch: two servers with different
 * branches would commit files that contain each other's changes, and neither branch would have all of them.
 */
export async function claimBranch(
  { journalDir }: Repository,
  branch: string | undefined,
): Promise<() => void> {
  const claimPath = join(journalDir, 'claim');
  const branchPath = join(journalDir, 'claimed-branch');
  const release = await createFileLock(join(journalDir, 'claiming')).take(() => true);
  try {
    const name = branch ?? '';
    const releaseClaim = tryLockExclusive(claimPath);
    if (releaseClaim !== undefined) {
      writeFileSync(branchPath, name);
      releaseClaim();
    }
    const claimed = undefinedIfMissing(() => readFileSync(branchPath, 'utf8')) ?? '';
    if (claimed !== name) {
      throw new Error(
        `another server over this working tree commits to ${describeBranch(claimed)}, and this one is set to ${describeBranch(name)} (option editing.git.branch). Set the same branch for both, or give each server its own working tree (git worktree add), then restart this one`,
      );
    }
    const releaseShared = tryLockShared(claimPath);
    if (releaseShared === undefined) throw new Error(`the lock ${claimPath} cannot be shared`);
    return releaseShared;
  } finally {
    release?.();
  }
}

function describeBranch(name: string): string {
  return name === '' ? 'the branch that is checked out' : `branch ${JSON.stringify(name)}`;
}
