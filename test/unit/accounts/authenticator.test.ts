import { readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RequestCredentials } from '../../../integration/features/accounts/authenticator.ts';
import { basic, createTestAuth, MIN_COST, type TestAuth } from './test-auth.ts';

let auth: TestAuth;
beforeEach(async () => {
  auth = createTestAuth();
  await auth.accounts.add({ name: 'Jane', roles: ['editor'], password: 'low tide' });
});

const ask = (request: Partial<RequestCredentials>, by = auth) =>
  by.authenticator.authenticate({
    authorization: null,
    session: undefined,
    address: '192.0.2.1',
    ...request,
  });
const askBasic = (name: string, password: string, address = '192.0.2.1', by = auth) =>
  ask({ authorization: basic(name, password), address }, by);
const signIn = (name = 'jane', password = 'low tide', address = '192.0.2.1') =>
  auth.authenticator.signIn({ name, password, address });
const JANE = { name: 'Jane', roles: ['authenticated', 'editor'] };
const WRONG = { reason: 'unauthenticated', detail: 'The name or the password is wrong.' };

describe('a request', () => {
  it('is anonymous without credentials, and does not read the accounts', async () => {
    writeFileSync(auth.path, 'broken');
    expect(await ask({})).toBeNull();
    expect(await ask({ authorization: '' })).toBeNull();
  });

  it('matches the longest possible name in any Unicode composition', async () => {
    const name = '\u00e9'.repeat(60);
    await auth.accounts.add({ name, roles: [], password: 'high tide' });
    expect(await askBasic(name.normalize('NFD'), 'high tide')).toMatchObject({ actor: { name } });
  });

  it('with a name and password belongs to the account, under its stored name', async () => {
    expect(await askBasic('JANE', 'low tide')).toEqual({ actor: JANE, by: 'basic', scope: 'write' });
  });

  it('with a token has the permissions of the token', async () => {
    for (const scope of ['read', 'write'] as const) {
      const { secret } = await auth.accounts.addToken('jane', { label: '', scope, expires: null });
      const who = await ask({ authorization: `Bearer ${secret}` });
      expect(who).toEqual({ actor: JANE, by: 'bearer', scope });
      expect(who && auth.authenticator.writeRefusal(who)).toEqual(
        scope === 'write' ? undefined : expect.objectContaining({ reason: 'insufficient-scope' }),
      );
    }
  });

  it('with a session belongs to the account, with its current roles', async () => {
    const { actor, session } = await signIn();
    expect(actor).toEqual(JANE);
    await auth.accounts.update('jane', { roles: () => ['administrator'] });
    expect(await ask({ session })).toEqual({
      actor: { name: 'Jane', roles: ['authenticated', 'administrator'] },
      by: 'session',
      scope: 'write',
    });
  });

  it('with a session and a header uses the header, valid or not', async () => {
    const { session } = await signIn();
    await auth.accounts.add({ name: 'bob', roles: [], password: 'high tide' });
    expect(await ask({ session, authorization: basic('bob', 'high tide') })).toMatchObject({
      actor: { name: 'bob' },
      by: 'basic',
    });
    await expect(ask({ session, authorization: basic('bob', 'low tide') })).rejects.toMatchObject(WRONG);
  });

  it.each([
    ['another password', () => basic('jane', 'low tides')],
    ['an empty password', () => basic('jane', '')],
    ['an unknown name', () => basic('bob', 'low tide')],
    ['an empty name', () => basic('', 'low tide')],
    ['a name that no account can have', () => basic('x'.repeat(5000), 'low tide')],
    ['a password that no account can have', () => basic('jane', 'x'.repeat(5000))],
    ['a property name of Object.prototype', () => basic('__proto__', 'low tide')],
    ['an account that has only a token', () => basic('robot', 'undefined')],
    ['a blocked account', () => basic('blocked', 'high tide')],
  ])('with %s is rejected with the same message', async (_what, authorization) => {
    await auth.accounts.add({ name: 'robot', roles: [] });
    await auth.accounts.add({ name: 'blocked', roles: [], password: 'high tide' });
    await auth.accounts.update('blocked', { blocked: true });
    await expect(ask({ authorization: authorization() })).rejects.toMatchObject({
      ...WRONG,
      source: { header: 'Authorization' },
    });
  });

  it.each([
    ['Digest x', 'has an unknown scheme'],
    ['Basic *', 'has no name:password in base64 and UTF-8 after `Basic`'],
    ['Bearer', 'has no bearer token after `Bearer`'],
    ['"', 'is not valid'],
  ])('with the header %s is rejected instead of being anonymous', async (authorization, fault) => {
    await expect(ask({ authorization })).rejects.toMatchObject({
      reason: 'unauthenticated',
      detail: `The Authorization header ${fault}. Send Basic or Bearer.`,
    });
  });

  it('fails with a server error if the accounts file is invalid', async () => {
    const { session } = await signIn();
    writeFileSync(auth.path, 'broken');
    for (const request of [
      { session },
      { authorization: basic('jane', 'low tide') },
      { authorization: 'Bearer ajp_x' },
    ]) {
      await expect(ask(request)).rejects.toMatchObject({ name: 'AccountFileError' });
    }
  });
});

