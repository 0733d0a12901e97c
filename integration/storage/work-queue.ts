import { LockTimeoutError } from './errors.ts';

/** What has to be held while works run. */
export interface Lock {
  /** Waits until it is held and gives the function that lets go of it; undefined where nobody wants it any more. */
  take(isWanted: () => boolean): Promise<(() => void) | undefined>;
}

/** Runs `work` while no other one runs that was handed to the same queue or needs the same lock. */
export type Exclusively = <T>(work: () => Promise<T>) => Promise<T>;

/** So long a work waits for its turn. */
export const LOCK_TIMEOUT_MS = 10_000;
/** So long a lock is held while works are waiting; then others who want it have their turn. */
const TURN_MS = 20;

/**
 * Works in the order in which they came, one at a time, under a lock that is taken once for many of them. A work that
 * has not started after `timeoutMs` never does: its promise is rejected with a LockTimeoutError.
 */
export function createWorkQueue(lock: Lock = NO_LOCK, timeoutMs = LOCK_TIMEOUT_MS): Exclusively {
  const waiting = new Set<WaitingWork>();
  let isWorking = false;

  async function workAll(): Promise<void> {
    while (waiting.size > 0) {
      const release = await lock.take(() => waiting.size > 0);
      if (release === undefined) continue;
      try {
        const until = performance.now() + TURN_MS;
        for (const each of waiting) {
          waiting.delete(each);
          await each.start();
          if (performance.now() >= until) break;
        }
      } finally {
        release();
      }
    }
  }

  async function work(): Promise<void> {
    isWorking = true;
    try {
      await workAll();
    } catch (error) {
      for (const each of waiting) each.fail(error);
      waiting.clear();
    }
    isWorking = false;
  }

  return <T>(run: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(each);
        reject(new LockTimeoutError(timeoutMs));
      }, timeoutMs);
      const each: WaitingWork = {
        async start() {
          clearTimeout(timer);
          try {
            resolve(await run());
          } catch (error) {
            reject(error);
          }
        },
        fail(error) {
          clearTimeout(timer);
          reject(error);
        },
      };
      waiting.add(each);
      if (!isWorking) void work();
    });
}

const NO_LOCK: Lock = { take: async () => () => undefined };

interface WaitingWork {
  /** Never rejects. */
  start(): Promise<void>;
  fail(error: unknown): void;
}
