import { describe, expect, it } from 'vitest';
import { ask, type Origin } from './ask.ts';
import { ARTICLES, articleIds } from './content.ts';

/** A request as a client sends it, and the part of the response that it reads. */
interface Row {
  readonly asks: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
  readonly status?: number;
  readonly ids?: readonly string[];
  readonly count?: number;
  readonly ignored?: readonly string[];
  readonly parameters?: readonly string[];
  /** A part of the document. */
  readonly reads?: object;
}

const JSONAPI = 'application/vnd.api+json';
const AXIOS = { Accept: 'application/json, text/plain, */*' };
const BOTH = { Accept: JSONAPI, 'Content-Type': JSONAPI };
const FIRST = { reads: { data: { type: 'node--article', id: 'a01', attributes: { title: 'Article 1' } } } };

/** Menus as druxt requests them. */
const DRUXT_MENU =
  '/jsonapi/menu_items/main?filter%5Benabled%5D=1&filter%5Bmenu_name%5D=main&fields%5Bmenu_link_content--menu_link_content%5D=menu_name%2Cparent%2Ctitle%2Curl%2Cweight';

/** By client. Each row is a request from its source code, with the exact URL and headers. */
const CLIENTS: Readonly<Record<string, readonly Row[]>> = {
  'next-drupal': [
    {
      asks: 'getIndex',
      path: '/jsonapi',
      headers: BOTH,
      reads: { links: { 'node--article': { href: expect.any(String) } } },
    },
    { asks: 'getResource', path: '/jsonapi/node/article/a01', headers: BOTH, ...FIRST },
    {
      asks: 'getResource of a version',
      path: '/jsonapi/node/article/a01?resourceVersion=rel%3Alatest-version',
      headers: BOTH,
      ...FIRST,
    },
    {
      asks: 'getResourceCollection',
      path: '/jsonapi/node/article?fields%5Bnode--article%5D=title&include=field_author&filter%5Bid%5D%5Boperator%5D=IN&filter%5Bid%5D%5Bvalue%5D%5B0%5D=a01&filter%5Bid%5D%5Bvalue%5D%5B1%5D=a02',
      headers: BOTH,
      ids: ['a01', 'a02'],
    },
    {
      asks: 'getPathsFromContext',
      path: '/jsonapi/node/article?page%5Blimit%5D=50&fields%5Bnode--article%5D=path',
      headers: BOTH,
      count: ARTICLES,
      reads: {
        data: expect.arrayContaining([
          expect.objectContaining({ attributes: { path: { alias: '/blog/a24' } } }),
        ]),
      },
    },
    {
      asks: 'getView',
      path: '/jsonapi/views/recent/block?fields%5Bnode--article%5D=title',
      headers: BOTH,
      ids: ['a24', 'a23', 'a22'],
      count: ARTICLES,
      reads: { links: { next: { href: expect.stringContaining('page=1') } } },
    },
    {
      asks: 'a page of getView, with a filter and an order of the visitor',
      path: '/jsonapi/views/recent/block?page=1&views-filter%5Bfield_author.title%5D=Ada&views-sort%5Bsort_by%5D=id&views-sort%5Bsort_order%5D=ASC',
      headers: BOTH,
      ids: ['a15', 'a18', 'a21'],
      count: 7,
    },
    {
      asks: 'getView of a missing view',
      path: '/jsonapi/views/nope/block',
      headers: BOTH,
      status: 404,
      reads: { errors: [{ title: 'Not Found', detail: expect.any(String) }] },
    },
    {
      asks: 'getSearchIndex',
      path: '/jsonapi/index/default?filter%5Bfulltext%5D=article&filter%5Bfield_author%5D=ada&page%5Blimit%5D=2',
      headers: BOTH,
      count: 7,
      reads: {
        meta: {
          facets: [
            {
              id: 'field_author',
              label: 'Author',
              path: 'field_author',
              terms: [
                {
                  url: expect.stringMatching(/fulltext%5D=article&page%5Blimit%5D=2$/),
                  values: { value: 'ada', label: 'Ada', active: true, count: 7 },
                },
              ],
            },
            { id: 'field_rating', terms: [{ values: { active: false } }, {}, {}] },
          ],
        },
      },
    },
    {
      asks: 'getSearchIndex of a missing index',
      path: '/jsonapi/index/nope',
      headers: BOTH,
      status: 404,
      reads: { errors: [{ status: '404' }] },
    },
    {
      asks: 'getMenu',
      path: '/jsonapi/menu_items/main',
      headers: BOTH,
      ids: ['menu_link_content:blog', 'menu_link_content:first'],
    },
    {
      asks: 'translatePath',
      path: '/router/translate-path?path=%2Fblog%2Fa01',
      headers: { Accept: 'application/json' },
      reads: { entity: { uuid: 'a01' }, jsonapi: { resourceName: 'node--article' } },
    },
    {
      asks: 'deleteResource',
      path: '/jsonapi/node/article/a01',
      headers: BOTH,
      method: 'DELETE',
      status: 401,
      reads: { errors: [{ status: '401' }] },
    },
  ],
  druxt: [
    {
      asks: 'getIndex',
      path: '/jsonapi',
      headers: AXIOS,
      reads: { links: { 'node--person': { href: expect.any(String) } } },
    },
    {
      asks: 'getCollection',
      path: '/jsonapi/node/article?filter%5Bfield_author.id%5D=ada&page%5Blimit%5D=2',
      headers: AXIOS,
      ids: ['a03', 'a09'],
    },
    { asks: 'getResource', path: '/jsonapi/node/article/a01', headers: AXIOS, ...FIRST },
    { asks: 'getRelated', path: '/jsonapi/node/article/a10/field_tags', headers: AXIOS, ids: ['sea', 'sky'] },
    {
      asks: 'the router',
      path: '/router/translate-path?path=/blog/a01',
      headers: AXIOS,
      reads: { isHomePath: false, label: 'Article 1', entity: { uuid: 'a01' } },
    },
    {
      asks: 'the router for a missing path',
      path: '/router/translate-path?path=/nope',
      headers: AXIOS,
      status: 404,
      reads: { message: expect.any(String), details: expect.any(String) },
    },
    {
      asks: 'the items of a menu',
      path: DRUXT_MENU,
      headers: AXIOS,
      ids: ['menu_link_content:blog', 'menu_link_content:first'],
      ignored: ['filter[enabled]', 'filter[menu_name]'],
    },
  ],
  'drupal-state': [
    {
      asks: 'the entry point',
      path: '/jsonapi',
      reads: { links: { 'node--article': { href: expect.any(String) } } },
    },
    { asks: 'getObject', path: '/jsonapi/node/article/a01', ...FIRST },
    {
      asks: 'getObject by path',
      path: '/router/translate-path?path=/blog/a01',
      reads: { entity: { uuid: 'a01' } },
    },
    {
      asks: 'getObject of many',
      path: '/jsonapi/node/article?include=field_author&page%5Blimit%5D=2',
      ids: ['a01', 'a02'],
      reads: { links: { next: { href: expect.any(String) } } },
    },
  ],
  devour: [
    {
      asks: 'findAll',
      path: '/jsonapi/node/article?page[limit]=2&sort=-id',
      headers: BOTH,
      ids: ['a24', 'a23'],
    },
    { asks: 'find', path: '/jsonapi/node/article/a01', headers: BOTH, ...FIRST },
    {
      asks: 'with trailing slashes',
      path: '/jsonapi/node/article/?filter[id][operator]=IN&filter[id][value][]=a01&filter[id][value][]=a02',
      headers: BOTH,
      ids: ['a01', 'a02'],
    },
    {
      asks: 'relationships',
      path: '/jsonapi/node/article/a10/relationships/field_tags',
      headers: BOTH,
      ids: ['sea', 'sky'],
    },
    {
      asks: 'destroy, with a body',
      path: '/jsonapi/node/article/a01',
      headers: BOTH,
      method: 'DELETE',
      body: '{"data":{"type":"node--article","id":"a01"}}',
      status: 401,
      reads: { errors: [{ title: 'Unauthorized' }] },
    },
  ],
  'ember-data': [
    {
      asks: 'findAll',
      path: '/jsonapi/node/article?include=field_author',
      headers: { Accept: JSONAPI },
      count: ARTICLES,
    },
    {
      asks: 'findRecord',
      path: '/jsonapi/node/article/a01?include=field_author,field_tags',
      headers: { Accept: JSONAPI },
      ...FIRST,
    },
    {
      asks: 'a hasMany along its link',
      path: '/jsonapi/node/article/a10/field_tags',
      headers: { Accept: JSONAPI },
      ids: ['sea', 'sky'],
    },
    {
      asks: 'query',
      path: '/jsonapi/node/article?filter%5Bfield_author.title%5D=Ada&page%5Blimit%5D=1',
      headers: { Accept: JSONAPI },
      ids: ['a03'],
      count: 7,
    },
    {
      asks: 'query with a numbered page',
      path: '/jsonapi/node/article?page%5Bnumber%5D=2&page%5Bsize%5D=5',
      headers: { Accept: JSONAPI },
      ids: ['a06', 'a07', 'a08', 'a09', 'a10'],
      count: ARTICLES,
      reads: { links: { next: { href: expect.stringContaining('page%5Bnumber%5D=3&page%5Bsize%5D=5') } } },
    },
    {
      asks: 'its combined request for ids, here one',
      path: '/jsonapi/node/article?filter%5Bid%5D=a01%2Ca02',
      headers: { Accept: JSONAPI },
      ids: [],
    },
  ],
  'warp-drive': [
    {
      asks: 'findRecord',
      path: '/jsonapi/node/article/a01?include=field_author',
      headers: { Accept: JSONAPI },
      ...FIRST,
    },
    {
      asks: 'query',
      path: '/jsonapi/node/article?fields%5Bnode--article%5D=title&include=field_author%2Cfield_tags&page%5Blimit%5D=2',
      headers: { Accept: JSONAPI },
      ids: ['a01', 'a02'],
    },
    {
      asks: 'with a profile',
      path: '/jsonapi/node/article/a01',
      headers: { Accept: `${JSONAPI};profile="https://jsonapi.org/profiles/ethanresnick/cursor-pagination"` },
      ...FIRST,
    },
    {
      asks: 'with an extension',
      path: '/jsonapi/node/article/a01',
      headers: { Accept: `${JSONAPI};ext=https://jsonapi.org/ext/atomic` },
      status: 406,
    },
    {
      asks: 'for a page after something that is not a cursor',
      path: '/jsonapi/node/article?page%5Bsize%5D=2&page%5Bafter%5D=x',
      headers: { Accept: JSONAPI },
      status: 400,
    },
  ],
  coloquent: [
    {
      asks: 'get, by offset',
      path: '/jsonapi/node/article?include=field_author%2Cfield_tags&page%5Boffset%5D=2&page%5Blimit%5D=2&sort=-id',
      headers: BOTH,
      ids: ['a22', 'a21'],
    },
    {
      asks: 'get, by number',
      path: '/jsonapi/node/article?page%5Bnumber%5D=1&page%5Bsize%5D=50',
      headers: BOTH,
      ids: articleIds(() => true),
    },
    { asks: 'find', path: '/jsonapi/node/article/a01?include=field_author', headers: BOTH, ...FIRST },
    { asks: 'a relation', path: '/jsonapi/node/article/a10/field_tags', headers: BOTH, ids: ['sea', 'sky'] },
    {
      asks: 'where',
      path: '/jsonapi/node/article?filter%5Btitle%5D=Article%203',
      headers: BOTH,
      ids: ['a03'],
    },
    {
      asks: 'where of a class',
      path: '/jsonapi/node/article?filter%5Bperson%5D%5Btitle%5D=Ada',
      headers: BOTH,
      status: 400,
      parameters: ['filter[person][title]'],
    },
  ],
  'jsonapi-fractal': [
    {
      asks: 'to read any document',
      path: '/jsonapi/node/article?include=field_author&page[limit]=1',
      reads: {
        data: [{ relationships: { field_author: { data: { type: 'node--person', id: 'bob' }, links: {} } } }],
        included: [{ type: 'node--person', id: 'bob', attributes: { title: 'Bob' } }],
      },
    },
  ],
};

