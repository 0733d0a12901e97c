import { createFileBlobs, type FileBlobs } from './file-blobs.ts';
import type { CommittedFile } from './overtaken-files.ts';
import { blobToCommit } from './overtaken-files.ts';
import type { Person } from './person.ts';
import type { CommitTarget, Repository } from './repository.ts';
import { reasonOf, runGit } from './run-git.ts';

/** One commit to make. */
export interface CommitInput {
  readonly files: readonly CommittedFile[];
  readonly author: Person;
  readonly message: string;
  /** When the first of it was changed, Unix seconds. */
  readonly begun: number;
  /** When the last of it was changed, Unix seconds. */
  readonly seconds: number;
}

export interface CommitSettings {
  /** Undefined if git does not know whom to name: then it is the author. */
  readonly committer: Person | undefined;
  readonly signs: boolean;
}

export interface CommitBatch {
  /** One commit each, in this order. */
  readonly commits: readonly CommitInput[];
  readonly settings: CommitSettings;
  /** Blobs of files as earlier commits have left them; those of these commits are added. */
  readonly earlier: Map<string, string>;
  /** Runs the git commands that take locks of the repository. */
  whileLocking(work: () => Promise<void>): Promise<void>;
}

export interface CommitResult {
  /** Undefined if the branch has all of it already. */
  readonly commit: string | undefined;
  /** Paths that git ignores; they are in no commit. */
  readonly ignored: readonly string[];
  /** Paths that somebody has committed since the change, in a way that the change cannot be brought into. */
  readonly overtaken: readonly string[];
}

export interface BatchResult {
  /** Of the commits in their order, up to the one that could not be made. */
  readonly results: readonly CommitResult[];
  /** Why the next one could not be made. */
  readonly failure: { readonly error: unknown } | undefined;
}

/**
 * Makes commits of exactly these files, whatever else is changed or staged: the commits are made beside the index. The
 * number of git processes does not depend on the number of commits. If the branch is checked out, the index gets the
 * same files, as with `git commit --only`. Files of the working tree are not touched: what somebody has typed since
 * stays an uncommitted change. A file that somebody else has committed since the change keeps what they committed, with
 * the change brought into it. Rejects, and has made no commit, if somebody else moves the branch meanwhile or holds the
 * index.
 *
 * Filters of `.gitattributes` apply; commit hooks do not run.
 */
