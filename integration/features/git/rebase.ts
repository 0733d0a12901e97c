import { withoutGone } from '../../core/content/ledger.ts';
import { mergeContentFile } from '../../core/content/merge-file.ts';
import type { Reference } from '../../core/content/model.ts';
import { digestBytes } from '../../core/util/revision.ts';
import type { MergedContent } from '../../core/write/commits.ts';
import type { Person } from '../../core/write/person.ts';
import { type Blobs, createBlobs, mergeBlobs } from './blobs.ts';
import { type CommitPlan, type Entry, importCommits, readEntries, readSettings } from './commits.ts';
import { type Change, type OwnCommit, readChanges, readCommits } from './own-commits.ts';
import { findRefusedBodies } from './pulled-bodies.ts';
import { NotNowError, type Repository, type Tip } from './repository.ts';

/** Commits that were made again upon others. */
export interface Rebased {
  readonly tip: Tip;
  /** By former hash, the commit with the kept changes; null if nothing was kept. */
  readonly moved: ReadonlyMap<string, string | null>;
  /** By former hash, the changes of files that are not in the commit. */
  readonly conflicts: ReadonlyMap<string, readonly NewConflict[]>;
}

/** A change of a file that others have overtaken. */
export interface NewConflict {
  readonly id: string;
  /** Differs from its parent, which is on the branch, by nothing but this change. */
  readonly commit: string;
  /** In the repository. */
  readonly path: string;
  readonly subject: string;
  /** The author of a body on the branch that their account may not write; undefined for a change of this server. */
  readonly refused?: string;
}

export interface RebaseOptions {
  readonly from: string;
  readonly onto: Tip;
  /** Commits that it has are not made again, and bodies in them are not checked. Empty without such commits. */
  readonly without: string;
  readonly committer: Person | undefined;
  readonly content: MergedContent;
  /** The message of the commit of a conflict. */
  messageOf(message: string, path: string): string;
}

/**
 * Makes the commits between two again upon `onto`, file by file and field by field. Changes of others stay: our change
 * of the same field becomes a conflict, with a commit of its own beside the branch, and so does a new body on the branch that
 * the account of its commit may not write. Moves no branch. Throws NotNowError for
 * commits that are merges.
 */
export async function rebaseCommits(repository: Repository, options: RebaseOptions): Promise<Rebased> {
  const { top } = repository;
  const { from, onto, without, committer, messageOf } = options;
  const commits = await readCommits(top, [
    from,
    `^${onto.commit}`,
    ...(without === '' ? [] : [`^${without}`]),
  ]);
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
  const refused =
    without === ''
      ? []
      : await findRefusedBodies(repository, blobs, {
          from: without,
          to: onto.commit,
          content: options.content,
        });
  const takenBack = refused.map(({ path, commit, before, present }) => {
    const { author, at, message } = commit;
    const site = committer ?? SITE;
    const common = { ignored: [], overtaken: [], isNew: true };
    const input = {
      files: [],
      author: site,
      message: `Take back the text of ${path}`,
      from: onto.seconds,
      to: onto.seconds,
    };
    const lost = { files: [], author, message: messageOf(message, path), from: at, to: at };
    setEntry(tree, path, before);
    return {
      path,
      commit,
      kept: { ...common, input, entries: new Map([[path, before]]) },
      lost: { ...common, input: lost, entries: new Map([[path, present]]), isAside: true },
    };
  });
  const plans: { readonly kept: CommitPlan; readonly lost: ReadonlyMap<string, CommitPlan> }[] = [];
  for (const [index, { author, at, message }] of commits.entries()) {
    const planOf = (entries: CommitPlan['entries'], text: string, isAside: boolean): CommitPlan => ({
      ...{ entries, isAside, ignored: [], overtaken: [] },
      input: { files: [], author, message: text, from: at, to: at },
      isNew: [...entries].some(([path, entry]) => entry?.blob !== tree.get(path)?.blob),
    });
    const merged = await mergeChanges(repository, blobs, changes[index] ?? [], tree, options.content);
    const kept = planOf(new Map(merged.map(({ path, kept: entry }) => [path, entry])), message, false);
    for (const [path, entry] of kept.entries) setEntry(tree, path, entry);
    const lost = new Map<string, CommitPlan>();
    for (const { path, conflict } of merged) {
      if (conflict === undefined) continue;
      lost.set(path, planOf(new Map([[path, conflict.lost]]), messageOf(message, path), true));
    }
    plans.push({ kept, lost });
  }
  const wanted: readonly CommitPlan[] = [
    ...takenBack.flatMap(({ kept, lost }) => [kept, lost]),
    ...plans.flatMap(({ kept, lost }) => [...(kept.isNew ? [kept] : []), ...lost.values()]),
  ];
  const tips =
    wanted.length === 0
      ? []
      : await importCommits(top, onto, wanted, blobs, await readSettings(top), committer);
  const tipOf = (plan: CommitPlan) => tips[wanted.indexOf(plan)];
  const moved = new Map<string, string | null>();
  const conflicts = new Map<string, readonly NewConflict[]>();
  let tip = onto;
  for (const { path, commit: former, kept, lost } of takenBack) {
    tip = tipOf(kept) ?? tip;
    const { commit, author } = former;
    const conflict = conflictOf(former, path, tipOf(lost));
    conflicts.set(`${commit} ${path}`, [{ ...conflict, refused: author.name }]);
  }
  for (const [index, own] of commits.entries()) {
    const { commit } = own;
    const { kept, lost } = plans[index] ?? { kept: undefined, lost: new Map<string, CommitPlan>() };
    if (kept?.isNew) tip = tipOf(kept) ?? tip;
    moved.set(commit, kept?.isNew !== true && lost.size > 0 ? null : tip.commit);
    const list = [...lost].map(([path, plan]) => conflictOf(own, path, tipOf(plan)));
    if (list.length > 0) conflicts.set(commit, list);
  }
  return { tip, moved, conflicts };
}

