import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { cli, cliProcess, createFolder, type Folder, type Running, serving } from './cli.ts';

const FILES = {
  'notes/article/first.md': '---\ntitle: First light\nrating: 3\n---\nSome *words*.\n',
  'notes/article/told.md': '---\nrating: 0\n---\n![A sea](sea.svg)\n',
  'notes/article/sea.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"/>',
  'public/style.css': 'p { color: teal }',
  'public/.well-known/a b.txt': 'Grüße',
  'secret.txt': 'secret',
  'notes/article/hidden.md': '---\ntitle: Hidden\nrating: 1\ndraft: true\n---\n',
};

describe('serve', () => {
  let folder: Folder;
  let server: Running;
  beforeAll(async () => {
    folder = createFolder(FILES);
    server = await serving(folder.dir, ['notes', '--port', '0']);
  });
  afterAll(async () => {
    await server?.interrupt();
    folder?.remove();
  });

  const get = (target: string, init: RequestInit = {}) =>
    fetch(server.origin + target, { redirect: 'manual', ...init });

  it('responds like the handler of a site', async () => {
    const response = await get('/jsonapi/node/article?filter[rating]=3');
    expect(response.headers.get('content-type')).toBe('application/vnd.api+json');
    expect(await response.json()).toMatchObject({
      data: [
        {
          id: 'first',
          attributes: { body: { processed: expect.stringContaining('<em>words</em>') } },
          links: { self: { href: `${server.origin}/jsonapi/node/article/first` } },
        },
      ],
      meta: { count: 1 },
    });
    const document = await cli(folder.dir, ['query', 'node/article', '--content', 'notes']);
    const { data } = JSON.parse(document.stdout);
    expect((await (await get('/jsonapi/node/article')).json()).data[0].attributes).toEqual(
      data[0].attributes,
    );
  });

  it.each([
    ['/api/content/articles', {}, 200, /First light/],
    ['/jsonapi/node/article/hidden', {}, 404, /"status":"404"/],
    ['/jsonapi/node/article?filter[nope]=1', {}, 400, /filter\[nope\]/],
    ['/jsonapi/node/article', { method: 'DELETE' }, 405, /DELETE/],
    ['/jsonapi/node/article', { method: 'OPTIONS' }, 200, /allow/],
    ['/jsonapi/node/article', { method: 'HEAD' }, 200, /^$/],
    ['//example.org/jsonapi', {}, 404, /nothing at \/\/example\.org/],
    ['/style.css', {}, 200, /^p \{ color: teal \}$/],
    ['/style.css', { method: 'HEAD' }, 200, /^$/],
    ['/style.css', { method: 'DELETE' }, 404, /nothing at/],
    ['/.well-known/a%20b.txt', {}, 200, /^Grüße$/],
    ['/.well-known', {}, 404, /nothing at/],
    ['/..%2Fsecret.txt', {}, 404, /nothing at/],
    ['/%', {}, 404, /nothing at/],
    ['/content-files/article/sea.svg', {}, 200, /^<svg/],
    ['/content-files/article/hidden.md', {}, 404, /"status":"404"/],
    ['/jsonapi/node/article/told', {}, 200, /content-files\/article\/sea\.svg/],
    ['/elsewhere', {}, 404, /The API starts at \/jsonapi/],
    ['/jsonapi-explorer', {}, 200, /<title>Query explorer/],
    ['/jsonapi-explorer', { method: 'POST' }, 405, /"status":"405"/],
    ['/jsonapi-explorer', { method: 'OPTIONS' }, 204, /^$/],
    ['/', {}, 302, /^$/],
    [
      '/subrequests',
      { method: 'POST', body: '[{"requestId":"a","uri":"/jsonapi","action":"view"}]' },
      207,
      /vnd\.api\+json/,
    ],
  ])('answers %s %j with %i', async (target, init, status, body) => {
    const response = await get(target, init);
    expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(body)]);
  });

  it('sends the type of a file in public/', async () => {
    const { headers } = await get('/style.css');
    expect(headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(headers.get('content-length')).toBe('17');
  });

  it('follows files and the schema', async () => {
    folder.write({ 'notes/article/second.md': '---\ntitle: Second wind\nrating: 5\n---\n' });
    const ratings = async () => {
      const { data } = await (await get('/jsonapi/node/article?sort=-rating')).json();
      return data.map(({ attributes }: { attributes: { rating: unknown } }) => attributes.rating);
    };
    await eventually(async () => expect(await ratings()).toEqual([5, 3, 0]));
    const schema = (type: string) =>
      `import { defineSchema, z } from 'astro-jsonapi/schema';\nexport default defineSchema({ article: { rating: ${type} } });\n`;
    folder.write({ 'notes/schema.ts': schema('z.coerce.string()') });
    await eventually(async () => expect(await ratings()).toEqual(['5', '3', '0']));
    folder.write({ 'notes/schema.ts': schema('z.coerce.nothing()') });
    await eventually(async () => expect(server.output()).toMatch(/error: .*schema\.ts cannot be loaded/));
    expect(await ratings()).toEqual(['5', '3', '0']);
  });
});

