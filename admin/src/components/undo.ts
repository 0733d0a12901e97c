import { addedSince, type DeletedEntity, restoreFromBin } from '../api/bin.ts';
import { reasonOf } from '../api/problem-texts.ts';
import { site } from '../api/site.svelte.ts';
import { inRequests } from '../model/bulk-change.ts';
import { binText } from '../texts/bin.ts';
import { text } from '../texts/texts.ts';
import { reportCommit } from './commit-notices.ts';
import { type Notice, notices } from './notices.svelte.ts';

/**
 * The action that restores deleted entries; undefined if they are not in the bin. `newest` is its newest entry before.
 * Calls `onrestored` when they are back.
 */
export async function undoDeletion(
  newest: string | undefined,
  deleted: readonly DeletedEntity[],
  onrestored: () => void,
): Promise<Notice['action']> {
  const ids = await addedSince(newest, deleted);
  return ids && { label: text('app.undo'), run: () => void restoreEntries(ids, onrestored) };
}

/** Restores entries of the bin and says so, or why that failed. */
export async function restoreEntries(ids: readonly string[], onrestored: () => void): Promise<void> {
  const progress = notices.add('progress', binText('bin.restoring'));
  try {
    for (const some of inRequests(ids, site.schema.limits.operations)) {
      const job = await restoreFromBin(some);
      if (job !== undefined) void reportCommit(job);
    }
    notices.add('success', binText('bin.restored', { count: ids.length }));
    onrestored();
    // For the counts in the navigation. The undo succeeds without them.
    void site.load().catch(() => undefined);
  } catch (error) {
    notices.add('error', binText('bin.notRestored', { reason: await reasonOf(error) }));
  } finally {
    notices.remove(progress);
  }
}
