import { describe, expect, it } from 'vitest';
import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { answer } from '../../../integration/core/api/jsonapi/answer.ts';
import { createContentApi } from '../../../integration/core/builder/index.ts';
import type { Options } from '../../../integration/core/options/options.ts';
import { defineSchema, reference, z } from '../../../integration/schema.ts';
import { compareAnswers } from '../../snapshot/compare.ts';
import { createTestSnapshot } from '../../snapshot/snapshot.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { fetchFrom, type TestRequest } from '../../support/request.ts';
import { createServices, staticFiles, type TestSite } from '../../support/services.ts';

const POSTS = Array.from({ length: 7 }, (_, at) => [
  `post/p${at}.md`,
  `---\ntitle: P${at}\nwriter: person/jane\nrank: ${at}\nlevel: ${at % 2}\n---\nBody\n`,
]);
const FILES = {
  ...Object.fromEntries(POSTS),
  'person/jane.md': '---\ntitle: Jane\nfriend: person/joe\nbest: post/p0\n---\n',
  'person/joe.md': '---\ntitle: Joe\n---\n',
};
const DEFAULTS = {
  include: ['writer', 'writer.friend'],
  filter: { rank: { operator: '>', value: 1 } },
  pageSize: 2,
} as const;

async function open(defaults: object = DEFAULTS, site: TestSite = {}) {
  const driver = createMemoryDriver(FILES);
  const { bundles } = parseOptions({ bundles: { post: { defaults } } });
  const services = await createServices(driver, undefined, { bundleOptions: bundles, writable: {}, ...site });
  const handle = createHandler(services);
  const send = async (path: string, { actor = ANONYMOUS, ...init }: TestRequest = {}) => {
    const response = await fetchFrom(handle, path, { ...init, actor });
    const text = await response.text();
    const document = text === '' ? {} : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, ...document };
  };
  return { services, send };
}

const ids = (data: readonly { readonly id: string }[] | undefined) => data?.map(({ id }) => id);