/** The author of commits that take back a body. */
const SITE: Person = { name: 'astro-jsonapi', mail: 'astro-jsonapi@users.noreply.invalid' };

function conflictOf({ commit, message }: OwnCommit, path: string, tip: Tip | undefined): NewConflict {
  const [subject = ''] = message.split('\n');
  // The same again if the process dies before the branch has moved.
  const id = digestBytes(encoder.encode(`${commit} ${path}`));
  return { id, commit: tip?.commit ?? '', path, subject };
}

function setEntry(tree: Map<string, Entry>, path: string, entry: Entry | undefined): void {
  if (entry === undefined) tree.delete(path);
  else tree.set(path, entry);
}

/** Ends of names of files to which lines are added, such as the list of removed ids. */
const LIST_OF_LINES = '.jsonl';

interface MergedChange {
  readonly path: string;
  /** The file on the branch; undefined if it is removed. */
  readonly kept: Entry | undefined;
  /** Our change, which is not in `kept`; `lost` is undefined if we have removed the file. */
  readonly conflict?: { readonly lost: Entry | undefined };
}

/** Merges the changes of a commit into a tree. */
async function mergeChanges(
  repository: Repository,
  blobs: Blobs,
  changes: readonly Change[],
  tree: ReadonlyMap<string, Entry>,
  content: MergedContent,
): Promise<readonly MergedChange[]> {
  const { prefix } = repository;
  const merged: MergedChange[] = [];
  for (const change of changes) {
    merged.push(await mergeChange(repository, blobs, change, tree.get(change.path), content));
  }
  const staying: Reference[] = [];
  const stayingBlobs = new Set<string>();
  for (const [at, { path, conflict }] of merged.entries()) {
    const before = changes[at]?.before;
    if (conflict === undefined || conflict.lost !== undefined || before === undefined) continue;
    const entity = await content.entityIn(path.slice(prefix.length), await blobs.bytesOf(before.blob));
    if (entity !== undefined) staying.push(entity);
    stayingBlobs.add(before.blob);
  }
  if (staying.length === 0) return merged;
  return Promise.all(
    merged.map(async (each, at) => {
      const { path, kept } = each;
      if (kept === undefined) return each;
      const present = tree.get(path);
      // A copy without the removed members.
      if (changes[at]?.before === undefined && stayingBlobs.has(kept.blob)) return { path, kept: present };
      if (!path.endsWith(LIST_OF_LINES)) return each;
      // Lists of removed entities do not get the others.
      const textOf = async (entry: Entry | undefined) =>
        entry === undefined ? '' : decoder.decode(await blobs.bytesOf(entry.blob));
      const text = withoutGone(await textOf(kept), staying, await textOf(present));
      return { ...each, kept: text === '' ? undefined : { ...kept, blob: blobs.add(encoder.encode(text)) } };
    }),
  );
}

/** In the content folder, only content files and lists of lines are merged: other files may be code, such as SVG. */
async function mergeChange(
  { top, prefix }: Repository,
  blobs: Blobs,
  { path, before, after }: Change,
  present: Entry | undefined,
  content: MergedContent,
): Promise<MergedChange> {
  if (present?.blob === before?.blob || present?.blob === after?.blob) return { path, kept: after };
  const refused = { path, kept: present, conflict: { lost: after } };
  if (present === undefined || after === undefined) return refused;
  const mergeLines = (ids: readonly [string, string, string], union = false) =>
    mergeBlobs(top, blobs, ids, union);
  const isList = path.endsWith(LIST_OF_LINES);
  if (isList || (before !== undefined && !path.startsWith(prefix))) {
    const base = before?.blob ?? blobs.add(new Uint8Array());
    const blob = await mergeLines([after.blob, base, present.blob], isList);
    return blob === undefined ? refused : { path, kept: { mode: after.mode, blob } };
  }
  if (before === undefined) return refused;
  const [base, ours, theirs] = [
    await blobs.bytesOf(before.blob),
    await blobs.bytesOf(after.blob),
    await blobs.bytesOf(present.blob),
  ];
  const key = path.slice(prefix.length);
  const merged = await mergeContentFile(
    key,
    { base, ours, theirs },
    {
      isAllowed: content.isAllowed,
      async mergeText(texts) {
        const idOf = (text: string) => blobs.add(encoder.encode(text));
        const blob = await mergeLines([idOf(texts.ours), idOf(texts.base), idOf(texts.theirs)]);
        return blob && decoder.decode(await blobs.bytesOf(blob));
      },
    },
  );
  if (merged === undefined) return refused;
  const entryOf = (bytes: Uint8Array) => ({ mode: after.mode, blob: blobs.add(bytes) });
  const { bytes, lost } = merged;
  return { path, kept: entryOf(bytes), ...(lost && { conflict: { lost: entryOf(lost) } }) };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
