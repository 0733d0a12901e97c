import type { Job } from '../api/document.ts';
import { followJob } from '../api/jobs.ts';
import { text } from '../texts/texts.ts';
import { notices } from './notices.svelte.ts';

const TOPIC = 'commit';

/** Shows the commit of a change until it is done. */
export async function reportCommit(job: Job): Promise<void> {
  // Later changes replace the message about earlier ones.
  const id = notices.add('progress', text('edit.committing'), undefined, TOPIC);
  const { state, details } = await followJob(job);
  notices.remove(id);
  if (state === 'pending') return;
  const reason = details.map(([name, value]) => `${name}: ${value}`).join(', ');
  if (state === 'committed') notices.add('success', text('edit.committed'), undefined, TOPIC);
  else notices.add('error', text('edit.notCommitted', { reason: reason || state }), undefined, TOPIC);
}