describe('a token', () => {
  const addToken = async (expires: Date | null = null) =>
    auth.accounts.addToken('jane', { label: 'ci', scope: 'write', expires });
  const refused = (detail: string) => ({
    reason: 'invalid-token',
    detail,
  });

  it('expires at its expiry time', async () => {
    const { secret } = await addToken(new Date(auth.clock.now + 1000));
    auth.clock.now += 999;
    expect(await ask({ authorization: `Bearer ${secret}` })).toMatchObject({ actor: JANE });
    auth.clock.now += 1;
    await expect(ask({ authorization: `Bearer ${secret}` })).rejects.toMatchObject(
      refused('The token has expired.'),
    );
  });

  it.each([['ajp_x'], [`ajp_${'A'.repeat(43)}`], ['ajo_x'], ['ajo_ab~c.'], ['something']])(
    'that is unknown is rejected: %s',
    async (token) => {
      await expect(ask({ authorization: `Bearer ${token}` })).rejects.toMatchObject(
        refused('The token is not valid.'),
      );
    },
  );

  it('is rejected after its removal, and while its account is blocked or removed', async () => {
    const removed = await addToken();
    await auth.accounts.removeToken('jane', removed.token.id);
    await expect(ask({ authorization: `Bearer ${removed.secret}` })).rejects.toMatchObject({
      reason: 'invalid-token',
    });
    const { secret } = await addToken();
    await auth.accounts.update('jane', { blocked: true });
    await expect(ask({ authorization: `Bearer ${secret}` })).rejects.toMatchObject({
      reason: 'invalid-token',
    });
    await auth.accounts.update('jane', { blocked: false });
    expect(await ask({ authorization: `Bearer ${secret}` })).toMatchObject({ actor: JANE });
    await auth.restarted().accounts.remove('jane');
    await expect(ask({ authorization: `Bearer ${secret}` })).rejects.toMatchObject({
      reason: 'invalid-token',
    });
  });

  it('stays valid after a password change', async () => {
    const { secret } = await addToken();
    await auth.accounts.update('jane', { password: 'high tide' });
    expect(await ask({ authorization: `Bearer ${secret}` })).toMatchObject({ actor: JANE });
  });

  it('needs no password hashing', async () => {
    const { secret } = await addToken();
    await ask({ authorization: `Bearer ${secret}` });
    expect(auth.compared).toEqual([]);
  });
});

