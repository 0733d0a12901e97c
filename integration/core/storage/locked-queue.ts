import { LockTimeoutError } from './errors.ts';

/** A lock that is held while work runs. */
export interface Lock {
  /** Waits for the lock; undefined once `isWanted` returns false. */
  take(isWanted: () => boolean): Promise<AcquiredLock | undefined>;
}

export interface AcquiredLock {
  /** Keys that other holders changed since this process last had the lock. */
  readonly changed: readonly string[];
  release(): void;
}

/** Runs `work` while no other work of the same queue or lock runs. */
export type Exclusively = <T>(work: (changed: readonly string[]) => Promise<T>) => Promise<T>;

/** How long work waits for its turn, in milliseconds. */
export const LOCK_TIMEOUT_MS = 10_000;
/** Milliseconds for which the lock is held while more work is waiting; then other processes have their turn. */
const TURN_MS = 20;

/**
 * A queue that runs work one at a time, in order, under a lock that is taken once for many items. Work that has not
 * started after `timeoutMs` is rejected with LockTimeoutError and never runs.
 */
export function createLockedQueue(lock: Lock, timeoutMs = LOCK_TIMEOUT_MS): Exclusively {
  const waiting = new Set<WaitingWork>();
  /** Not reported to any work yet. */
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
          const unreported = changed;
          changed = [];
          try {
            resolve(await run(unreported));
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

interface WaitingWork {
  /** Never rejects. */
  start(): Promise<void>;
  fail(error: unknown): void;
}
