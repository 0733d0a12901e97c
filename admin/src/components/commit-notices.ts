import type { Job } from '../api/document.ts';
import { followJob } from '../api/jobs.ts';
import { text } from '../texts/texts.ts';
import { notices } from './notices.svelte.ts';

/** Shows the commit of a change until it is done. */
export async function reportCommit(job: Job): Promise<void> {
  const id = notices.add('progress', text('edit.committing'));
  const { state, details } = await followJob(job);
  notices.remove(id);
  if (state === 'pending') return;
  const reason = details.map(([name, value]) => `${name}: ${value}`).join(', ');
  if (state === 'committed') notices.add('success', text('edit.committed'));
  else notices.add('error', text('edit.notCommitted', { reason: reason || state }));
}
