import { describe, expect, it } from 'vitest';
import { createSignInThrottle, type TrialOutcome } from '../../../integration/features/accounts/throttle.ts';

function throttled() {
  const clock = { now: 1_000_000 };
  const throttle = createSignInThrottle(() => clock.now);
  /** The delay in seconds, or the negated number of seconds until the next attempt is allowed. */
  const attempt = (account: string, address: string, outcome: TrialOutcome = 'failed') => {
    const admission = throttle.admit({ account, address });
    if (admission.kind === 'refused') return -admission.seconds;
    admission.settle(outcome);
    return admission.delayMs / 1000;
  };
  const fail = (times: number, account: string, address: string) =>
    Array.from({ length: times }, () => attempt(account, address));
  return { clock, throttle, attempt, fail };
}

describe('failed sign-ins', () => {
  it('to an account from one address: ten, then one per minute', () => {
    const { clock, attempt, fail } = throttled();
    expect(fail(10, 'jane', 'a')).toEqual(Array(10).fill(0));
    expect(attempt('jane', 'a')).toBe(-60);
    clock.now += 59_000;
    expect(attempt('jane', 'a')).toBe(-1);
    clock.now += 1000;
    expect(fail(2, 'jane', 'a')).toEqual([0, -60]);
  });

  it('do not block longer when the clock is set back', () => {
    const { clock, attempt, fail } = throttled();
    clock.now += 7200_000;
    fail(10, 'jane', 'a');
    for (const address of Array.from({ length: 12 }, (_, at) => `b${at}`)) fail(9, 'jane', address);
    clock.now -= 3600_000;
    expect(attempt('jane', 'a')).toBe(-60);
    expect(attempt('jane', 'c')).toBe(0);
  });

  it('to an account block neither other addresses nor other accounts at that address', () => {
    const { attempt, fail } = throttled();
    fail(20, 'jane', 'a');
    expect(attempt('jane', 'b')).toBe(0);
    expect(attempt('bob', 'a')).toBe(0);
  });

  it('are forgotten for an account and address after a success', () => {
    const { attempt, fail } = throttled();
    fail(9, 'jane', 'a');
    expect(attempt('jane', 'a', 'succeeded')).toBe(0);
    expect(fail(10, 'jane', 'a')).toEqual(Array(10).fill(0));
    expect(attempt('jane', 'a')).toBeLessThan(0);
  });

  it('from one address to many names: fifty, then one per 30 seconds, regardless of successes in between', () => {
    const { clock, attempt } = throttled();
    const delays = Array.from({ length: 50 }, (_, at) => {
      attempt('own', 'a', 'succeeded');
      return attempt(`name ${at}`, 'a');
    });
    expect(delays).toEqual(Array(50).fill(0));
    expect(attempt('other', 'a')).toBe(-30);
    expect(attempt('own', 'a', 'succeeded')).toBe(-30);
    expect(attempt('other', 'b')).toBe(0);
    clock.now += 30_000;
    expect(attempt('other', 'a')).toBe(0);
  });

  it('with an unknown outcome do not count', () => {
    const { attempt } = throttled();
    for (let at = 0; at < 100; at += 1) expect(attempt('jane', 'a', 'void')).toBe(0);
  });

  it('count while they are in progress, so ten run in parallel at most', () => {
    const { throttle } = throttled();
    const admissions = Array.from({ length: 50 }, () => throttle.admit({ account: 'jane', address: 'a' }));
    expect(admissions.filter(({ kind }) => kind === 'admitted')).toHaveLength(10);
  });

  it('to one account from many addresses: unknown addresses take turns, familiar ones are not delayed', () => {
    const { clock, attempt } = throttled();
    attempt('jane', 'home', 'succeeded');
    for (let at = 0; at < 100; at += 1) expect(attempt('jane', `far ${at}`)).toBe(0);
    expect([1, 2, 3, 4].map((at) => attempt('jane', `farther ${at}`))).toEqual([0, 5, 10, 15]);
    expect(attempt('jane', 'farther 5')).toBe(-5);
    // The familiar address and other accounts are not affected.
    expect(attempt('jane', 'home')).toBe(0);
    expect(attempt('bob', 'far 1')).toBe(0);
    // The address may sign in after the stated time …
    clock.now += 5000;
    expect(attempt('jane', 'farther 5', 'succeeded')).toBe(15);
    // … and is familiar from then on.
    expect(attempt('jane', 'farther 5')).toBe(0);
    clock.now += 3600_000;
    expect(attempt('jane', 'farther 6')).toBe(0);
  });

  it('from many addresses are limited to a few hundred guesses per hour', () => {
    const { clock, attempt } = throttled();
    let guesses = 0;
    for (let second = 0; second < 3600; second += 1, clock.now += 1000) {
      for (let each = 0; each < 5; each += 1) {
        if (attempt('jane', `${second} ${each}`) >= 0) guesses += 1;
      }
    }
    expect(guesses).toBeLessThanOrEqual(100 + 3600 / 5 + 4);
  });

  it('are tracked for ten thousand entries of each kind', () => {
    const { attempt, fail } = throttled();
    fail(10, 'jane', 'a');
    for (let at = 0; at < 10_000; at += 1) attempt(`name ${at}`, `address ${at}`);
    // The oldest entry is gone, which shows the bound.
    expect(attempt('jane', 'a')).toBe(0);
    expect(attempt('name 9999', 'address 9999')).toBe(0);
  });

  it('are not counted by a query for the current limit', () => {
    const { throttle, fail } = throttled();
    for (let at = 0; at < 100; at += 1) {
      expect(throttle.refusal({ account: 'jane', address: 'a' })).toBeUndefined();
    }
    fail(10, 'jane', 'a');
    expect(throttle.refusal({ account: 'jane', address: 'a' })).toBe(60);
  });
});