export async function commitFiles(
  repository: Repository,
  target: CommitTarget,
  { commits, settings, earlier, whileLocking }: CommitBatch,
): Promise<BatchResult> {
  const { top, zero } = repository;
  const { parent } = target;
  const paths = [...new Set(commits.flatMap(({ files }) => files.map(({ path }) => path)))];
  const entries = new Map(parent === undefined ? [] : await readEntries(top, parent.tree, paths));
  const fresh = commits.flatMap(({ files }) =>
    files.filter(({ path, bytes }) => bytes !== null && !entries.has(path)).map(({ path }) => path),
  );
  const ignored = new Set(await findIgnored(top, fresh));
  const blobs = await createFileBlobs(repository, paths);
  const left = new Map<string, string>();
  const built: BuiltCommit[] = [];
  let failure: BatchResult['failure'];
  for (const input of commits) {
    const changes: FileChange[] = [];
    const result = { ignored: [] as string[], overtaken: [] as string[] };
    try {
      for (const file of input.files) {
        const { path, bytes, ifNew } = file;
        const present = entries.get(path);
        if (present === undefined ? bytes === null : ifNew === true) continue;
        if (present === undefined && ignored.has(path)) {
          result.ignored.push(path);
          continue;
        }
        const known = { file, present: present?.blob, earlier: left.get(path) ?? earlier.get(path) };
        const blob = await blobToCommit(repository, target, blobs, { ...known, begun: input.begun });
        if (blob === undefined) result.overtaken.push(path);
        else
          changes.push({
            path,
            entry: blob === null ? null : { mode: present?.mode ?? '100644', blob },
            present,
          });
      }
    } catch (error) {
      if (built.length === 0) throw error;
      failure = { error };
      break;
    }
    for (const { path, entry } of changes) {
      if (entry === null) entries.delete(path);
      else {
        entries.set(path, entry);
        left.set(path, entry.blob);
      }
    }
    const isNew = changes.some(({ entry, present }) => entry?.blob !== present?.blob);
    built.push({ input, changes, isNew, ...result });
  }
  const made = await writeCommits(
    repository,
    parent,
    built.filter(({ isNew }) => isNew),
    blobs,
    settings,
  );
  const indexed = [...new Set(built.flatMap(({ changes }) => changes.map(({ path }) => path)))];
  await whileLocking(async () => {
    // Before the branch: whoever commits between the two has the files in their commit, instead of taking them back.
    if (target.isCheckedOut && indexed.length > 0) {
      const lines = indexed.map((path) => {
        const entry = entries.get(path);
        return entry === undefined ? `0 ${zero}\t${path}` : `${entry.mode} ${entry.blob}\t${path}`;
      });
      const input = `${lines.join('\0')}\0`;
      await whenFree(() => runGit(top, ['update-index', '-z', '--index-info'], { trusted: true, input }));
    }
    const tip = made.at(-1);
    if (tip !== undefined) {
      const what = made.length === 1 ? tip.input.message.split('\n', 1)[0] : `${made.length} changes`;
      const former = target.isThere ? (parent?.commit ?? zero) : zero;
      await runGit(top, ['update-ref', '-m', `commit: ${what}`, target.ref, tip.id, former]);
    }
  });
  for (const [path, blob] of left) earlier.set(path, blob);
  const ids = new Map(made.map(({ input, id }) => [input, id]));
  const results = built.map(({ input, ignored, overtaken }) => ({
    commit: ids.get(input),
    ignored,
    overtaken,
  }));
  return { results, failure };
}

interface Entry {
  readonly mode: string;
  readonly blob: string;
}

interface FileChange {
  readonly path: string;
  /** Null if the file is removed. */
  readonly entry: Entry | null;
  readonly present: Entry | undefined;
}

interface BuiltCommit extends Pick<CommitResult, 'ignored' | 'overtaken'> {
  readonly input: CommitInput;
  readonly changes: readonly FileChange[];
  /** Whether it changes anything in the branch. */
  readonly isNew: boolean;
}

/** What git's configuration says of commits. */
export async function readCommitSettings(top: string): Promise<CommitSettings> {
  const [signs, committer] = await Promise.all([
    runGit(top, ['config', '--type=bool', '--get', 'commit.gpgSign']).then(
      (printed) => printed.trim() === 'true',
      () => false,
    ),
    runGit(top, ['var', 'GIT_COMMITTER_IDENT']).then(
      (printed) => {
        const [, name, mail] = /^([^<>\n]*) <([^<>\n]*)> \d+ [+-]\d+$/.exec(printed.trim()) ?? [];
        return name === undefined || mail === undefined ? undefined : { name, mail };
      },
      () => undefined,
    ),
  ]);
  return { signs, committer };
}
/** More paths than this are not put on a command line. */
const NAMED_PATHS = 200;

