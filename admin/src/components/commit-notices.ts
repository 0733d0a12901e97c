import type { Job } from '../api/document.ts';
import { followJob } from '../api/jobs.ts';
import { text } from '../texts/texts.ts';
import { notices } from './notices.svelte.ts';

const TOPIC = 'commit';

/** Says so if the commit of a change fails. The message about the change itself is enough if it succeeds. */
export async function reportCommit(job: Job): Promise<void> {
  const { state, details } = await followJob(job);
  if (state === 'pending' || state === 'committed') return;
  const reason = details.map(([name, value]) => `${name}: ${value}`).join(', ');
  notices.add('error', text('edit.notCommitted', { reason: reason || state }), undefined, TOPIC);
}
