import { describe, expect, it } from 'vitest';
import type { Roles } from '../../../integration/core/access/role.ts';
import { createContentApi } from '../../../integration/core/builder/index.ts';
import type { ApiSettings } from '../../../integration/core/read/settings.ts';
import { prebuildProblems } from '../../../integration/features/static/documents/documents.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../support/request.ts';
import { createServices, staticFiles } from '../../support/services.ts';

const FILES = {
  'article/a.md': '---\ntitle: A\nquote: quote/q\ntags: [tag/t]\n---\nText of A\n',
  'article/b.md': '---\ntitle: B\nquote: quote/q\n---\nText of B\n',
  'quote/q.md': '---\ntitle: Hidden words\nabout: article/a\n---\n![](./q.svg)\n',
  'quote/q.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'tag/t.yaml': 'title: T\n',
  'menu_link_content--main/home.yaml': 'title: Home\nlink: /\n',
};

async function site(settings: Partial<ApiSettings>) {
  const services = await createServices(createMemoryDriver(FILES), undefined, { settings });
  const handle = createHandler(services);
  return {
    services,
    status: async (path: string) => (await handle(new Request(ORIGIN + path)))?.status,
    text: async (path: string) => (await fetchFrom(handle, path)).text(),
  };
}

const CONTENT = ['/jsonapi', '/jsonapi/node/article', '/jsonapi/node/article/a', '/jsonapi/openapi.json'];
const PLAIN = ['/api/content/articles', '/v1/api/content/articles/a'];
const DRUPAL = ['/router/translate-path?path=/', '/jsonapi/menu_items/main'];
const IMAGE = '/content-files/quote/q.svg';

describe('GET /api/content', () => {
  const list = async (path: string, settings: Partial<ApiSettings> = {}, roles: Roles = {}) => {
    const services = await createServices(createMemoryDriver(FILES), undefined, { settings, roles });
    const response = await fetchFrom(createHandler(services), path);
    return { status: response.status, allow: response.headers.get('allow'), body: await response.json() };
  };

  it('lists the bundles with the addresses of their lists', async () => {
    const at = (name: string) => ({ self: `${ORIGIN}/docs/cms/api/content/${name}` });
    const { status, body } = await list('/docs/cms/api/content', { base: '/docs', prefix: '/cms' });
    expect([status, body]).toEqual([
      200,
      {
        data: [
          { type: 'menu_link_content--main', name: 'mains', links: at('mains') },
          { type: 'article', name: 'articles', links: at('articles') },
          { type: 'quote', name: 'quotes', links: at('quotes') },
          { type: 'tag', name: 'tags', links: at('tags') },
        ],
        links: { self: `${ORIGIN}/docs/cms/api/content` },
      },
    ]);
  });

  it('leaves out bundles that are not in the API, or of which the actor may see nothing', async () => {
    const names = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name);
    expect(names(await list('/api/content', { hiddenTypes: ['node--quote'] }))).toEqual([
      'mains',
      'articles',
      'tags',
    ]);
    const anonymous = { permissions: [{ actions: ['view' as const], bundles: ['tag'] }] };
    expect(names(await list('/api/content', {}, { anonymous }))).toEqual(['tags']);
  });

  it('reports parameters that have no effect, and can only be read', async () => {
    expect((await list('/api/content?fields=a')).body).toMatchObject({ meta: { ignored: ['fields'] } });
    expect(await list('/api/content?nothing=1')).toMatchObject({ status: 400 });
  });

  it('is a file of a static site', async () => {
    const files = await staticFiles(await createServices(createMemoryDriver(FILES)));
    expect(JSON.parse(files.get('api/content.json') ?? '')).toMatchObject({
      data: [{}, { name: 'articles', links: { self: '/api/content/articles.json' } }, {}, {}],
      links: { self: '/api/content.json' },
    });
    expect(files.get('jsonapi/openapi.json')).toContain('"/api/content.json"');
  });
});

