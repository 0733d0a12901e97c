import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createRepository } from '../support/repository.ts';
import { build, copySite, REPOSITORY, type Served, type Site, serve, serveDev } from './site.ts';

const PASSWORD = 'correct horse';
const APP = 'https://app.example';

/** Additional options of Astro and of the integration as source text. */
function configure(site: Site, more: string, options = ''): void {
  writeFileSync(
    site.file('astro.config.mjs'),
    `import node from '@astrojs/node';
import { defineConfig } from 'astro/config';
import jsonapi from 'astro-jsonapi';
export default defineConfig({
  adapter: node({ mode: 'standalone' }),
  devToolbar: { enabled: false },
  integrations: [jsonapi({ explorer: true, editing: true, ${options} })],
  ${more}
});
`,
  );
  writeFileSync(
    site.file('content/article/hidden.md'),
    '---\ntitle: Hidden\nrating: 1\ndraft: true\n---\nText.\n',
  );
  mkdirSync(site.file('src/pages/user'), { recursive: true });
  writeFileSync(
    site.file('src/pages/preview.astro'),
    `---
import { entities } from 'astro-jsonapi:content';
export const prerender = false;
const { actor } = Astro.locals.jsonapi;
const hidden = await entities('article', { as: actor }).where('title', '=', 'Hidden').all();
---
<p>{actor.name ?? 'anonymous'} sees {hidden.length}</p>
`,
  );
  writeFileSync(
    site.file('src/pages/built.astro'),
    '<p>{Astro.locals.jsonapi.actor.name ?? "anonymous"} reads the built page</p>\n',
  );
  writeFileSync(
    site.file('src/pages/contact.js'),
    "export const prerender = false;\nexport const POST = () => new Response('sent');\n",
  );
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** A request with exactly these headers, including `Host` and `Origin`. */
function send(
  server: Served,
  path: string,
  { method = 'GET', headers = {}, body = '' }: SendInit = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length: Record<string, string> = body === '' ? {} : { 'content-length': String(body.length) };
    const sent = request(
      server.origin + path,
      { method, headers: { ...length, ...headers } },
      async (response) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }),
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

interface SendInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function form(fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>>): SendInit {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', body: String(new URLSearchParams(fields)), headers: { ...type, ...headers } };
}

const login = (body: unknown): SendInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const cookieOf = ({ headers }: Answer): string =>
  String([headers['set-cookie']].flat()[0]).split(';')[0] ?? '';

const setupLink = (server: Served): string =>
  /\/user\/login\/?\?setup=[\w-]+/.exec(server.output())?.[0] ?? '';

/** Creates the first account with the setup link in the output. */
async function makeFirstAccount(server: Served): Promise<Answer> {
  const path = setupLink(server);
  const fields = { setup: path.split('=')[1] ?? '', name: 'ada', pass: PASSWORD };
  return send(server, path, form(fields, { origin: server.origin }));
}

const article = (id: string) =>
  JSON.stringify({ data: { type: 'node--article', id, attributes: { title: id, rating: 1 } } });

describe.concurrent('a built server', () => {
  let site: Site;
  let server: Served;
  let cookie: string;
  let csrf: string;
  let made: Answer;

  beforeAll(async () => {
    site = copySite('plain', 'sign-in');
    configure(site, "security: { allowedDomains: [{ protocol: 'https', hostname: 'site.example' }] },");
    await build(site);
    server = await serve(site);
    await eventually(async () => expect(setupLink(server)).not.toBe(''));
    made = await makeFirstAccount(server);
    const answer = await send(server, '/user/login?_format=json', login({ name: 'ada', pass: PASSWORD }));
    cookie = cookieOf(answer);
    csrf = JSON.parse(answer.body).csrf_token;
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  /** The headers of a proxy that terminates TLS. */
  const proxied = (headers: Readonly<Record<string, string>> = {}) => ({
    host: 'site.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'site.example',
    'x-forwarded-for': '203.0.113.7',
    origin: 'https://site.example',
    ...headers,
  });

  it('serves the admin to accounts, with files that the build contains', async () => {
    const anonymous = await send(server, '/admin/content?q=moon');
    const destination = '/user/login?destination=%2Fadmin%2Fcontent%3Fq%3Dmoon';
    expect([anonymous.status, anonymous.headers.location]).toEqual([303, destination]);
    const page = await send(server, '/admin/content?q=moon', { headers: { cookie } });
    expect([page.status, page.headers['set-cookie']]).toEqual([200, undefined]);
    expect(filesOf(page).length).toBeGreaterThan(1);
    for (const path of filesOf(page)) {
      const { status, headers, body } = await send(server, path);
      const file = path.replace('/admin/_assets', `${REPOSITORY}/dist/admin/app`);
      const own = brotliDecompressSync(readFileSync(`${file}.br`)).toString();
      expect([status, headers['cache-control'], body === own]).toEqual([
        200,
        'public, max-age=31536000, immutable',
        true,
      ]);
      for (const [accepted, coding, ending] of [
        ['gzip, deflate, br, zstd', 'br', 'br'],
        ['gzip, deflate', 'gzip', 'gz'],
      ] as const) {
        const compressed = await send(server, path, { headers: { 'accept-encoding': accepted } });
        expect([compressed.headers['content-encoding'], compressed.headers.vary]).toEqual([
          coding,
          'Accept-Encoding',
        ]);
        expect(compressed.headers['content-length']).toBe(String(statSync(`${file}.${ending}`).size));
      }
    }
    expect((await send(server, '/admin/_assets/..%2f..%2fpackage.json')).status).toBe(404);
    const me = await send(server, '/jsonapi/_me', { headers: { cookie } });
    expect(JSON.parse(me.body).data).toMatchObject({ id: 'ada', attributes: { local: false, csrf } });
  });

  it('is never in local mode', async () => {
    const headers = { host: 'localhost', 'sec-fetch-site': 'none' };
    const page = await send(server, '/admin', { headers });
    expect([page.status, page.headers['set-cookie']]).toEqual([303, undefined]);
  });

  it('prints one line with a link that works once', async () => {
    expect(server.output().match(/No accounts yet/g)).toHaveLength(1);
    expect([made.status, made.headers.location]).toEqual([303, '/admin']);
    expect((await makeFirstAccount(server)).status).toBe(403);
  });

  it('protects the session cookie from scripts, other sites and plain HTTP', async () => {
    const set = String(made.headers['set-cookie']);
    expect(set).toMatch(/^__Host-astro-session=[\da-f-]{36};/);
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/'])
      expect(set).toContain(attribute);
    const entry = JSON.parse((await send(server, '/jsonapi', { headers: { cookie } })).body);
    expect(entry.meta.links.me.meta.id).toBe('ada');
    const status = await send(server, '/user/login_status?_format=json', { headers: { cookie } });
    expect(status.body).toBe('1');
    expect((await send(server, '/session/token', { headers: { cookie } })).body).toBe(csrf);
  });

  it('stores sessions in private files that are not named by the cookie', async () => {
    const folder = site.file('node_modules/.astro/sessions');
    const names = readdirSync(folder);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(name).toMatch(/^[\da-f]{64}$/);
    expect(names.join()).not.toContain(cookie.split('=')[1]);
    if (process.platform === 'win32') return;
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const name of names) expect(statSync(`${folder}/${name}`).mode & 0o777).toBe(0o600);
  });

  it('ignores a cookie that another host of the domain could set', async () => {
    const planted = 'astro-session=3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    const headers = { cookie: `${planted}; ${cookie}` };
    expect((await send(server, '/user/login_status', { headers })).body).toBe('1');
    const same = { cookie: cookie.replace('__Host-', '') };
    expect((await send(server, '/user/login_status', { headers: same })).body).toBe('0');
  });

  it('forbids other pages to frame the explorer and the sign-in form', async () => {
    for (const path of ['/jsonapi-explorer', '/user/login', '/user/login?setup=wrong', '/user/logout']) {
      const { headers } = await send(server, path);
      expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'");
      expect(headers['x-content-type-options'], path).toBe('nosniff');
    }
  });

  it('answers OPTIONS for the explorer page', async () => {
    const { status, headers } = await send(server, '/jsonapi-explorer', { method: 'OPTIONS' });
    expect([status, headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
    expect(headers['content-security-policy']).toBe("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('creates a new session at each sign-in, regardless of the cookie', async () => {
    const brought = '__Host-astro-session=3f2504e0-4f89-41d3-9a0c-0305e82c3301';
    const sent = login({ name: 'ada', pass: PASSWORD });
    const headers = { ...sent.headers, cookie: brought };
    const first = await send(server, '/user/login?_format=json', { ...sent, headers });
    expect(cookieOf(first)).not.toBe(brought);
    expect((await send(server, '/user/login_status', { headers: { cookie: brought } })).body).toBe('0');
    const again = { ...sent.headers, cookie: cookieOf(first) };
    const second = await send(server, '/user/login?_format=json', { ...sent, headers: again });
    expect(cookieOf(second)).not.toBe(cookieOf(first));
    await eventually(async () => {
      const old = await send(server, '/user/login_status', { headers: { cookie: cookieOf(first) } });
      expect(old.body).toBe('0');
    });
  });

  it.each([
    ['a page of the site', { 'sec-fetch-site': 'same-origin' }, 201],
    ['the header X-CSRF-Token', { 'x-csrf-token': 'right' }, 201],
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    ['the cookie alone', {}, 403],
  ] as const)('accepts or rejects a write of the session with %s', async (name, given, status) => {
    const token = 'x-csrf-token' in given ? { 'x-csrf-token': csrf } : {};
    const headers = { cookie, 'content-type': 'application/vnd.api+json', ...given, ...token };
    const body = article(name.replaceAll(' ', '-').toLowerCase());
    const response = await send(server, '/jsonapi/node/article', { method: 'POST', headers, body });
    expect([response.status, response.body.slice(0, 300)]).toEqual([status, expect.any(String)]);
  });

  it('accepts a DELETE without a content type, by token, Basic and session', async () => {
    const authorization = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
    for (const headers of [
      { authorization },
      { cookie, 'x-csrf-token': csrf },
      { cookie, origin: server.origin },
    ]) {
      const type = { 'content-type': 'application/vnd.api+json' };
      const body = article('short-lived');
      const created = { method: 'POST', headers: { ...type, authorization }, body };
      expect((await send(server, '/jsonapi/node/article', created)).status).toBe(201);
      const path = '/jsonapi/node/article/short-lived';
      expect((await send(server, path, { method: 'DELETE', headers })).status).toBe(204);
    }
  });

  it('returns past versions from the repository of its content to permitted accounts', async () => {
    const repository = createRepository();
    const first = repository.commit({
      'article/moon.md': '---\ntitle: Old moon\nrating: 1\n---\nOld *text*.\n',
    });
    repository.commit({ 'article/moon.md': '---\ntitle: New moon\nrating: 2\n---\n' });
    const other = await serve(site, { JSONAPI_CONTENT_DIR: repository.content });
    try {
      const path = `/jsonapi/node/article/moon?resourceVersion=id:${first}`;
      const authorization = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
      const { status, body } = await send(other, path, { headers: { authorization } });
      expect([status, JSON.parse(body).data?.attributes]).toMatchObject([
        200,
        { title: 'Old moon', body: { processed: expect.stringContaining('<em>text</em>') } },
      ]);
      expect((await send(other, path)).status).toBe(401);
    } finally {
      await other.stop();
    }
  });

  it('leaves the site’s own routes under Astro’s origin check', async () => {
    const post = (origin: string) => send(server, '/contact', form({ a: 'b' }, proxied({ origin })));
    expect((await post('https://evil.example')).status).toBe(403);
    expect((await post('https://site.example')).status).toBe(200);
  });

  it('works behind a proxy that terminates TLS', async () => {
    const page = await send(server, '/user/login', { headers: proxied() });
    expect(page.status).toBe(200);
    const signedIn = await send(server, '/user/login', form({ name: 'ada', pass: PASSWORD }, proxied()));
    expect([signedIn.status, signedIn.headers.location]).toEqual([303, '/admin']);
    const headers = proxied({ cookie: cookieOf(signedIn), 'content-type': 'application/vnd.api+json' });
    const write = { method: 'POST', headers, body: article('behind-a-proxy') };
    const created = await send(server, '/jsonapi/node/article', write);
    expect(created.status).toBe(201);
    expect(created.headers.location).toBe('https://site.example/jsonapi/node/article/behind-a-proxy');
    const foreign = { ...write, headers: { ...headers, origin: 'http://site.example' } };
    expect((await send(server, '/jsonapi/node/article', foreign)).status).toBe(403);
  });

  it('counts failed sign-ins by the address in X-Forwarded-For', async () => {
    const attempt = async (address: string) => {
      const sent = login({ name: 'nobody', pass: 'wrong' });
      const headers = { ...proxied({ 'x-forwarded-for': address }), ...sent.headers };
      return (await send(server, '/user/login?_format=json', { ...sent, headers })).status;
    };
    for (let round = 0; round < 10; round++) expect(await attempt('198.51.100.1')).toBe(401);
    expect([await attempt('198.51.100.1'), await attempt('198.51.100.2')]).toEqual([429, 401]);
  });

  it('gives pages the current user', async () => {
    expect((await send(server, '/preview')).body).toContain('anonymous sees 0');
    expect((await send(server, '/preview', { headers: { cookie } })).body).toContain('ada sees 1');
    expect((await send(server, '/built', { headers: { cookie } })).body).toContain('anonymous reads');
    // A page may receive credentials of the site's own.
    const other = { authorization: 'Bearer of-the-site' };
    expect((await send(server, '/preview', { headers: other })).body).toContain('anonymous sees 0');
  });

  it('ends the session on sign-out', async () => {
    const answer = await send(server, '/user/login?_format=json', login({ name: 'ada', pass: PASSWORD }));
    const own = { cookie: cookieOf(answer) };
    const token = JSON.parse(answer.body).logout_token;
    const path = `/user/logout?_format=json&token=${token}`;
    expect((await send(server, path, { method: 'POST', headers: own })).status).toBe(204);
    expect((await send(server, '/user/login_status', { headers: own })).body).toBe('0');
  });

  it.each([
    ['with an unknown id', '__Host-astro-session=3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
    ['with an invalid id', '__Host-astro-session=../../../../etc/passwd'],
    ['with an empty id', '__Host-astro-session='],
    ['with a very long id', `__Host-astro-session=${'a'.repeat(4000)}`],
  ])('a session %s is anonymous', async (_, hostile) => {
    const response = await send(server, '/user/login_status', { headers: { cookie: hostile } });
    expect([response.status, response.body]).toEqual([200, '0']);
    expect((await send(server, '/preview', { headers: { cookie: hostile } })).body).toContain(
      'anonymous sees 0',
    );
  });
});

/** Paths of the files that an admin page loads. */
const filesOf = ({ body }: Answer): readonly string[] =>
  [...body.matchAll(/(?:src|href)="(\/admin\/_assets\/[^"]+)"/g)].map(([, path = '']) => path);

describe.concurrent('a site with a fetch file without jsonapiFetch', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', 'sign-in-endpoint');
    configure(site, '');
    writeFileSync(
      site.file('src/fetch.mjs'),
      "import { astro, FetchState } from 'astro/fetch';\nexport default { fetch: (request) => astro(new FetchState(request)) };\n",
    );
    await build(site);
    server = await serve(site);
    // The first request opens the content.
    await send(server, '/jsonapi');
    await eventually(async () => expect(setupLink(server)).not.toBe(''));
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('signs in with JSON and keeps the session, but Astro’s origin check comes first', async () => {
    const path = setupLink(server);
    const fields = { setup: path.split('=')[1] ?? '', name: 'ada', pass: PASSWORD };
    // Behind a proxy that terminates TLS, without security.allowedDomains.
    const secure = { origin: server.origin.replace('http:', 'https:'), 'sec-fetch-site': 'same-origin' };
    expect((await send(server, path, form(fields, secure))).status).toBe(403);
    expect((await send(server, path, form(fields, { origin: server.origin }))).status).toBe(303);
    const answer = await send(server, '/user/login?_format=json', login({ name: 'ada', pass: PASSWORD }));
    expect(answer.status).toBe(200);
    const cookie = cookieOf(answer);
    expect((await send(server, '/user/login_status', { headers: { cookie } })).body).toBe('1');
    expect((await send(server, '/preview', { headers: { cookie } })).body).toContain('ada sees 1');
    const token = JSON.parse(answer.body).csrf_token;
    const type = { 'content-type': 'application/vnd.api+json' };
    const write = {
      method: 'POST',
      headers: { ...type, cookie, 'x-csrf-token': token },
      body: article('new'),
    };
    expect((await send(server, '/jsonapi/node/article', write)).status).toBe(201);
    expect((await send(server, '/jsonapi/node/article/new', { method: 'DELETE' })).status).toBe(403);
  });
});

describe.concurrent('a site with its own login page and without sessions', () => {
  let site: Site;
  let server: Served;
  let output: string;

  beforeAll(async () => {
    site = copySite('plain', 'sign-in-own');
    configure(site, 'session: false,');
    writeFileSync(
      site.file('src/pages/user/login.js'),
      "export const prerender = false;\nexport const GET = () => new Response('mine');\n",
    );
    mkdirSync(site.file('src/pages/admin'));
    mkdirSync(site.file('src/pages/node'));
    for (const page of ['admin/stats.js', 'node/[...path].js']) {
      writeFileSync(
        site.file('src/pages', page),
        'export const prerender = false;\nexport const GET = ({ url }) => new Response(url.pathname);\n',
      );
    }
    output = await build(site);
    server = await serve(site);
    await eventually(async () => expect(setupLink(server)).not.toBe(''));
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('keeps its page, with a warning', async () => {
    expect(output.match(/The site's own page at \/user\/login replaces/g)).toHaveLength(1);
    expect(output).not.toMatch(/collision|defined in both/i);
    expect((await send(server, '/user/login')).body).toBe('mine');
  });

  it.each(['/admin/stats', '/node/first/edit', '/node/add/article'])('keeps its page %s', async (path) => {
    expect((await send(server, path)).body).toBe(path);
  });

  it('has no admin beside its own pages at /admin, with a warning', async () => {
    expect(output.match(/The site has its own pages at \/admin/g)).toHaveLength(1);
    expect((await send(server, '/admin')).status).toBe(404);
  });

  it('explains the missing session driver, and supports Basic', async () => {
    const made = await makeFirstAccount(server);
    expect([made.status, made.body]).toEqual([200, expect.stringContaining('session.driver')]);
    const answer = await send(server, '/user/login?_format=json', login({ name: 'ada', pass: PASSWORD }));
    expect([answer.status, answer.body]).toEqual([501, expect.stringContaining('session.driver')]);
    const authorization = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
    const hidden = await send(server, '/jsonapi/node/article/hidden', { headers: { authorization } });
    expect(hidden.status).toBe(200);
    expect((await send(server, '/preview', { headers: { cookie: 'astro-session=x' } })).body).toContain(
      'anonymous sees 0',
    );
    expect(server.output()).not.toContain('session storage');
  });
});

describe.concurrent('astro dev', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', 'sign-in-dev');
    configure(site, '', `cors: { origins: ['${APP}'] }, healthPath: '/healthz',`);
    server = await serveDev(site);
    await eventually(async () => expect(setupLink(server)).not.toBe(''));
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('prints the setup link with the server’s address, signs in and shows drafts', async () => {
    expect(server.output()).toContain(`${server.origin}/user/login?setup=`);
    const made = await makeFirstAccount(server);
    expect(made.status).toBe(303);
    const cookie = cookieOf(made);
    expect((await send(server, '/preview', { headers: { cookie } })).body).toContain('ada sees 1');
    expect((await send(server, '/preview')).body).toContain('anonymous sees 0');
    const hidden = await send(server, '/jsonapi/node/article/hidden', { headers: { cookie } });
    expect(hidden.status).toBe(200);
  });

  it('answers OPTIONS, preflights and the health route as a built server does', async () => {
    const plain = await fetch(`${server.origin}/jsonapi/node/article`, { method: 'OPTIONS' });
    expect([plain.status, plain.headers.get('allow')]).toEqual([200, 'GET, HEAD, OPTIONS, POST']);
    expect(await plain.json()).toHaveProperty('meta.allow');
    const preflight = await fetch(`${server.origin}/jsonapi/node/article`, {
      method: 'OPTIONS',
      headers: { origin: APP, 'access-control-request-method': 'GET' },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, APP]);
    expect((await fetch(`${server.origin}/healthz`)).status).toBe(200);
  });

  it('lets the person at the keyboard use the admin without an account, or with one', async () => {
    const page = await send(server, '/admin');
    const local = cookieOf(page);
    expect([page.status, local]).toEqual([200, expect.stringContaining('astro-jsonapi-local-')]);
    for (const path of filesOf(page)) expect((await send(server, path)).status).toBe(200);
    const me = await send(server, '/jsonapi/_me', { headers: { cookie: local } });
    const { id, attributes } = JSON.parse(me.body).data;
    expect(attributes).toMatchObject({ local: true });
    expect((await send(server, '/preview', { headers: { cookie: local } })).body).toContain(`${id} sees 1`);
    const rebound = { cookie: local, 'x-forwarded-for': '203.0.113.7' };
    expect((await send(server, '/preview', { headers: rebound })).body).toContain('anonymous sees 0');
    expect((await send(server, '/built', { headers: { cookie: local } })).body).toContain('anonymous reads');
  });
});
