import { beforeEach, describe, expect, it } from 'vitest';
import {
  createSession,
  form,
  json,
  openSignInSite,
  PASSWORD,
  type SignInSite,
  signIn,
} from '../support/sign-in-site.ts';

const KEY = 'astro-jsonapi';
const DRAFT = '/jsonapi/node/article/draft';

let site: SignInSite;
beforeEach(async () => {
  site = await openSignInSite();
});

describe('session fixation', () => {
  it('every way to sign in creates a new session id', async () => {
    const fixed = createSession({ cart: ['a book'] });
    const before = fixed.id();
    await site.request('/user/login', form({ name: 'ada', pass: PASSWORD }), { session: fixed });
    expect(fixed.id()).not.toBe(before);
    expect(fixed.data.get('cart')).toEqual(['a book']);

    const program = createSession();
    await site.request('/user/login?_format=json', json({ name: 'ada', pass: PASSWORD }), {
      session: program,
    });
    expect(program.id()).not.toBe(1);

    const empty = await openSignInSite({ accounts: false });
    const token = (await empty.auth.setup.createSetupLink())?.path.split('=')[1] ?? '';
    const first = createSession();
    const sent = form({ setup: token, name: 'grace', pass: PASSWORD });
    await empty.request('/user/login', sent, { session: first });
    expect(first.id()).not.toBe(1);
  });

  it('CSRF tokens of the previous session are invalid in the new one', async () => {
    const { session, csrf } = await signIn(site);
    await site.request('/user/login?_format=json', json({ name: 'ada', pass: PASSWORD }), { session });
    const headers = { 'x-csrf-token': csrf };
    expect(
      (await site.request('/jsonapi/node/article/first', { method: 'DELETE', headers }, { session })).status,
    ).toBe(403);
  });

  it('a failed sign-in keeps the session', async () => {
    const { session } = await signIn(site, 'eve');
    const id = session.id();
    await site.request('/user/login', form({ name: 'ada', pass: 'wrong' }), { session });
    expect(session.id()).toBe(id);
    const status = await site.request('/user/login_status', {}, { session });
    expect(await status.json()).toBe(1);
  });
});

describe('a session', () => {
  const sees = async (session: ReturnType<typeof createSession>) =>
    (await site.request(DRAFT, {}, { session })).status === 200;

  it.each([
    ['the password changes', () => site.auth.accounts.update('ada', { password: 'another horse' })],
    ['the password is removed', () => site.auth.accounts.update('ada', { password: null })],
    ['the account is blocked', () => site.auth.accounts.update('ada', { blocked: true })],
    ['the account is removed', () => site.auth.accounts.remove('ada')],
    [
      'another account takes the name',
      async () => {
        await site.auth.accounts.remove('ada');
        await site.auth.accounts.add({ name: 'ada', roles: ['administrator'], password: PASSWORD });
      },
    ],
  ])('ends when %s, and its data is removed', async (_, happen) => {
    const { session } = await signIn(site);
    session.set('cart', 1);
    expect(await sees(session)).toBe(true);
    await happen();
    expect(await sees(session)).toBe(false);
    expect([...session.data.keys()]).toEqual(['cart']);
  });

  it('has the current roles of its account', async () => {
    const { session } = await signIn(site);
    await site.auth.accounts.update('ada', { roles: () => [] });
    expect(await sees(session)).toBe(false);
  });

  it.each([
    ['of another shape', { name: 'ada' }],
    ['with a wrong epoch', { account: { name: 'ada', epoch: 'guessed-it' }, csrf: 'a', logout: 'b' }],
    ['that is a string', 'ada'],
    [
      'with roles in it',
      { account: { name: 'eve', epoch: 'x', roles: ['administrator'] }, csrf: 'a', logout: 'b' },
    ],
  ])('%s is anonymous', async (_, value) => {
    expect(await sees(createSession({ [KEY]: value }))).toBe(false);
  });

  it('contains no password, hash or role', async () => {
    const { session } = await signIn(site);
    expect(session.data.get(KEY)).toEqual({
      account: { name: 'ada', epoch: expect.any(String) },
      csrf: expect.any(String),
      logout: expect.any(String),
    });
  });
});
