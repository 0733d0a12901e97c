import { describe, expect, it } from 'vitest';
import { createSignInThrottle, type TrialOutcome } from '../../../integration/accounts/throttle.ts';

function throttled() {
  const clock = { now: 1_000_000 };
  const throttle = createSignInThrottle(() => clock.now);
  /** The delay in seconds, or the seconds after which to come back as a negative number. */
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

describe('failures', () => {
  it('of an account from one address: ten, then one a minute', () => {
    const { clock, attempt, fail } = throttled();
    expect(fail(10, 'jane', 'a')).toEqual(Array(10).fill(0));
    expect(attempt('jane', 'a')).toBe(-60);
    clock.now += 59_000;
    expect(attempt('jane', 'a')).toBe(-1);
    clock.now += 1000;
    expect(fail(2, 'jane', 'a')).toEqual([0, -60]);
  });

  it('hold nobody up for longer when the clock is set back', () => {
    const { clock, attempt, fail } = throttled();
    clock.now += 7200_000;
    fail(10, 'jane', 'a');
    for (const address of Array.from({ length: 12 }, (_, at) => `b${at}`)) fail(9, 'jane', address);
    clock.now -= 3600_000;
    expect(attempt('jane', 'a')).toBe(-60);
    expect(attempt('jane', 'c')).toBe(0);
  });

  it('of an account lock nobody out at another address, nor others at that address', () => {
    const { attempt, fail } = throttled();
    fail(20, 'jane', 'a');
    expect(attempt('jane', 'b')).toBe(0);
    expect(attempt('bob', 'a')).toBe(0);
  });

  it('are forgotten after a success, for that account at that address', () => {
    const { attempt, fail } = throttled();
    fail(9, 'jane', 'a');
    expect(attempt('jane', 'a', 'succeeded')).toBe(0);
    expect(fail(10, 'jane', 'a')).toEqual(Array(10).fill(0));
    expect(attempt('jane', 'a')).toBeLessThan(0);
  });

  it('of one address over many names: fifty, then one in half a minute, whatever succeeds between', () => {
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

  it('that could not be found out do not count', () => {
    const { attempt } = throttled();
    for (let at = 0; at < 100; at += 1) expect(attempt('jane', 'a', 'void')).toBe(0);
  });

  it('count while they are under way, so that many at a time are no more than ten', () => {
    const { throttle } = throttled();
    const admissions = Array.from({ length: 50 }, () => throttle.admit({ account: 'jane', address: 'a' }));
    expect(admissions.filter(({ kind }) => kind === 'admitted')).toHaveLength(10);
  });

  it('of one account from everywhere: strangers take turns, and where it signed in before nothing changes', () => {
    const { clock, attempt } = throttled();
    attempt('jane', 'home', 'succeeded');
    for (let at = 0; at < 100; at += 1) expect(attempt('jane', `far ${at}`)).toBe(0);
    expect([1, 2, 3, 4].map((at) => attempt('jane', `farther ${at}`))).toEqual([0, 5, 10, 15]);
    expect(attempt('jane', 'farther 5')).toBe(-5);
    // Her own address, and other accounts.
    expect(attempt('jane', 'home')).toBe(0);
    expect(attempt('bob', 'far 1')).toBe(0);
    // A stranger who comes back when told has a turn.
    clock.now += 5000;
    expect(attempt('jane', 'farther 5', 'succeeded')).toBe(15);
    // And is no stranger then.
    expect(attempt('jane', 'farther 5')).toBe(0);
    clock.now += 3600_000;
    expect(attempt('jane', 'farther 6')).toBe(0);
  });

  it('from everywhere, for an hour: some hundreds of guesses and no more', () => {
    const { clock, attempt } = throttled();
    let guesses = 0;
    for (let second = 0; second < 3600; second += 1, clock.now += 1000) {
      for (let each = 0; each < 5; each += 1) {
        if (attempt('jane', `${second} ${each}`) >= 0) guesses += 1;
      }
    }
    expect(guesses).toBeLessThanOrEqual(100 + 3600 / 5 + 4);
  });

  it('take no more memory than ten thousand of each kind', () => {
    const { attempt, fail } = throttled();
    fail(10, 'jane', 'a');
    for (let at = 0; at < 10_000; at += 1) attempt(`name ${at}`, `address ${at}`);
    // The oldest is gone, which is how its being bounded shows.
    expect(attempt('jane', 'a')).toBe(0);
    expect(attempt('name 9999', 'address 9999')).toBe(0);
  });

  it('are only asked about, without counting', () => {
    const { throttle, fail } = throttled();
    for (let at = 0; at < 100; at += 1) {
      expect(throttle.refusal({ account: 'jane', address: 'a' })).toBeUndefined();
    }
    fail(10, 'jane', 'a');
    expect(throttle.refusal({ account: 'jane', address: 'a' })).toBe(60);
  });
});
