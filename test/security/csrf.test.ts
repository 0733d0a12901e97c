import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { senderOf } from '../../integration/core/server/cross-site.ts';
import { adminApp } from '../support/services.ts';
import {
  APP,
  CORS,
  createSession,
  form,
  json,
  ORIGIN,
  openSignInSite,
  PASSWORD,
  type SignInSite,
  signIn,
  type TestSession,
} from '../support/sign-in-site.ts';
import { basic } from '../unit/accounts/test-auth.ts';

const EVIL = 'https://evil.example';

let site: SignInSite;
let session: TestSession;
let csrf: string;
let bearer: string;
beforeAll(async () => {
  site = await openSignInSite({ front: { cors: CORS, adminApp }, settings: { admin: true } });
  const token = { scope: 'write', expires: null, label: '' } as const;
  bearer = `Bearer ${(await site.auth.accounts.addToken('ada', token)).secret}`;
});
beforeEach(async () => {
  ({ session, csrf } = await signIn(site));
});

/**
 * The headers by which browsers and programs identify the origin of a request, and if it counts as a page of the
 * site.
 */
const SENDERS: readonly (readonly [name: string, headers: Record<string, string>, own: boolean])[] = [
  ['a page of the site', { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }, true],
  [
    'a page of the site behind a proxy',
    { origin: 'https://public.example', 'sec-fetch-site': 'same-origin' },
    true,
  ],
  ['a page of the site in an older browser', { origin: ORIGIN }, true],
  ['the user themselves', { 'sec-fetch-site': 'none' }, true],
  ['a page of a sister site', { origin: 'https://blog.site.example', 'sec-fetch-site': 'same-site' }, false],
  ['a page elsewhere', { origin: EVIL, 'sec-fetch-site': 'cross-site' }, false],
  ['another site in an older browser', { origin: EVIL }, false],
  ['another site with a forged Origin', { origin: ORIGIN, 'sec-fetch-site': 'cross-site' }, false],
  ['a listed page', { origin: APP, 'sec-fetch-site': 'cross-site' }, false],
  ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }, false],
  ['a sandboxed frame in an older browser', { origin: 'null' }, false],
  ['the site without TLS', { origin: 'http://site.example' }, false],
  ['another port', { origin: `${ORIGIN}:8443` }, false],
  ['an origin that starts like the site', { origin: `${ORIGIN}.evil.example` }, false],
  ['an unknown header value', { 'sec-fetch-site': 'everywhere' }, false],
  ['a client without these headers', {}, false],
];

const WRITES = [
  ['POST', '/jsonapi/node/article', 201],
  ['PATCH', '/jsonapi/node/article/first', 200],
  ['DELETE', '/jsonapi/node/article/second', 204],
] as const;

const TOKENS = ['none', 'right', 'wrong', 'of another session', 'empty'] as const;
const CREDENTIALS = ['session', 'basic', 'bearer'] as const;

let number = 0;

/** Sends the write for new content, so that writes are independent. */
async function write(
  method: string,
  credential: (typeof CREDENTIALS)[number],
  headers: Record<string, string>,
  contentType = 'application/vnd.api+json',
): Promise<number> {
  const id = `new-${++number}`;
  const create = {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.api+json', authorization: bearer },
    body: JSON.stringify({ data: { type: 'node--article', id, attributes: { title: id } } }),
  };
  if (method !== 'POST') expect((await site.request('/jsonapi/node/article', create)).status).toBe(201);
  const identity: Record<string, string> = {};
  if (credential === 'basic') identity.authorization = basic('ada', PASSWORD);
  if (credential === 'bearer') identity.authorization = bearer;
  const body = method === 'DELETE' ? null : create.body;
  const type: Record<string, string> = body === null ? {} : { 'content-type': contentType };
  const path = method === 'POST' ? '/jsonapi/node/article' : `/jsonapi/node/article/${id}`;
  const { status } = await site.request(
    path,
    { method, body, headers: { ...type, ...identity, ...headers } },
    { session },
  );
  return status;
}

