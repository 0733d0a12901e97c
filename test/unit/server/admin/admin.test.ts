import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLocalMode } from '../../../../integration/core/runtime/local-mode.ts';
import type { HandlerContext } from '../../../../integration/core/server/handler.ts';
import type { AdminApp } from '../../../../integration/features/admin/shell.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';
import {
  createSession,
  form,
  newArticle,
  ORIGIN,
  openSignInSite,
  PASSWORD,
  type SignInSite,
  signIn,
  type TestSession,
} from '../../../support/sign-in-site.ts';

const APP: AdminApp = {
  script: 'admin-1a2b.js',
  screens: {
    '': { scripts: ['admin-1a2b.js', 'home-5e6f.js'], styles: ['admin-3c4d.css'] },
    edit: { scripts: ['admin-1a2b.js', 'form-7a8b.js'], styles: ['admin-3c4d.css', 'form-9c0d.css'] },
  },
  async read(name, coding) {
    if (name !== 'admin-1a2b.js') return undefined;
    return new Uint8Array(coding === 'br' ? brotliCompressSync('start()') : gzipSync('start()'));
  },
};
const adminApp = async () => APP;

let site: SignInSite;
let ada: { readonly session: TestSession; readonly csrf: string };
let eve: { readonly session: TestSession };

beforeAll(async () => {
  site = await openSignInSite({ settings: { admin: true, base: '/docs' }, front: { adminApp } });
  const signInAt = async (name: string) => {
    const session = createSession();
    const init = { method: 'POST', body: JSON.stringify({ name, pass: PASSWORD }) };
    const response = await site.request('/docs/user/login?_format=json', init, { session });
    return { session, csrf: (await response.json()).csrf_token };
  };
  ada = await signInAt('ada');
  eve = await signInAt('eve');
});