describe('a list without parameters has the defaults of its bundle', () => {
  it('include, filter and page size', async () => {
    const { send } = await open();
    const first = await send('/jsonapi/node/post');
    expect([ids(first.data), ids(first.included), first.meta.count]).toEqual([
      ['p2', 'p3'],
      ['jane', 'joe'],
      5,
    ]);
    const next = await send(first.links.next.href);
    expect([ids(next.data), ids(next.included), next.meta.count]).toEqual([['p4', 'p5'], ['jane', 'joe'], 5]);
    expect(first.links.last.href).toContain('page%5Boffset%5D=4');
  });

  it.each([
    ['include=', ['p2', 'p3'], [], 5],
    ['include=writer', ['p2', 'p3'], ['jane'], 5],
    ['filter=', ['p0', 'p1'], ['jane', 'joe'], 7],
    ['filter[title]=P0', ['p0'], ['jane', 'joe'], 1],
    ['page[limit]=3', ['p2', 'p3', 'p4'], ['jane', 'joe'], 5],
    ['page[offset]=1', ['p3', 'p4'], ['jane', 'joe'], 5],
    ['page[number]=3', ['p6'], ['jane', 'joe'], 5],
    ['page[limit]=0', ['p2', 'p3', 'p4', 'p5', 'p6'], ['jane', 'joe'], 5],
    ['sort=-rank', ['p6', 'p5'], ['jane', 'joe'], 5],
    ['filter=&include=&page[limit]=50', ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'], [], 7],
  ])('each parameter replaces its own default: %s', async (query, data, included, count) => {
    const { send } = await open();
    const list = await send(`/jsonapi/node/post?${query}`);
    expect([ids(list.data), ids(list.included), list.meta.count]).toEqual([data, included, count]);
    expect(list.meta.ignored).toBeUndefined();
  });

  it('also between cursors', async () => {
    const { send } = await open();
    const accept =
      'application/vnd.api+json;profile="https://jsonapi.org/profiles/ethanresnick/cursor-pagination"';
    const first = await send('/jsonapi/node/post', { headers: { accept } });
    expect([ids(first.data), first.meta.page.total]).toEqual([['p2', 'p3'], 5]);
    const next = await send(first.links.next.href);
    expect([ids(next.data), ids(next.included)]).toEqual([
      ['p4', 'p5'],
      ['jane', 'joe'],
    ]);
  });

  it('also over several conditions in groups, with lists of values', async () => {
    const { send } = await open({
      filter: {
        any: { group: { conjunction: 'OR' } },
        one: { condition: { path: 'title', operator: 'IN', value: ['P1', 'P3'], memberOf: 'any' } },
        two: { condition: { path: 'rank', value: 5, memberOf: 'any' } },
      },
    });
    expect(ids((await send('/jsonapi/node/post')).data)).toEqual(['p1', 'p3', 'p5']);
  });
});

describe('a single entity has the default include of its bundle', () => {
  it('unless a request has one', async () => {
    const { send } = await open();
    expect(ids((await send('/jsonapi/node/post/p0')).included)).toEqual(['jane', 'joe']);
    expect(ids((await send('/jsonapi/node/post/p0?include=writer')).included)).toEqual(['jane']);
    expect(ids((await send('/jsonapi/node/post/p0?include=')).included)).toEqual([]);
  });

  it('with an ETag that changes with the included entities, and that changes accept', async () => {
    const { send } = await open();
    const path = '/jsonapi/node/post/p0';
    const change = (type: string, id: string, match: string | null) =>
      send(`/jsonapi/node/${type}/${id}`, {
        method: 'PATCH',
        actor: ADMINISTRATOR,
        headers: match === null ? {} : { 'if-match': match },
        body: { data: { type: `node--${type}`, id, attributes: { title: 'Changed' } } },
      });
    const tag = async () => (await send(path, { actor: ADMINISTRATOR })).headers.get('etag');
    const before = await tag();
    expect((await change('person', 'joe', null)).status).toBe(200);
    const after = await tag();
    expect(after).not.toBe(before);
    expect((await change('post', 'p0', before)).status).toBe(412);
    const changed = await change('post', 'p0', after);
    expect([changed.status, ids(changed.included)]).toEqual([200, ['jane', 'joe']]);
  });

  it('and not at its relationships, nor where other bundles refer to it', async () => {
    const { send } = await open();
    for (const path of [
      'post/p0/writer',
      'post/p0/relationships/writer',
      'person/jane',
      'person/jane/best',
      'person',
    ])
      expect((await send(`/jsonapi/node/${path}`)).included, path).toBeUndefined();
    expect((await send('/jsonapi/node/post/p0/writer')).data.id).toBe('jane');
    expect((await send('/jsonapi/index/_all')).meta.count).toBe(9);
  });
});

describe('defaults hold without a server too', () => {
  it('in prebuilt documents, whose pages end with the filtered list', async () => {
    const queries = {
      top: '/node/post?sort=-rank',
      all: '/node/post?filter=&page[limit]=50',
      one: '/node/post/p0',
    };
    const { services, send } = await open(DEFAULTS, { settings: { staticQueries: queries } });
    const files = await staticFiles(services);
    const pages = [...files.keys()].filter((path) => /^jsonapi\/node\/post(\.\d)?\.json$/.test(path));
    expect(pages).toEqual(['', '.2', '.3'].map((end) => `jsonapi/node/post${end}.json`));
    const read = (path: string) => JSON.parse(files.get(`jsonapi/${path}.json`) ?? '');
    expect(pages.map((path) => ids(JSON.parse(files.get(path) ?? '').data))).toEqual([
      ['p2', 'p3'],
      ['p4', 'p5'],
      ['p6'],
    ]);
    expect(ids(read('node/post').included)).toEqual(['jane', 'joe']);
    expect(ids(read('node/post/p0').included)).toEqual(['jane', 'joe']);
    expect(read('node/person/jane').included).toBeUndefined();
    expect([ids(read('q/top').data), ids(read('q/top.3').data), ids(read('q/all').data)?.length]).toEqual([
      ['p6', 'p5'],
      ['p2'],
      7,
    ]);
    expect(files.has('jsonapi/q/top.4.json')).toBe(false);
    expect(ids(read('q/one').included)).toEqual(['jane', 'joe']);
    const view = await send('/jsonapi/views/top/default?page=2');
    expect([ids(view.data), ids(view.included)]).toEqual([['p2'], ['jane', 'joe']]);
  });

  it('in a snapshot, with the bytes of a server', async () => {
    const { services } = await open();
    const paths = [
      '',
      '?filter=',
      '?include=',
      '?page[offset]=3',
      '?sort=-rank&page[limit]=0',
      '/p0',
      '/p0/writer',
    ];
    const targets = paths.map((path) => ({ target: `/jsonapi/node/post${path}` }));
    const { answered, differences } = await compareAnswers(services, targets);
    expect([answered, differences]).toEqual([paths.length, []]);
  });
});

it('queries of JSON:API in pages have them, typed queries and plain JSON do not', async () => {
  const { services, send } = await open();
  expect(ids((await answer(services, '/node/post')).data as never)).toEqual(['p2', 'p3']);
  const posts = createContentApi(services).entities('post').sort('title');
  expect(await posts.count()).toBe(7);
  const { meta, included } = await send(posts.toUrl());
  expect([meta.count, included]).toEqual([7, []]);
  expect((await send('/api/content/posts')).data).toHaveLength(7);
});

describe('defaults with fields that an account may not see', () => {
  const roles = {
    anonymous: {
      permissions: [
        {
          actions: ['view'],
          bundles: '*',
          where: 'published',
          fields: { view: { except: ['rank', 'writer'] } },
        },
      ],
    },
  } as const;

  it('do not apply to that account, and are not shown to it', async () => {
    const { services, send } = await open(
      { ...DEFAULTS, include: ['writer'] },
      { roles, settings: { explorer: true } },
    );
    const list = await send('/jsonapi/node/post');
    expect([list.status, ids(list.data), list.meta.count, list.included]).toEqual([
      200,
      ['p0', 'p1'],
      7,
      undefined,
    ]);
    expect((await send('/jsonapi/node/post/p0')).included).toBeUndefined();
    expect(/"(?:rank|writer).{9}/.exec((await send('/jsonapi/openapi.json')).text)).toBeNull();
    const { differences } = await compareAnswers(services, [{ target: '/jsonapi/node/post' }]);
    expect(differences).toEqual([]);
    const { files } = await createTestSnapshot(services);
    for (const [name, bytes] of files)
      expect(Buffer.from(bytes).toString(), name).not.toMatch(/"(?:rank|writer)"/);
    const all = await send('/jsonapi/node/post', { actor: ADMINISTRATOR });
    expect([ids(all.data), ids(all.included)]).toEqual([['p2', 'p3'], ['jane']]);
  });
});

it('a default filter by numbers does not apply to an account that may not see them', async () => {
  const files = {
    'post/p0.md': '---\ntitle: P0\ntags: red\ndrupal_internal__nid: 7\n---\n',
    'post/p1.md': '---\ntitle: P1\n---\n',
    'taxonomy_term--tag/red.md': '---\ntitle: Red\ndrupal_internal__tid: 12\n---\n',
  };
  const schema = defineSchema({
    post: { tags: reference('taxonomy_term--tag').optional(), drupal_internal__nid: z.int().optional() },
    'taxonomy_term--tag': { drupal_internal__tid: z.int().optional() },
  });
  const filter = { 'tags.meta.drupal_internal__target_id': 12 };
  const { bundles } = parseOptions({ bundles: { post: { defaults: { filter } } } });
  const view = (except: string[]) => ({
    permissions: [{ actions: ['view' as const], bundles: '*' as const, fields: { view: { except } } }],
  });
  const roles = {
    anonymous: view(['drupal_internal__tid']),
    reader: view(['drupal_internal__nid']),
  };
  const services = await createServices(createMemoryDriver(files), schema, { bundleOptions: bundles, roles });
  const handle = createHandler(services);
  const list = async (actor: Actor) =>
    ids((await (await fetchFrom(handle, '/jsonapi/node/post', { actor })).json()).data);
  expect(await list(ANONYMOUS)).toEqual(['p1', 'p0']);
  expect(await list({ name: 'ada', roles: ['reader'] })).toEqual(['p0']);
  expect(await list(ADMINISTRATOR)).toEqual(['p0']);
});

it('OpenAPI describes the defaults of a bundle, and none for its relationships', async () => {
  const { send } = await open();
  const { paths } = await send('/jsonapi/openapi.json');
  const defaultOf = (path: string, method: string, name: string) =>
    paths[`/jsonapi/node/post${path}`][method].parameters.find(
      (each: { name?: string }) => each.name === name,
    )?.schema.default;
  expect(defaultOf('', 'get', 'include')).toEqual(['writer', 'writer.friend']);
  expect(defaultOf('', 'get', 'filter')).toEqual({ rank: { operator: '>', value: '1' } });
  expect(['page[limit]', 'page[size]'].map((name) => defaultOf('', 'get', name))).toEqual([2, 2]);
  for (const method of ['get', 'patch'])
    expect(defaultOf('/{id}', method, 'include')).toEqual(['writer', 'writer.friend']);
  expect(defaultOf('/{id}/relationships/writer', 'get', 'include')).toBeUndefined();
  expect(
    paths['/jsonapi/node/person'].get.parameters.some(
      (each: { schema: object }) => 'default' in each.schema && Array.isArray(each.schema.default),
    ),
  ).toBe(false);
});

it('a field that disappears from the content takes its default with it, and is reported', async () => {
  const { services, send } = await open({ filter: { level: 1 } });
  expect((await send('/jsonapi/node/post')).meta.count).toBe(3);
  for (const [key] of POSTS) {
    const id = key?.slice('post/'.length, -'.md'.length);
    const body = { data: { type: 'node--post', id, attributes: { level: null } } };
    const init = { method: 'PATCH', actor: ADMINISTRATOR, body };
    expect((await send(`/jsonapi/node/post/${id}`, init)).status).toBe(200);
  }
  const list = await send('/jsonapi/node/post');
  expect([list.status, list.meta.count]).toEqual([200, 7]);
  const errors = services.diagnostics().filter(({ severity }) => severity === 'error');
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining('Option bundles.post.defaults.filter.level: node--post has no field "level".'),
  ]);
});