describe('serve in its environment', () => {
  let folder: Folder;
  beforeAll(() => {
    folder = createFolder(FILES);
  });
  afterAll(() => folder?.remove());

  it('exits cleanly when it is interrupted, despite open connections', async () => {
    const server = await serving(folder.dir, ['notes', '--port', '0', '--no-explorer']);
    const controller = new AbortController();
    const response = await fetch(`${server.origin}/jsonapi`, { signal: controller.signal });
    expect(response.status).toBe(200);
    expect((await fetch(`${server.origin}/jsonapi-explorer`)).status).toBe(404);
    expect(await server.interrupt()).toBe(0);
    expect(server.output()).not.toContain('error');
  });

  it('caches parsed files for the next start, in a project or in --cache', async () => {
    const own = createFolder({ 'content/article/a.md': '# A\n', 'node_modules/.keep': '' });
    // A file that has just changed would be read again at the next start.
    utimesSync(own.file('content/article/a.md'), 1_700_000_000, 1_700_000_000);
    await (await serving(own.dir, ['--port', '0'])).interrupt();
    const cacheFile = own.file('node_modules/.astro/astro-jsonapi/content.cache');
    const { mtimeMs } = statSync(cacheFile);
    const again = await serving(own.dir, ['--port', '0']);
    expect((await fetch(`${again.origin}/jsonapi/node/article/a`)).status).toBe(200);
    await again.interrupt();
    expect(again.output()).not.toContain('cache');
    expect(statSync(cacheFile).mtimeMs).toBe(mtimeMs);
    const cache = own.file('elsewhere');
    await (await serving(own.dir, ['--port', '0'], { JSONAPI_CACHE_DIR: cache })).interrupt();
    expect(readdirSync(cache)).toEqual(['content.cache']);
    own.remove();
    await (await serving(folder.dir, ['notes', '--port', '0'])).interrupt();
    expect(readdirSync(folder.dir)).not.toContain('node_modules');
  });

  it('lets accounts change content with --write', async () => {
    const own = createFolder(FILES);
    const env = { JSONAPI_ACCOUNTS: own.file('private/accounts.json') };
    const add = ['account', 'add', 'jane', '--role', 'editor', '--password-stdin'];
    const added = await cliProcess(own.dir, [...add, '--content', 'notes'], env, 'correct horse');
    expect([added.code, added.stderr]).toEqual([0, expect.any(String)]);
    const change = (origin: string, password: string) =>
      fetch(`${origin}/api/content/articles/first`, {
        method: 'PATCH',
        headers: {
          authorization: `Basic ${btoa(`jane:${password}`)}`,
          'content-type': 'application/json',
        },
        body: '{"title":"Last light"}',
      });

    const reading = await serving(own.dir, ['notes', '--port', '0'], env);
    expect((await change(reading.origin, 'correct horse')).status).toBe(405);
    await reading.interrupt();

    const writing = await serving(own.dir, ['notes', '--port', '0', '--write'], env);
    expect((await change(writing.origin, 'wrong horse')).status).toBe(401);
    expect((await change(writing.origin, 'correct horse')).status).toBe(201);
    expect(readFileSync(own.file('notes/article/first.md'), 'utf8')).toBe(
      '---\ntitle: Last light\nrating: 3\n---\nSome *words*.\n',
    );
    const removed = await fetch(`${writing.origin}/jsonapi/node/article/first`, {
      method: 'DELETE',
      headers: { authorization: `Basic ${btoa('jane:correct horse')}` },
    });
    expect(removed.status).toBe(204);
    await writing.interrupt();
    own.remove();
  });

  it('prints how to create the first account', async () => {
    const own = createFolder(FILES);
    const args = ['notes', '--port', '0', '--write', '--accounts', 'private/accounts.json'];
    const server = await serving(own.dir, args);
    await eventually(async () => expect(server.output()).toContain('No accounts yet'));
    const link = /http:\S+setup=[\w-]+/.exec(server.output())?.[0] ?? '';
    const page = await (await fetch(link)).text();
    expect(page).toContain('name="pass"');
    const setup = new URL(link).searchParams.get('setup') ?? '';
    const made = await fetch(link, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: server.origin },
      body: new URLSearchParams({ setup, name: 'ada', pass: 'correct horse' }),
    });
    expect([made.status, made.headers.get('location')]).toEqual([303, '/admin']);
    const listed = await cli(own.dir, ['account', 'list', '--accounts', 'private/accounts.json']);
    expect(listed.stdout).toContain('ada');
    await server.interrupt();
    own.remove();
  });

  it('serves the admin to people who sign in, until they sign out', async () => {
    const own = createFolder(FILES);
    const accounts = ['--accounts', 'a.json'];
    await cli(own.dir, ['account', 'add', 'jane', '--password-stdin', ...accounts], 'correct horse');
    const server = await serving(own.dir, ['notes', '--port', '0', '--write', ...accounts]);
    const send = (target: string, init: RequestInit = {}) =>
      fetch(server.origin + target, { redirect: 'manual', ...init });
    const login = await send('/admin/content');
    expect(login.headers.get('location')).toBe('/user/login?destination=%2Fadmin%2Fcontent');

    const signedIn = await send('/user/login', {
      method: 'POST',
      headers: { origin: server.origin },
      body: new URLSearchParams({ name: 'jane', pass: 'correct horse', destination: '/admin/content' }),
    });
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/admin/content']);
    const setCookie = signedIn.headers.get('set-cookie') ?? '';
    expect(setCookie).toMatch(
      /^astro-jsonapi-session-[0-9a-f]+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1209600$/,
    );
    const headers = { cookie: setCookie.split(';', 1)[0] ?? '' };
    expect(await (await send('/admin', { headers })).text()).toContain('/admin/_assets/');
    const { data } = await (await send('/jsonapi/_me', { headers })).json();
    expect(data).toMatchObject({ id: 'jane', attributes: { local: false, csrf: expect.any(String) } });

    const signOut = { method: 'POST', headers: { ...headers, origin: server.origin } };
    expect((await send('/user/logout', signOut)).headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await send('/admin', { headers })).status).toBe(303);
    await server.interrupt();
    own.remove();
  });

  it.each(['notes/article/accounts.json', 'public/accounts.json'])(
    'does not serve accounts in %s, which is public',
    async (file) => {
      const own = createFolder({ ...FILES, 'public/robots.txt': '' });
      const args = ['serve', 'notes', '--port', '0', '--write', '--accounts', file];
      const { code, stderr } = await cli(own.dir, args);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`--accounts cannot be "${file}"`)]);
      own.remove();
    },
  );

  it('explains that --accounts needs --write', async () => {
    const { code, stderr } = await cli(folder.dir, ['serve', 'notes', '--accounts', 'a.json']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--accounts needs --write.')]);
  });

  it('reports that a port is taken, with a solution', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await cli(folder.dir, ['serve', 'notes', '--port', String(port)]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `error: Cannot listen on 127.0.0.1, port ${port}: the port is in use. Omit --port to use the next free one`,
    );
    other.close();
  });

  it('reports that an address is not local', async () => {
    const { code, stderr } = await cli(folder.dir, ['serve', 'notes', '--host', '192.0.2.1', '--port', '0']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('this machine does not have that address')]);
  });

  it('serves below the base of the site, with its markdown settings', async () => {
    folder.write({
      'content/article/one.md': '---\ntitle: One\n---\n"Quoted"\n',
      'astro.config.mjs': "export default { base: '/docs/', markdown: { smartypants: false } };",
    });
    const server = await serving(folder.dir, ['--port', '0']);
    expect(server.output()).toContain(`${server.origin}/docs/jsonapi\n`);
    const document = await (await fetch(`${server.origin}/docs/jsonapi/node/article/one`)).json();
    expect(document.links.self.href).toBe(`${server.origin}/docs/jsonapi/node/article/one`);
    expect(document.data.attributes.body.processed).toContain('"Quoted"');
    await server.interrupt();
  });
});
