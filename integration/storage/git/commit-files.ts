import { rmSync } from 'node:fs';
import { blobToCommit } from './overtaken-files.ts';
import type { Person } from './person.ts';
import type { CommitTarget, Repository } from './repository.ts';
import { reasonOf, runGit } from './run-git.ts';

/** A file as it is to be in a commit. */
export interface CommittedFile {
  /** Below the top of the working tree, with slashes. */
  readonly path: string;
  /** Absolute path of a file that has the bytes; null where the file was removed. */
  readonly bytes: string | null;
  /** The same for the file as it was before the change, null where there was none; undefined where nobody knows. */
  readonly before?: string | null | undefined;
  /** Whether it is of interest only where the branch does not have it. */
  readonly ifNew?: boolean | undefined;
}

export interface CommitInput {
  readonly files: readonly CommittedFile[];
  readonly author: Person;
  readonly settings: CommitSettings;
  readonly message: string;
  /** Blobs of files as commits for earlier changes have left them. */
  readonly earlier: ReadonlyMap<string, string>;
  /** When the first of it was changed, Unix seconds. */
  readonly begun: number;
  /** When the last of it was changed, Unix seconds. */
  readonly seconds: number;
}

export interface CommitSettings {
  /** Undefined: whoever git's own configuration names. */
  readonly committer: Person | undefined;
  /** Whether git knows whom to name. */
  readonly hasIdentity: boolean;
  readonly signs: boolean;
}

export interface CommitResult {
  /** Undefined where the branch has all of it already. */
  readonly commit: string | undefined;
  /** Paths that git ignores; they are in no commit. */
  readonly ignored: readonly string[];
  /** Paths that somebody has committed since the change, in a way that the change cannot be brought into. */
  readonly overtaken: readonly string[];
  /** What the branch has of the other files now. */
  readonly blobs: ReadonlyMap<string, string>;
}

/**
 * Commits these files and nothing else, whatever else is changed or staged: the commit is made beside the index. The
 * index gets the same files, where the branch is the one that is checked out, as `git commit --only` does it. Files of
 * the working tree are not touched, so that what somebody has typed since stays an uncommitted change. `indexFile` is a
 * place for an index of our own. A file that somebody else has committed since the change keeps what they committed, with
 * the change brought into it. Rejects where somebody else has moved the branch meanwhile, or holds the index.
 *
 * Filters of `.gitattributes` apply; hooks of a commit do not run.
 */
export async function commitFiles(
  repository: Repository,
  target: CommitTarget,
  input: CommitInput,
  indexFile: string,
): Promise<CommitResult> {
  const { top, zero } = repository;
  const { parent } = target;
  const present = parent === undefined ? NOTHING : await readEntries(top, parent.tree, input.files);
  const wanted = input.files.filter(({ path, bytes, ifNew }) =>
    present.has(path) ? ifNew !== true : bytes !== null,
  );
  const fresh = wanted.filter(({ path }) => !present.has(path)).map(({ path }) => path);
  const ignored = await findIgnored(top, fresh);
  const entries: string[] = [];
  const overtaken: string[] = [];
  const blobs = new Map<string, string>();
  for (const file of wanted) {
    const { path } = file;
    if (ignored.includes(path)) continue;
    const known = present.get(path);
    const blob = await blobToCommit(repository, target, { file, present: known?.blob, ...input });
    if (typeof blob === 'string') blobs.set(path, blob);
    if (blob === undefined) overtaken.push(path);
    else entries.push(blob === null ? `0 ${zero}\t${path}` : `${known?.mode ?? '100644'} ${blob}\t${path}`);
  }
  if (entries.length === 0) return { commit: undefined, ignored, overtaken, blobs };
  const tree = await writeTree(top, parent?.tree, entries, indexFile);
  const isSame = tree === parent?.tree;
  const commit = isSame ? undefined : await writeCommit(top, tree, parent, input);
  // Before the branch: whoever commits between the two has the files in their commit, instead of taking them back.
  if (target.isCheckedOut) await whenFree(() => changeIndex(top, entries, { trusted: true }));
  if (commit !== undefined) {
    const subject = input.message.split('\n', 1)[0];
    const former = target.isThere ? (parent?.commit ?? zero) : zero;
    await runGit(top, ['update-ref', '-m', `commit: ${subject}`, target.ref, commit, former]);
  }
  return { commit, ignored, overtaken, blobs };
}