it.each([
  [
    { include: ['author'] },
    "bundles.post.defaults.include: 'author' cannot be included: node--post has no reference 'author'.",
  ],
  [{ include: ['writer.boss'] }, "bundles.post.defaults.include: 'writer.boss' cannot be included"],
  [
    { filter: { colour: 'red' } },
    'bundles.post.defaults.filter.colour: node--post has no field \\"colour\\".',
  ],
  [{ filter: { rank: { operator: '>>', value: 1 } } }, 'bundles.post.defaults.filter.rank: '],
  [{ filter: { created: 'soon' } }, 'bundles.post.defaults.filter.created: '],
  [
    { filter: { rank: { value: 1, weight: 2 } } },
    'bundles.post.defaults.filter.rank: filter[rank][weight] has no effect.',
  ],
])('the start reports an error for %j', async (defaults, message) => {
  await expect(open(defaults)).rejects.toThrow(message);
});

it('the start reports a default with a field that the API leaves out', async () => {
  const { bundles } = parseOptions({
    bundles: { post: { fields: { rank: false }, defaults: { filter: { rank: 1 } } } },
  } satisfies { bundles: Options['bundles'] | object });
  await expect(
    createServices(createMemoryDriver(FILES), undefined, { bundleOptions: bundles }),
  ).rejects.toThrow('bundles.post.defaults.filter.rank');
});

