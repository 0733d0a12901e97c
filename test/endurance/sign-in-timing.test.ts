import { expect, it } from 'vitest';
import { basic, createTestAuth } from '../unit/accounts/test-auth.ts';

const PAIRS = 25;
/** A fraction of the time of one hash, far below the noise of a network. */
const TOLERANCE = 0.15;

it('the time to reject a password does not reveal if the account exists', async () => {
  // A fraction of the real cost: enough to dominate the measurement, short enough for a test.
  const auth = createTestAuth(undefined, { ln: 12, r: 8, p: 1 });
  await auth.accounts.add({ name: 'jane', roles: [], password: 'low tide' });
  await auth.accounts.add({ name: 'bob', roles: [], password: 'low tide' });
  await auth.accounts.update('bob', { blocked: true });
  await auth.accounts.add({ name: 'robot', roles: [] });
  let address = 0;
  const takes = async (name: string) => {
    address += 1;
    const authorization = basic(name, 'high tide');
    const start = performance.now();
    await expect(
      auth.authenticator.authenticate({ authorization, session: undefined, address: `192.0.2.${address}` }),
    ).rejects.toMatchObject({ reason: 'unauthenticated' });
    return performance.now() - start;
  };
  for (const name of ['nobody', 'bob', 'robot']) {
    // Load on the machine affects both of a pair; after a bad run, another one decides.
    let worst = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3 && worst > TOLERANCE; run += 1) {
      const ratios: number[] = [];
      for (let pair = 0; pair < PAIRS; pair += 1) {
        address = 0;
        // A day later, earlier failures neither delay nor block an attempt.
        auth.clock.now += 24 * 3600_000;
        const [first, second] = pair % 2 === 0 ? ['jane', name] : [name, 'jane'];
        const [one, two] = [await takes(first), await takes(second)];
        ratios.push(pair % 2 === 0 ? two / one : one / two);
      }
      worst = Math.abs(1 - median(ratios));
    }
    expect(worst, name).toBeLessThan(TOLERANCE);
  }
}, 120_000);

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
