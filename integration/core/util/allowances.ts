import { LruMap } from './lru-map.ts';

/** A limit: `burst` at once, and one more every `seconds`. */
export interface Allowance {
  readonly burst: number;
  readonly seconds: number;
}

/** Rate limits by key. An amount above `burst` counts as `burst`. */
export interface Allowances {
  /** Seconds until the amount (1 by default) is allowed; 0 if it is now. */
  wait(key: string, amount?: number): number;
  charge(key: string, amount?: number): void;
  refund(key: string, amount?: number): void;
  forget(key: string): void;
}

/**
 * The generic cell rate algorithm: it stores one number per key, the time at which the whole allowance is available again.
 * Only the 10,000 most recent keys are stored. `now` returns milliseconds.
 */
export function createAllowances({ burst, seconds }: Allowance, now: () => number): Allowances {
  const interval = seconds * 1000;
  const most = burst * interval;
  const paidAt = new LruMap<string, number>(MAX_KEYS);
  const cost = (amount: number) => Math.min(most, amount * interval);
  const debt = (key: string) => Math.min(most, Math.max(0, (paidAt.get(key) ?? 0) - now()));
  return {
    wait(key, amount = 1) {
      const ms = debt(key) + cost(amount) - most;
      // Less than the resolution of the clock is a rounding error.
      return ms < 1 ? 0 : ms / 1000;
    },
    charge: (key, amount = 1) => paidAt.set(key, now() + Math.min(most, debt(key) + cost(amount))),
    refund: (key, amount = 1) => paidAt.set(key, now() + Math.max(0, debt(key) - cost(amount))),
    forget: (key) => paidAt.delete(key),
  };
}

const MAX_KEYS = 10_000;