/**
 * Clients that are not installed: the requests in their source code, and the parts of the responses that they read.
 */
export function testHowOthersAsk(origin: Origin): void {
  describe.each(Object.entries(CLIENTS))('%s requests', (_, rows) => {
    it.each(rows)(
      '$asks',
      async ({ path, headers = {}, method = 'GET', body, status = 200, ...expected }) => {
        const answer = await ask(origin() + path, {
          headers,
          method,
          ...(body === undefined ? {} : { body }),
        });
        expect(answer.status, JSON.stringify(answer.body)).toBe(status);
        expect(answer.type).toBe(path.startsWith('/router') ? 'application/json' : JSONAPI);
        const { reads, ...rest } = expected;
        for (const [name, value] of Object.entries(rest))
          if (name !== 'asks') expect(answer).toMatchObject({ [name]: value });
        if (reads !== undefined) expect(answer.body).toMatchObject(reads);
      },
    );
  });

  describe('next-drupal', () => {
    it('getResourceByPath sends two requests in one', async () => {
      const { status, body } = await ask(`${origin()}/subrequests?_format=json`, {
        method: 'POST',
        headers: BOTH,
        body: JSON.stringify([
          {
            requestId: 'router',
            action: 'view',
            uri: '/router/translate-path?path=/blog/a01&_format=json',
            headers: { Accept: JSONAPI },
          },
          {
            requestId: 'resolvedResource',
            action: 'view',
            uri: '{{router.body@$.jsonapi.individual}}?include=field_author',
            waitFor: ['router'],
          },
        ]),
      });
      expect(status).toBe(207);
      expect(JSON.parse(body['resolvedResource#uri{0}'].body)).toMatchObject({
        data: { id: 'a01' },
        included: [{ id: 'bob' }],
      });
    });

    it('reads the message of an error with exactly this content type', async () => {
      const answer = await ask(`${origin()}/subrequests?_format=json`, {
        method: 'POST',
        headers: BOTH,
        body: '{}',
      });
      expect(answer).toMatchObject({
        status: 400,
        type: 'application/json',
        body: { message: expect.any(String) },
      });
    });
  });

  describe('warp-drive', () => {
    it('reads numbered pages along links.next, to the end', async () => {
      const seen: string[] = [];
      let next = `${origin()}/jsonapi/node/article?page%5Bnumber%5D=1&page%5Bsize%5D=7`;
      for (let pages = 0; next !== '' && pages < 10; pages += 1) {
        const { ids, body } = await ask(next, { headers: { Accept: JSONAPI } });
        seen.push(...ids);
        next = body.links.next?.href ?? '';
      }
      expect(seen).toEqual(articleIds(() => true));
    });
  });

  describe('druxt', () => {
    it('reads all pages of a collection with the query of links.next', async () => {
      const collection = `${origin()}/jsonapi/node/article`;
      let query = 'page%5Blimit%5D=7';
      const seen: string[] = [];
      for (let pages = 0; pages < 10; pages += 1) {
        const { ids, body } = await ask(`${collection}?${query}`, { headers: AXIOS });
        seen.push(...ids);
        if (body.links.next === undefined) break;
        query = body.links.next.href.split('?')[1];
      }
      expect(seen).toEqual(articleIds(() => true));
    });

    it('reads the detail of each omitted resource', async () => {
      const { body } = await ask(`${origin()}/jsonapi/node/article/a06?include=field_author`, {
        headers: AXIOS,
      });
      const { help: _, ...links } = body.meta.omitted.links;
      expect(Object.values(links)).toMatchObject([{ meta: { detail: expect.any(String) } }]);
    });
  });
}
