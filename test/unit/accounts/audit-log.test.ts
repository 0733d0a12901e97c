import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAuditFile } from '../../../integration/features/accounts/audit-file.ts';
import { withAudit } from '../../../integration/features/accounts/audit-log.ts';
import { createSession, form, openSignInSite, PASSWORD } from '../../support/sign-in-site.ts';
import { basic, createTestAuth, type TestAuth } from './test-auth.ts';

const ADDRESS = '192.0.2.1';
let auth: TestAuth;
beforeEach(async () => {
  auth = createTestAuth();
  await auth.accounts.add({ name: 'Jane', roles: ['editor'], password: 'low tide' });
});

const file = () => `${auth.path}.log`;
async function rawLines(): Promise<readonly string[]> {
  // Recording this entry waits for pending ones.
  await auth.audit.record({ event: 'account added', result: 'succeeded', account: 'end', by: 'setup link' });
  return readFileSync(file(), 'utf8').trimEnd().split('\n').slice(0, -1);
}
/** The lines so far, without the time. */
async function lines(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await rawLines()).map((line) => {
    const { time, ...rest } = JSON.parse(line);
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    return rest;
  });
}
const signIn = (name: string, password: string, address = ADDRESS) =>
  auth.authenticator.signIn({ name, password, address }).catch((error: Error) => error);
const askBasic = (name: string, password: string) =>
  auth.authenticator.authenticate({
    authorization: basic(name, password),
    session: undefined,
    address: ADDRESS,
  });

describe('the audit log', () => {
  it('records each sign-in, with the reason of a failure and without the password', async () => {
    await auth.accounts.add({ name: 'robot', roles: [] });
    await auth.accounts.add({ name: 'bob', roles: [], password: 'low tide' });
    await auth.accounts.update('bob', { blocked: true });
    await signIn('jane', 'low tide');
    await signIn('jane', 'secret-1');
    await signIn('nobody', 'secret-2');
    await signIn('robot', 'secret-3');
    await signIn('bob', 'low tide');
    const entry = { event: 'sign-in', address: ADDRESS, by: 'form' };
    expect(await lines()).toEqual([
      { ...entry, result: 'succeeded', account: 'Jane' },
      { ...entry, result: 'wrong password', account: 'Jane' },
      { ...entry, result: 'unknown account', account: 'nobody' },
      { ...entry, result: 'account without password', account: 'robot' },
      { ...entry, result: 'blocked account', account: 'bob' },
    ]);
    expect(readFileSync(file(), 'utf8')).not.toMatch(/tide|secret/);
  });

  it('records an HTTP Basic client once instead of once per request', async () => {
    for (let at = 0; at < 5; at += 1) await askBasic('jane', 'low tide');
    expect(await lines()).toEqual([
      { event: 'sign-in', result: 'succeeded', account: 'Jane', address: ADDRESS, by: 'basic' },
    ]);
  });

  it('records OAuth 2 clients', async () => {
    const { secret, client } = await auth.accounts.addClient('jane', { label: '', scope: 'read' });
    const ask = (header: string) =>
      auth.authenticator.requestToken({
        authorization: basic(client.id, header),
        contentType: 'application/x-www-form-urlencoded',
        body: 'grant_type=client_credentials',
        address: ADDRESS,
      });
    await ask(secret);
    await ask('wrong');
    const entry = { event: 'sign-in', account: 'Jane', address: ADDRESS, by: 'client', detail: client.id };
    expect(await lines()).toEqual([
      { ...entry, result: 'succeeded' },
      { ...entry, result: 'wrong client' },
    ]);
    expect(readFileSync(file(), 'utf8')).not.toContain(secret);
  });

  it('records the first account and each sign-out', async () => {
    const site = await openSignInSite({ accounts: false });
    const token = (await site.auth.setup.createSetupLink())?.path.split('=')[1] ?? '';
    const session = createSession();
    const fields = { setup: token, name: 'ada', pass: PASSWORD };
    await site.request('/user/login', form(fields), { session, address: ADDRESS });
    await site.request('/user/logout', form({}), { session, address: ADDRESS });
    await site.request('/user/logout', form({}), { session, address: ADDRESS });
    await site.auth.audit.record({ event: 'account added', result: 'succeeded', account: 'x', by: 'form' });
    const text = readFileSync(`${site.auth.path}.log`, 'utf8').trimEnd().split('\n');
    const entry = { result: 'succeeded', account: 'ada', address: ADDRESS };
    expect(text.slice(0, -1).map((line) => JSON.parse(line))).toEqual([
      {
        time: expect.any(String),
        ...entry,
        event: 'account added',
        by: 'setup link',
        detail: 'administrator',
      },
      { time: expect.any(String), ...entry, event: 'sign-out', by: 'session' },
    ]);
  });

  it('records each change of an account', async () => {
    const accounts = withAudit(auth.accounts, auth.audit, { by: 'command line' });
    await accounts.add({ name: 'bob', roles: ['editor'], password: 'low tide' });
    await accounts.update('bob', { roles: () => ['editor', 'administrator'] });
    await accounts.update('bob', { password: 'high tide' });
    await accounts.update('bob', { password: null });
    await accounts.update('bob', { blocked: true });
    await accounts.update('bob', { blocked: false });
    const { token, secret } = await accounts.addToken('bob', { label: '', scope: 'write', expires: null });
    await accounts.removeToken('bob', token.id);
    const { client } = await accounts.addClient('bob', { label: '', scope: 'read' });
    await accounts.removeClient('bob', client.id);
    await accounts.remove('bob');
    await expect(accounts.remove('bob')).rejects.toThrow();
    const all = await lines();
    expect(all.map(({ event, detail }) => [event, detail])).toEqual([
      ['account added', 'editor'],
      ['roles changed', 'editor, administrator'],
      ['password changed', undefined],
      ['password removed', undefined],
      ['account blocked', undefined],
      ['account unblocked', undefined],
      ['token added', `${token.id} write`],
      ['token revoked', token.id],
      ['client added', `${client.id} read`],
      ['client revoked', client.id],
      ['account removed', undefined],
    ]);
    for (const entry of all) expect(entry).toMatchObject({ account: 'bob', by: 'command line' });
    expect(readFileSync(file(), 'utf8')).not.toContain(secret);
  });

  it('writes one printable line per entry, regardless of the submitted name', async () => {
    const name = `a"}\r\n{"event":"\u001b[31m\u2028\u202e\u0085\u{e0041}${'x'.repeat(5000)}`;
    await signIn(name, 'wrong', `1\n2${'3'.repeat(5000)}`);
    const [line = '', ...others] = await rawLines();
    expect(line).toMatch(/^[ -~]+$/);
    expect(JSON.parse(line)).toMatchObject({ account: name.slice(0, 60), result: 'unknown account' });
    expect(line.length).toBeLessThan(800);
    expect(others).toEqual([]);
  });

  it('counts failures beyond 100 of a kind instead of listing them', async () => {
    for (let at = 0; at < 150; at += 1) await signIn(`x${at}`, 'wrong', `10.0.${at}.1`);
    await signIn('jane', 'low tide');
    auth.clock.now += 60_000;
    await signIn('x', 'wrong', '10.1.0.1');
    const all = await lines();
    expect(all).toHaveLength(102);
    expect(all[100]).toMatchObject({ account: 'Jane', result: 'succeeded' });
    expect(all[101]).toMatchObject({ result: 'unknown account', omitted: 50 });
  });

  it('lists every change of accounts, however many there are', async () => {
    const entry = { event: 'roles changed', result: 'succeeded', account: 'Jane', by: 'session' } as const;
    for (let at = 0; at < 150; at += 1) await auth.audit.record(entry);
    expect(await lines()).toHaveLength(150);
  });

  it('names omitted failures once: the next line counts from there', async () => {
    for (let at = 0; at < 103; at += 1) await signIn(`x${at}`, 'wrong', `10.0.${at}.1`);
    for (const address of ['10.1.0.1', '10.1.0.2']) {
      auth.clock.now += 60_000;
      await signIn('x', 'wrong', address);
    }
    const all = await lines();
    expect(all.slice(100).map(({ address, omitted }) => [address, omitted])).toEqual([
      ['10.1.0.1', 3],
      ['10.1.0.2', undefined],
    ]);
  });
});

