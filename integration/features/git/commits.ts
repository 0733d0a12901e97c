import { identity, quoted, TEMPORARY_REF } from '../../core/runtime/fast-import.ts';
import { exitCode, gitReason, runGit } from '../../core/runtime/run-git.ts';
import type { MergedContent } from '../../core/write/commits.ts';
import type { Person } from '../../core/write/person.ts';
import { type Blobs, blobToCommit, createBlobs } from './blobs.ts';
import type { JournalFile } from './journal.ts';
import type { CommitTarget, Repository, Tip } from './repository.ts';

/** One commit to make. */
export interface CommitInput {
  readonly files: readonly JournalFile[];
  readonly author: Person;
  readonly message: string;
  /** When the first and the last of the changes were made, Unix seconds. */
  readonly from: number;
  readonly to: number;
}

/** A commit that exists, but is on no branch yet. */
export interface BuiltCommit {
  readonly input: CommitInput;
  /** The changed entries of the tree; undefined for a removed file. */
  readonly entries: ReadonlyMap<string, Entry | undefined>;
  /** False if the branch has all of the input already. */
  readonly isNew: boolean;
  /** The commit that has all of the input: a new one, or the tip before it. Undefined in a repository without commits. */
  readonly commit: string | undefined;
  /** Paths that are not in the commit because git ignores them. */
  readonly ignored: readonly string[];
  /** Paths that are not in the commit because someone else has committed conflicting changes. */
  readonly overtaken: readonly string[];
}

export interface Entry {
  readonly mode: string;
  readonly blob: string;
}

export interface BuiltCommits {
  readonly commits: readonly BuiltCommit[];
  /** The last commit; undefined if the branch has all changes already. */
  readonly tip: Tip | undefined;
  /** Why the next commit cannot be built. */
  readonly failure?: { readonly error: unknown };
}

/** By default, the committer is the one of git's configuration, else the author. */
export function createCommitBuilder(
  repository: Repository,
  committer: Person | undefined,
  content: Pick<MergedContent, 'isAllowed'>,
) {
  const { top, zero } = repository;
  /** By path, the blobs that our commits have left. */
  const ourBlobs = new Map<string, string>();
  let settings: { readonly value: Promise<Settings>; readonly until: number } | undefined;

  function currentSettings(): Promise<Settings> {
    if (settings === undefined || settings.until < performance.now())
      settings = { value: readSettings(top), until: performance.now() + SETTINGS_MS };
    return settings.value;
  }

  return {
    /**
     * Builds commits of exactly these files, whatever else is changed or staged, and moves no branch. The number of git
     * processes does not depend on the number of commits. Files of the working tree are not touched. Filters of
     * `.gitattributes` apply; commit hooks do not run.
     */
    async build(target: CommitTarget, inputs: readonly CommitInput[]): Promise<BuiltCommits> {
      const { parent } = target;
      const paths = [...new Set(inputs.flatMap(({ files }) => files.map(({ path }) => path)))];
      // One git after the other: starting several at once would delay requests.
      const tree = new Map(parent && (await readEntries(top, parent.commit, paths)));
      const blobs = await createBlobs(repository, paths);
      const ignored = await findIgnored(
        top,
        paths.filter((path) => !tree.has(path)),
      );
      const ours = new Map(ourBlobs);

      async function plan(input: CommitInput): Promise<CommitPlan> {
        const entries = new Map<string, Entry | undefined>();
        const left = { ignored: [] as string[], overtaken: [] as string[] };
        let isNew = false;
        for (const file of input.files) {
          const { path, after, ifMissing } = file;
          const present = tree.get(path);
          if (present === undefined ? after === null : ifMissing === true) continue;
          if (present === undefined && ignored.has(path)) {
            left.ignored.push(path);
            continue;
          }
          const state = { file, present: present?.blob, ours: ours.get(path), seconds: input.from };
          const blob = await blobToCommit(repository, target, blobs, state, content);
          if (blob === undefined) left.overtaken.push(path);
          else {
            entries.set(path, blob === null ? undefined : { mode: present?.mode ?? '100644', blob });
            isNew ||= blob !== present?.blob;
          }
        }
        return { input, entries, isNew, ...left };
      }

      const plans: CommitPlan[] = [];
      let failure: { readonly error: unknown } | undefined;
      for (const input of inputs) {
        try {
          plans.push(await plan(input));
        } catch (error) {
          failure = { error };
          break;
        }
        for (const [path, entry] of plans.at(-1)?.entries ?? []) {
          if (entry === undefined) tree.delete(path);
          else {
            tree.set(path, entry);
            ours.set(path, entry.blob);
          }
        }
      }
      const isAnyNew = plans.some(({ isNew }) => isNew);
      const tips = isAnyNew
        ? await importCommits(top, parent, plans, blobs, await currentSettings(), committer)
        : [];
      const tip = tips.at(-1);
      let commit = parent?.commit;
      const commits = plans.map((each) => {
        if (each.isNew) commit = tips.shift()?.commit;
        return { ...each, commit };
      });
      return { commits, tip, ...(failure && { failure }) };
    },

    /**
     * Moves the branch to the last of these commits. If it is checked out, the index gets the same files, as with
     * `git commit --only`. Rejects if another process moves the branch or holds the index; then the branch stays.
     */
    async publish(target: CommitTarget, { commits, tip }: BuiltCommits, message: string): Promise<void> {
      const entries = new Map(commits.flatMap((each) => [...each.entries]));
      // Before the branch: another commit between the two then contains the files instead of reverting them.
      if (target.isCheckedOut && entries.size > 0) {
        const lines = [...entries].map(([path, entry]) =>
          entry === undefined ? `0 ${zero}\t${path}\0` : `${entry.mode} ${entry.blob}\t${path}\0`,
        );
        await runGit(top, ['update-index', '-z', '--index-info'], { trusted: true, input: lines.join('') });
      }
      if (tip !== undefined) {
        const former = target.exists ? (target.parent?.commit ?? zero) : zero;
        await runGit(top, ['update-ref', '-m', `commit: ${message}`, target.ref, tip.commit, former]);
      }
      for (const [path, entry] of entries) if (entry !== undefined) ourBlobs.set(path, entry.blob);
    },
  };
}

