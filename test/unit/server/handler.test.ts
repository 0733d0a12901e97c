import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADMINISTRATOR } from '../../../integration/core/access/actor.ts';
import { userId } from '../../../integration/core/content/user-id.ts';
import { DEFAULT_LIMITS } from '../../../integration/core/engine/limits.ts';
import type { ApiSettings } from '../../../integration/core/read/settings.ts';
import type { HandlerContext } from '../../../integration/core/server/handler.ts';
import { createHandler } from '../../support/handler.ts';
import { fetchFrom, ORIGIN } from '../../support/request.ts';
import { bundle, createMagazine, entity } from '../api/jsonapi/magazine.ts';

afterEach(() => vi.restoreAllMocks());

async function ask(
  path: string,
  {
    settings = {},
    context,
    ...init
  }: RequestInit & { settings?: Partial<ApiSettings>; context?: HandlerContext } = {},
): Promise<Response> {
  return fetchFrom(createHandler(createMagazine(settings)), path, { ...init, ...context });
}

describe('routes', () => {
  it.each([
    ['/jsonapi', 200],
    ['/jsonapi/', 200],
    ['/jsonapi/node/article', 200],
    ['/jsonapi/node/article/', 200],
    ['/JSONAPI/node/ARTICLE', 200],
    ['/jsonapi/node/article/2024/first', 200],
    ['/jsonapi/node/article/2024%2Ffirst/', 200],
    ['/jsonapi/nope', 404],
    ['/jsonapi/node/nope', 404],
    ['/jsonapi/node/article/nope', 404],
    ['/jsonapi/node/article/%ff', 404],
    ['/jsonapi/%E0%A4%A', 404],
    ['/jsonapi/node/article?x=%ZZ', 400],
    ['/jsonapi/node/article?page[size]=1&page[after]=%E0%A4%A', 400],
    ['/api/content/articles/%ff', 404],
    ['/api/content/article', 200],
    ['/api/content/articles/second', 200],
    ['/v1/api/content/people', 200],
    ['/api/content/articles/2024/first/field_words', 200],
    ['/v1/api/content/article/2024%2Ffirst/field_tags/', 200],
    ['/api/content/articles/2024/first/field_author', 404],
    ['/api/content', 200],
    ['/v1/api/content/', 200],
    ['/api/content/nope', 404],
  ])('%s returns %i', async (path, status) => {
    const response = await ask(path);
    expect(response.status).toBe(status);
    const type = path.toLowerCase().startsWith('/jsonapi') ? 'application/vnd.api+json' : 'application/json';
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    '/',
    '/jsonapix',
    '/api/contents',
    '/api',
    '/v2/api/content',
    '/jsonapi-explorer',
    '/jsonapi-explorer/schema.json',
  ])('%s is left to the site', async (path) => {
    expect(await createHandler(createMagazine())(new Request(ORIGIN + path))).toBeUndefined();
  });

  it.each(['/jsonapi-explorer/schema.json/x', '/jsonapi-explorer/explain.json/node/article'])(
    '%s does not exist even if the explorer is on',
    async (path) => {
      const handle = createHandler(createMagazine({ explorer: true }));
      expect(await handle(new Request(ORIGIN + path))).toBeUndefined();
    },
  );

  it('work under the base of the site, with links that contain it', async () => {
    const response = await ask('/docs/jsonapi/node/tag', { settings: { base: '/docs' } });
    const document = await response.json();
    expect(document.links.self.href).toBe(`${ORIGIN}/docs/jsonapi/node/tag`);
    expect(document.data[0].links.self.href).toBe(`${ORIGIN}/docs/jsonapi/node/tag/news`);
  });

  it("the entry point links to the signed-in user, like Drupal's", async () => {
    const context = { actor: { name: 'ada', roles: ['authenticated'] } };
    const { meta } = await (await ask('/jsonapi', { context })).json();
    expect(meta).toEqual({ links: { me: { href: `${ORIGIN}/jsonapi`, meta: { id: 'ada' } } } });
    expect(await (await ask('/jsonapi')).json()).not.toHaveProperty('meta');
  });

  it('the entry point links each user to their own account, despite caching', async () => {
    const handle = createHandler(createMagazine());
    const me = async (name: string | null) => {
      const roles = name === null ? ['anonymous'] : ['authenticated'];
      const response = await fetchFrom(handle, '/jsonapi', { actor: { name, roles } });
      return (await response.json())?.meta?.links.me.meta.id;
    };
    for (const name of ['ada', 'bob']) expect(await me(name)).toBe(name);
    expect(await me(null)).toBeUndefined();
  });

  it('the entry point links to the account if it is a visible resource', async () => {
    const types = [bundle('user--user', [])];
    const [ada, bob] = [userId('ada'), userId('bob')];
    const entities = [entity('user--user', ada, {}), entity('user--user', bob, {}, { published: false })];
    const handle = createHandler(createMagazine({}, entities, types));
    const hrefOf = async (name: string) => {
      const response = await fetchFrom(handle, '/jsonapi', { actor: { name, roles: ['authenticated'] } });
      return (await response.json())?.meta.links.me.href;
    };
    expect(await hrefOf('ada')).toBe(`${ORIGIN}/jsonapi/user/user/${ada}`);
    expect(await hrefOf('bob')).toBe(`${ORIGIN}/jsonapi`);
  });

  it.each([
    '/jsonapi/',
    '/jsonapi/node/article/second/',
    '/jsonapi/node/article/second/field_tags/',
    '/jsonapi/node/article/second/relationships/field_tags/',
    '/jsonapi/node/article/resource/schema/',
    '/jsonapi/openapi.json/',
    '/healthz/',
  ])('%s may end with a slash', async (path) => {
    expect((await ask(path)).status).toBe(200);
  });

  it.each([
    '/jsonapi',
    '/jsonapi/node/article',
    '/jsonapi/node/article/second',
    '/jsonapi/node/article/second/field_tags',
    '/jsonapi/node/article/second/relationships/field_tags',
    '/jsonapi/node/article/resource/schema',
    '/jsonapi/openapi.json',
  ])('%s has only one format, which needs no parameter', async (path) => {
    expect((await ask(`${path}?_format=json`)).status).toBe(406);
    const needless = await ask(`${path}?_format=api_json`);
    expect(needless.status).toBe(400);
    expect((await needless.json()).errors[0].source).toEqual({ parameter: '_format' });
  });

  it('the entry point lists ignored parameters', async () => {
    const { meta } = await (
      await ask('/jsonapi?filter[a]=1&sort=x&include=y&fields[node--article]=title')
    ).json();
    expect(meta.ignored).toEqual(['filter[a]', 'sort', 'include', 'fields[node--article]']);
  });

  it('serve the actor of the request', async () => {
    const secret = '/jsonapi/node/article/secret';
    expect((await ask(secret)).status).toBe(404);
    expect((await ask(secret, { context: { actor: ADMINISTRATOR } })).status).toBe(200);
  });
});

