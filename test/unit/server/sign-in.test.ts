import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  APP,
  CORS,
  createSession,
  form,
  json,
  newArticle,
  ORIGIN,
  openSignInSite,
  PASSWORD,
  type SignInSite,
  signIn,
} from '../../support/sign-in-site.ts';
import { basic } from '../accounts/test-auth.ts';

let site: SignInSite;
beforeEach(async () => {
  site = await openSignInSite();
});

const WRONG = [
  ['a wrong password', basic('ada', 'wrong')],
  ['an unknown account', basic('nobody', PASSWORD)],
  ['a token that is none', 'Bearer ajp_none'],
  ['an unknown scheme', 'Digest x'],
  ['an unreadable header', 'Basic %%%'],
] as const;

const ROUTES = [
  ['GET', '/jsonapi', 'errors'],
  ['GET', '/jsonapi/node/article', 'errors'],
  ['GET', '/jsonapi/node/nothing', 'errors'],
  ['POST', '/jsonapi/node/article', 'errors'],
  ['DELETE', '/jsonapi/node/article/first', 'errors'],
  ['GET', '/jsonapi/node/article/resource/schema', 'errors'],
  ['GET', '/jsonapi/openapi.json', 'errors'],
  ['GET', '/api/content/articles', 'error'],
  ['GET', '/v1/api/content/articles', 'error'],
  ['GET', '/router/translate-path?path=/x', 'message'],
  ['POST', '/subrequests', 'message'],
  ['GET', '/healthz', 'message'],
  ['GET', '/user/login_status', 'message'],
  ['GET', '/session/token', 'message'],
] as const;

describe('wrong credentials', () => {
  it.each(ROUTES)('return a 401 in the error format of %s %s', async (method, path, member) => {
    for (const [, authorization] of WRONG) {
      const response = await site.request(path, { method, headers: { authorization } });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="content".*, Bearer realm/);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toHaveProperty(member);
    }
  });

  it.each(WRONG)('take precedence over a valid session: %s', async (_, authorization) => {
    const { session } = await signIn(site);
    const response = await site.request('/jsonapi', { headers: { authorization } }, { session });
    expect(response.status).toBe(401);
  });

  it('do not trigger a password prompt for requests from scripts', async () => {
    const headers = { 'sec-fetch-dest': 'empty' };
    const refused = await site.request('/jsonapi', {
      headers: { ...headers, authorization: basic('ada', 'x') },
    });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="content"',
    ]);
    const anonymous = await site.request('/jsonapi/node/article', newArticle(headers));
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="content"',
    ]);
  });

  it('are ignored at addresses of the site', async () => {
    const request = new Request(`${ORIGIN}/elsewhere`, { headers: { authorization: basic('ada', 'x') } });
    expect(await site.handle(request)).toBeUndefined();
  });
});

describe('a response', () => {
  const draft = '/jsonapi/node/article/draft';

  it.each([
    ['anonymous', 404, 'no-cache'],
    ['basic', 200, 'private, no-cache'],
    ['bearer', 200, 'private, no-cache'],
    ['session', 200, 'private, no-cache'],
  ] as const)('to %s is a %i, and %s', async (by, status, caching) => {
    const { session } = await signIn(site);
    const { secret } = await site.auth.accounts.addToken('ada', {
      scope: 'read',
      expires: null,
      label: '',
    });
    const headers: Record<string, string> = {};
    if (by === 'basic') headers.authorization = basic('ada', PASSWORD);
    if (by === 'bearer') headers.authorization = `Bearer ${secret}`;
    const context = by === 'session' ? { session } : {};
    expect((await site.request(draft, { headers }, context)).status).toBe(status);
    const list = await site.request('/jsonapi/node/article', { headers }, context);
    expect(list.headers.get('cache-control')).toBe(caching);
    expect(list.headers.get('vary')).toBe('Accept, Authorization, Cookie');
    const ids = (await list.json()).data.map(({ id }: { id: string }) => id);
    expect(ids.includes('draft')).toBe(by !== 'anonymous');
  });

  it('that is cached for one user is not sent to another', async () => {
    const { session } = await signIn(site);
    const count = async (context = {}) =>
      (await (await site.request('/jsonapi/node/article', {}, context)).json()).meta.count;
    const counts: number[] = [];
    for (let round = 0; round < 3; round++) counts.push(await count(), await count({ session }));
    expect(counts).toEqual([2, 3, 2, 3, 2, 3]);
  });

  it('names the account in the request log', async () => {
    const print = vi.spyOn(console, 'log').mockReturnValue();
    const logged = await openSignInSite({ front: { requestLog: true } });
    const headers = { authorization: basic('ada', PASSWORD) };
    await logged.request('/jsonapi', { headers });
    await logged.request('/jsonapi');
    await logged.request('/user/login?setup=secret');
    expect(
      print.mock.calls.map(([line]) => JSON.parse(line)).map(({ actor, path }) => [actor, path]),
    ).toEqual([
      ['ada', '/jsonapi'],
      [null, '/jsonapi'],
      [null, '/user/login?setup=***'],
    ]);
    print.mockRestore();
  });
});