describe('a site without the API', () => {
  const without = site({ api: false, explorer: true });

  it.each([...CONTENT, ...PLAIN, ...DRUPAL, '/jsonapi-explorer/schema.json'])(
    'has nothing at %s',
    async (path) => {
      expect(await (await without).status(path)).toBeUndefined();
    },
  );

  it('serves health and the images of its pages', async () => {
    const { status } = await without;
    expect(await status('/healthz')).toBe(200);
    expect(await status(IMAGE)).toBe(200);
  });

  it('has no files, and queries in pages', async () => {
    const { services } = await without;
    expect([...(await staticFiles(services)).keys()]).toEqual([]);
    const { entities, jsonapi } = createContentApi(services);
    expect(await entities('article').count()).toBe(2);
    expect((await jsonapi('/node/article')).meta?.count).toBe(2);
  });
});

describe('a site without the addresses of Drupal', () => {
  const without = site({ drupal: false });

  it.each(CONTENT)('serves %s', async (path) => {
    expect(await (await without).status(path)).toBe(200);
  });

  it('has no router, sub-requests or menus, in descriptions and files too', async () => {
    const { status, text, services } = await without;
    expect(await status('/router/translate-path?path=/')).toBeUndefined();
    expect(await status('/subrequests')).toBeUndefined();
    expect(await status('/jsonapi/menu_items/main')).toBe(404);
    expect(await text('/jsonapi/openapi.json')).not.toMatch(/menu_items|translate-path|subrequests/);
    const paths = [...(await staticFiles(services)).keys()];
    expect(paths).toContain('jsonapi/node/article.json');
    expect(paths.join('\n')).not.toContain('menu_items');
  });

  it('has identifiers without drupal_internal__target_id, and can filter by them', async () => {
    const { text, services } = await without;
    expect(await text('/jsonapi/node/article/a')).toContain('"data":{"type":"node--quote","id":"q"}');
    const files = await staticFiles(services);
    expect([...files.values()].join('\n')).not.toContain('drupal_internal');
    expect(await text('/jsonapi/node/article?filter[tags.id]=t')).toContain('"count":1');
  });

  it('has them by default', async () => {
    const { status, text } = await site({});
    for (const path of DRUPAL) expect(await status(path)).not.toBeUndefined();
    expect(await text('/jsonapi/node/article/a')).toContain('"drupal_internal__target_id":"q"');
  });
});

