import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { build, copySite, type Served, type Site, serve } from './site.ts';

interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: unknown;
}

async function get(origin: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(origin + path, { redirect: 'manual', ...init });
  const text = await response.text();
  const type = response.headers.get('content-type');
  return { status: response.status, type, body: type?.includes('json') ? JSON.parse(text) : text };
}

/** The names that middleware has set. */
const LOCALS_PAGE =
  'export const prerender = false;\nexport const GET = ({ locals }) => Response.json(Object.keys(locals));';

/** A page rendered on demand. */
const LIVE_PAGE = `---
import { entities } from 'astro-jsonapi:content';

export const prerender = false;
const article = await entities('article').get('second');
---
<p>{article?.title}</p>`;

/** A page that Astro's route cache stores. */
const CACHED_PAGE = `---
import { entities } from 'astro-jsonapi:content';

export const prerender = false;
Astro.cache.set({ maxAge: 3600, tags: ['node--article'] });
const article = await entities('article').get('second');
---
<p>{article?.title}</p>`;

const LIVE_CONFIG = `import { defineLiveCollection } from 'astro:content';
import { jsonapiLive } from 'astro-jsonapi/live';

export const collections = {
  article: defineLiveCollection({ loader: jsonapiLive() }),
  everything: defineLiveCollection({ loader: jsonapiLive({ bundle: 'article', as: 'everyone' }) }),
  remote: defineLiveCollection({ loader: jsonapiLive({ bundle: 'article', url: 'http://127.0.0.1:1/jsonapi' }) }),
};
`;
/** Queries live collections. */
const COLLECTIONS_PAGE = `import { getLiveCollection, getLiveEntry } from 'astro:content';

export const prerender = false;
const say = ({ error }) => error && [error.name, error.message];
export async function GET() {
  const list = await getLiveCollection('article', { sort: '-title', filter: { rating: { operator: '>', value: 0 } } });
  const all = await getLiveCollection('everything');
  const { entry, cacheHint } = await getLiveEntry('article', 'first');
  return Response.json({
    ids: list.entries?.map(({ id }) => id),
    all: all.entries?.length,
    title: entry?.data.title,
    html: entry?.rendered?.html,
    tags: cacheHint?.tags,
    wrong: say(await getLiveCollection('article', { sort: 'titel' })),
    missing: say(await getLiveEntry('article', 'nope')),
    down: say(await getLiveCollection('remote')),
  });
}
`;

/** Reads the actor from a cookie. */
const MIDDLEWARE = `export const onRequest = ({ locals, cookies }, next) => {
  const name = cookies.get('editor')?.value;
  if (name) locals.actor = { name, roles: name === 'ada' ? ['authenticated', 'administrator'] : ['authenticated'] };
  return next();
};
`;
/** Shows what the actor of the request may see. */
const PREVIEW_PAGE = `---
import { entities, jsonapi } from 'astro-jsonapi:content';

export const prerender = false;
const { actor } = Astro.locals;
const articles = await entities('article', { as: actor }).sort('id').all();
const { meta } = await jsonapi('/node/article', { as: actor });
---
<p>{articles.map(({ id }) => id).join(' ')}</p>
<b>{meta?.count}</b>
`;