async function tokenHeader(token: (typeof TOKENS)[number]): Promise<Record<string, string>> {
  switch (token) {
    case 'none':
      return {};
    case 'right':
      return { 'x-csrf-token': csrf };
    case 'wrong':
      return { 'x-csrf-token': `${csrf.slice(0, -1)}${csrf.endsWith('A') ? 'B' : 'A'}` };
    case 'of another session':
      return { 'x-csrf-token': (await signIn(site)).csrf };
    case 'empty':
      return { 'x-csrf-token': '' };
    default:
      return token satisfies never;
  }
}

describe.each(WRITES)('%s', (method, _, done) => {
  describe.each(CREDENTIALS)('with %s', (credential) => {
    it.each(SENDERS)('from %s', async (__, headers, own) => {
      for (const token of TOKENS) {
        const sent = { ...headers, ...(await tokenHeader(token)) };
        const wrong = token === 'wrong' || token === 'of another session';
        const passes = credential !== 'session' || token === 'right' || (own && !wrong);
        expect(await write(method, credential, sent), token).toBe(passes ? done : 403);
      }
    });
  });

  it('in an expired session is anonymous from any origin', async () => {
    await site.auth.accounts.update('ada', { blocked: true });
    const body =
      method === 'DELETE' ? null : JSON.stringify({ data: { type: 'node--article', id: 'first' } });
    const headers = { 'content-type': 'application/vnd.api+json', origin: EVIL };
    const path = method === 'POST' ? '/jsonapi/node/article' : '/jsonapi/node/article/first';
    const { status } = await site.request(path, { method, body, headers }, { session });
    expect(status).toBe(401);
    expect(session.data.size).toBe(0);
    await site.auth.accounts.update('ada', { blocked: false });
  });
});

describe('other routes that change content', () => {
  const type = { 'content-type': 'application/json' };
  const jsonApi = { 'content-type': 'application/vnd.api+json' };
  const file = {
    'content-type': 'application/octet-stream',
    'content-disposition': 'file; filename="a.png"',
  };

  it.each([
    ['POST', '/api/content/articles', type],
    ['PUT', '/api/content/articles/first', type],
    ['PATCH', '/v1/api/content/articles/first', type],
    ['DELETE', '/api/content/articles/first', {}],
    ['POST', '/jsonapi/node/article/first/field_cover', file],
    ['POST', '/jsonapi/node/article/first/relationships/field_tags', type],
    ['POST', '/subrequests', type],
    ['POST', '/jsonapi/_accounts', jsonApi],
    ['PATCH', '/jsonapi/_accounts/eve', jsonApi],
    ['DELETE', '/jsonapi/_accounts/eve', {}],
    ['POST', '/jsonapi/_accounts/ada/tokens', jsonApi],
    ['DELETE', '/jsonapi/_accounts/ada/tokens/x', {}],
    ['POST', '/jsonapi/_files?beside=node--article', file],
    ['PUT', '/jsonapi/_files/content/article/x.png', file],
    ['DELETE', '/jsonapi/_files/content/article/x.png', {}],
  ] as const)('%s %s check the origin of a session', async (method, path, headers) => {
    for (const [name, sender, own] of SENDERS) {
      const body = method === 'DELETE' ? null : '[]';
      const ask = async (more: Record<string, string> = {}) =>
        (await site.request(path, { method, body, headers: { ...headers, ...sender, ...more } }, { session }))
          .status;
      // The bodies are invalid, so the content stays the same.
      if (method !== 'DELETE') {
        expect((await ask()) === 403, name).toBe(!own);
        expect(await ask({ 'x-csrf-token': csrf }), name).not.toBe(403);
      } else if (!own) expect(await ask(), name).toBe(403);
      expect(await ask({ 'x-csrf-token': 'wrong' }), name).toBe(403);
    }
  });
});

