import { mergeContentFile } from '../content/merge-file.ts';
import { type Blobs, createBlobs, mergeBlobs } from './blobs.ts';
import { type CommitPlan, type Entry, importCommits, readEntries, readSettings } from './commits.ts';
import type { Person } from './person.ts';
import { NotNowError, type Repository, type Tip } from './repository.ts';
import { runGit } from './run-git.ts';

/** Commits that were made again upon others. */
export interface Rebased {
  readonly tip: Tip;
  /** By former hash, the new one; null if the commit conflicts with others and was left out. */
  readonly moved: ReadonlyMap<string, string | null>;
  /** The commits that were left out. */
  readonly conflicts: readonly { readonly commit: string; readonly subject: string; readonly path: string }[];
}

/**
 * Makes the commits between two again upon `onto`, file by file: lines are merged, else fields. A commit is left out as a
 * whole if it has changed the same field of a file, and without a report if `without` has it. Moves no branch. Throws NotNowError for commits that are merges.
 */
export async function rebaseCommits(
  repository: Repository,
  {
    from,
    onto,
    without,
    committer,
  }: {
    readonly from: string;
    readonly onto: Tip;
    readonly without: string | undefined;
    readonly committer: Person | undefined;
  },
): Promise<Rebased> {
  const { top, prefix } = repository;
  const commits = await readCommits(top, [from, `^${onto.commit}`, ...(without ? [`^${without}`] : [])]);
  const merge = commits.find(({ parents }) => parents.length > 1);
  if (merge !== undefined) {
    throw new NotNowError(
      `The commit ${merge.commit.slice(0, 12)} is a merge that the remote does not have: pull and push it by hand.`,
    );
  }
  const changes = await Promise.all(commits.map(({ commit }) => readChanges(top, commit)));
  const paths = [...new Set(changes.flatMap((list) => list.map(({ path }) => path)))];
  const tree = new Map(paths.length === 0 ? [] : await readEntries(top, onto.commit, paths));
  const blobs = await createBlobs(repository, []);
  const plans: { readonly commit: string; readonly plan: CommitPlan | undefined }[] = [];
  const conflicts: { commit: string; subject: string; path: string }[] = [];
  for (const [index, { commit, author, at, message }] of commits.entries()) {
    const entries = new Map<string, Entry | undefined>();
    let conflict: string | undefined;
    for (const change of changes[index] ?? []) {
      const merged = await mergeChange(top, blobs, change, tree.get(change.path), prefix);
      if (merged === CONFLICT) {
        conflict = change.path;
        break;
      }
      entries.set(change.path, merged);
    }
    if (conflict !== undefined) {
      const [subject = ''] = message.split('\n');
      conflicts.push({ commit, subject, path: conflict });
      plans.push({ commit, plan: undefined });
      continue;
    }
    const isNew = [...entries].some(([path, entry]) => entry?.blob !== tree.get(path)?.blob);
    for (const [path, entry] of entries) {
      if (entry === undefined) tree.delete(path);
      else tree.set(path, entry);
    }
    const input = { files: [], author, message, from: at, to: at };
    plans.push({ commit, plan: { input, entries, isNew, ignored: [], overtaken: [] } });
  }
  const wanted = plans.flatMap(({ plan }) => (plan?.isNew ? [plan] : []));
  const tips =
    wanted.length === 0
      ? []
      : await importCommits(top, onto, wanted, blobs, await readSettings(top), committer);
  const moved = new Map<string, string | null>();
  let tip = onto;
  let next = 0;
  for (const { commit, plan } of plans) {
    if (plan?.isNew) tip = tips[next++] ?? tip;
    moved.set(commit, plan === undefined ? null : tip.commit);
  }
  return { tip, moved, conflicts };
}

interface OwnCommit {
  readonly commit: string;
  readonly parents: readonly string[];
  readonly author: Person;
  /** Unix seconds. */
  readonly at: number;
  readonly message: string;
}

async function readCommits(top: string, range: readonly string[]): Promise<readonly OwnCommit[]> {
  const format = '--format=%H%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%B%x1e';
  const printed = await runGit(top, ['log', '--reverse', '--topo-order', format, ...range, '--']);
  return printed
    .split('\x1e')
    .map((part) => part.trimStart().split('\x1f'))
    .flatMap(([commit = '', parents = '', name = '', mail = '', at = '', message = '']) =>
      commit === ''
        ? []
        : [
            {
              commit,
              parents: parents.split(' ').filter((each) => each !== ''),
              author: { name, mail },
              at: Number(at),
              message,
            },
          ],
    );
}

interface Change {
  readonly path: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
}

async function readChanges(top: string, commit: string): Promise<readonly Change[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-commit-id', '--root', '--full-index', commit];
  const parts = (await runGit(top, args)).split('\0');
  const changes: Change[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [mode = '', newMode = '', blob = '', newBlob = ''] = (parts[at] ?? '').slice(1).split(' ');
    const entry = (itsMode: string, itsBlob: string) =>
      /^0+$/.test(itsBlob) ? undefined : { mode: itsMode, blob: itsBlob };
    changes.push({ path: parts[at + 1] ?? '', before: entry(mode, blob), after: entry(newMode, newBlob) });
  }
  return changes;
}

/** Ends of names of files to which lines are added, such as the list of removed ids. */
const LIST_OF_LINES = '.jsonl';

const CONFLICT = Symbol('conflict');

async function mergeChange(
  top: string,
  blobs: Blobs,
  { path, before, after }: Change,
  present: Entry | undefined,
  prefix: string,
): Promise<Entry | undefined | typeof CONFLICT> {
  if (present?.blob === before?.blob || present?.blob === after?.blob) return after;
  if (present === undefined || after === undefined) return CONFLICT;
  const entryOf = (blob: string | undefined) => (blob === undefined ? CONFLICT : { mode: after.mode, blob });
  const mergeLines = (ids: readonly [string, string, string], union = false) =>
    mergeBlobs(top, blobs, ids, union);
  if (path.endsWith(LIST_OF_LINES)) {
    const base = before?.blob ?? blobs.add(new Uint8Array());
    return entryOf(await mergeLines([after.blob, base, present.blob], true));
  }
  if (before === undefined) return CONFLICT;
  if (path.startsWith(prefix)) {
    const [base, ours, theirs] = [
      await blobs.bytesOf(before.blob),
      await blobs.bytesOf(after.blob),
      await blobs.bytesOf(present.blob),
    ];
    const merged = await mergeContentFile(
      path.slice(prefix.length),
      { base, ours, theirs },
      async (texts) => {
        const idOf = (text: string) => blobs.add(encoder.encode(text));
        const blob = await mergeLines([idOf(texts.ours), idOf(texts.base), idOf(texts.theirs)]);
        return blob && decoder.decode(await blobs.bytesOf(blob));
      },
    );
    if (merged !== undefined) return entryOf(merged === null ? undefined : blobs.add(merged));
  }
  return entryOf(await mergeLines([after.blob, before.blob, present.blob]));
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
