import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { reasonOf, runGit } from './run-git.ts';

/** The git repository around a content folder. */
export interface Repository {
  /** The top folder of the working tree: absolute, links resolved. */
  readonly top: string;
  /** Where HEAD and the index are, absolute; for a submodule or an added worktree that is elsewhere. */
  readonly gitDir: string;
  /** Where branches are, absolute: of an added worktree the folder of the main one, else `gitDir`. */
  readonly commonDir: string;
  /** The content folder below `top`, ending in a slash, or empty. */
  readonly prefix: string;
  /** What stands for no object. */
  readonly zero: string;
}

/** Where commits go. */
export interface CommitTarget {
  /** Such as `refs/heads/main`. */
  readonly ref: string;
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** What the next commit follows; undefined where it is the first one. */
  readonly parent: Tip | undefined;
  /** Whether the branch is there; a new one begins at `parent`. */
  readonly isThere: boolean;
  /** Whether the working tree around the content is of this branch. */
  readonly isCheckedOut: boolean;
}

export interface Tip {
  readonly commit: string;
  readonly tree: string;
  /** When it was committed, Unix seconds. */
  readonly seconds: number;
}

/** Commits have to wait for something that only a person can end. The message is a sentence that says what. */
export class NotNowError extends Error {
  override readonly name = 'NotNowError';
}

/** Throws an Error whose message says why there is none that can be committed to. */
export async function openRepository(folder: string): Promise<Repository> {
  try {
    const folders = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
    const [top = '', gitDir = '', common = '', format, prefix = ''] = (
      await runGit(folder, ['rev-parse', ...folders, '--show-object-format', '--show-prefix'])
    ).split('\n');
    const commonDir = resolve(folder, common);
    return { top, gitDir, commonDir, prefix, zero: '0'.repeat(format === 'sha256' ? 64 : 40) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error('there is no git on the PATH. Install git, or leave option editing.git out');
    }
    const said = reasonOf(error);
    if (said.includes('dubious ownership')) {
      throw new Error(
        'git refuses this repository, because it belongs to another user. Run `git config --global --add safe.directory <repository>`',
      );
    }
    throw new Error(
      /not a git repository|must be run in a work tree/.test(said)
        ? 'the content folder lies in no working tree of a git repository. Run `git init`, or leave option editing.git out'
        : `git says: ${said}`,
    );
  }
}

/** The branch of that name, or the one that is checked out. Throws NotNowError where nothing can be committed to it. */
export async function findTarget(
  repository: Repository,
  named: string | undefined,
  remote: string | undefined,
): Promise<CommitTarget> {
  const { top } = repository;
  const head = await runGit(top, ['symbolic-ref', '-q', 'HEAD']).then(
    (printed) => printed.trim(),
    () => undefined,
  );
  const ref = named === undefined ? head : `refs/heads/${named}`;
  const isCheckedOut = ref === head;
  const underWay = UNDER_WAY.find(([file]) => existsSync(join(repository.gitDir, file)))?.[1];
  if (underWay !== undefined && (isCheckedOut || ref === undefined)) {
    throw new NotNowError(`${underWay} is under way in the repository: finish it, or abort it.`);
  }
  if (ref === undefined) {
    throw new NotNowError(
      'No branch is checked out (HEAD is detached): check one out, or name one in option editing.git.branch.',
    );
  }
  const branch = ref.slice('refs/heads/'.length);
  if (!isCheckedOut) {
    const elsewhere = (await runGit(top, ['for-each-ref', '--format=%(worktreepath)', ref])).trim();
    if (elsewhere !== '') {
      throw new NotNowError(`The branch ${branch} is checked out in another worktree, ${elsewhere}.`);
    }
  }
  const own = await readTip(top, ref);
  const begin = async () =>
    (remote === undefined ? undefined : await readTip(top, `refs/remotes/${remote}/${branch}`)) ??
    (await readTip(top, 'HEAD'));
  return { ref, branch, parent: own ?? (await begin()), isThere: own !== undefined, isCheckedOut };
}

async function readTip(top: string, ref: string): Promise<Tip | undefined> {
  try {
    const printed = await runGit(top, ['log', '-1', '--format=%H %T %ct', ref, '--']);
    const [commit = '', tree = '', seconds = ''] = printed.trim().split(' ');
    return commit === '' ? undefined : { commit, tree, seconds: Number(seconds) };
  } catch (error) {
    if (/unknown revision|bad revision|ambiguous argument/.test(reasonOf(error))) return undefined;
    throw error;
  }
}

/** Files in the folder of a repository that are there while something goes on. */
const UNDER_WAY: readonly (readonly [file: string, what: string])[] = [
  ['MERGE_HEAD', 'A merge'],
  ['rebase-merge', 'A rebase'],
  ['rebase-apply', 'A rebase'],
  ['CHERRY_PICK_HEAD', 'A cherry-pick'],
  ['REVERT_HEAD', 'A revert'],
];