describe('a session ends', () => {
  it.each([
    ['when the password changes', () => auth.accounts.update('jane', { password: 'high tide' })],
    ['when the password is removed', () => auth.accounts.update('jane', { password: null })],
    ['when the account is blocked', () => auth.accounts.update('jane', { blocked: true })],
    ['when the account is removed', () => auth.accounts.remove('jane')],
    [
      'when the accounts file blocks the account',
      () =>
        auth.file.update((data) => ({
          ...data,
          accounts: data.accounts.map((account) => ({ ...account, blocked: true })),
        })),
    ],
    [
      'when another account has taken the name',
      async () => {
        await auth.accounts.remove('jane');
        await auth.accounts.add({ name: 'Jane', roles: ['administrator'], password: 'low tide' });
      },
    ],
    [
      'when the account was blocked and unblocked in the meantime',
      async () => {
        await auth.accounts.update('jane', { blocked: true });
        await auth.accounts.update('jane', { blocked: false });
      },
    ],
  ])('%s', async (_when, change) => {
    const { session } = await signIn();
    expect(await ask({ session })).toMatchObject({ actor: JANE });
    await change();
    expect(await ask({ session })).toBeNull();
  });

  it('does not expire, and changes to other accounts do not end it', async () => {
    const { session } = await signIn();
    await auth.accounts.add({ name: 'bob', roles: [] });
    await auth.accounts.addToken('jane', { label: '', scope: 'read', expires: null });
    auth.clock.now += 1000 * 24 * 3600 * 1000;
    expect(await ask({ session }, auth.restarted())).toMatchObject({ actor: JANE });
  });

  it('when it is forged', async () => {
    expect(await ask({ session: { name: 'Jane', epoch: '' } })).toBeNull();
    expect(await ask({ session: { name: 'bob', epoch: 'abcdefgh' } })).toBeNull();
  });
});

describe('HTTP Basic', () => {
  it('hashes the password of a client once every five minutes', async () => {
    for (let at = 0; at < 5; at += 1) await askBasic('jane', 'low tide');
    expect(auth.compared).toHaveLength(1);
    auth.clock.now += 5 * 60_000 - 1;
    await askBasic('JANE', 'low tide');
    expect(auth.compared).toHaveLength(1);
    auth.clock.now += 1;
    await askBasic('jane', 'low tide');
    expect(auth.compared).toHaveLength(2);
  });

  it('hashes once for concurrent requests, which no limit slows down', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => askBasic('jane', 'low tide')));
    expect(new Set(all.map((who) => who?.actor.name))).toEqual(new Set(['Jane']));
    expect(auth.compared).toHaveLength(1);
  });

  it('hashes again for another address', async () => {
    await askBasic('jane', 'low tide');
    await askBasic('jane', 'low tide', '192.0.2.2');
    expect(auth.compared).toHaveLength(2);
  });

  it('rejects the old password at once, even if another process changed it', async () => {
    await askBasic('jane', 'low tide');
    await auth.restarted().accounts.update('jane', { password: 'high tide' });
    await expect(askBasic('jane', 'low tide')).rejects.toMatchObject(WRONG);
    expect(await askBasic('jane', 'high tide')).toMatchObject({ actor: JANE });
  });

  it('rejects a blocked or removed account at once', async () => {
    await askBasic('jane', 'low tide');
    await auth.accounts.update('jane', { blocked: true });
    await expect(askBasic('jane', 'low tide')).rejects.toMatchObject(WRONG);
    await auth.accounts.update('jane', { blocked: false });
    await askBasic('jane', 'low tide');
    await auth.accounts.remove('jane');
    await expect(askBasic('jane', 'low tide')).rejects.toMatchObject(WRONG);
  });
});

