import { beforeEach, describe, expect, it } from 'vitest';
import { adminApp } from '../../../support/services.ts';
import {
  type createSession,
  openSignInSite,
  PASSWORD,
  type SignInSite,
  signIn,
} from '../../../support/sign-in-site.ts';
import { basic } from '../../accounts/test-auth.ts';

const ACCOUNTS = '/jsonapi/_accounts';

let site: SignInSite;
beforeEach(async () => {
  site = await openSignInSite({
    front: { adminApp },
    settings: { admin: true },
    roles: { keeper: { also: ['administer accounts'] } },
  });
  await site.auth.accounts.add({ name: 'Max Keeper', roles: ['keeper'], password: PASSWORD });
});

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests state the shape of each response.
  readonly data: any;
  readonly meta: unknown;
  /** `source` and `detail` of each error. */
  readonly errors: readonly { readonly source?: Record<string, string>; readonly detail: string }[];
}

/** Sends a request with HTTP Basic. `attributes` are those of an account, unless a type is given. */
async function send(
  method: string,
  path: string,
  as: string | null = 'ada',
  attributes?: object,
  data: object = {},
): Promise<Reply> {
  const id = decodeURIComponent(path.split('/')[1] ?? '');
  const body = attributes && { data: { type: 'account', ...(id && { id }), ...data, attributes } };
  const headers = {
    ...(as !== null && { authorization: basic(as, PASSWORD) }),
    ...(body && { 'content-type': 'application/vnd.api+json' }),
  };
  return read(
    await site.request(ACCOUNTS + path, { method, headers, body: body ? JSON.stringify(body) : null }),
  );
}

async function read(response: Response): Promise<Reply> {
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, errors: [], ...(text === '' ? {} : JSON.parse(text)) };
}

/** What the audit log has about changes of accounts. */
async function changes() {
  const { entries } = await site.auth.audit.find({ limit: 100 });
  return entries.filter(({ event }) => event !== 'sign-in').reverse();
}

const NEW = { type: 'account', id: 'jane' };