describe('a signed-in user', () => {
  it.each([
    ['anonymous', undefined, 401],
    ['an account without the permission', 'eve', 403],
    ['an account with the permission', 'ada', 201],
  ] as const)('may write with the permission: %s', async (_, name, status) => {
    const headers = name === undefined ? {} : { authorization: basic(name, PASSWORD) };
    const response = await site.request('/jsonapi/node/article', newArticle(headers));
    expect(response.status).toBe(status);
    expect(response.headers.has('www-authenticate')).toBe(status === 401);
  });

  it.each([
    ['POST', '/jsonapi/node/article'],
    ['PATCH', '/jsonapi/node/article/first'],
    ['DELETE', '/jsonapi/node/article/first'],
    ['PUT', '/api/content/articles/first'],
    ['DELETE', '/v1/api/content/articles/first'],
  ])('changes nothing with a read-only token: %s', async (method, path) => {
    const token = { scope: 'read', expires: null, label: '' } as const;
    const { secret } = await site.auth.accounts.addToken('ada', token);
    const response = await site.request(path, { method, headers: { authorization: `Bearer ${secret}` } });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  });

  it('may send sub-requests of reads with a read-only token', async () => {
    const token = { scope: 'read', expires: null, label: '' } as const;
    const { secret } = await site.auth.accounts.addToken('ada', token);
    const list = [{ requestId: 'a', action: 'view', uri: '/jsonapi/node/article/draft' }];
    const response = await site.request('/subrequests', json(list, { authorization: `Bearer ${secret}` }));
    expect(response.status).toBe(207);
    expect((await response.json()).a.headers.status).toEqual([200]);
  });

  it('deletes without a content type', async () => {
    const headers = { authorization: basic('ada', PASSWORD) };
    const response = await site.request('/jsonapi/node/article/second', { method: 'DELETE', headers });
    expect(response.status).toBe(204);
  });
});