describe('guessing passwords', () => {
  const wrong = async (times: number, name: string, address: string) => {
    for (let at = 0; at < times; at += 1) {
      await expect(askBasic(name, `guess ${at}`, address)).rejects.toMatchObject(WRONG);
    }
  };

  it.each([['jane'], ['nobody']])(
    'of %s is stopped after ten failures, even with the right password',
    async (name) => {
      await askBasic('jane', 'low tide', '192.0.2.9').catch(() => undefined);
      await wrong(10, name, '192.0.2.9');
      const tooMany = {
        reason: 'too-many-requests',
        detail: 'Too many failed sign-ins. Try again in 60 seconds.',
        details: { retryAfterSeconds: 60 },
      };
      await expect(askBasic(name, 'low tide', '192.0.2.9')).rejects.toMatchObject(tooMany);
      await expect(signIn(name, 'low tide', '192.0.2.9')).rejects.toMatchObject(tooMany);
      auth.clock.now += 60_000;
      await expect(askBasic(name, 'guess', '192.0.2.9')).rejects.toMatchObject(WRONG);
    },
  );

  it('does not affect other addresses, tokens or sessions', async () => {
    const { session } = await signIn();
    const { secret } = await auth.accounts.addToken('jane', { label: '', scope: 'read', expires: null });
    await wrong(10, 'jane', '192.0.2.9');
    expect(await askBasic('jane', 'low tide', '192.0.2.8')).toMatchObject({ actor: JANE });
    expect(await ask({ session, address: '192.0.2.9' })).toMatchObject({ actor: JANE });
    expect(await ask({ authorization: `Bearer ${secret}`, address: '192.0.2.9' })).toMatchObject({
      actor: JANE,
    });
  });

  it('counts the letter cases of a name together, and the addresses of an IPv6 network', async () => {
    for (let at = 0; at < 10; at += 1) {
      await expect(askBasic(at % 2 ? 'jane' : 'JANE', 'x', `2001:db8::${at}`)).rejects.toMatchObject(WRONG);
    }
    await expect(askBasic('Jane', 'x', '2001:db8::ffff')).rejects.toMatchObject({
      reason: 'too-many-requests',
    });
  });

  it('in parallel is limited too', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, (_, at) => askBasic('jane', `guess ${at}`, '192.0.2.9')),
    );
    const reasons = all.map((each) => (each.status === 'rejected' ? each.reason.reason : undefined));
    expect(reasons.filter((reason) => reason === 'unauthenticated')).toHaveLength(10);
    expect(reasons.filter((reason) => reason === 'too-many-requests')).toHaveLength(20);
    expect(auth.compared).toHaveLength(10);
  });

  it('from many addresses delays unknown addresses, but not those that signed in before', async () => {
    await signIn('jane', 'low tide', '192.0.2.1');
    for (let at = 0; at < 102; at += 1) {
      await expect(askBasic('jane', 'guess', `198.51.100.${at}`)).rejects.toMatchObject(WRONG);
    }
    expect(auth.delays).toEqual([5000]);
    expect(await signIn('jane', 'low tide', '192.0.2.1')).toMatchObject({ actor: JANE });
    expect(await signIn('jane', 'low tide', '192.0.2.2')).toMatchObject({ actor: JANE });
    expect(auth.delays).toEqual([5000, 10_000]);
  });
});

it('a sign-in with an up-to-date hash does not change the accounts file', async () => {
  const before = readFileSync(auth.path);
  await signIn();
  expect(readFileSync(auth.path)).toEqual(before);
});

describe('outdated password hashes', () => {
  it('are renewed at the next sign-in, and sessions stay valid', async () => {
    const { session } = await signIn();
    const later = auth.restarted({ ...MIN_COST, ln: 5 });
    await expect(askBasic('jane', 'wrong', undefined, later)).rejects.toMatchObject(WRONG);
    expect((await later.accounts.find('jane'))?.password).toContain('ln=4');
    await askBasic('jane', 'low tide', undefined, later);
    expect((await later.accounts.find('jane'))?.password).toContain('ln=5');
    await askBasic('jane', 'low tide', undefined, later);
    expect(later.compared).toHaveLength(2);
    expect(await ask({ session }, later)).toMatchObject({ actor: JANE });
    expect(await askBasic('jane', 'low tide')).toMatchObject({ actor: JANE });
  });

  it('are accepted if they cannot be renewed', async () => {
    const later = auth.restarted({ ...MIN_COST, ln: 5 });
    later.accounts.renewHash = () => Promise.reject(new Error('read-only file system'));
    expect(await askBasic('jane', 'low tide', undefined, later)).toMatchObject({ actor: JANE });
    expect(later.warnings).toEqual(['The password hash of Jane was not renewed: read-only file system']);
  });

  it('cost the same work for names without an account', async () => {
    const later = auth.restarted({ ...MIN_COST, ln: 6 });
    await expect(askBasic('jane', 'wrong', undefined, later)).rejects.toMatchObject(WRONG);
    await expect(askBasic('nobody', 'wrong', undefined, later)).rejects.toMatchObject(WRONG);
    expect(later.compared.map((hash) => hash.split('$')[2])).toEqual(['ln=4,r=8,p=1', 'ln=4,r=8,p=1']);
  });
});