/** What git's configuration says of commits. */
export async function readCommitSettings(top: string): Promise<Omit<CommitSettings, 'committer'>> {
  const [signs, hasIdentity] = await Promise.all([
    runGit(top, ['config', '--type=bool', '--get', 'commit.gpgSign']).then(
      (printed) => printed.trim() === 'true',
      () => false,
    ),
    runGit(top, ['var', 'GIT_COMMITTER_IDENT']).then(
      () => true,
      () => false,
    ),
  ]);
  return { signs, hasIdentity };
}

interface Entry {
  readonly mode: string;
  readonly blob: string;
}

const NOTHING: ReadonlyMap<string, Entry> = new Map();
/** More paths than this are not put on a command line. */
const NAMED_PATHS = 200;

async function readEntries(
  top: string,
  tree: string,
  files: readonly CommittedFile[],
): Promise<ReadonlyMap<string, Entry>> {
  const paths = files.length > NAMED_PATHS ? [] : files.map(({ path }) => path);
  const printed = await runGit(top, ['ls-tree', '-r', '-z', '--full-tree', tree, '--', ...paths]);
  const entries = new Map<string, Entry>();
  for (const line of printed.split('\0')) {
    const [about = '', path] = line.split('\t', 2);
    const [mode = '', , blob = ''] = about.split(' ');
    if (path !== undefined) entries.set(path, { mode, blob });
  }
  return entries;
}

async function findIgnored(top: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  try {
    const printed = await runGit(top, ['check-ignore', '-z', '--stdin'], {
      input: paths.map((path) => HERE + path).join('\0'),
      // It knows none, and takes a path as it is but for a colon at its start.
      env: { GIT_LITERAL_PATHSPECS: '0' },
    });
    return printed.split('\0').flatMap((path) => (path === '' ? [] : [path.slice(HERE.length)]));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 1) return [];
    throw error;
  }
}

const HERE = './';

async function writeTree(
  top: string,
  before: string | undefined,
  entries: readonly string[],
  indexFile: string,
): Promise<string> {
  const env = { GIT_INDEX_FILE: indexFile };
  try {
    await runGit(top, ['read-tree', before ?? '--empty'], { env });
    await changeIndex(top, entries, { env });
    return (await runGit(top, ['write-tree'], { env })).trim();
  } finally {
    for (const file of [indexFile, `${indexFile}.lock`]) rmSync(file, { force: true });
  }
}

async function changeIndex(
  top: string,
  entries: readonly string[],
  run: { readonly env?: Readonly<Record<string, string>>; readonly trusted?: boolean },
): Promise<void> {
  await runGit(top, ['update-index', '-z', '--index-info'], { ...run, input: `${entries.join('\0')}\0` });
}

async function writeCommit(
  top: string,
  tree: string,
  parent: CommitTarget['parent'],
  { author, settings: { committer, hasIdentity, signs }, message, seconds }: CommitInput,
): Promise<string> {
  // Of a history whose times go back, git finds less.
  const date = gitDate(Math.max(seconds, parent?.seconds ?? 0));
  const acting = committer ?? (hasIdentity ? undefined : author);
  const args = ['-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', tree];
  if (parent !== undefined) args.push('-p', parent.commit);
  if (signs) args.push('-S');
  const printed = await runGit(top, [...args, '-F', '-'], {
    input: `${message.trimEnd()}\n`,
    trusted: true,
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.mail,
      GIT_AUTHOR_DATE: gitDate(seconds),
      GIT_COMMITTER_DATE: date,
      ...(acting && { GIT_COMMITTER_NAME: acting.name, GIT_COMMITTER_EMAIL: acting.mail }),
    },
  });
  return printed.trim();
}

/** With the offset of this machine's clock. */
function gitDate(seconds: number): string {
  const minutes = -new Date(seconds * 1000).getTimezoneOffset();
  const size = Math.abs(minutes);
  const offset = String(Math.floor(size / 60) * 100 + (size % 60)).padStart(4, '0');
  return `@${seconds} ${minutes < 0 ? '-' : '+'}${offset}`;
}

/** Whoever looks at the state of a repository holds its index for a moment. */
async function whenFree(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isCollision(error) || tries === INDEX_TRIES) throw error;
      await new Promise((done) => setTimeout(done, INDEX_PAUSE_MS * (0.5 + Math.random())));
    }
  }
}

const INDEX_TRIES = 20;
const INDEX_PAUSE_MS = 30;

/** Whether an error is that of two who were there at the same time: to be tried again at once. */
export function isCollision(error: unknown): boolean {
  return /cannot lock ref|index\.lock|\.lock'/.test(reasonOf(error));
}