describe('methods', () => {
  it.each(['/jsonapi/node/article', '/api/content/articles', '/jsonapi/node/article?filter[nope]=1'])(
    'HEAD %s has the headers of GET and no body',
    async (path) => {
      const get = await ask(path);
      const head = await ask(path, { method: 'HEAD' });
      expect(head.status).toBe(get.status);
      expect([...head.headers]).toEqual([...get.headers]);
      expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
      expect(await head.text()).toBe('');
    },
  );

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s returns 405 with the allowed methods', async (method) => {
    const response = await ask('/jsonapi/node/article', { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await response.json()).errors[0].status).toBe('405');
  });

  const allow = ['GET', 'HEAD', 'OPTIONS'];
  const nothing = { attributes: [], relationships: [] };
  it.each([
    ['/jsonapi', {}],
    ['/jsonapi/node/article?filter[nope]=1', nothing],
    ['/jsonapi/node/article/2024/first', nothing],
    ['/jsonapi/node/article/2024/first/field_tags', {}],
    ['/jsonapi/node/article/2024/first/relationships/field_tags', {}],
  ])('OPTIONS %s lists methods and writable fields', async (path, may) => {
    const response = await ask(path, { method: 'OPTIONS' });
    expect(response.status).toBe(200);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(response.headers.get('content-type')).toBe('application/vnd.api+json');
    const document = await response.json();
    expect(document).toEqual({ jsonapi: expect.any(Object), meta: { allow, ...may } });
  });

  it.each([
    ['/api/content/articles', { attributes: [] }],
    ['/v1/api/content/article/second', { attributes: [] }],
    ['/api/content/articles/2024/first/field_tags', {}],
    ['/jsonapi-explorer/schema.json', {}],
    ['/jsonapi-explorer/explain.json', {}],
  ])('OPTIONS %s lists methods', async (path, may) => {
    const response = await ask(path, { method: 'OPTIONS', settings: { explorer: true } });
    expect(response.status).toBe(200);
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(await response.json()).toEqual({ meta: { allow, ...may } });
  });

  it.each([
    '/jsonapi/nope',
    '/jsonapi/node/nope',
    '/jsonapi/node/article/secret',
    '/jsonapi/node/article/secret/field_tags',
    '/jsonapi/node/article/second/title',
    '/api/content/nope',
    '/api/content/articles/secret',
    '/api/content/articles/secret/field_tags',
    '/api/content/articles/second/title',
  ])('OPTIONS %s returns 404 like GET', async (path) => {
    const response = await ask(path, { method: 'OPTIONS' });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual(await (await ask(path)).json());
  });
});

