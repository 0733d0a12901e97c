import { LockTimeoutError } from './errors.ts';

/** What has to be held while works run. */
export interface Lock {
  /** Waits until it is held; undefined where nobody wants it any more. */
  take(isWanted: () => boolean): Promise<HeldLock | undefined>;
}

export interface HeldLock {
  /** What others who had the lock have changed since it was last held here. */
  readonly changed: readonly string[];
  release(): void;
}

/** Runs `work` while no other one runs that was handed to the same queue or needs the same lock. */
export type Exclusively = <T>(work: (changed: readonly string[]) => Promise<T>) => Promise<T>;

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
  /** Not told to any work yet. */
  let changed: readonly string[] = [];
  let isWorking = false;

  async function workAll(): Promise<void> {
    while (waiting.size > 0) {
      const held = await lock.take(() => waiting.size > 0);
      if (held === undefined) continue;
      changed = [...new Set([...changed, ...held.changed])];
      try {
        const until = performance.now() + TURN_MS;
        for (const each of waiting) {
          waiting.delete(each);
          await each.start();
          if (performance.now() >= until) break;
        }
      } finally {
        held.release();
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

  return <T>(run: (changed: readonly string[]) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(each);
        reject(new LockTimeoutError(timeoutMs));
      }, timeoutMs);
      const each: WaitingWork = {
        async start() {
          clearTimeout(timer);
          const news = changed;
          changed = [];
          try {
            resolve(await run(news));
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

const NO_LOCK: Lock = { take: async () => ({ changed: [], release: () => undefined }) };

interface WaitingWork {
  /** Never rejects. */
  start(): Promise<void>;
  fail(error: unknown): void;
}