describe('administrators', () => {
  it('list all accounts and the roles that accounts can have', async () => {
    const { status, data, meta, headers } = await send('GET', '');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(meta).toEqual({
      count: 3,
      roles: ['editor', 'administrator', 'keeper'],
      mail: true,
      readOnly: null,
    });
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['ada', 'eve', 'Max Keeper']);
    expect(data[2]).toEqual({
      type: 'account',
      id: 'Max Keeper',
      attributes: {
        displayName: null,
        mail: null,
        roles: ['keeper'],
        blocked: false,
        hasPassword: true,
        link: null,
      },
      meta: { tokens: 0, clients: 0 },
      links: {
        self: { href: 'https://site.example/jsonapi/_accounts/Max%20Keeper' },
        tokens: { href: 'https://site.example/jsonapi/_accounts/Max%20Keeper/tokens' },
      },
    });
  });

  it('add an account that can sign in', async () => {
    const attributes = {
      roles: ['editor'],
      password: 'low tide',
      displayName: 'Jane',
      mail: 'jane@site.example',
    };
    const { status, headers, data } = await send('POST', '', 'ada', attributes, NEW);
    expect([status, headers.get('location')]).toEqual([201, 'https://site.example/jsonapi/_accounts/jane']);
    expect(data.attributes).toEqual({
      displayName: 'Jane',
      mail: 'jane@site.example',
      roles: ['editor'],
      blocked: false,
      hasPassword: true,
      link: null,
    });
    const signedIn = await site.request('/jsonapi', {
      headers: { authorization: basic('jane', 'low tide') },
    });
    expect(signedIn.status).toBe(200);
    expect(await changes()).toMatchObject([
      { event: 'account added', account: 'jane', actor: 'ada', by: 'basic', detail: 'editor' },
    ]);
  });

  it('change roles, block, rename and set a password in one request', async () => {
    const sent = { roles: ['editor'], blocked: true, password: 'high tide', displayName: 'Eve', mail: null };
    const { status, data } = await send('PATCH', '/eve', 'ada', sent);
    expect(status).toBe(200);
    expect(data.attributes).toMatchObject({ roles: ['editor'], blocked: true, displayName: 'Eve' });
    expect((await changes()).map(({ event }) => event)).toEqual([
      'roles changed',
      'account blocked',
      'password changed',
      'profile changed',
    ]);
    expect((await send('GET', '', 'eve')).status).toBe(401);
    const opened = await send('PATCH', '/eve', 'ada', { blocked: false, displayName: null });
    expect(opened.data.attributes).toMatchObject({ blocked: false, displayName: null });
  });

  it('end the sessions of an account that they block, and of one with a new password', async () => {
    for (const attributes of [{ blocked: true }, { blocked: false, password: PASSWORD }]) {
      await send('PATCH', '/eve', 'ada', { blocked: false });
      const { session } = await signIn(site, 'eve');
      await send('PATCH', '/eve', 'ada', attributes);
      expect((await site.request(`${ACCOUNTS}/eve`, {}, { session })).status).toBe(401);
    }
    const { session } = await signIn(site, 'eve');
    await send('PATCH', '/eve', 'ada', { roles: ['editor'] });
    expect((await site.request(`${ACCOUNTS}/eve`, {}, { session })).status).toBe(200);
  });

  it('remove an account', async () => {
    expect((await send('DELETE', '/eve')).status).toBe(204);
    expect((await send('GET', '/eve')).status).toBe(404);
    expect(await changes()).toMatchObject([{ event: 'account removed', account: 'eve', actor: 'ada' }]);
  });

  it.each<[string, string, string, object | undefined]>([
    ['remove', 'DELETE', '/ada', undefined],
    ['block', 'PATCH', '/ada', { blocked: true }],
    ['demote', 'PATCH', '/ADA', { roles: ['editor'] }],
    ['take the password of', 'PATCH', '/ada', { password: null, currentPassword: PASSWORD }],
  ])('cannot %s the last of them', async (_, method, path, attributes) => {
    await site.auth.accounts.add({ name: 'program', roles: ['administrator'] });
    await site.auth.accounts.add({ name: 'gone', roles: ['administrator'], password: PASSWORD });
    await site.auth.accounts.update('gone', { blocked: true });
    const { status, errors } = await send(method, path, 'ada', attributes);
    expect(status).toBe(409);
    expect(errors[0]?.detail).toContain('last administrator');
    await site.auth.accounts.update('gone', { blocked: false });
    expect((await send(method, path, 'ada', attributes)).status).toBeLessThan(300);
  });

  it('cannot remove each other at the same time', async () => {
    await site.auth.accounts.add({ name: 'bea', roles: ['administrator'], password: PASSWORD });
    const replies = await Promise.all([send('DELETE', '/bea', 'ada'), send('DELETE', '/ada', 'bea')]);
    expect(replies.map(({ status }) => status).sort()).not.toEqual([204, 204]);
    const left = await site.auth.accounts.list();
    expect(left.filter(({ roles }) => roles.includes('administrator'))).toHaveLength(1);
  });

  it.each<[string, string, string, object | undefined, number, object | undefined]>([
    [
      'a name that is taken',
      'POST',
      '',
      { type: 'account', id: 'EVE', attributes: {} },
      409,
      { pointer: '/data/id' },
    ],
    ['no name', 'POST', '', { type: 'account', attributes: {} }, 400, { pointer: '/data' }],
    ['a name that is not valid', 'POST', '', { type: 'account', id: 'a:b' }, 422, { pointer: '/data/id' }],
    ['a name that is not a string', 'POST', '', { type: 'account', id: 7 }, 400, { pointer: '/data/id' }],
    [
      'a short password',
      'POST',
      '',
      { ...NEW, attributes: { password: 'tide' } },
      422,
      { pointer: '/data/attributes/password' },
    ],
    [
      'an unknown role',
      'POST',
      '',
      { ...NEW, attributes: { roles: ['editr'] } },
      422,
      { pointer: '/data/attributes/roles' },
    ],
    [
      'a role of all accounts',
      'PATCH',
      '/eve',
      { type: 'account', id: 'eve', attributes: { roles: ['authenticated'] } },
      422,
      { pointer: '/data/attributes/roles' },
    ],
    [
      'roles that are not a list',
      'PATCH',
      '/eve',
      { type: 'account', id: 'eve', attributes: { roles: 'editor' } },
      422,
      { pointer: '/data/attributes/roles' },
    ],
    [
      'a role that is not a string',
      'PATCH',
      '/eve',
      { type: 'account', id: 'eve', attributes: { roles: ['editor', 7] } },
      422,
      { pointer: '/data/attributes/roles/1' },
    ],
    [
      'an unknown attribute',
      'PATCH',
      '/eve',
      { type: 'account', id: 'eve', attributes: { epoch: 'x' } },
      422,
      { pointer: '/data/attributes/epoch' },
    ],
    [
      'a mail address that is not valid',
      'PATCH',
      '/eve',
      { type: 'account', id: 'eve', attributes: { mail: 'eve' } },
      422,
      { pointer: '/data/attributes/mail' },
    ],
    [
      'a display name of two lines',
      'PATCH',
      '/eve',
      { type: 'account', id: 'eve', attributes: { displayName: 'Eve\nAda' } },
      422,
      { pointer: '/data/attributes/displayName' },
    ],
    ['another type', 'PATCH', '/eve', { type: 'node--article', id: 'eve' }, 409, { pointer: '/data/type' }],
    ['another id', 'PATCH', '/eve', { type: 'account', id: 'ada' }, 409, { pointer: '/data/id' }],
    ['no data', 'PATCH', '/eve', undefined, 400, { pointer: '/data' }],
    ['an account that does not exist', 'PATCH', '/bob', { type: 'account', id: 'bob' }, 404, undefined],
  ])('get an error for %s', async (_, method, path, data, status, source) => {
    const headers = { authorization: basic('ada', PASSWORD), 'content-type': 'application/vnd.api+json' };
    const body = JSON.stringify({ data });
    const reply = await read(await site.request(ACCOUNTS + path, { method, headers, body }));
    expect([reply.status, reply.errors[0]?.source]).toEqual([status, source]);
  });

  it('get all errors of a request at once', async () => {
    const { errors } = await send('PATCH', '/eve', 'ada', { roles: 'editor', blocked: 1, colour: 'red' });
    expect(errors.map(({ source }) => source?.pointer).sort()).toEqual([
      '/data/attributes/blocked',
      '/data/attributes/colour',
      '/data/attributes/roles',
    ]);
  });

  it.each([
    ['PUT', ''],
    ['PATCH', ''],
    ['POST', '/eve'],
    ['GET', '/eve/tokens/x'],
  ])('cannot send %s to %j', async (method, path) => {
    expect((await send(method, path)).status).toBe(405);
  });

  it('cannot send a query', async () => {
    const { status, errors } = await send('GET', '?colour=red');
    expect([status, errors[0]?.source]).toEqual([400, { parameter: 'colour' }]);
  });
});