describe('the shell of the admin', () => {
  it.each(['/admin', '/admin/', '/admin/content?q=moon', '/admin/edit/node/article/a/b'])(
    'is at %s',
    async (path) => {
      const { status, headers } = await site.request(`/docs${path}`, {}, ada);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    },
  );

  it('loads the files of the app, and has the configuration in a data block', async () => {
    const html = await (await site.request('/docs/admin', {}, ada)).text();
    expect(html).toContain('<script type="module" async src="/docs/admin/_assets/admin-1a2b.js"></script>');
    expect(html).toContain('<link rel="stylesheet" href="/docs/admin/_assets/admin-3c4d.css">');
    const [, data = ''] = /<script type="application\/json" id="config">(.*)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data)).toEqual({
      base: '/docs',
      bin: true,
      redirects: true,
      nonce: expect.stringMatching(/^[\w+/]{24}$/),
    });
    expect(html.match(/<script/g)).toHaveLength(2);
  });

  it.each([
    ['/admin', ['home-5e6f.js'], ['admin-3c4d.css']],
    ['/admin/', ['home-5e6f.js'], ['admin-3c4d.css']],
    ['/admin/edit/node/article/a/b?lang=de', ['form-7a8b.js'], ['admin-3c4d.css', 'form-9c0d.css']],
    ['/admin/constructor', [], []],
  ])('at %s loads the files of the screen at once', async (path, scripts, styles) => {
    const html = await (await site.request(`/docs${path}`, {}, ada)).text();
    const linked = (rel: string) =>
      [...html.matchAll(new RegExp(`<link rel="${rel}" href="/docs/admin/_assets/([^"]+)">`, 'g'))].map(
        ([, name]) => name,
      );
    expect(linked('modulepreload')).toEqual(scripts.length === 0 ? [] : ['admin-1a2b.js', ...scripts]);
    expect(linked('stylesheet')).toEqual(styles);
  });

  it('is sent with gzip, as the schema is, which repeats nothing of the request', async () => {
    const get = (path: string, coding: string) =>
      site.request(`/docs${path}`, { headers: { 'accept-encoding': coding } }, ada);
    for (const path of ['/admin', '/jsonapi-explorer/schema.json']) {
      const plain = await get(path, 'identity');
      expect([plain.headers.get('content-encoding'), plain.headers.get('vary')]).toEqual([
        null,
        expect.stringContaining('Accept-Encoding'),
      ]);
      const text = await plain.text();
      // A stored response has the coding that the client accepts.
      for (const coding of ['gzip, br', 'identity', 'gzip']) {
        const response = await get(path, coding);
        const zipped = coding !== 'identity';
        expect(response.headers.get('content-encoding')).toBe(zipped ? 'gzip' : null);
        const bytes = new Uint8Array(await response.arrayBuffer());
        const read = (zipped ? gunzipSync(bytes) : Buffer.from(bytes)).toString();
        expect(withoutNonce(read)).toBe(withoutNonce(text));
      }
    }
    const secret = await get('/jsonapi/_me', 'gzip, br');
    expect(secret.headers.get('content-encoding')).toBeNull();
    const repeating = await get('/jsonapi/node/article?filter[title]=repeated', 'gzip, br');
    expect(repeating.headers.get('content-encoding')).toBeNull();
  });

  it('has a skeleton before its style sheets, which does not move for people who ask for less motion', async () => {
    const html = await (await site.request('/docs/admin', {}, ada)).text();
    const [beforeSheets = ''] = html.split('<link rel="stylesheet"');
    expect(beforeSheets).toContain('<div id="skeleton"');
    const [style = ''] = /<style nonce=[\s\S]*?<\/style>/.exec(html) ?? [];
    const [calm = '', moving = ''] = style.split('@media (prefers-reduced-motion: no-preference)');
    expect(calm).toContain('#skeleton');
    expect(calm).not.toMatch(/animation|transition/);
    expect(moving).toContain('animation');
  });

  it('has a strict content security policy with a new nonce in each response', async () => {
    const responses = [
      await site.request('/docs/admin', {}, ada),
      await site.request('/docs/admin', {}, ada),
    ];
    const nonces = responses.map(({ headers }) => {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).not.toContain('unsafe');
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/);
      expect(policy).toContain("frame-ancestors 'none'");
      return /'nonce-([^']+)'/.exec(policy)?.[1];
    });
    expect(new Set(nonces).size).toBe(2);
    const [{ headers } = new Response()] = responses;
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['GET', 200, null],
    ['HEAD', 200, null],
    ['OPTIONS', 204, 'GET, HEAD, OPTIONS'],
    ['POST', 405, 'GET, HEAD, OPTIONS'],
    ['DELETE', 405, 'GET, HEAD, OPTIONS'],
  ])('%s has the status %i', async (method, status, allow) => {
    const own = { origin: ORIGIN };
    const response = await site.request('/docs/admin', { method, headers: own }, ada);
    expect([response.status, response.headers.get('allow')]).toEqual([status, allow]);
  });

  it('is not served to programs of a base that the site does not have', async () => {
    expect(await site.handle(new Request(`${ORIGIN}/admin`))).toBeUndefined();
  });
});

describe('the files of the admin', () => {
  const asset = (headers: Readonly<Record<string, string>>) =>
    site.request('/docs/admin/_assets/admin-1a2b.js', { headers });

  it('are public and immutable', async () => {
    const response = await site.request('/docs/admin/_assets/admin-1a2b.js');
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    expect(await response.text()).toBe('start()');
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['br;q=0.5, gzip;q=0.8', 'gzip', gunzipSync],
    ['GZIP;q=1, BR', 'br', brotliDecompressSync],
    ['*', 'br', brotliDecompressSync],
    ['br;q=0, *', 'gzip', gunzipSync],
  ])('are compressed for %j as %s', async (accepted, coding, decompress) => {
    const response = await asset({ 'accept-encoding': accepted });
    const headers = Object.fromEntries(response.headers);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': coding,
      'content-length': String(bytes.length),
      vary: 'Accept-Encoding',
    });
    expect(decompress(bytes).toString()).toBe('start()');
  });

  it.each(['', 'identity', 'deflate', 'br;q=0, gzip;q=0', 'gzip;q=none'])(
    'are not compressed for %j',
    async (accepted) => {
      const response = await asset({ 'accept-encoding': accepted });
      expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
        null,
        'Accept-Encoding',
      ]);
      expect(await response.text()).toBe('start()');
    },
  );

  it('have another ETag in each coding, and are a 304 for it', async () => {
    const codings = ['br', 'gzip', 'identity'];
    const tags = await Promise.all(
      codings.map(async (coding) => (await asset({ 'accept-encoding': coding })).headers.get('etag') ?? ''),
    );
    expect(new Set(tags).size).toBe(3);
    const again = await Promise.all(
      codings.map((coding, at) => asset({ 'accept-encoding': coding, 'if-none-match': tags[at] ?? '' })),
    );
    expect(again.map(({ status }) => status)).toEqual([304, 304, 304]);
    expect(again.map(({ headers }) => headers.get('vary'))).toEqual(codings.map(() => 'Accept-Encoding'));
    const other = await asset({ 'accept-encoding': 'gzip', 'if-none-match': tags[0] ?? '' });
    expect(other.status).toBe(200);
  });

  it.each(['', 'other.js', 'admin-1a2b.js.br', '..%2fadmin-1a2b.js', 'constructor', 'a/b.js'])(
    'have no file %j, and no sign-in form in its place',
    async (name) => {
      const response = await site.request(`/docs/admin/_assets/${name}`);
      expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
    },
  );
});