describe('a body that a form on another site can send', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/json'])(
    'of type %s changes nothing',
    async (contentType) => {
      const headers = { origin: EVIL, 'sec-fetch-site': 'cross-site' };
      expect(await write('POST', 'session', headers, contentType)).toBe(403);
      // A remembered Basic password would be sent too.
      expect(await write('POST', 'basic', headers, contentType)).toBe(415);
      // A page of the site cannot send it either, because it is not JSON:API.
      expect(await write('POST', 'session', { origin: ORIGIN }, contentType)).toBe(415);
    },
  );
});

describe('signing in', () => {
  const sent = { name: 'ada', pass: PASSWORD };

  it.each(SENDERS)('by form from %s', async (_, headers, own) => {
    const browser = createSession();
    const response = await site.request('/user/login', form(sent, headers), { session: browser });
    expect(response.status).toBe(own ? 303 : 403);
    expect(browser.data.size).toBe(own ? 1 : 0);
  });

  it.each(SENDERS)('with JSON from %s', async (_, headers, own) => {
    const browser = createSession();
    const response = await site.request('/user/login?_format=json', json(sent, headers), {
      session: browser,
    });
    // Programs send no origin, and option cors lists the other origins.
    const passes = own || Object.keys(headers).length === 0 || headers.origin === APP;
    expect(response.status).toBe(passes ? 200 : 403);
    expect(browser.data.size).toBe(passes ? 1 : 0);
  });
});

describe('signing out', () => {
  it.each(SENDERS)('from %s', async (_, headers, own) => {
    for (const [path, right] of [
      ['/user/logout', false],
      ['/user/logout?_format=json', false],
      ['/user/logout?_format=json&token=wrong', false],
      ['/user/logout?_format=json&token=', false],
    ] as const) {
      const { session: browser } = await signIn(site);
      const wrong = path.endsWith('wrong');
      await site.request(path, { method: 'POST', headers }, { session: browser });
      expect(browser.isDestroyed(), path).toBe(right || (own && !wrong));
    }
    const { session: browser, logout } = await signIn(site);
    const path = `/user/logout?_format=json&token=${logout}`;
    expect((await site.request(path, { method: 'POST', headers }, { session: browser })).status).toBe(204);
    expect(browser.isDestroyed()).toBe(true);
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])('by %s has no effect', async (method) => {
    await site.request('/user/logout', { method }, { session });
    expect(session.isDestroyed()).toBe(false);
  });
});

describe('behind a proxy that terminates TLS', () => {
  const behind = (headers: Record<string, string>) =>
    senderOf({ url: 'http://localhost:4321/jsonapi', headers: new Headers(headers) });

  it.each([
    ['https://site.example', 'site.example', 'own'],
    ['https://site.example:8443', 'site.example:8443', 'own'],
    ['http://127.0.0.1:4321', '127.0.0.1:4321', 'own'],
    ['http://[::1]:4321', '[::1]:4321', 'own'],
    ['https://evil.example', 'site.example', 'foreign'],
    ['https://site.example', 'localhost:4321', 'foreign'],
    ['https://site.example', 'site.example/@evil', 'foreign'],
    ['null', 'null', 'foreign'],
    ['https://', '', 'foreign'],
    ['ftp://site.example', 'site.example', 'foreign'],
  ])('a page of %s, if the proxy forwards %s, is %s', (origin, host, sender) => {
    expect(behind({ origin, host })).toBe(sender);
  });

  it('a rejected request names the option to set if the host is unknown', async () => {
    const request = new Request('http://localhost:4321/user/login', {
      ...form({ name: 'ada', pass: PASSWORD }, { origin: 'https://site.example' }),
    });
    const response = await site.handle(request, { session: createSession() });
    expect(response?.status).toBe(403);
    expect(await response?.text()).toContain('security.allowedDomains');
  });

  it('a page without TLS is not same-origin with the site', () => {
    const headers = new Headers({ origin: 'http://site.example', host: 'site.example' });
    expect(senderOf({ url: 'https://site.example/', headers })).toBe('foreign');
  });
});
