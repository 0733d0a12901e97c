import { beforeEach, describe, expect, it } from 'vitest';
import {
  createSession,
  form,
  json,
  openSignInSite,
  PASSWORD,
  type SignInSite,
} from '../support/sign-in-site.ts';
import { basic } from '../unit/accounts/test-auth.ts';

let site: SignInSite;
beforeEach(async () => {
  site = await openSignInSite();
  await site.auth.accounts.add({ name: 'blocked', roles: [], password: PASSWORD });
  await site.auth.accounts.update('blocked', { blocked: true });
  await site.auth.accounts.add({ name: 'program', roles: [] });
});

const NAMES = ['eve', 'nobody', 'blocked', 'program', 'NOBODY', 'a'.repeat(500)];

/** Every way to send a name and a password. */
const WAYS: readonly (readonly [string, (name: string) => Promise<Response>])[] = [
  [
    'HTTP Basic',
    (name) => site.request('/jsonapi', { headers: { authorization: basic(name, 'wrong horse') } }),
  ],
  [
    'JSON',
    (name) =>
      site.request('/user/login?_format=json', json({ name, pass: 'wrong horse' }), {
        session: createSession(),
      }),
  ],
  [
    'the form',
    (name) => site.request('/user/login', form({ name, pass: 'wrong horse' }), { session: createSession() }),
  ],
];

describe.each(WAYS)('by %s', (_, attempt) => {
  it('existing, missing, blocked and passwordless accounts are indistinguishable', async () => {
    const told = new Set<string>();
    for (const name of NAMES) {
      const before = site.auth.compared.length;
      const response = await attempt(name);
      const headers = JSON.stringify(
        [...response.headers].filter(([key]) => key !== 'content-length' && key !== 'etag'),
      );
      // The page contains the submitted name.
      const text = (await response.text()).replaceAll(`value="${name}"`, '');
      told.add(JSON.stringify([response.status, headers, text]));
      // The same number of password hashes for all of them.
      expect(site.auth.compared.length - before, name).toBe(1);
    }
    expect(told.size).toBe(1);
    expect([...told][0]).toContain('The name or the password is wrong.');
  });

  it('names without an account are delayed like others', async () => {
    for (const name of ['eve', 'nobody']) {
      const statuses: number[] = [];
      for (let round = 0; round < 11; round++) statuses.push((await attempt(name)).status);
      expect(statuses).toEqual([...Array(10).fill(401), 429]);
    }
  });
});

it('tokens of other accounts reveal nothing', async () => {
  const token = { scope: 'read', expires: null, label: '' } as const;
  const { secret } = await site.auth.accounts.addToken('blocked', token);
  const answers = new Set<string>();
  for (const authorization of [
    `Bearer ${secret}`,
    `Bearer ${secret.slice(0, -1)}x`,
    'Bearer ajp_x',
    'Bearer x',
  ]) {
    answers.add(await (await site.request('/jsonapi', { headers: { authorization } })).text());
  }
  expect(answers.size).toBe(1);
});