describe('the audit log file', () => {
  it.skipIf(process.platform === 'win32')('is readable by its owner only, and ignored by git', async () => {
    mkdirSync(path.join(path.dirname(auth.path), '.git'));
    writeFileSync(path.join(path.dirname(auth.path), '.git/HEAD'), 'ref: refs/heads/main\n');
    await signIn('jane', 'low tide');
    await lines();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readFileSync(path.join(path.dirname(auth.path), '.gitignore'), 'utf8')).toBe('/accounts.json*\n');
  });

  it('is rotated when it is large; the previous rotated file is removed', async () => {
    await signIn('jane', 'low tide');
    await lines();
    writeFileSync(`${file()}.1`, 'older');
    writeFileSync(file(), 'x'.repeat(10_000_000));
    await signIn('jane', 'low tide');
    expect(await lines()).toHaveLength(1);
    expect(statSync(`${file()}.1`).size).toBe(10_000_000);
  });

  it('falls back to the server log if it cannot be written', async () => {
    const warnings: string[] = [];
    // A file takes the path of the accounts folder.
    const accountsFile = path.join(auth.path, 'accounts.json');
    const { write } = createAuditFile({ accountsFile, warn: (message) => warnings.push(message) });
    await write('{"a":1}\n');
    await write('{"a":2}\n');
    expect(warnings).toEqual([
      expect.stringContaining('cannot be written (ENOTDIR)'),
      'audit: {"a":1}',
      'audit: {"a":2}',
    ]);
    expect(existsSync(auth.path)).toBe(true);
  });
});