describe('media types', () => {
  const path = '/jsonapi/node/article';
  it.each([
    ['application/vnd.api+json', 200],
    ['application/vnd.api+json;q=0.5', 200],
    ['application/vnd.api+json; profile="https://p.example"', 200],
    ['application/vnd.api+json; ext="https://e.example"', 406],
    ['application/vnd.api+json; charset=utf-8', 406],
    ['application/vnd.api+json; a="x,y;z"', 406],
    ['application/vnd.api+json; a=b, application/vnd.api+json', 200],
    ['*/*', 200],
    ['application/json', 200],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 200],
    ['image/png', 200],
  ])('JSON:API with Accept %s returns %i', async (accept, status) => {
    const response = await ask(path, { headers: { accept } });
    expect(response.status).toBe(status);
    if (status === 406) expect((await response.json()).errors[0].source).toEqual({ header: 'Accept' });
  });

  it.each([
    ['application/json', 200],
    ['application/*', 200],
    ['text/html, */*;q=0.1', 200],
    ['text/html', 406],
    ['application/xml', 406],
    ['application/json;q=0', 406],
  ])('/api/content with Accept %s returns %i', async (accept, status) => {
    const response = await ask('/api/content/articles', { headers: { accept } });
    expect(response.status).toBe(status);
    if (status === 406) expect((await response.json()).error.source).toEqual({ header: 'Accept' });
  });
});

describe('errors', () => {
  it('in JSON:API are documents with status, title, detail and source', async () => {
    const response = await ask(
      '/jsonapi/node/article?filter[a][condition][path]=title&filter[a][condition][operator]=LIKE',
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      jsonapi: { version: '1.1', meta: { links: { self: { href: 'https://jsonapi.org/format/1.1/' } } } },
      errors: [
        {
          status: '400',
          title: 'Bad Request',
          detail: expect.stringContaining("no operator 'LIKE'"),
          source: { parameter: 'filter[a][condition][operator]' },
        },
      ],
    });
  });

  it('in /api/content are one plain error', async () => {
    const response = await ask('/api/content/articles?limit=x');
    expect(await response.json()).toEqual({
      error: {
        status: 400,
        title: 'Bad Request',
        detail: "limit must be an integer of at least 0, not 'x'.",
        source: { parameter: 'limit' },
      },
    });
  });

  it.each(['/jsonapi/node/article', '/api/content/articles?fields=body'])(
    'in our code on %s return only an id, and the log has the cause',
    async (path) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      const cause = new Error('the password is hunter2');
      const services = { ...createMagazine(), renderBody: () => Promise.reject(cause) };
      const response = await fetchFrom(createHandler(services), path);
      const text = await response.text();
      const { errors, error } = JSON.parse(text);
      const { id } = errors?.[0] ?? error;
      expect(response.status).toBe(500);
      expect(id).toMatch(/^[\da-f-]{36}$/);
      expect(text).not.toMatch(/hunter2|at |\.ts/);
      expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(id), cause);
    },
  );

  it('limit the length of path and query', async () => {
    const path = '/jsonapi/node/article?fooBar=';
    const fill = (length: number): string => path + 'x'.repeat(length - path.length);
    expect((await ask(fill(DEFAULT_LIMITS.queryLength))).status).toBe(200);
    expect((await ask(fill(DEFAULT_LIMITS.queryLength + 1))).status).toBe(414);
  });

  it.each([
    '?filter[title][operator]=IN&filter[title][value][]=%00',
    '?filter[__proto__]=1',
    '?filter[__proto__][group][conjunction]=OR',
    '?filter[constructor][condition][path]=__proto__.x&filter[constructor][condition][value]=1',
    '?sort=__proto__',
    '?include=constructor',
    '?fields[__proto__]=title',
    '?fields[constructor]=title',
    '?page[__proto__]=1',
    '?page[limit]=NaN&page[offset]=9007199254740993',
    '?%F0%9F%92%A9=1',
    '?filter[field_rating][value]=1e999&filter[field_rating][operator]=>',
    '?filter[created]=not-a-date',
    '?filter[field_tags.99999999999999.id]=x',
    '?filter[field_tags.-1.id]=x',
    `?filter[title]=${'%F0%90%80'}`,
  ])('are never a 500 for %s', async (query) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    for (const prefix of ['/jsonapi/node/article', '/api/content/articles', '/jsonapi/node/article/second']) {
      expect((await ask(prefix + query)).status).toBeLessThan(500);
    }
    expect(log).not.toHaveBeenCalled();
  });
});

