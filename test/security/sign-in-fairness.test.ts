import { beforeEach, describe, expect, it } from 'vitest';
import { createTestAuth, type TestAuth } from '../unit/accounts/test-auth.ts';

const LOOPS = 40;
const RIGHT = 30;
const PASSWORD = 'correct horse';

let auth: TestAuth;
/** Failing sign-ins that have ended. */
let attempts = 0;
beforeEach(async () => {
  // A fraction of the real cost.
  auth = createTestAuth(undefined, { ln: 10, r: 8, p: 1 });
  for (const name of ['ada', 'bob']) await auth.accounts.add({ name, roles: [], password: PASSWORD });
});

const signIn = (name: string, password: string, address: string) =>
  auth.authenticator.signIn({ name, password, address }).then(
    () => 'in' as const,
    (error: { readonly reason: string }) => error.reason,
  );

/** An address in a new network. */
let last = 0;
function newNetwork(): string {
  last += 1;
  return `${1 + (last >> 16)}.${(last >> 8) & 255}.${last & 255}.7`;
}

/** An address of a provider with an unlimited number of them. */
function newAddressOfOneNetwork(): string {
  last += 1;
  return `2001:db8:1:${last.toString(16)}::1`;
}

/** Runs `LOOPS` loops of failing sign-ins during `work`, and counts their attempts. */
async function underAttack<T>(
  attack: () => readonly [name: string, address: string],
  work: () => Promise<T>,
): Promise<T> {
  let isOver = false;
  const loops = Array.from({ length: LOOPS }, async () => {
    while (!isOver) {
      const [name, address] = attack();
      await signIn(name, 'wrong password', address);
      attempts += 1;
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const result = await work();
  isOver = true;
  await Promise.all(loops);
  return result;
}

/** `overtaken`: the median of the failing attempts that end before a sign-in does. */
async function signInOften(name: string, address: () => string) {
  const results: Record<string, number> = {};
  const overtaken: number[] = [];
  for (let at = 0; at < RIGHT; at += 1) {
    const before = attempts;
    const result = await signIn(name, PASSWORD, address());
    overtaken.push(attempts - before);
    results[result] = (results[result] ?? 0) + 1;
  }
  return { results, overtaken: median(overtaken) };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

describe('forty loops of wrong passwords', () => {
  it.each([
    ['new addresses of one network and unknown names', () => [`x${last}`, newAddressOfOneNetwork()] as const],
    ['new addresses of one network and a known name', () => ['bob', newAddressOfOneNetwork()] as const],
    ['new networks and a known name', () => ['bob', newNetwork()] as const],
    ['new networks, unknown names', () => [`x${last}`, newNetwork()] as const],
  ])('from %s do not block a sign-in from a new address', async (_, attack) => {
    const { results } = await underAttack(attack, () => signInOften('ada', newNetwork));
    expect(results).toEqual({ in: RIGHT });
  });

  it('from one network delay only that network', async () => {
    const attack = () => [`x${last}`, newAddressOfOneNetwork()] as const;
    const { overtaken } = await underAttack(attack, () => signInOften('ada', newNetwork));
    // A single queue would let all loops go first.
    expect(overtaken).toBeLessThan(LOOPS / 3);
  });

  it('from new networks do not delay an account in a familiar network', async () => {
    let at = 0;
    const atHome = () => {
      at += 1;
      return `198.51.100.${at}`;
    };
    await signIn('ada', PASSWORD, atHome());
    const attack = () => [`x${last}`, newNetwork()] as const;
    const { results, overtaken } = await underAttack(attack, () => signInOften('ada', atHome));
    expect(results).toEqual({ in: RIGHT });
    expect(overtaken).toBeLessThan(LOOPS / 3);
  });
});