async function readEntries(
  top: string,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Entry>> {
  const named = paths.length > NAMED_PATHS ? [] : paths;
  const printed = await runGit(top, ['ls-tree', '-r', '-z', '--full-tree', tree, '--', ...named]);
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

/** Makes commits upon each other in one run of git, and moves no branch. */
async function writeCommits(
  { top }: Repository,
  parent: CommitTarget['parent'],
  commits: readonly BuiltCommit[],
  blobs: FileBlobs,
  { committer, signs }: CommitSettings,
): Promise<readonly { readonly input: CommitInput; readonly id: string }[]> {
  if (commits.length === 0) return [];
  const stream: (string | Uint8Array)[] = ['feature done\n'];
  // Git finds less in a history whose times go back.
  let seconds = parent?.seconds ?? 0;
  const dated = commits.map(({ input, changes }) => {
    seconds = Math.max(seconds, input.seconds);
    return { input, changes, who: committer ?? input.author, date: gitDate(seconds) };
  });
  for (const [at, { input, changes, who, date }] of dated.entries()) {
    stream.push(`commit ${UNSAVED_REF}\nmark :${at + 1}\n`);
    stream.push(`author ${identity(input.author)} ${gitDate(input.seconds)}\n`);
    stream.push(`committer ${identity(who)} ${date}\n`);
    stream.push(...data(Buffer.from(`${input.message.trimEnd()}\n`)));
    if (at > 0) stream.push(`from :${at}\n`);
    else if (parent !== undefined) stream.push(`from ${parent.commit}\n`);
    // First what is removed: a folder may take the place of a file.
    for (const { path, entry } of changes) if (entry === null) stream.push(`D ${quoted(path)}\n`);
    for (const { path, entry } of changes) {
      if (entry === null) continue;
      const bytes = blobs.pendingBytes(entry.blob);
      stream.push(`M ${entry.mode} ${bytes === undefined ? entry.blob : 'inline'} ${quoted(path)}\n`);
      if (bytes !== undefined) stream.push(...data(bytes));
    }
    stream.push(`\nget-mark :${at + 1}\n`);
  }
  stream.push(`reset ${UNSAVED_REF}\n\ndone\n`);
  const input = Buffer.concat(stream.map((part) => Buffer.from(part)));
  const ids = (await runGit(top, ['fast-import', '--quiet'], { input })).trim().split('\n');
  const made = dated.map((each, at) => ({ ...each, id: ids[at] ?? '' }));
  return signs ? signCommits(top, parent?.commit, made) : made;
}

/** Git wants a name while it makes commits; reset before the end, no such ref is ever written. */
const UNSAVED_REF = 'refs/worktree/astro-jsonapi';

interface DatedCommit {
  readonly input: CommitInput;
  readonly who: Person;
  readonly date: string;
  readonly id: string;
}

/** Makes the same commits once more, with signatures. */
async function signCommits(
  top: string,
  first: string | undefined,
  commits: readonly DatedCommit[],
): Promise<readonly DatedCommit[]> {
  const signed: DatedCommit[] = [];
  for (const commit of commits) {
    const { input, who, date, id } = commit;
    const parent = signed.at(-1)?.id ?? first;
    const parents = parent === undefined ? [] : ['-p', parent];
    const printed = await runGit(top, ['commit-tree', `${id}^{tree}`, ...parents, '-S', '-F', '-'], {
      input: `${input.message.trimEnd()}\n`,
      trusted: true,
      env: {
        GIT_AUTHOR_NAME: input.author.name,
        GIT_AUTHOR_EMAIL: input.author.mail,
        GIT_AUTHOR_DATE: `@${gitDate(input.seconds)}`,
        GIT_COMMITTER_NAME: who.name,
        GIT_COMMITTER_EMAIL: who.mail,
        GIT_COMMITTER_DATE: `@${date}`,
      },
    });
    signed.push({ ...commit, id: printed.trim() });
  }
  return signed;
}

function data(bytes: Uint8Array): readonly (string | Uint8Array)[] {
  return [`data ${bytes.length}\n`, bytes, '\n'];
}

/** As a stream for `git fast-import` has a path. */
function quoted(path: string): string {
  return `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}

function identity({ name, mail }: Person): string {
  const clean = (text: string) => text.replace(/[<>\0\n]/g, '').trim();
  return `${clean(name)} <${clean(mail)}>`;
}

/** Unix seconds with the offset of this machine's clock. */
function gitDate(seconds: number): string {
  const minutes = -new Date(seconds * 1000).getTimezoneOffset();
  const size = Math.abs(minutes);
  const offset = String(Math.floor(size / 60) * 100 + (size % 60)).padStart(4, '0');
  return `${seconds} ${minutes < 0 ? '-' : '+'}${offset}`;
}

/** Whoever looks at the state of a repository holds its index for a moment. */
async function whenFree(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
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
