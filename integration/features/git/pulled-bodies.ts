import { bodyIn, takeBackBody } from '../../core/content/merge-file.ts';
import { formatOf } from '../../core/source/formats.ts';
import type { MergedContent } from '../../core/write/commits.ts';
import type { Blobs } from './blobs.ts';
import { type Entry, readEntries } from './commits.ts';
import { type OwnCommit, readChanges, readCommits } from './own-commits.ts';
import type { Repository } from './repository.ts';

/** A body on the branch that the account of its commit may not write. */
export interface RefusedBody {
  readonly path: string;
  readonly commit: OwnCommit;
  /** The file with the body from before; undefined if it did not exist. */
  readonly before: Entry | undefined;
  readonly present: Entry;
}

/**
 * Finds bodies in the commits between two that came from an account without the permission for them, and that have not
 * changed since. Authors without an account, and merges, are trusted.
 */
export async function findRefusedBodies(
  { top, prefix }: Repository,
  blobs: Blobs,
  { from, to, content }: { readonly from: string; readonly to: string; readonly content: MergedContent },
): Promise<readonly RefusedBody[]> {
  const refused: RefusedBody[] = [];
  const decided = new Set<string>();
  for (const commit of [...(await readCommits(top, [to, `^${from}`]))].reverse()) {
    if (commit.parents.length > 1) continue;
    const changes = (await readChanges(top, commit.commit)).filter(
      ({ path }) => path.startsWith(prefix) && !decided.has(path) && formatOf(path) !== undefined,
    );
    const present = new Map(
      changes.length === 0
        ? []
        : await readEntries(
            top,
            to,
            changes.map(({ path }) => path),
          ),
    );
    for (const { path, before, after } of changes) {
      const now = present.get(path);
      const key = path.slice(prefix.length);
      if (after === undefined || now === undefined || (await content.mayWriteCode(commit.author, key)))
        continue;
      const bodyOf = async (entry: Entry | undefined) =>
        entry && bodyIn(key, await blobs.bytesOf(entry.blob));
      const body = await bodyOf(after);
      if (body === (await bodyOf(before)) || body !== (await bodyOf(now))) continue;
      decided.add(path);
      const bytes = await blobs.bytesOf(now.blob);
      if (formatOf(key) !== 'mdx' && (await content.isAllowed(key, bytes))) continue;
      const former = before && takeBackBody(key, bytes, await blobs.bytesOf(before.blob));
      refused.push({
        ...{ path, commit, present: now },
        before: former && { mode: now.mode, blob: blobs.add(former) },
      });
    }
  }
  return refused;
}
