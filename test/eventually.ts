import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that tests wait for something; less than the timeout of a test, which hides the last failure. */
const PATIENCE_MS = 60_000;

/** Repeats a check until it passes, and returns its result. Throws the last failure if that takes too long. */
export async function eventually<T>(check: () => T | Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  for (const end = performance.now() + patienceMs; ; ) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await sleep(30);
  }
}
