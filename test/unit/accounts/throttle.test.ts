import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../integration/features/accounts/memory-state.ts';
import { createSignInThrottle, type TrialOutcome } from '../../../integration/features/accounts/throttle.ts';

function throttled() {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const throttle = createSignInThrottle(createMemoryState(now), now);
  /** The delay in seconds, or the negated number of seconds until the next attempt is allowed. */
  const attempt = async (account: string, address: string, outcome: TrialOutcome = 'failed') => {
    const admission = await throttle.admit({ account, address });
    if (admission.kind === 'refused') return -admission.seconds;
    await admission.settle(outcome);
    return admission.delayMs / 1000;
  };
  const fail = (times: number, account: string, address: string) =>
    each(times, () => attempt(account, address));
  return { clock, throttle, attempt, fail };
}

async function each<T>(times: number, run: (at: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = [];
  for (let at = 0; at < times; at += 1) results.push(await run(at));
  return results;
}

describe('failed sign-ins', () => {
  it('to an account from one address: ten, then one per minute', async () => {
    const { clock, attempt, fail } = throttled();
    expect(await fail(10, 'jane', 'a')).toEqual(Array(10).fill(0));
    expect(await attempt('jane', 'a')).toBe(-60);
    clock.now += 59_000;
    expect(await attempt('jane', 'a')).toBe(-1);
    clock.now += 1000;
    expect(await fail(2, 'jane', 'a')).toEqual([0, -60]);
  });

  it('do not block longer when the clock is set back', async () => {
    const { clock, attempt, fail } = throttled();
    clock.now += 7200_000;
    await fail(10, 'jane', 'a');
    for (const address of Array.from({ length: 12 }, (_, at) => `b${at}`)) await fail(9, 'jane', address);
    clock.now -= 3600_000;
    expect(await attempt('jane', 'a')).toBe(-60);
    expect(await attempt('jane', 'c')).toBe(0);
  });

  it('to an account block neither other addresses nor other accounts at that address', async () => {
    const { attempt, fail } = throttled();
    await fail(20, 'jane', 'a');
    expect(await attempt('jane', 'b')).toBe(0);
    expect(await attempt('bob', 'a')).toBe(0);
  });

  it('are forgotten for an account and address after a success', async () => {
    const { attempt, fail } = throttled();
    await fail(9, 'jane', 'a');
    expect(await attempt('jane', 'a', 'succeeded')).toBe(0);
    expect(await fail(10, 'jane', 'a')).toEqual(Array(10).fill(0));
    expect(await attempt('jane', 'a')).toBeLessThan(0);
  });

  it('from one address to many names: fifty, then one per 30 seconds, regardless of successes in between', async () => {
    const { clock, attempt } = throttled();
    const delays = await each(50, async (at) => {
      await attempt('own', 'a', 'succeeded');
      return attempt(`name ${at}`, 'a');
    });
    expect(delays).toEqual(Array(50).fill(0));
    expect(await attempt('other', 'a')).toBe(-30);
    expect(await attempt('own', 'a', 'succeeded')).toBe(-30);
    expect(await attempt('other', 'b')).toBe(0);
    clock.now += 30_000;
    expect(await attempt('other', 'a')).toBe(0);
  });

  it('with an unknown outcome do not count', async () => {
    const { attempt } = throttled();
    for (let at = 0; at < 100; at += 1) expect(await attempt('jane', 'a', 'void')).toBe(0);
  });

  it('count while they are in progress, so ten run in parallel at most', async () => {
    const { throttle } = throttled();
    const admissions = await Promise.all(
      Array.from({ length: 50 }, () => throttle.admit({ account: 'jane', address: 'a' })),
    );
    expect(admissions.filter(({ kind }) => kind === 'admitted')).toHaveLength(10);
  });

  it('to one account from many addresses: unknown addresses take turns, familiar ones are not delayed', async () => {
    const { clock, attempt } = throttled();
    await attempt('jane', 'home', 'succeeded');
    for (let at = 0; at < 100; at += 1) expect(await attempt('jane', `far ${at}`)).toBe(0);
    expect(await each(4, (at) => attempt('jane', `farther ${at + 1}`))).toEqual([0, 5, 10, 15]);
    expect(await attempt('jane', 'farther 5')).toBe(-5);
    // The familiar address and other accounts are not affected.
    expect(await attempt('jane', 'home')).toBe(0);
    expect(await attempt('bob', 'far 1')).toBe(0);
    // The address may sign in after the stated time …
    clock.now += 5000;
    expect(await attempt('jane', 'farther 5', 'succeeded')).toBe(15);
    // … and is familiar from then on.
    expect(await attempt('jane', 'farther 5')).toBe(0);
    clock.now += 3600_000;
    expect(await attempt('jane', 'farther 6')).toBe(0);
  });

  it('from many addresses are limited to a few hundred guesses per hour', async () => {
    const { clock, attempt } = throttled();
    let guesses = 0;
    for (let second = 0; second < 3600; second += 1, clock.now += 1000) {
      for (let each = 0; each < 5; each += 1) {
        if ((await attempt('jane', `${second} ${each}`)) >= 0) guesses += 1;
      }
    }
    expect(guesses).toBeLessThanOrEqual(100 + 3600 / 5 + 4);
  });

  it('are tracked for ten thousand entries of each kind', async () => {
    const { attempt, fail } = throttled();
    await fail(10, 'jane', 'a');
    for (let at = 0; at < 10_000; at += 1) await attempt(`name ${at}`, `address ${at}`);
    // The oldest entry is gone, which shows the bound.
    expect(await attempt('jane', 'a')).toBe(0);
    expect(await attempt('name 9999', 'address 9999')).toBe(0);
  });

  it('are not counted by a query for the current limit', async () => {
    const { throttle, fail } = throttled();
    for (let at = 0; at < 100; at += 1) {
      expect(await throttle.refusal({ account: 'jane', address: 'a' })).toBeUndefined();
    }
    await fail(10, 'jane', 'a');
    expect(await throttle.refusal({ account: 'jane', address: 'a' })).toBe(60);
  });
});
