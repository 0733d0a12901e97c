import { type Job, readJob } from './document.ts';
import { send } from './request.ts';

/** Waits until a job has ended. Returns its last known state; a job that takes longer than a minute is still pending. */
export async function followJob(job: Job): Promise<Job> {
  let current = job;
  for (
    let request = 0;
    request < MAX_REQUESTS && current.state === 'pending' && job.href !== undefined;
    request++
  ) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    const { document } = await send(new URL(job.href, location.href).href);
    current = readJob(document) ?? current;
  }
  return current;
}

const INTERVAL_MS = 1000;
const MAX_REQUESTS = 60;
