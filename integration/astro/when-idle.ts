/** Milliseconds without work after which the process is idle, and the maximum wait. */
const IDLE_FOR_MS = 1000;
const LONGEST_MS = 6000;
const TICK_MS = 25;
/** A timer that is later than this shows that the process is busy. */
const LATE_MS = 15;

/**
 * Resolves when the process is idle, or after six seconds: for work that would delay the first requests after a start.
 * `hasRequests` returns true while requests are waiting, for example for another process.
 */
export async function whenIdle(hasRequests: () => boolean = () => false): Promise<void> {
  const start = performance.now();
  for (let idleSince = start, now = start; now - start < LONGEST_MS && now - idleSince < IDLE_FOR_MS; ) {
    await new Promise((done) => setTimeout(done, TICK_MS));
    const late = performance.now() - now - TICK_MS;
    now = performance.now();
    if (late > LATE_MS || hasRequests()) idleSince = now;
  }
}
