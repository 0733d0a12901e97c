import { beforeEach, describe, expect, it } from 'vitest';
import { createTestAuth, type TestAuth } from './test-auth.ts';

let auth: TestAuth;
beforeEach(() => {
  auth = createTestAuth();
});

const open = async () => {
  const link = await auth.setup.createSetupLink();
  return new URLSearchParams(link?.path.split('?')[1]).get('setup') ?? '';
};
const jane = { name: 'jane', password: 'low tide' };

describe('the setup link of a site without accounts', () => {
  it('creates one administrator, once', async () => {
    const link = await auth.setup.createSetupLink();
    expect(link).toEqual({
      path: expect.stringMatching(/^\/user\/login\?setup=[\w-]{43}$/),
      expires: new Date('2026-11-21T12:15:00Z'),
    });
    const token = await open();
    expect(await auth.setup.isValid(token)).toBe(true);
    expect(await auth.setup.redeem(token, jane)).toMatchObject({ name: 'jane', roles: ['administrator'] });
    expect(await auth.setup.isValid(token)).toBe(false);
    await expect(auth.setup.redeem(token, { ...jane, name: 'bob' })).rejects.toMatchObject({
      reason: 'forbidden',
    });
    expect(await auth.setup.createSetupLink()).toBeNull();
    await auth.authenticator.signIn({ ...jane, address: undefined });
  });

  it('expires after fifteen minutes', async () => {
    const token = await open();
    auth.clock.now += 15 * 60_000 - 1;
    expect(await auth.setup.isValid(token)).toBe(true);
    auth.clock.now += 1;
    expect(await auth.setup.isValid(token)).toBe(false);
    await expect(auth.setup.redeem(token, jane)).rejects.toMatchObject({ reason: 'forbidden' });
    expect(await auth.accounts.list()).toEqual([]);
  });

  it('is replaced by the next link', async () => {
    const [first, second] = [await open(), await open()];
    expect([await auth.setup.isValid(first), await auth.setup.isValid(second)]).toEqual([false, true]);
  });

  it('expires when an account is created another way', async () => {
    const token = await open();
    await auth.restarted().accounts.add({ name: 'bob', roles: [] });
    expect(await auth.setup.isValid(token)).toBe(false);
    await expect(auth.setup.redeem(token, jane)).rejects.toMatchObject({ reason: 'forbidden' });
  });

  it('stays valid after an invalid name or password', async () => {
    const token = await open();
    await expect(auth.setup.redeem(token, { ...jane, password: 'short' })).rejects.toMatchObject({
      reason: 'invalid',
    });
    await expect(auth.setup.redeem(token, { ...jane, name: '' })).rejects.toMatchObject({
      reason: 'invalid',
    });
    expect((await auth.setup.redeem(token, jane)).name).toBe('jane');
  });

  it('works for only one of several concurrent requests', async () => {
    const token = await open();
    const all = ['a', 'b', 'c', 'd'].map((name) => auth.setup.redeem(token, { ...jane, name }));
    const made = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled');
    expect(made).toHaveLength(1);
    expect(await auth.accounts.list()).toHaveLength(1);
  });

  it.each([[''], ['x'], ['null']])('rejects the token %j', async (token) => {
    expect(await auth.setup.isValid(token)).toBe(false);
    await open();
    expect(await auth.setup.isValid(token)).toBe(false);
  });
});
