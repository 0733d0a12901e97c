import { expect, it } from 'vitest';
import { authOf, basic } from './accounts-of.ts';

const PAIRS = 25;
/** Of what a hash takes: what somebody could tell apart over a network is far more. */
const TOLERANCE = 0.15;

it('how long a wrong password takes does not tell whether there is such an account', async () => {
  // A part of the real work, so that it outweighs all else and the test is short.
  const auth = authOf(undefined, { ln: 12, r: 8, p: 1 });
  await auth.accounts.add({ name: 'jane', roles: [], password: 'low tide' });
  await auth.accounts.add({ name: 'bob', roles: [], password: 'low tide' });
  await auth.accounts.setBlocked('bob', true);
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
    // Whatever else the machine does meets both of a pair alike; on a bad day another run decides.
    let worst = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3 && worst > TOLERANCE; run += 1) {
      const ratios: number[] = [];
      for (let pair = 0; pair < PAIRS; pair += 1) {
        address = 0;
        // A fresh clock's worth of failures, so that none of them is held or refused.
        auth.clock.now += 24 * 3600_000;
        const [first, second] = pair % 2 === 0 ? ['jane', name] : [name, 'jane'];
        const [one, two] = [await takes(first), await takes(second)];
        ratios.push(pair % 2 === 0 ? two / one : one / two);
      }
      worst = Math.abs(1 - median(ratios));
    }
    expect(worst, name).toBeLessThan(TOLERANCE);
  }
  auth.remove();
}, 120_000);

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