export interface CommitPlan extends Omit<BuiltCommit, 'commit'> {
  /** True for a commit that the next one is not built upon. */
  readonly isAside?: boolean;
}

/** Longer lists of paths are not put on a command line. */
const MAX_ARGUMENTS = 200;

export async function readEntries(
  top: string,
  commit: string,
  paths: readonly string[],
): Promise<readonly (readonly [string, Entry])[]> {
  const only = paths.length > MAX_ARGUMENTS ? [] : paths;
  const printed = await runGit(top, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...only]);
  return printed.split('\0').flatMap((line) => {
    const [fields = '', path] = line.split('\t', 2);
    const [mode = '', , blob = ''] = fields.split(' ');
    return path === undefined ? [] : [[path, { mode, blob }] as const];
  });
}

async function findIgnored(top: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  try {
    const printed = await runGit(top, ['check-ignore', '-z', '--stdin'], {
      // `./` protects a path that starts with a colon, because this command does not support literal paths.
      input: paths.map((path) => `./${path}`).join('\0'),
      env: { GIT_LITERAL_PATHSPECS: '0' },
    });
    return new Set(printed.split('\0').map((path) => path.slice(2)));
  } catch (error) {
    if (exitCode(error) === 1) return new Set();
    throw error;
  }
}

/** Creates the new commits with one `git fast-import`, each upon the last one that is not aside. */
export async function importCommits(
  top: string,
  parent: Tip | undefined,
  plans: readonly CommitPlan[],
  blobs: Blobs,
  settings: Settings,
  committer = settings.committer,
): Promise<Tip[]> {
  // Git's history walks expect that dates do not go back.
  let seconds = parent?.seconds ?? 0;
  const commits = plans
    .filter(({ isNew }) => isNew)
    .map(({ input, entries, isAside = false }) => {
      seconds = Math.max(seconds, input.to);
      return { input, entries, isAside, seconds, committer: committer ?? input.author };
    });
  /** By position, that of the commit below. */
  const below = commits.map((_, index) =>
    commits.findLastIndex(({ isAside }, other) => other < index && !isAside),
  );
  const stream: (string | Uint8Array)[] = ['feature done\n'];
  const addData = (bytes: Uint8Array) => stream.push(`data ${bytes.length}\n`, bytes, '\n');
  for (const [index, { input, entries, committer: person, seconds: at }] of commits.entries()) {
    stream.push(`commit ${TEMPORARY_REF}\nmark :${index + 1}\n`);
    stream.push(`author ${identity(input.author)} ${gitDate(input.to)}\n`);
    stream.push(`committer ${identity(person)} ${gitDate(at)}\n`);
    addData(Buffer.from(`${input.message.trimEnd()}\n`));
    const from = below[index] ?? -1;
    if (from >= 0) stream.push(`from :${from + 1}\n`);
    else if (parent !== undefined) stream.push(`from ${parent.commit}\n`);
    // Removals first: a folder may replace a file.
    for (const [path, entry] of entries) if (entry === undefined) stream.push(`D ${quoted(path)}\n`);
    for (const [path, entry] of entries) {
      if (entry === undefined) continue;
      const bytes = blobs.newBytes(entry.blob);
      stream.push(`M ${entry.mode} ${bytes === undefined ? entry.blob : 'inline'} ${quoted(path)}\n`);
      if (bytes !== undefined) addData(bytes);
    }
    stream.push(`\nget-mark :${index + 1}\n`);
  }
  stream.push(`reset ${TEMPORARY_REF}\n\ndone\n`);
  const input = Buffer.concat(stream.map((part) => Buffer.from(part)));
  const hashes = (await runGit(top, ['fast-import', '--quiet'], { input })).trim().split('\n');
  const tips = hashes.map((commit, index) => ({ commit, seconds: commits[index]?.seconds ?? seconds }));
  if (!settings.signs) return tips;
  // fast-import cannot sign: the same commits are created again.
  const signed: Tip[] = [];
  for (const [index, commit] of commits.entries()) {
    const { author, message, to } = commit.input;
    const before = (signed[below[index] ?? -1] ?? parent)?.commit;
    const args = ['commit-tree', `${hashes[index]}^{tree}`, ...(before === undefined ? [] : ['-p', before])];
    const printed = await runGit(top, [...args, '-S', '-F', '-'], {
      input: `${message.trimEnd()}\n`,
      trusted: true,
      env: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.mail,
        GIT_AUTHOR_DATE: `@${gitDate(to)}`,
        GIT_COMMITTER_NAME: commit.committer.name,
        GIT_COMMITTER_EMAIL: commit.committer.mail,
        GIT_COMMITTER_DATE: `@${gitDate(commit.seconds)}`,
      },
    });
    signed.push({ commit: printed.trim(), seconds: commit.seconds });
  }
  return signed;
}