it('the start reports a wrong default of a bundle that is not in the API', async () => {
  const { bundles } = parseOptions({
    bundles: { post: { api: false, defaults: { filter: { colour: 1 } } } },
  });
  await expect(
    createServices(createMemoryDriver(FILES), undefined, { bundleOptions: bundles }),
  ).rejects.toThrow('bundles.post.defaults.filter.colour');
});

it.each([
  [{ filter: { rank: { operator: 'IN', value: [] } } }, 'Option bundles.post.defaults.filter'],
  [{ filter: { rank: [] } }, 'Option bundles.post.defaults.filter'],
  [{ filter: { rank: { operator: 'IN', value: {} } } }, 'Option bundles.post.defaults.filter'],
  [
    { pageSize: 60 },
    'Option bundles.post.defaults.pageSize: it cannot be greater than pageSize.max, which is 50.',
  ],
  [
    { pageSize: 0 },
    'Option bundles.post.defaults.pageSize cannot be 0. Valid: a whole number from 1 to 10000.',
  ],
  [{ include: 'writer' }, 'Option bundles.post.defaults.include cannot be "writer". Valid: a list of paths'],
  [{ include: ['a,b'] }, 'Option bundles.post.defaults.include'],
  [
    { filter: 'status=1' },
    'Option bundles.post.defaults.filter cannot be "status=1". Valid: conditions such as',
  ],
  [{ filter: { rank: null } }, 'Option bundles.post.defaults.filter'],
  [{ sort: '-rank' }, 'Option bundles.post.defaults.sort is unknown. Valid: { include, filter, pageSize }.'],
])('rejects %j and names the option', (defaults, message) => {
  expect(() => parseOptions({ bundles: { post: { defaults } } })).toThrow(message);
});