describe('others', () => {
  it.each<[string, string, object?]>([
    ['GET', ''],
    ['GET', '/ada'],
    ['GET', '/nobody'],
    ['PATCH', '/ada', { blocked: true }],
    ['DELETE', '/nobody'],
    ['POST', '', {}],
    ['DELETE', '/eve'],
    ['GET', '/ada/tokens'],
    ['POST', '/eve/tokens', {}],
    ['DELETE', '/ada/tokens/x'],
  ])('cannot %s %s', async (method, path, attributes) => {
    expect((await send(method, path, 'eve', attributes)).status).toBe(403);
    expect((await send(method, path, null, attributes)).status).toBe(401);
  });

  it('see themselves', async () => {
    const { status, data } = await send('GET', '/EVE', 'eve');
    expect([status, data.id]).toEqual([200, 'eve']);
  });

  it.each(['roles', 'blocked'])('cannot change their own %s', async (name) => {
    const value = { roles: ['administrator'], blocked: false, displayName: 'x', mail: 'a@site.example' }[
      name
    ];
    const { status, errors } = await send('PATCH', '/eve', 'eve', { [name]: value });
    expect([status, errors[0]?.source]).toEqual([403, { pointer: `/data/attributes/${name}` }]);
  });

  it('with the permission to administer accounts do not become administrators', async () => {
    const keeper = 'Max Keeper';
    const as = (method: string, path: string, attributes?: object, data?: object) =>
      send(method, path, keeper, attributes, data);
    expect((await as('PATCH', '/eve', { roles: ['editor'] })).status).toBe(200);
    expect((await as('PATCH', '/eve', { roles: ['administrator'] })).status).toBe(403);
    expect((await as('PATCH', '/Max%20Keeper', { roles: ['administrator'] })).status).toBe(403);
    expect((await as('POST', '', { roles: ['administrator'] }, NEW)).status).toBe(403);
    expect((await as('PATCH', '/ada', { password: 'my horse now' })).status).toBe(403);
    expect((await as('DELETE', '/ada')).status).toBe(403);
    expect((await as('POST', '/ada/tokens', {}, { type: 'token' })).status).toBe(403);
  });
});