describe('a visitor without a session', () => {
  it.each([
    ['/admin', '%2Fdocs%2Fadmin'],
    ['/admin/content?q=a%26b&sort=-title', '%2Fdocs%2Fadmin%2Fcontent%3Fq%3Da%2526b%26sort%3D-title'],
    ['/node/first/edit', '%2Fdocs%2Fnode%2Ffirst%2Fedit'],
    ['/node/missing/edit', '%2Fdocs%2Fnode%2Fmissing%2Fedit'],
    ['/node/add/article', '%2Fdocs%2Fnode%2Fadd%2Farticle'],
  ])('at %s is redirected to the sign-in form, and back', async (path, destination) => {
    const response = await site.request(`/docs${path}`);
    const location = `/docs/user/login?destination=${destination}`;
    expect([response.status, response.headers.get('location')]).toEqual([303, location]);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('arrives in the admin after signing in', async () => {
    const login = (fields: Readonly<Record<string, string>>) =>
      site.request('/docs/user/login', form({ name: 'ada', pass: PASSWORD, ...fields }), {
        session: createSession(),
      });
    expect((await login({})).headers.get('location')).toBe('/docs/admin');
    const destination = '/docs/admin/content?q=moon';
    expect((await login({ destination })).headers.get('location')).toBe(destination);
  });

  it('finds a link to the admin on the sign-in page when signed in already', async () => {
    const page = await (await site.request('/docs/user/login', {}, ada)).text();
    expect(page).toContain('<a href="/docs/admin">Open the admin</a>');
  });
});

describe('addresses of Drupal', () => {
  it.each([
    ['/node/add/article', '/docs/admin/new/node/article'],
    ['/node/add/a%20b', '/docs/admin/new/node/a%20b'],
    ['/node/first/edit', '/docs/admin/edit/node/article/first'],
    ['/node/draft/edit/', '/docs/admin/edit/node/article/draft'],
  ])('%s leads to %s', async (path, location) => {
    const response = await site.request(`/docs${path}`, {}, ada);
    expect([response.status, response.headers.get('location')]).toEqual([303, location]);
  });

  it('are a 404 for content that does not exist or is not visible', async () => {
    const responses = [
      await site.request('/docs/node/missing/edit', {}, ada),
      await site.request('/docs/node/draft/edit', {}, eve),
      await site.request('/docs/node/%ff/edit', {}, ada),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  it.each(['/node', '/node/first', '/node/add', '/node/first/edit/x', '/node/a/b/edit'])(
    '%s belongs to the site',
    async (path) => {
      expect(await site.handle(new Request(`${ORIGIN}/docs${path}`))).toBeUndefined();
    },
  );
});

describe('local mode', () => {
  const local = 'http://localhost:4321';
  const localMode = createLocalMode({ secret: 's3cret', name: 'Ann', base: '', site: 'demo' });
  const [cookie = ''] = localMode.cookie.split(';');
  const here: HandlerContext = { address: '127.0.0.1' };
  const withCookie = (headers: Readonly<Record<string, string>> = {}): RequestInit => ({
    headers: { host: 'localhost:4321', cookie, ...headers },
  });
  let dev: SignInSite;

  beforeAll(async () => {
    dev = await openSignInSite({ settings: { admin: true }, front: { adminApp, localMode } });
  });

  it('opens the admin without an account, and sets the cookie', async () => {
    const response = await dev.request(`${local}/admin`, {}, here);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, localMode.cookie]);
    const file = await dev.request(`${local}/admin/_assets/admin-1a2b.js`, {}, here);
    expect([file.status, file.headers.get('set-cookie')]).toEqual([200, null]);
  });

  it('continues in an open page after a restart of the server', async () => {
    const old = { headers: { cookie: 'astro-jsonapi-local-demo=old' } };
    const draft = await dev.request(`${local}/jsonapi/node/article/draft`, old, here);
    expect([draft.status, draft.headers.get('set-cookie')]).toEqual([404, null]);
    const me = await dev.request(`${local}/jsonapi/_me`, old, here);
    expect([me.status, me.headers.get('set-cookie')]).toEqual([200, localMode.cookie]);
    const elsewhere = await dev.request(`${local}/jsonapi/_me`, old, { address: '10.0.0.8' });
    expect([elsewhere.status, elsewhere.headers.get('set-cookie')]).toEqual([401, null]);
  });

  it.each([
    ['from another machine', `${local}/admin`, {}, { address: '192.168.1.7' }],
    ['at another host', 'http://evil.example:4321/admin', {}, here],
    ['from a page of another site', `${local}/admin`, { 'sec-fetch-site': 'cross-site' }, here],
  ])('redirects to the sign-in form %s', async (_, url, headers, context) => {
    const response = await dev.request(url, { headers: { cookie, ...headers } }, context);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([303, null]);
  });

  it('lets the author read and change everything', async () => {
    const draft = await dev.request(`${local}/jsonapi/node/article/draft`, withCookie(), here);
    expect(draft.status).toBe(200);
    const { headers, ...article } = newArticle({ cookie, origin: local });
    const created = await dev.request(
      `${local}/jsonapi/node/article`,
      { ...article, headers: headers ?? {} },
      here,
    );
    expect(created.status).toBe(201);
    expect((await created.json()).data.relationships.uid.data.meta.name).toBe('Ann');
  });

  it('lets the author write MDX, which other administrators may not', async () => {
    const attributes = { title: 'Code', body: { value: '{1 + 1}', format: 'mdx' } };
    const body = JSON.stringify({ data: { type: 'node--article', attributes } });
    const { headers } = newArticle({ cookie, origin: local });
    const url = `${local}/jsonapi/node/article`;
    const created = await dev.request(url, { method: 'POST', body, headers: headers ?? {} }, here);
    expect(created.status).toBe(201);
    const me = await (await dev.request(`${local}/jsonapi/_me`, withCookie(), here)).json();
    expect([me.data.attributes.roles, me.data.meta.writeMdx]).toEqual([
      ['authenticated', 'administrator'],
      true,
    ]);
  });

  it('ignores the cookie in requests of other sites', async () => {
    const { headers, ...article } = newArticle({ cookie, origin: 'https://evil.example' });
    const response = await dev.request(
      `${local}/jsonapi/node/article`,
      { ...article, headers: headers ?? {} },
      here,
    );
    expect(response.status).toBe(401);
    const rebound = await dev.request(
      'http://evil.example:4321/jsonapi/node/article/draft',
      withCookie(),
      here,
    );
    expect(rebound.status).toBe(404);
  });

  it('gives way to an account that signs in', async () => {
    const { session } = await signIn(dev, 'eve');
    const response = await dev.request(`${local}/jsonapi/_me`, withCookie(), { ...here, session });
    expect((await response.json()).data).toMatchObject({ id: 'eve', attributes: { local: false } });
  });

  it('explains access to the admin on a site without accounts', async () => {
    const services = await createServices(createMemoryDriver({}), undefined, { settings: { admin: true } });
    const handle = createHandler(services, { adminApp, localMode });
    const response = await fetchFrom(handle, `${local}/admin`, { address: '192.168.1.7' });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null]);
    expect(await response.text()).toContain('<a href="/admin">Open the admin</a>');
    expect((await fetchFrom(handle, `${local}/admin`, here)).status).toBe(200);
  });
});

function withoutNonce(page: string): string {
  return page.replaceAll(/nonce(?:="|":")[\w+/]+/g, '');
}
