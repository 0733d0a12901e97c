import { describe, expect, it } from 'vitest';
import {
  createLiveLoader,
  type LiveFilter,
  remoteDocuments,
} from '../../../integration/astro/live-loader.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { createServices } from '../../support/services.ts';

const FILES = {
  'article/a.md':
    '---\ntitle: A\nchanged: 2024-03-01T00:00:00Z\nrating: 3\nauthor: person/ada\ntags: [tag/sea, tag/sky]\n---\nText\n',
  'article/b.md': '---\ntitle: B\nchanged: 2024-01-01T00:00:00Z\nrating: 5\nauthor: person/ada\n---\n',
  'article/draft.md': '---\ntitle: Draft\nstatus: false\n---\n',
  'person/ada.md': '---\ntitle: Ada\nchanged: 2024-02-01T00:00:00Z\n---\n',
  'tag/sea.yaml': 'title: sea\n',
  'tag/sky.yaml': 'title: sky\n',
  'taxonomy_term--topics/moon.yaml': 'title: moon\n',
};
const URL_OF_API = 'https://cms.example/jsonapi';

const handle = createHandler(
  await createServices(createMemoryDriver(FILES), undefined, {
    settings: { pageSize: { default: 1, max: 50, unlimited: false } },
  }),
);
const requests: Request[] = [];
const fetchRemote: typeof fetch = async (input, init) => {
  const request = new Request(input as URL, init);
  requests.push(request);
  return (await handle(request)) ?? new Response('Not found', { status: 404 });
};

const loader = (bundle?: string) => createLiveLoader(remoteDocuments(URL_OF_API, {}, fetchRemote), bundle);
const load = (filter: LiveFilter, collection = 'article') => loader().loadCollection({ collection, filter });
async function idsOf(filter: LiveFilter): Promise<readonly string[]> {
  const result = await load(filter);
  return 'error' in result ? [result.error.message] : result.entries.map(({ id }) => id);
}

describe('a live collection', () => {
  it.each<[LiveFilter, readonly string[]]>([
    [{}, ['a', 'b']],
    [{ sort: '-rating' }, ['b', 'a']],
    [{ sort: ['author.title', '-title'] }, ['b', 'a']],
    [{ filter: { 'tags.title': 'sea' } }, ['a']],
    [{ filter: { rating: { operator: '>', value: 3 } } }, ['b']],
    [{ filter: { rating: { operator: 'IN', value: [3, 4] } } }, ['a']],
    [
      {
        filter: {
          any: { group: { conjunction: 'OR' } },
          one: { condition: { path: 'title', value: 'A & B', memberOf: 'any' } },
          two: { condition: { path: 'title', value: 'B', memberOf: 'any' } },
        },
      },
      ['b'],
    ],
    [{ page: { limit: 1, offset: 1 } }, ['b']],
  ])('has the entities of %j, on all pages', async (filter, ids) => {
    expect(await idsOf(filter)).toEqual(ids);
  });

  it('has data, HTML and cache hints', async () => {
    expect(await load({ filter: { id: 'a' }, include: ['author'] })).toMatchObject({
      entries: [
        {
          id: 'a',
          data: {
            type: 'node--article',
            title: 'A',
            author: { type: 'node--person', id: 'ada', title: 'Ada' },
            tags: [
              { type: 'node--tag', id: 'sea' },
              { type: 'node--tag', id: 'sky' },
            ],
          },
          rendered: { html: '<p>a</p>' },
          cacheHint: { tags: ['node--article:a', 'node--person:ada'], lastModified: new Date('2024-03-01') },
        },
      ],
      cacheHint: { tags: ['node--article'] },
    });
  });

  it('keeps the `meta` of a relationship to an image', async () => {
    const document = {
      data: {
        type: 'node--article',
        id: 'a',
        relationships: {
          image: {
            data: { type: 'file--file', id: 'f', meta: { alt: 'A ridge', drupal_internal__target_id: 7 } },
          },
          author: { data: { type: 'node--person', id: 'ada', meta: { drupal_internal__target_id: 1 } } },
        },
      },
      included: [{ type: 'file--file', id: 'f', attributes: { uri: { url: '/files/a.webp' } } }],
    };
    const entry = await createLiveLoader(async () => document).loadEntry({
      collection: 'article',
      filter: { id: 'a', include: ['image'] },
    });
    expect(entry).toMatchObject({
      data: {
        image: { type: 'file--file', id: 'f', uri: { url: '/files/a.webp' }, meta: { alt: 'A ridge' } },
        author: { type: 'node--person', id: 'ada' },
      },
    });
    expect(entry).not.toHaveProperty('data.author.meta');
  });

  it('has only some fields, and then renders no body', async () => {
    expect(await load({ fields: ['title'], page: { limit: 1 } })).toMatchObject({
      entries: [{ id: 'a', data: { type: 'node--article', title: 'A' } }],
    });
    const { entries = [] } = (await load({ fields: ['title'] })) as { entries?: readonly object[] };
    expect(entries[0]).not.toHaveProperty('rendered');
  });

  it('has a bundle of another name, and of another entity type', async () => {
    const topics = await loader('taxonomy_term--topics').loadCollection({ collection: 'subjects' });
    expect(topics).toMatchObject({ entries: [{ id: 'moon', data: { title: 'moon' } }] });
  });

  it.each<[LiveFilter, string, number | undefined]>([
    [{ filter: { titel: 'A' } }, 'Did you mean "title"?', 400],
    [{ include: ['titel'] }, 'titel', 400],
  ])('returns the error of %j', async (filter, message, status) => {
    expect(await load(filter)).toMatchObject({
      error: { name: 'LiveQueryError', message: expect.stringContaining(message), status },
    });
  });

  it('returns the error of an unknown bundle', async () => {
    expect(await load({}, 'artcle')).toMatchObject({ error: { status: 404 } });
  });
});