describe('Drupal clients', () => {
  it('sign in, check their status, fetch the CSRF token again, write with it and sign out', async () => {
    const session = createSession();
    const status = async () =>
      (await site.request('/user/login_status?_format=json', {}, { session })).json();
    expect(await status()).toBe(0);
    const login = await site.request('/user/login?_format=json', json({ name: 'ADA', pass: PASSWORD }), {
      session,
    });
    expect(login.status).toBe(200);
    const answer = await login.json();
    expect(answer).toEqual({
      current_user: { uid: 'ada', name: 'ada', roles: ['authenticated', 'administrator'] },
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      logout_token: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(await status()).toBe(1);
    const token = await site.request('/session/token', {}, { session });
    expect(token.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await token.text()).toBe(answer.csrf_token);
    const write = newArticle({ 'x-csrf-token': answer.csrf_token });
    expect((await site.request('/jsonapi/node/article', write, { session })).status).toBe(201);
    const out = `/user/logout?_format=json&token=${answer.logout_token}`;
    expect((await site.request(out, { method: 'POST' }, { session })).status).toBe(204);
    expect([session.isDestroyed(), await status()]).toEqual([true, 0]);
  });

  it('may fetch a CSRF token before they sign in', async () => {
    expect(await (await site.request('/session/token')).text()).toMatch(/^[\w-]{43}$/);
  });

  it.each([
    ['a wrong password', { name: 'ada', pass: 'wrong' }, 401],
    ['no password', { name: 'ada' }, 400],
    ['a name that is not a string', { name: 1, pass: 'x' }, 400],
    ['a list', [], 400],
    ['nothing', null, 400],
  ])('get a clear error for %s', async (_, body, status) => {
    const session = createSession();
    const response = await site.request('/user/login?_format=json', json(body), { session });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ message: expect.any(String) });
    expect(session.data.size).toBe(0);
    expect(response.headers.get('www-authenticate')).toBe(
      status === 401 ? 'Cookie realm="content", form-action="/user/login"' : null,
    );
  });

  it('get a clear error for a large body and for invalid JSON', async () => {
    const long = await site.request(
      '/user/login?_format=json',
      json({ name: 'a', pass: 'x'.repeat(20_000) }),
    );
    expect(long.status).toBe(413);
    const broken = await site.request('/user/login?_format=json', { method: 'POST', body: '{' });
    expect(broken.status).toBe(400);
  });

  it('get a token at /oauth/token, and write with it', async () => {
    const { secret, client } = await site.auth.accounts.addClient('ada', { scope: 'write', label: '' });
    const fields = { grant_type: 'client_credentials', client_id: client.id, client_secret: secret };
    const response = await site.request('/oauth/token', form(fields, {}));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const { access_token: token } = await response.json();
    const write = newArticle({ authorization: `Bearer ${token}` });
    expect((await site.request('/jsonapi/node/article', write)).status).toBe(201);
    const wrong = await site.request('/oauth/token', form({ ...fields, client_secret: 'x' }, {}));
    expect([wrong.status, (await wrong.json()).error]).toEqual([401, 'invalid_client']);
  });

  it('get a retry time after too many failures', async () => {
    const session = createSession();
    const login = () =>
      site.request('/user/login?_format=json', json({ name: 'ada', pass: 'wrong' }), {
        session,
        address: '192.0.2.1',
      });
    for (let attempt = 0; attempt < 10; attempt++) expect((await login()).status).toBe(401);
    const refused = await login();
    const seconds = Number(refused.headers.get('retry-after'));
    expect([refused.status, seconds > 0, seconds <= 60]).toEqual([429, true, true]);
  });
});

describe('a page of an origin in the option cors', () => {
  it('signs in with JSON, fetches the CSRF token, and writes with it', async () => {
    const shared = await openSignInSite({ front: { cors: CORS } });
    const headers = { origin: APP, 'sec-fetch-site': 'cross-site' };
    const session = createSession();
    const sent = json({ name: 'ada', pass: PASSWORD }, headers);
    const login = await shared.request('/user/login?_format=json', sent, { session });
    expect(login.headers.get('access-control-allow-credentials')).toBe('true');
    const { csrf_token: token } = await login.json();
    const write = (more: Record<string, string>) =>
      shared.request('/jsonapi/node/article', newArticle({ ...headers, ...more }), { session });
    expect((await write({})).status).toBe(403);
    expect((await write({ 'x-csrf-token': token })).status).toBe(201);
  });

  it('gets allowed methods and headers from preflights', async () => {
    const shared = await openSignInSite({ front: { cors: CORS } });
    const headers = { origin: APP, 'access-control-request-method': 'PATCH' };
    const allowed = async (path: string) =>
      (await shared.request(path, { method: 'OPTIONS', headers })).headers.get(
        'access-control-allow-methods',
      );
    expect(await allowed('/jsonapi/node/article/first')).toContain('PATCH');
    expect(await allowed('/user/login')).toBe('GET, HEAD, OPTIONS, POST');
    expect(await allowed('/oauth/token')).toBe('OPTIONS, POST');
  });
});

