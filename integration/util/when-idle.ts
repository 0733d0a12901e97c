/** So long nothing may keep a process busy before it counts as idle; and so long that is waited for at most. Milliseconds. */
const IDLE_FOR_MS = 1000;
const LONGEST_MS = 6000;
const TICK_MS = 25;
/** A tick that comes later finds the process busy. */
const LATE_MS = 15;

/**
 * Resolves when there is nothing else to do, or after six seconds: for work that would only keep those waiting who ask
 * something right after the start. `isAsked` says whether somebody waits already, be it for another thread or process.
 */
export async function whenIdle(isAsked: () => boolean = () => false): Promise<void> {
  const start = performance.now();
  for (let idleSince = start, now = start; now - start < LONGEST_MS && now - idleSince < IDLE_FOR_MS; ) {
    await new Promise((done) => setTimeout(done, TICK_MS));
    const late = performance.now() - now - TICK_MS;
    now = performance.now();
    if (late > LATE_MS || isAsked()) idleSince = now;
  }
}