describe('a built server', () => {
  let site: Site;
  let server: Served;

  beforeAll(async () => {
    site = copySite('plain', 'server');
    writeFileSync(site.file('src/pages/live.astro'), LIVE_PAGE);
    writeFileSync(site.file('src/pages/cached.astro'), CACHED_PAGE);
    writeFileSync(site.file('src/pages/locals.js'), LOCALS_PAGE);
    writeFileSync(site.file('src/middleware.js'), MIDDLEWARE);
    writeFileSync(site.file('src/pages/preview.astro'), PREVIEW_PAGE);
    writeFileSync(site.file('src/live.config.ts'), LIVE_CONFIG);
    writeFileSync(site.file('src/pages/collections.js'), COLLECTIONS_PAGE);
    await build(site, { SERVER: '1', CACHE: '1' });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('answers the entry point, collections, resources and plain JSON', async () => {
    expect(await get(server.origin, '/jsonapi')).toMatchObject({
      status: 200,
      type: 'application/vnd.api+json',
      body: { links: { 'node--article': { href: `${server.origin}/jsonapi/node/article` } } },
    });
    expect(await get(server.origin, '/jsonapi/node/article')).toMatchObject({
      status: 200,
      body: { meta: { count: 4 } },
    });
    expect(await get(server.origin, '/jsonapi/node/article/deep/third')).toMatchObject({
      status: 200,
      body: { data: { type: 'node--article', id: 'deep/third', attributes: { rating: 1 } } },
    });
    expect(await get(server.origin, '/jsonapi/node/article/v1.2')).toMatchObject({ status: 200 });
    expect(await get(server.origin, '/api/content/articles')).toMatchObject({
      status: 200,
      body: { meta: { count: 4 } },
    });
    expect(await get(server.origin, '/v1/api/content/article/first')).toMatchObject({
      status: 200,
      body: { data: { title: 'First light', field_author: { type: 'person', id: 'ada' } } },
    });
  });

  it('serves its description', async () => {
    const { body } = await get(server.origin, '/jsonapi/node/article/deep%2Fthird');
    expect(body).toMatchObject({
      data: { id: 'deep/third' },
      links: { describedby: { href: `${server.origin}/jsonapi/node/article/resource/schema` } },
    });
    expect(await get(server.origin, '/jsonapi/node/article/resource/schema')).toMatchObject({
      status: 200,
      type: 'application/schema+json',
      body: { title: 'node--article', properties: { attributes: { properties: { rating: {} } } } },
    });
    expect(await get(server.origin, '/jsonapi/openapi.json')).toMatchObject({
      status: 200,
      body: { openapi: '3.1.1', servers: [{ url: server.origin }] },
    });
  });

  it('filters, sorts and includes', async () => {
    const query = '/jsonapi/node/article?filter[field_author.title]=ada&sort=-rating&include=field_author';
    expect(await get(server.origin, query)).toMatchObject({
      status: 200,
      body: { data: [{ id: 'first' }, { id: 'deep/third' }], included: [{ id: 'ada' }], meta: { count: 2 } },
    });
  });

  it('loads live collections', async () => {
    const { body } = await get(server.origin, '/collections');
    expect(body).toEqual({
      ids: expect.arrayContaining(['first', 'deep/third']),
      all: expect.any(Number),
      title: 'First light',
      html: expect.stringContaining('<'),
      tags: ['node--article:first'],
      wrong: ['LiveQueryError', expect.stringContaining('Did you mean "title"?')],
      missing: ['LiveEntryNotFoundError', expect.stringContaining('nope')],
      down: ['LiveQueryError', expect.any(String)],
    });
  });

  it('searches', async () => {
    expect(await get(server.origin, '/jsonapi/node/article?filter[fulltext]=first+light')).toMatchObject({
      status: 200,
      body: { data: [{ id: 'first' }], meta: { count: 1 } },
    });
    expect(await get(server.origin, '/api/content/articles?filter[fulltext]=first')).toMatchObject({
      status: 200,
      body: { data: [{ id: 'first' }] },
    });
  });

  it('renders bodies like Astro', async () => {
    const { body } = await get(server.origin, '/jsonapi/node/article/first');
    expect(body).toMatchObject({
      data: {
        attributes: { body: { processed: expect.stringContaining('<h1 id="first-light">First light</h1>') } },
      },
    });
  });

  it.each([
    ['/jsonapi/node/nothing', 404],
    ['/jsonapi/node/article/nothing', 404],
    ['/jsonapi/node/article/hidden', 404],
    ['/jsonapi/nothing/at/all', 404],
    ['/jsonapi/node/article?filter[nothing]=1', 400],
    ['/jsonapi/node/article?nothing=1', 400],
  ])('answers %s with a %i document', async (path, status) => {
    expect(await get(server.origin, path)).toMatchObject({
      status,
      type: 'application/vnd.api+json',
      body: { errors: [{ status: String(status) }] },
    });
  });

  it.each([
    ['POST', '/jsonapi/node/article'],
    ['PATCH', '/jsonapi/node/article/first'],
    ['DELETE', '/jsonapi/node/article/first'],
  ])("answers 405 to %s without option editing, before Astro's origin check", async (method, path) => {
    const headers = { authorization: `Basic ${btoa('ada:secret')}` };
    const response = await fetch(server.origin + path, { method, headers });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('has no sign-in without option editing', async () => {
    for (const path of [
      '/user/login',
      '/user/logout',
      '/user/login_status',
      '/session/token',
      '/oauth/token',
    ]) {
      expect((await fetch(`${server.origin}${path}?_format=json`)).status, path).toBe(404);
    }
    const headers = { authorization: `Basic ${btoa('ada:secret')}`, cookie: '__Host-astro-session=x' };
    const response = await fetch(`${server.origin}/jsonapi`, { headers });
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null]);
    expect(await response.json()).not.toHaveProperty('meta.links.me');
    expect(await (await fetch(`${server.origin}/locals`)).json()).toEqual([]);
    expect(server.output()).not.toContain('setup=');
    expect(existsSync(site.file('.astro-jsonapi'))).toBe(false);
  });

  it('lists the allowed methods for OPTIONS', async () => {
    const response = await fetch(`${server.origin}/jsonapi/node/article/first`, { method: 'OPTIONS' });
    expect(response.status).toBe(200);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it('leaves every other path to the site', async () => {
    expect(await get(server.origin, '/')).toMatchObject({
      status: 200,
      type: expect.stringContaining('text/html'),
    });
    expect(await get(server.origin, '/jsonapis')).toMatchObject({
      status: 404,
      type: expect.stringContaining('text/html'),
    });
  });

  it('has the explorer in dev only, unless the option says otherwise', async () => {
    expect(await get(server.origin, '/jsonapi-explorer')).toMatchObject({ status: 404 });
  });

  it('does not warn about a custom fetch file', () => {
    expect(server.output()).not.toContain('custom src/fetch.ts');
  });

  async function preview(editor?: string): Promise<string> {
    const response = await fetch(`${server.origin}/preview`, {
      headers: editor === undefined ? {} : { cookie: `editor=${editor}` },
    });
    return response.text();
  }

  it('shows drafts on a page to users whom its middleware makes administrators, and to no one else', async () => {
    expect(await preview('ada')).toContain('hidden');
    expect(await preview('ada')).toContain('<b>5</b>');
    for (const editor of [undefined, 'bob']) {
      expect(await preview(editor)).not.toContain('hidden');
      expect(await preview(editor)).toContain('<b>4</b>');
    }
    expect(await preview('ada')).toContain('hidden');
  });

  it('shows changed, new and removed files without a restart', async () => {
    const title = async (id: string) => (await get(server.origin, `/api/content/article/${id}`)).body;
    const cached = () => fetch(`${server.origin}/cached`);
    await cached();
    expect((await cached()).headers.get('x-astro-cache')).toBe('HIT');
    writeFileSync(
      site.file('content/article/second.md'),
      '---\ntitle: Second, again\nrating: 5\n---\nNew words.\n',
    );
    await eventually(async () =>
      expect(await title('second')).toMatchObject({ data: { title: 'Second, again' } }),
    );

    const page = await cached();
    expect([page.headers.get('x-astro-cache'), await page.text()]).toEqual([
      'MISS',
      expect.stringContaining('<p>Second, again</p>'),
    ]);

    const search = '/jsonapi/node/article?filter[fulltext]=new+word';
    expect(await get(server.origin, search)).toMatchObject({ body: { data: [{ id: 'second' }] } });

    expect(await get(server.origin, '/live')).toMatchObject({
      body: expect.stringContaining('<p>Second, again</p>'),
    });

    writeFileSync(site.file('content/article/fresh.md'), '---\ntitle: Fresh\nrating: 2\n---\n');
    await eventually(async () => expect(await title('fresh')).toMatchObject({ data: { title: 'Fresh' } }));

    rmSync(site.file('content/article/fresh.md'));
    await eventually(async () => expect(await title('fresh')).toMatchObject({ error: { status: 404 } }));
    expect(server.output()).toMatch(/content\/article\/fresh\.md/);
  });

  it('keeps the last good version of a broken file, and logs the problem', async () => {
    writeFileSync(site.file('content/article/v1.2.md'), '---\ntitle: [broken\n---\n');
    await eventually(async () => expect(server.output()).toMatch(/content\/article\/v1\.2\.md:\d+:\d+/));
    expect(await get(server.origin, '/jsonapi/node/article/v1.2')).toMatchObject({
      status: 200,
      body: { data: { attributes: { title: 'A name with a dot' } } },
    });
  });

  describe('the content folder', () => {
    beforeAll(() => server.stop());

    it('comes from JSONAPI_CONTENT_DIR first', async () => {
      mkdirSync(site.file('elsewhere/article'), { recursive: true });
      writeFileSync(site.file('elsewhere/article/other.md'), '---\ntitle: Other\nrating: 1\n---\n');
      const server = await serve(site, { JSONAPI_CONTENT_DIR: site.file('elsewhere') });
      try {
        const { body } = await get(server.origin, '/jsonapi/node/article');
        expect(body).toMatchObject({ data: [{ id: 'other' }] });
      } finally {
        await server.stop();
      }
    });

    it('in JSONAPI_CONTENT_DIR does not exist: the log names it, responses do not', async () => {
      const server = await serve(site, { JSONAPI_CONTENT_DIR: site.file('nowhere') });
      try {
        const { status, type, body } = await get(server.origin, '/jsonapi');
        expect({ status, type }).toEqual({ status: 500, type: 'application/vnd.api+json' });
        expect(JSON.stringify(body)).not.toContain('nowhere');
        expect(server.output()).toContain(
          `JSONAPI_CONTENT_DIR is ${site.file('nowhere')}, which does not exist.`,
        );
      } finally {
        await server.stop();
      }
    });

    it('cannot be a file', async () => {
      const server = await serve(site, { JSONAPI_CONTENT_DIR: site.file('content/article/first.md') });
      try {
        expect(await get(server.origin, '/jsonapi')).toMatchObject({ status: 500 });
        expect(server.output()).toContain('first.md, which is not a folder.');
      } finally {
        await server.stop();
      }
    });

    it('is replaced by the content of the build if it is missing', async () => {
      renameSync(site.file('content'), site.file('content-away'));
      const server = await serve(site);
      try {
        expect(await get(server.origin, '/jsonapi/node/article?sort=id')).toMatchObject({
          status: 200,
          body: { data: [{ id: 'deep/third' }, { id: 'first' }, { id: 'second' }, { id: 'v1.2' }] },
        });
        expect(await get(server.origin, '/jsonapi/node/article?filter[fulltext]=first+light')).toMatchObject({
          body: { data: [{ id: 'first' }] },
        });
        const { body } = await get(server.origin, '/jsonapi/node/article/first');
        expect(body).toMatchObject({
          data: { attributes: { body: { processed: expect.stringContaining('<em>first</em>') } } },
        });
        expect((await get(server.origin, '/live')).body).toContain('<p>');
        const preview = async (cookie: string) =>
          (await get(server.origin, '/preview', { headers: { cookie } })).body;
        expect(await preview('')).not.toContain('hidden');
        expect(await preview('editor=ada')).toContain('hidden');
        expect((await get(server.origin, '/collections')).body).toMatchObject({ all: 5 });
      } finally {
        await server.stop();
      }
    });
  });
});

describe.concurrent.each([
  { base: '/docs/', trailingSlash: 'always', slash: '/', prefix: undefined },
  { base: '/docs', trailingSlash: 'never', slash: '', prefix: '/cms' },
])('a built server at $base, trailingSlash $trailingSlash, prefix $prefix', (options) => {
  const { base, trailingSlash, slash, prefix } = options;
  const api = `/docs${prefix ?? ''}`;
  let site: Site;
  let server: Served;
  let output: string;

  beforeAll(async () => {
    site = copySite('plain', `server-${trailingSlash}`);
    const env = { SERVER: '1', BASE: base, TRAILING_SLASH: trailingSlash };
    const own = { editing: true, ...(prefix && { api: { prefix } }) };
    mkdirSync(site.file('src/pages/cms/jsonapi'), { recursive: true });
    writeFileSync(
      site.file('src/pages/cms/jsonapi/about.astro'),
      '---\nexport const prerender = false;\n---\n<p>About</p>',
    );
    output = await build(site, { ...env, JSONAPI_OPTIONS: JSON.stringify(own) });
    server = await serve(site);
  });
  afterAll(async () => {
    await server?.stop();
    site?.remove();
  });

  it('warns about a page of the site at an address of the API', () => {
    expect(output.includes('page at /cms/jsonapi/about is among')).toBe(prefix !== undefined);
  });

  it('uses the URL format of the site in links', async () => {
    const home = `${server.origin}${api}/jsonapi`;
    const { body } = await get(server.origin, `${api}/jsonapi/node/article${slash}?page[limit]=1&sort=id`);
    expect(body).toMatchObject({
      data: [{ links: { self: { href: `${home}/node/article/deep/third${slash}` } } }],
    });
    const next = (body as { links: { next: { href: string } } }).links.next.href;
    expect(next.startsWith(`${home}/node/article${slash}?`)).toBe(true);
    expect(await get('', next)).toMatchObject({ status: 200, body: { data: [{ id: 'first' }] } });
  });

  it.each([
    ['GET', '/jsonapi', 200],
    ['GET', '/jsonapi/node/article?sort=id', 200],
    ['GET', '/jsonapi/node/article/v1.2', 200],
    ['GET', '/jsonapi/openapi.json', 200],
    ['GET', '/api/content/articles', 200],
    ['GET', '/admin', 303],
    ['GET', '/user/login', 200],
    ['GET', '/user/login_status?_format=json', 200],
    ['OPTIONS', '/jsonapi/node/article', 200],
    ['POST', '/jsonapi/node/article', 415],
    ['PATCH', '/jsonapi/node/article/first', 415],
    ['DELETE', '/api/content/articles/first', 401],
  ])('takes %s %s with and without a slash at the end', async (method, address, status) => {
    const [path = '', query] = address.split('?');
    for (const end of ['', '/']) {
      const start = /^\/(?:api|jsonapi)/.test(path) ? api : '/docs';
      const url = `${start}${path}${end}${query === undefined ? '' : `?${query}`}`;
      expect(await get(server.origin, url, { method })).toMatchObject({ status });
    }
  });
});