/** Settings of git. */
interface Settings {
  readonly signs: boolean;
  /** Undefined if git has no user. */
  readonly committer: Person | undefined;
}

/** Milliseconds after which the settings are read again. */
const SETTINGS_MS = 10_000;

export async function readSettings(top: string): Promise<Settings> {
  const signs = await runGit(top, ['config', '--type=bool', '--get', 'commit.gpgSign']).catch(() => '');
  const identityLine = await runGit(top, ['var', 'GIT_COMMITTER_IDENT']).catch(() => '');
  const [, name, mail] = /^([^<>\n]*) <([^<>\n]*)> \d+ [+-]\d+$/.exec(identityLine.trim()) ?? [];
  const committer = name === undefined || mail === undefined ? undefined : { name, mail };
  return { signs: signs.trim() === 'true', committer };
}

/** Unix seconds and the offset of this machine's time zone. */
function gitDate(seconds: number): string {
  const minutes = -new Date(seconds * 1000).getTimezoneOffset();
  const size = Math.abs(minutes);
  const offset = String(Math.floor(size / 60) * 100 + (size % 60)).padStart(4, '0');
  return `${seconds} ${minutes < 0 ? '-' : '+'}${offset}`;
}

/** True if another git process was in the way: git can be tried again soon. */
export function isCollision(error: unknown): boolean {
  return /cannot lock ref|index\.lock|\.lock'/.test(gitReason(error));
}