describe('a live entry', () => {
  const entry = (id: string) => loader().loadEntry({ collection: 'article', filter: { id } });

  it('is found by id', async () => {
    expect(await entry('b')).toMatchObject({ id: 'b', data: { title: 'B' } });
  });

  it.each(['none', 'draft', '../person/ada', 'a?include=author'])('is undefined for %s', async (id) => {
    expect(await entry(id)).toBeUndefined();
  });
});

describe('another server', () => {
  const answering = (response: () => Response | Promise<Response>) =>
    createLiveLoader(remoteDocuments(URL_OF_API, {}, async () => response())).loadCollection({
      collection: 'article',
    });

  it('receives the headers', async () => {
    requests.length = 0;
    const read = remoteDocuments(`${URL_OF_API}/`, { authorization: 'Bearer x' }, fetchRemote);
    await createLiveLoader(read).loadEntry({ collection: 'article', filter: { id: 'a' } });
    expect(requests.map(({ url }) => url)).toEqual([`${URL_OF_API}/node/article/a`]);
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer x');
    expect(requests[0]?.headers.get('accept')).toBe('application/vnd.api+json');
  });

  it.each([
    [
      'is down',
      () => Promise.reject(new Error('connect ECONNREFUSED')),
      'cannot be reached: connect ECONNREFUSED',
    ],
    ['sends HTML', () => new Response('<p>Hello'), 'is not a JSON:API document'],
    ['sends other JSON', () => Response.json({ data: 5 }), 'is not a JSON:API document'],
    ['fails', () => new Response('', { status: 503, statusText: 'Busy' }), 'returned 503: Busy'],
    [
      'links to another origin',
      () => Response.json({ data: [], links: { next: { href: 'https://evil.example/jsonapi' } } }),
      'is not on https://cms.example',
    ],
    [
      'links to itself for ever',
      () => Response.json({ data: [], links: { next: { href: `${URL_OF_API}/node/article` } } }),
      'more than 1000 pages',
    ],
  ])('that %s is an error, not an exception', async (_, response, message) => {
    expect(await answering(response)).toMatchObject({ error: { message: expect.stringContaining(message) } });
  });
});