describe('a person', () => {
  const change = (attributes: object, as = 'eve') => send('PATCH', `/${as}`, as, attributes);

  it('changes their password with the current password', async () => {
    const { status } = await change({ password: 'high tide', currentPassword: PASSWORD });
    expect(status).toBe(200);
    expect((await send('GET', '/eve', 'eve')).status).toBe(401);
    expect(await changes()).toMatchObject([{ event: 'password changed', account: 'eve', actor: 'eve' }]);
  });

  it.each([
    ['without the present one', { password: 'high tide' }, 'currentPassword'],
    ['with a wrong one', { password: 'high tide', currentPassword: 'low tide!' }, 'currentPassword'],
    ['to a short one', { password: 'tide', currentPassword: PASSWORD }, 'password'],
    ['to their name', { password: 'Eve', currentPassword: PASSWORD }, 'password'],
  ])('cannot change it %s', async (_, attributes, at) => {
    const { status, errors } = await change(attributes);
    expect([status, errors[0]?.source]).toEqual([422, { pointer: `/data/attributes/${at}` }]);
    expect((await send('GET', '/eve', 'eve')).status).toBe(200);
  });

  it('needs the present password as an administrator too', async () => {
    expect((await change({ password: 'high tide' }, 'ada')).status).toBe(422);
  });

  it('cannot guess the present password in a stolen session', async () => {
    const { session } = await signIn(site, 'eve');
    const statuses: number[] = [];
    for (let guess = 0; guess < 12; guess++) {
      const attributes = { password: 'high tide', currentPassword: `guess number ${guess}` };
      const body = JSON.stringify({ data: { type: 'account', id: 'eve', attributes } });
      const headers = { 'content-type': 'application/vnd.api+json', origin: 'https://site.example' };
      const sent = { method: 'PATCH', body, headers };
      statuses.push((await site.request(`${ACCOUNTS}/eve`, sent, { session })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(422), 429, 429]);
  });

  it('keeps the session in which they change it, and loses all others', async () => {
    const [one, other] = [await signIn(site, 'eve'), await signIn(site, 'eve')];
    const before = one.session.id();
    const attributes = { password: 'high tide', currentPassword: PASSWORD };
    const response = await site.request(
      `${ACCOUNTS}/eve`,
      {
        method: 'PATCH',
        body: JSON.stringify({ data: { type: 'account', id: 'eve', attributes } }),
        headers: { 'content-type': 'application/vnd.api+json', 'x-csrf-token': one.csrf },
      },
      { session: one.session },
    );
    expect(response.status).toBe(200);
    expect(one.session.id()).not.toBe(before);
    const status = async (session: ReturnType<typeof createSession>) =>
      (await site.request(`${ACCOUNTS}/eve`, {}, { session })).status;
    expect([await status(one.session), await status(other.session)]).toEqual([200, 401]);
  });
});

describe('tokens', () => {
  const create = (attributes: object, as = 'ada') =>
    send('POST', '/eve/tokens', as, attributes, { type: 'token', id: undefined });

  it('are created by administrators, who see the secret once', async () => {
    const { status, data, headers } = await create({ label: 'ci', scope: 'write' });
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { token, ...attributes } = data.attributes;
    expect(attributes).toEqual({
      label: 'ci',
      scope: 'write',
      created: expect.any(String),
      expires: expect.any(String),
    });
    const days = (Date.parse(attributes.expires) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    const bearer = { headers: { authorization: `Bearer ${token}` } };
    expect((await site.request('/jsonapi', bearer)).status).toBe(200);
    const listed = await send('GET', '/eve/tokens', 'eve');
    expect(listed.data).toMatchObject([{ type: 'token', id: data.id, attributes }]);
    expect(JSON.stringify(listed)).not.toContain(token);
    expect(await changes()).toMatchObject([{ event: 'token added', account: 'eve', actor: 'ada' }]);
    expect(JSON.stringify(await changes())).not.toContain(token);
  });

  it('are revoked by their owner or by an administrator', async () => {
    for (const as of ['eve', 'ada']) {
      const { data } = await create({});
      expect((await send('DELETE', `/eve/tokens/${data.id}`, as)).status).toBe(204);
      const bearer = { headers: { authorization: `Bearer ${data.attributes.token}` } };
      expect((await site.request('/jsonapi', bearer)).status).toBe(401);
      expect((await send('DELETE', `/eve/tokens/${data.id}`, as)).status).toBe(404);
    }
  });

  it.each([
    ['a scope that does not exist', { scope: 'admin' }, 'scope'],
    ['a time in the past', { expires: '2020-01-01T00:00:00Z' }, 'expires'],
    ['a time in twenty years', { expires: '2099-01-01T00:00:00Z' }, 'expires'],
    ['a time without an offset', { expires: '2027-01-01' }, 'expires'],
    ['a label of two lines', { label: 'a\nb' }, 'label'],
  ])('cannot have %s', async (_, attributes, at) => {
    const { status, errors } = await create(attributes);
    expect([status, errors[0]?.source]).toEqual([422, { pointer: `/data/attributes/${at}` }]);
  });

  it('cannot read or change accounts, whatever their scope', async () => {
    const token = { label: '', scope: 'write', expires: null } as const;
    const { secret } = await site.auth.accounts.addToken('ada', token);
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/vnd.api+json' };
    const body = JSON.stringify({ data: { type: 'token', attributes: { scope: 'write', expires: null } } });
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/ada'],
      ['POST', '/ada/tokens'],
      ['DELETE', '/eve'],
      ['PATCH', '/eve'],
    ] as const) {
      const sent = { method, headers, body: method === 'POST' || method === 'PATCH' ? body : null };
      expect((await site.request(ACCOUNTS + path, sent)).status, `${method} ${path}`).toBe(403);
    }
  });
});