describe('a bundle that is not in the API', () => {
  const hiding = site({ hiddenTypes: ['quote'], explorer: true });

  it.each([
    '/jsonapi/node/quote',
    '/jsonapi/node/quote/q',
    '/jsonapi/node/quote/q/about',
    '/jsonapi/node/quote/resource/schema',
    '/api/content/quotes',
    '/api/content/quotes/q',
  ])('has nothing at %s', async (path) => {
    expect(await (await hiding).status(path)).toBe(404);
  });

  it.each([
    ['the entry point', '/jsonapi'],
    ['all content', '/jsonapi/index/content'],
    ['an include', '/jsonapi/node/article?include=quote'],
    ['a related resource', '/jsonapi/node/article/a/quote'],
    ['a stub', '/api/content/articles/a'],
    ['a facet', '/jsonapi/node/article?facetBy[quote]='],
    ['a search', '/jsonapi/node/article?filter[fulltext]=words'],
  ])('is not shown by %s', async (_, path) => {
    expect(await (await hiding).text(path)).not.toMatch(/Hidden|node\/quote\b|"value":"q"/);
  });

  it.each([
    'filter[quote.title]=Hidden words',
    'filter[quote.id]=q',
    'filter[quote.title][operator]=STARTS_WITH&filter[quote.title][value]=H',
  ])('matches no filter: %s', async (query) => {
    expect(await (await hiding).text(`/jsonapi/node/article?${query}`)).not.toContain('"id":"a"');
  });

  it('has an id of its own in no reference', async () => {
    const { text } = await hiding;
    expect(JSON.parse(await text('/api/content/articles/a')).data.quote).toEqual({
      type: 'quote',
      id: 'missing',
      title: null,
    });
    expect(await text('/jsonapi/node/article/a')).not.toContain('"id":"q"');
  });

  it('is in no file, description or explorer', async () => {
    const { services, text } = await hiding;
    const files = await staticFiles(services);
    expect([...files.keys()].join('\n')).not.toContain('quote');
    expect([...files.values()].join('\n')).not.toContain('Hidden words');
    expect(await text('/jsonapi/openapi.json')).not.toContain('/node/quote');
    expect(await text('/jsonapi-explorer/schema.json')).not.toContain('Hidden words');
  });

  describe.each([
    ['node--quote', 'node', 'quote'],
    ['menu_link_content--main', 'menu_link_content', 'main'],
  ])('%s is not named by options', (hidden, entityType, bundle) => {
    const settings: Partial<ApiSettings> = {
      hiddenTypes: [hidden],
      explorer: true,
      plurals: { [hidden]: 'canaries', article: 'texts' },
      indexes: {
        'canary-index': { bundles: [bundle], facets: {} },
        both: { bundles: ['article', bundle, hidden], facets: {} },
      },
      staticQueries: {
        'canary-one': `/${entityType}/${bundle}?sort=title`,
        'canary-two--block': `/jsonapi/${entityType.toUpperCase()}/%${bundle.charCodeAt(0).toString(16)}${bundle.slice(1)}`,
        recent: '/node/article?sort=-created',
      },
    };

    it.each([
      '/jsonapi/views/nope/default',
      '/jsonapi/index/nope',
      '/jsonapi/openapi.json',
      '/jsonapi-explorer/schema.json',
      '/api/content/nope',
    ])('at %s', async (path) => {
      expect(await (await site(settings)).text(path)).not.toMatch(/canar/);
    });

    it('and its queries are build errors instead of views', async () => {
      const { services, status } = await site(settings);
      expect(await status('/jsonapi/views/canary-one/default')).toBe(404);
      expect(await status('/jsonapi/views/canary-two/block')).toBe(404);
      expect(await status('/jsonapi/views/recent/default')).toBe(200);
      expect(await status('/jsonapi/index/both')).toBe(200);
      expect(await prebuildProblems(services)).toEqual([
        expect.stringContaining('Option prebuild.canary-one: '),
        expect.stringContaining('Option prebuild.canary-two--block: '),
      ]);
    });
  });

  it('leaves another bundle with the same short name its plural and its index', async () => {
    const files = { 'tag/t.yaml': 'title: T\n', 'term--tag/a.yaml': 'title: A\n' };
    const indexes = { tags: { bundles: ['tag'], facets: {} } };
    const settings = { hiddenTypes: ['term--tag'], plurals: { tag: 'labels' }, indexes };
    const handle = createHandler(await createServices(createMemoryDriver(files), undefined, { settings }));
    expect((await fetchFrom(handle, '/api/content/labels')).status).toBe(200);
    expect((await fetchFrom(handle, '/jsonapi/index/tags')).status).toBe(200);
  });

  it('is in pages, with its images', async () => {
    const { services, status } = await hiding;
    const { entities } = createContentApi(services);
    expect(await entities('article').where('quote.title', '=', 'Hidden words').count()).toBe(2);
    expect(await entities('quote').get('q')).toMatchObject({ title: 'Hidden words' });
    expect(await status(IMAGE)).toBe(200);
  });
});

describe('static files', () => {
  it('can leave bodies out of collections', async () => {
    const { services } = await site({ static: { bodies: false, queries: true, documents: true } });
    const files = await staticFiles(services);
    expect(files.get('jsonapi/node/article.json')).toContain('"title":"A"');
    expect(files.get('jsonapi/node/article.json')).not.toContain('"body"');
    expect(files.get('jsonapi/node/article/a.json')).toContain('Text of A');
  });

  it('can be turned off, while a dev server has the API', async () => {
    const { services, status } = await site({ static: false });
    expect([...(await staticFiles(services)).keys()]).toEqual([]);
    expect(await status('/jsonapi/node/article')).toBe(200);
  });
});

describe('a plain JSON list', () => {
  it('has bodies only if fields names them, and a single entity always does', async () => {
    const { text, services } = await site({});
    const list = JSON.parse(await text('/api/content/articles')) as { data: Record<string, unknown>[] };
    expect(list.data[0]).toMatchObject({ id: 'a', title: 'A', tags: [{ id: 't' }] });
    expect(list.data[0]).not.toHaveProperty('body');
    expect(await text('/api/content/articles?fields=title,body')).toContain('Text of A');
    expect(await text('/api/content/articles/a')).toContain('Text of A');
    const files = await staticFiles(services);
    expect(files.get('api/content/articles.json')).not.toContain('"body"');
    expect(files.get('api/content/articles/a.json')).toContain('Text of A');
  });
});