describe('the sign-in page', () => {
  const login = (fields: Record<string, string>, session = createSession()) =>
    site.request('/user/login', form(fields), { session });

  it('is a form that needs no script', async () => {
    const response = await site.request('/user/login', {}, { session: createSession() });
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain('<label for="name">Name</label>');
    expect(page).toContain('<form method="post" action="/user/login">');
    expect(page).not.toContain('<script');
  });

  it('redirects to the requested page, or shows the signed-in user', async () => {
    const session = createSession();
    const page = await (await site.request('/user/login?destination=/editor?x=1', {}, { session })).text();
    expect(page).toContain('<input type="hidden" name="destination" value="/editor?x=1">');
    const to = await login({ name: 'ada', pass: PASSWORD, destination: '/editor?x=1' }, session);
    expect([to.status, to.headers.get('location')]).toEqual([303, '/editor?x=1']);
    const plain = await login({ name: 'ada', pass: PASSWORD }, session);
    expect([plain.status, plain.headers.get('location')]).toEqual([303, site.home]);
    const shown = await (await site.request('/user/login', {}, { session })).text();
    expect(shown).toContain('as <strong>ada</strong>');
  });

  it('is shown again with the error and the submitted name', async () => {
    const session = createSession();
    const response = await login({ name: '"><b>', pass: 'wrong', destination: '/editor' }, session);
    expect(response.status).toBe(401);
    // Without a Basic challenge, which would open the browser's own prompt before the page.
    expect(response.headers.get('www-authenticate')).toBe(
      'Cookie realm="content", form-action="/user/login"',
    );
    const page = await response.text();
    expect(page).toContain('role="alert"');
    expect(page).toContain('<title>Error: Sign in</title>');
    expect(page).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(page).toContain('name="destination" value="/editor"');
    expect(page).not.toContain('wrong"');
    expect(session.data.size).toBe(0);
  });

  it('asks for no password if the site has no sessions, and explains the missing setting', async () => {
    const closed = await openSignInSite({ sessions: false });
    const shown = await closed.request('/user/login');
    const text = await shown.text();
    expect([shown.status, text]).toEqual([501, expect.stringContaining('session.driver')]);
    expect(text).not.toContain('<form');
    const page = await closed.request('/user/login', form({ name: 'ada', pass: PASSWORD }));
    expect(page.status).toBe(501);
    expect(await page.text()).toContain('session.driver');
    const data = await closed.request('/user/login?_format=json', json({ name: 'ada', pass: PASSWORD }));
    expect([data.status, (await data.json()).message]).toEqual([
      501,
      expect.stringContaining('session.driver'),
    ]);
  });

  it('respects the base and trailingSlash in its addresses', async () => {
    const settings = { base: '/docs', trailingSlash: 'always' } as const;
    const based = await openSignInSite({ settings });
    const page = await (await based.request('/docs/user/login/', {}, { session: createSession() })).text();
    expect(page).toContain('action="/docs/user/login/"');
    expect(await based.handle(new Request(`${ORIGIN}/user/login`))).toBeUndefined();
    const sent = form({ name: 'ada', pass: PASSWORD });
    const response = await based.request('/docs/user/login/', sent, { session: createSession() });
    expect(response.headers.get('location')).toBe('/docs/user/login/');
  });

  it.each([
    ['/user/login', 'PUT', 'GET, HEAD, OPTIONS, POST'],
    ['/user/login_status', 'POST', 'GET, HEAD, OPTIONS'],
    ['/oauth/token', 'GET', 'OPTIONS, POST'],
  ])('%s has no route for %s', async (path, method, allow) => {
    const response = await site.request(path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    const options = await site.request(path, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
  });

  it.each(['/user/login', '/user/logout', '/session/token'])('%s supports HEAD', async (path) => {
    const response = await site.request(path, { method: 'HEAD' }, { session: createSession() });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0);
  });

  it('rejects other kinds of forms', async () => {
    const headers = { origin: ORIGIN };
    const response = await site.request('/user/login', { method: 'POST', body: new FormData(), headers });
    expect(response.status).toBe(415);
  });
});

describe('the site’s own page at /user/login', () => {
  it('takes precedence, except for programs and the setup link', async () => {
    const own = await openSignInSite({ front: { ownPages: ['/user/login'] } });
    expect(await own.handle(new Request(`${ORIGIN}/user/login`))).toBeUndefined();
    expect(await own.handle(new Request(`${ORIGIN}/user/login`, form({ name: 'ada' })))).toBeUndefined();
    expect((await own.request('/user/login?setup=x')).status).toBe(403);
    const sent = json({ name: 'ada', pass: PASSWORD });
    const response = await own.request('/user/login?_format=json', sent, { session: createSession() });
    expect(response.status).toBe(200);
  });
});

describe('signing out', () => {
  it('needs a button: a link alone does nothing', async () => {
    const { session, logout } = await signIn(site);
    const page = await (await site.request('/user/logout', {}, { session })).text();
    expect(page).toContain(`<input type="hidden" name="token" value="${logout}">`);
    expect(session.isDestroyed()).toBe(false);
    const out = await site.request('/user/logout', form({ token: logout }, {}), { session });
    expect([out.status, out.headers.get('location')]).toEqual([303, '/user/logout']);
    expect(session.isDestroyed()).toBe(true);
    expect(await (await site.request('/user/logout', {}, { session })).text()).toContain(
      'You are signed out',
    );
  });

  it('twice is not an error', async () => {
    const response = await site.request(
      '/user/logout?_format=json',
      { method: 'POST' },
      { session: createSession() },
    );
    expect(response.status).toBe(204);
  });
});

describe('the setup link', () => {
  let empty: SignInSite;
  let token: string;
  beforeEach(async () => {
    empty = await openSignInSite({ accounts: false });
    token = (await empty.auth.setup.createSetupLink())?.path.split('=')[1] ?? '';
  });
  const redeem = (fields: Record<string, string>, session = createSession()) =>
    empty.request('/user/login', form({ setup: token, ...fields }), { session });

  it('creates the first administrator and signs in', async () => {
    const page = await (await empty.request(`/user/login?setup=${token}`)).text();
    expect(page).toContain('Create the first account');
    const session = createSession();
    const response = await redeem({ name: 'grace', pass: PASSWORD }, session);
    expect([response.status, response.headers.get('location')]).toEqual([303, empty.home]);
    expect((await empty.request('/jsonapi/node/article/draft', {}, { session })).status).toBe(200);
    expect((await empty.auth.accounts.find('grace'))?.roles).toEqual(['administrator']);
  });

  it('works once', async () => {
    await redeem({ name: 'grace', pass: PASSWORD });
    expect((await redeem({ name: 'mallory', pass: PASSWORD })).status).toBe(403);
    expect((await empty.request(`/user/login?setup=${token}`)).status).toBe(403);
    expect((await empty.auth.accounts.list()).map(({ name }) => name)).toEqual(['grace']);
  });

  it.each([
    ['an invalid name', { name: ':', pass: PASSWORD }],
    ['a short password', { name: 'grace', pass: 'short' }],
  ])('stays valid after %s', async (_, fields) => {
    const response = await redeem(fields);
    expect(response.status).toBe(422);
    expect(await response.text()).toContain('role="alert"');
    expect((await redeem({ name: 'grace', pass: PASSWORD })).status).toBe(303);
  });

  it('expires after fifteen minutes', async () => {
    empty.auth.clock.now += 15 * 60_000 + 1;
    expect((await redeem({ name: 'grace', pass: PASSWORD })).status).toBe(403);
  });

  it('creates the account even if the site has no sessions', async () => {
    const closed = await openSignInSite({ accounts: false, sessions: false });
    const link = await closed.auth.setup.createSetupLink();
    const setup = link?.path.split('=')[1] ?? '';
    const response = await closed.request('/user/login', form({ setup, name: 'grace', pass: PASSWORD }));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('The account was created');
  });

  it('rejects pages of another site', async () => {
    const sent = form({ setup: token, name: 'mallory', pass: PASSWORD }, { origin: 'https://evil.example' });
    expect((await empty.request('/user/login', sent, { session: createSession() })).status).toBe(403);
    expect(await empty.auth.accounts.list()).toEqual([]);
  });
});
