import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** How long to try. It is less than the timeout of a test, which would hide the last failure. */
  readonly patienceMs?: number;
  /** Milliseconds between two checks. */
  readonly intervalMs?: number;
}

/** Repeats a check until it passes, and returns its result. Throws the last failure if that takes too long. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { patienceMs = 60_000, intervalMs = 30 }: EventuallyOptions = {},
): Promise<T> {
  for (const end = performance.now() + patienceMs; ; ) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await sleep(intervalMs);
  }
}