describe('query explorer', () => {
  const settings = { explorer: true, base: '/docs', staticQueries: { tea: '/node/tag?filter[title]=Tea' } };

  it('lists the choices of the current user', async () => {
    const response = await ask('/docs/jsonapi-explorer/schema.json', { settings });
    const schema = await response.json();
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(schema.types.map((type: { name: string; count: number }) => [type.name, type.count])).toEqual([
      ['node--article', 3],
      ['node--person', 2],
      ['node--tag', 2],
    ]);
    expect(schema.types[0].fields.map((field: { name: string }) => field.name)).not.toContain('uid');
    expect(schema.types[0].fields.at(-2)).toEqual({
      name: 'field_tags',
      kind: 'reference',
      list: true,
      targets: ['node--tag'],
      properties: [],
      required: false,
    });
    expect(schema.operators).toHaveLength(15);
    expect(schema.staticQueries).toEqual([
      { name: 'tea', query: '/node/tag?filter[title]=Tea', url: '/docs/jsonapi/node/tag?filter[title]=Tea' },
    ]);
    expect(schema).toMatchObject({
      mode: 'server',
      base: '/docs',
      fulltext: true,
      writes: false,
      signIn: false,
    });
  });

  it('offers no search if it is off', async () => {
    const response = await ask('/jsonapi-explorer/schema.json', {
      settings: { explorer: true, fulltext: false },
    });
    expect(await response.json()).toMatchObject({ fulltext: false });
  });

  it('explains the query of a collection', async () => {
    const url = '/docs/jsonapi/node/article?filter[title]=First&sort=-title';
    const response = await ask(`/docs/jsonapi-explorer/explain.json?url=${encodeURIComponent(url)}`, {
      settings,
    });
    expect(await response.json()).toMatchObject({
      url,
      count: 1,
      plan: expect.stringContaining('title'),
      resolveMs: expect.any(Number),
      executeMs: expect.any(Number),
      totalMs: expect.any(Number),
      ast: { sort: [{ path: 'title', direction: 'DESC' }], page: { offset: 0, limit: 50 } },
    });
  });

  it.each([
    ['', 400, 'url'],
    [`?url=${encodeURIComponent('/node/article?filter[nope]=1')}`, 400, 'filter[nope]'],
    [`?url=${encodeURIComponent('/node/nope')}`, 404, undefined],
    [`?url=${encodeURIComponent('/node/article/second')}`, 404, undefined],
  ])('rejects an explanation of %s', async (query, status, parameter) => {
    const response = await ask(`/jsonapi-explorer/explain.json${query}`, { settings: { explorer: true } });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/vnd.api+json');
    expect((await response.json()).errors[0].source?.parameter).toBe(parameter);
  });
});
