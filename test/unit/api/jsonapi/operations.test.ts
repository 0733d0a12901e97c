import { beforeEach, describe, expect, it } from 'vitest';
import { siteLanguages } from '../../../../integration/core/content/languages.ts';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import type { WritableDriver } from '../../../../integration/core/storage/driver.ts';
import { MAX_BODY_VALUES } from '../../../../integration/core/write/request-json.ts';
import { ask, type TestRequest } from '../../../security/attacked-site.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { ATOMIC, OPERATIONS_SCHEMA } from '../../../support/operations.ts';
import { createServices, type TestSite } from '../../../support/services.ts';

const FILES = {
  'article/moon.md': '---\ntitle: The moon # by heart\nfield_author: jane\nfield_tags: [sea]\n---\nRises.\n',
  'article/draft.md': '---\ntitle: Draft\nstatus: false\n---\n',
  'person/jane.md': '---\ntitle: Jane\n---\n',
  'person/tom.md': '---\ntitle: Tom\n---\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
  'tag/sky.md': '---\ntitle: Sky\n---\n',
};

let driver: WritableDriver;
let commits: (readonly string[])[];
let perform: (
  operations: unknown,
  sent?: TestRequest & { readonly query?: string },
) => ReturnType<typeof ask>;
let get: (path: string) => ReturnType<typeof ask>;

async function open(site: TestSite = {}): Promise<void> {
  driver = createMemoryDriver(FILES);
  commits = [];
  const onWritten = (_: unknown, keys: readonly string[]) => {
    commits.push(keys);
    return undefined;
  };
  const services = await createServices(driver, OPERATIONS_SCHEMA, {
    ...site,
    writable: { onWritten, options: { bin: false }, ...site.writable },
  });
  const handle = createHandler(services);
  perform = (operations, { query = '', headers, ...sent } = {}) =>
    ask(handle, 'POST', `/jsonapi/operations${query}`, {
      body: { 'atomic:operations': operations },
      ...sent,
      headers: { 'content-type': ATOMIC, ...headers },
    });
  get = (path) => ask(handle, 'GET', `/jsonapi/node/${path}`);
}
beforeEach(() => open());

const text = async (key: string) => new TextDecoder().decode(await driver.read(key));
const files = async () => {
  const { files: stored } = await driver.list();
  return Object.fromEntries(await Promise.all(stored.map(async ({ key }) => [key, await text(key)])));
};
const add = (type: string, attributes: object, more: object = {}) => ({
  op: 'add',
  data: { type: `node--${type}`, attributes, ...more },
});
const to = (type: string, name: object | string) => ({
  type: `node--${type}`,
  ...(typeof name === 'string' ? { id: name } : name),
});
const lid = (name: string) => ({ lid: name });
const relationships = (values: Record<string, unknown>) => ({
  relationships: Object.fromEntries(Object.entries(values).map(([name, data]) => [name, { data }])),
});
const update = (type: string, id: string, attributes: object, more: object = {}) => ({
  op: 'update',
  data: { type: `node--${type}`, id, attributes },
  ...more,
});

describe('operations', () => {
  it('add, update and remove resources and relationships in one request and one commit', async () => {
    const { status, headers, json } = await perform([
      add('person', { title: 'Ada' }, lid('ada')),
      add(
        'article',
        { title: 'Low water' },
        relationships({ field_author: to('person', lid('ada')), field_tags: [to('tag', 'sea')] }),
      ),
      update('article', 'moon', { title: 'New moon' }),
      { op: 'update', ref: { ...to('article', 'moon'), relationship: 'field_author' }, data: null },
      { op: 'add', ref: { ...to('article', 'moon'), relationship: 'field_tags' }, data: [to('tag', 'sky')] },
      {
        op: 'remove',
        href: '/jsonapi/node/article/moon/relationships/field_tags',
        data: [to('tag', 'sea')],
      },
      { op: 'remove', ref: to('person', 'jane') },
    ]);
    expect([status, headers.get('content-type')]).toEqual([200, ATOMIC]);
    expect(json).toMatchObject({
      jsonapi: { version: '1.1', ext: ['https://jsonapi.org/ext/atomic'] },
      'atomic:results': [
        { data: { type: 'node--person', id: 'ada', attributes: { title: 'Ada' } } },
        {
          data: {
            id: 'low-water',
            relationships: { field_author: { data: { type: 'node--person', id: 'ada' } } },
          },
        },
        { data: { id: 'moon', attributes: { title: 'New moon' }, meta: { revision: expect.any(String) } } },
        {},
        {},
        {},
        {},
      ],
    });
    expect(json['atomic:results'].slice(3)).toEqual([{}, {}, {}, {}]);
    const { 'person/jane.md': _, ...others } = FILES;
    expect(await files()).toEqual({
      ...others,
      '_gone.jsonl': expect.stringContaining('"id":"jane"'),
      'article/moon.md': '---\ntitle: New moon # by heart\nfield_tags: [sky]\n---\nRises.\n',
      'article/low-water.md': expect.stringContaining('field_author: ada'),
      'person/ada.md': expect.stringContaining('title: Ada'),
    });
    expect(commits).toEqual([['person/ada.md', 'article/low-water.md', 'article/moon.md', 'person/jane.md']]);
  });

  it('may refer to resources that later operations create, and to each other', async () => {
    const { status, json } = await perform([
      add(
        'article',
        { title: 'Low water' },
        {
          ...lid('a'),
          ...relationships({ field_author: to('person', lid('p')), field_tags: [to('tag', 'ebb')] }),
        },
      ),
      add(
        'person',
        { title: 'Ada' },
        { ...lid('p'), ...relationships({ field_best: to('article', lid('a')) }) },
      ),
      add('tag', { title: 'Ebb' }, { id: 'ebb' }),
    ]);
    expect([status, json['atomic:results'].map(({ data }: { data: { id: string } }) => data.id)]).toEqual([
      200,
      ['low-water', 'ada', 'ebb'],
    ]);
    expect(await text('article/low-water.md')).toContain('field_author: ada\nfield_tags: [ebb]\n');
    expect(await text('person/ada.md')).toContain('field_best: low-water');
    expect((await get('article/low-water?include=field_author.field_best')).json.included).toHaveLength(1);
  });

  it('see the result of earlier operations', async () => {
    const { status, json } = await perform([
      add('tag', { title: 'Ebb' }, lid('t')),
      {
        op: 'update',
        ref: to('tag', lid('t')),
        data: { ...to('tag', lid('t')), attributes: { title: 'Ebb tide' } },
      },
      {
        op: 'add',
        ref: { ...to('article', 'moon'), relationship: 'field_tags' },
        data: [to('tag', lid('t'))],
      },
      add('tag', { title: 'Ebb' }),
      { op: 'remove', ref: to('article', 'draft') },
      add('article', { title: 'Draft again' }, { id: 'draft' }),
    ]);
    expect(status).toBe(200);
    expect(json['atomic:results'][3].data.id).toBe('ebb-2');
    expect(await text('tag/ebb.md')).toContain('title: Ebb tide');
    expect(await text('article/moon.md')).toContain('field_tags: [sea, ebb]');
    expect(await text('article/draft.md')).toContain('title: Draft again');
    expect((await driver.read('_gone.jsonl')) ?? null).toBeNull();
  });

  it('judge references to removed resources at the end', async () => {
    const removal = { op: 'remove', ref: to('person', 'jane') };
    const clearing = {
      op: 'update',
      ref: { ...to('article', 'moon'), relationship: 'field_author' },
      data: null,
    };
    expect((await perform([removal])).json.errors).toEqual([
      {
        status: '409',
        title: 'Conflict',
        detail: "'jane' is referenced by node--article 'moon'. Change these entities first.",
        source: { pointer: '/atomic:operations/0' },
        code: 'is-referenced',
        meta: {
          entity: { type: 'node--person', id: 'jane' },
          referrers: [{ type: 'node--article', id: 'moon' }],
          others: false,
        },
      },
    ]);
    expect((await perform([removal, clearing])).status).toBe(204);
    expect(Object.keys(await files())).not.toContain('person/jane.md');
  });

  it('have no content in the response if no result has data', async () => {
    const { status, text: body } = await perform([{ op: 'remove', ref: to('article', 'moon') }]);
    expect([status, body]).toEqual([204, '']);
  });

  it('change nothing and make no commit if they have no effect', async () => {
    const { status, json } = await perform([update('article', 'moon', { title: 'The moon' })]);
    expect([status, json['atomic:results'][0].data.id, commits]).toEqual([200, 'moon', []]);
    expect(await files()).toEqual(FILES);
  });

  it.each<[string, unknown, string]>([
    ['a path', '/jsonapi/node/article/moon', 'moon'],
    ['a URL', 'https://site.example/jsonapi/node/article/moon', 'moon'],
    ['a relative path', 'node/article/moon/', 'moon'],
    ['the type in another case', '/jsonapi/Node/ARTICLE/moon', 'moon'],
  ])('find their target by %s in href', async (_, href, id) => {
    const { status } = await perform([{ ...update('article', id, { title: 'Found' }), href }]);
    expect([status, await text(`article/${id}.md`)]).toEqual([200, expect.stringContaining('title: Found')]);
  });

  it('create a resource in the collection of href, and one that ref names, too', async () => {
    const { json } = await perform([
      { ...add('tag', { title: 'One' }), href: '/jsonapi/node/tag' },
      { ...add('tag', { title: 'Two' }, { id: 'two' }), ref: to('tag', 'two') },
    ]);
    expect(json['atomic:results'].map(({ data }: { data: { id: string } }) => data.id)).toEqual([
      'one',
      'two',
    ]);
  });

  it('return the requested fields', async () => {
    const { json } = await perform([update('article', 'moon', { field_rating: 3 })], {
      query: '?fields[node--article]=field_rating&x-extra=1',
    });
    expect(json['atomic:results'][0].data.attributes).toEqual({ field_rating: 3 });
    expect(json.meta).toEqual({ ignored: ['x-extra'] });
  });

  it('return a created resource even if a later one removes it', async () => {
    const { status, json } = await perform([
      add('tag', { title: 'Brief' }, lid('t')),
      { op: 'remove', ref: to('tag', lid('t')) },
    ]);
    expect([status, json['atomic:results']]).toMatchObject([200, [{ data: { id: 'brief' } }, {}]]);
    expect(Object.keys(await files()).sort()).toEqual(['_gone.jsonl', ...Object.keys(FILES)].sort());
  });
});

it('operations change sources and leave translations as they are', async () => {
  const german = '---\ntitle: Der Mond\nstatus: false\n---\n';
  driver = createMemoryDriver({ ...FILES, 'article/moon.de.md': german });
  const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
  const handle = createHandler(
    await createServices(driver, OPERATIONS_SCHEMA, { writable: {}, settings: { languages } }),
  );
  const send = (operations: unknown, query = '') =>
    ask(handle, 'POST', `/jsonapi/operations${query}`, {
      body: { 'atomic:operations': operations },
      headers: { 'content-type': ATOMIC },
    });
  const operations = [
    add('article', { title: 'Low water' }, relationships({ field_author: to('person', 'jane') })),
    update('article', 'moon', { title: 'New moon' }),
  ];
  expect((await send(operations, '?langCode=de')).json.errors[0].source).toEqual({ parameter: 'langCode' });
  expect((await send(operations)).status).toBe(200);
  expect(await text('article/moon.md')).toContain('title: New moon');
  expect(await text('article/moon.de.md')).toBe(german);
});

describe('an operation that fails', () => {
  const OK = update('article', 'moon', { title: 'Changed' });

  it.each<[string, unknown, number, string]>([
    ['is not an object', 'add', 400, ''],
    ['has an unknown op', { op: 'replace' }, 400, '/op'],
    ['has an unknown meta', { ...OK, meta: { langcode: 'de' } }, 400, '/meta/langcode'],
    [
      'has both ref and href',
      { op: 'remove', ref: to('tag', 'sky'), href: '/jsonapi/node/tag/sky' },
      400,
      '',
    ],
    ['has no data', { op: 'add' }, 400, ''],
    [
      'has no data for a relationship',
      { op: 'update', ref: { ...to('article', 'moon'), relationship: 'field_tags' } },
      400,
      '',
    ],
    ['removes without a target', { op: 'remove', data: to('tag', 'sky') }, 400, ''],
    ['has a target without an id', { op: 'remove', ref: { type: 'node--tag' } }, 400, '/ref'],
    ['has a target without a type', { op: 'remove', ref: { id: 'sky' } }, 400, '/ref'],
    ['has a target of an unknown type', { op: 'remove', ref: to('nothing', 'sky') }, 404, '/ref/type'],
    ['adds to an unknown type', add('nothing', { title: 'x' }), 404, '/data/type'],
    ['updates a missing resource', update('article', 'none', { title: 'x' }), 404, '/data'],
    ['removes a missing resource', { op: 'remove', ref: to('tag', 'none') }, 404, '/ref'],
    [
      'names a missing relationship',
      { op: 'update', ref: { ...to('tag', 'sky'), relationship: 'title' }, data: null },
      404,
      '/ref',
    ],
    [
      'refers to a missing resource',
      add('article', { title: 'x' }, relationships({ field_author: to('person', 'none') })),
      404,
      '/data/relationships/field_author/data',
    ],
    [
      'adds a missing resource to a list',
      {
        op: 'add',
        ref: { ...to('article', 'moon'), relationship: 'field_tags' },
        data: [to('tag', 'sky'), to('tag', 'none')],
      },
      400,
      '/data/1',
    ],
    [
      'adds to a single relationship',
      {
        op: 'add',
        ref: { ...to('article', 'moon'), relationship: 'field_author' },
        data: to('person', 'tom'),
      },
      409,
      '',
    ],
    [
      'has an invalid value',
      update('article', 'moon', { field_rating: 9 }),
      422,
      '/data/attributes/field_rating',
    ],
    ['has an unknown field', add('tag', { title: 'x', colour: 'blue' }), 422, '/data/attributes/colour'],
    ['adds an existing id', add('tag', { title: 'x' }, { id: 'sky' }), 409, '/data/id'],
    [
      'has another type than its collection',
      { ...add('tag', { title: 'x' }), href: '/jsonapi/node/person' },
      409,
      '/data/type',
    ],
    [
      'adds a resource that ref does not name',
      { ...add('tag', { title: 'x' }), ref: to('tag', 'other') },
      400,
      '/ref',
    ],
    ['adds to a resource', { ...add('tag', { title: 'x' }), href: '/jsonapi/node/tag/sky' }, 400, ''],
    ['updates a collection', { op: 'update', href: '/jsonapi/node/tag', data: to('tag', 'sky') }, 400, ''],
    [
      'uses an unknown lid',
      add('article', { title: 'x' }, relationships({ field_author: to('person', lid('p')) })),
      400,
      '/data/relationships/field_author/data/lid',
    ],
    [
      'uses a lid of another type',
      add(
        'article',
        { title: 'x' },
        { lid: 'x', ...relationships({ field_author: to('person', lid('x')) }) },
      ),
      400,
      '/data/relationships/field_author/data/lid',
    ],
    ['has an unknown lid as its target', { op: 'remove', ref: to('tag', lid('t')) }, 400, '/ref/lid'],
    ['has a lid that is not a string', add('tag', { title: 'x' }, { lid: 7 }), 400, '/data/lid'],
    ['has a revision that is not a string', { ...OK, meta: { ifMatch: 1 } }, 400, '/meta'],
    [
      'has an outdated revision',
      { ...update('tag', 'sky', { title: 'x' }), meta: { ifMatch: 'abc' } },
      412,
      '/meta/ifMatch',
    ],
    [
      'has href of another host',
      { ...OK, href: 'https://other.example/jsonapi/node/article/moon' },
      400,
      '/href',
    ],
    ['has href without a host', { ...OK, href: 'javascript:alert(1)' }, 400, '/href'],
    [
      'has href with a query',
      { ...OK, href: '/jsonapi/node/article/moon?resourceVersion=rel:latest-version' },
      400,
      '/href',
    ],
    ['has href of another route', { ...OK, href: '/api/content/articles/moon' }, 400, '/href'],
    ['has href of the operations', { ...OK, href: '/jsonapi/operations' }, 400, '/href'],
    ['has href of a schema', { ...OK, href: '/jsonapi/node/article/resource/schema' }, 404, '/href'],
    ['has href of a job', { op: 'remove', href: '/jsonapi/_jobs/1' }, 404, '/href'],
    [
      'has href of related resources',
      { ...OK, href: '/jsonapi/node/article/moon/field_author' },
      400,
      '/href',
    ],
    ['has href that is not a string', { ...OK, href: { href: '/jsonapi/node/article/moon' } }, 400, '/href'],
    ['has href with broken escapes', { ...OK, href: '/jsonapi/node/article/%ff' }, 404, '/href'],
    ['is named after a property of objects', { op: 'constructor' }, 400, '/op'],
  ])('because it %s changes nothing', async (_, operation, status, pointer) => {
    const answer = await perform([OK, add('tag', { title: 'New' }), operation]);
    expect([answer.status, answer.json.errors[0]]).toMatchObject([
      status,
      { status: String(status), source: { pointer: `/atomic:operations/2${pointer}` } },
    ]);
    expect(await files()).toEqual(FILES);
    expect(commits).toEqual([]);
    expect((await get('article/moon')).json.data.attributes.title).toBe('The moon');
  });

  it('reports all errors of its values', async () => {
    const { status, json } = await perform([OK, update('article', 'moon', { title: '', field_rating: 9 })]);
    expect([status, json.errors.map(({ source }: { source: object }) => source)]).toEqual([
      422,
      [
        { pointer: '/atomic:operations/1/data/attributes/title' },
        { pointer: '/atomic:operations/1/data/attributes/field_rating' },
      ],
    ]);
  });

  it.each<[string, readonly unknown[], string]>([
    [
      'the same lid twice',
      [add('tag', { title: 'a' }, lid('t')), add('tag', { title: 'b' }, lid('t'))],
      '/1/data/lid',
    ],
    [
      'a target that is added later',
      [{ op: 'remove', ref: to('tag', lid('t')) }, add('tag', { title: 'a' }, lid('t'))],
      '/0/ref/lid',
    ],
  ])('because of %s is a 400', async (_, operations, pointer) => {
    const { status, json } = await perform(operations);
    expect([status, json.errors[0].source]).toEqual([400, { pointer: `/atomic:operations${pointer}` }]);
  });

  it.each<[string, readonly unknown[], number, number]>([
    ['updates what an earlier one removed', [{ op: 'remove', ref: to('article', 'moon') }, OK], 410, 1],
    [
      'removes the same resource again',
      [
        { op: 'remove', ref: to('article', 'moon') },
        { op: 'remove', ref: to('article', 'moon') },
      ],
      410,
      1,
    ],
    [
      'adds the same id again',
      [add('tag', { title: 'x' }, { id: 'x' }), add('tag', { title: 'x' }, { id: 'x' })],
      409,
      1,
    ],
    [
      'refers to what an earlier one removed',
      [
        { op: 'remove', ref: to('tag', 'sky') },
        {
          op: 'add',
          ref: { ...to('article', 'moon'), relationship: 'field_tags' },
          data: [to('tag', 'sky')],
        },
      ],
      400,
      1,
    ],
    [
      'removes what a later one refers to',
      [
        add('tag', { title: 'x' }, lid('x')),
        {
          op: 'add',
          ref: { ...to('article', 'moon'), relationship: 'field_tags' },
          data: [to('tag', lid('x'))],
        },
        { op: 'remove', ref: to('tag', lid('x')) },
      ],
      409,
      2,
    ],
  ])('because it %s changes nothing', async (_, operations, status, at) => {
    const { status: answered, json } = await perform(operations);
    expect([answered, json.errors[0].source.pointer]).toEqual([
      status,
      expect.stringMatching(new RegExp(`^/atomic:operations/${at}(/|$)`)),
    ]);
    expect(await files()).toEqual(FILES);
  });
});

describe('a request with operations', () => {
  it.each<[string, TestRequest['body'], string]>([
    ['is empty', '', ''],
    ['is not an object', [], ''],
    ['has no operations', {}, '/atomic:operations'],
    ['has an empty list', { 'atomic:operations': [] }, '/atomic:operations'],
    ['has an object of operations', { 'atomic:operations': { 0: {} } }, '/atomic:operations'],
    ['has data', { 'atomic:operations': [add('tag', { title: 'X' })], data: null }, '/data'],
    ['has a prototype', '{"__proto__":{"atomic:operations":[]}}', '/atomic:operations'],
  ])('that %s is a 400', async (_, body, pointer) => {
    const { status, json } = await perform([], { body });
    expect([status, json.errors[0].source]).toEqual([400, { pointer }]);
  });

  it('has the limits of the body and of its values', async () => {
    const large = await perform([add('tag', { title: 'x'.repeat(DEFAULT_LIMITS.bodyBytes) })]);
    const many = await perform([
      update('article', 'moon', { field_words: Array(MAX_BODY_VALUES).fill('x') }),
    ]);
    expect([large.status, many.status, many.json.errors[0].detail]).toEqual([
      413,
      413,
      expect.stringContaining('20000 values'),
    ]);
  });

  it('treats names of prototypes like any other unknown name', async () => {
    const data = (member: string) =>
      `{"type":"node--article","id":"moon","lid":"__proto__","${member}":{"__proto__":{"data":{"type":"node--tag","lid":"__proto__"}}}}`;
    const send = (operation: string) => perform([], { body: `{"atomic:operations":[${operation}]}` });
    const attributes = await send(`{"op":"update","data":${data('attributes')}}`);
    expect([attributes.status, attributes.json.errors[0].source]).toEqual([
      422,
      { pointer: '/atomic:operations/0/data/attributes/__proto__' },
    ]);
    const relationships = await send(`{"op":"update","data":${data('relationships')}}`);
    expect([relationships.status, relationships.json.errors[0].source]).toEqual([
      400,
      { pointer: '/atomic:operations/0/data/relationships/__proto__/data/lid' },
    ]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each([
    [DEFAULT_LIMITS.operations, 200],
    [DEFAULT_LIMITS.operations + 1, 400],
  ])('may have 500 operations: with %i it is a %i', async (count, status) => {
    const operations = Array.from({ length: count }, () => update('tag', 'sky', {}));
    const answer = await perform(operations);
    expect(answer.status).toBe(status);
    if (status === 400) {
      expect(answer.json.errors[0]).toMatchObject({
        detail: 'A request may have 500 operations at most, not 501 (limits.operations).',
        source: { pointer: '/atomic:operations/500' },
      });
    }
  });

  it.each<[string | null, string | null, number]>([
    [ATOMIC, null, 200],
    [ATOMIC, ATOMIC, 200],
    [ATOMIC, '*/*', 200],
    [ATOMIC, 'application/vnd.api+json', 200],
    [ATOMIC, `${ATOMIC};q=0.5, text/html`, 200],
    [`${ATOMIC}; profile="https://example.org/p"`, null, 200],
    ['application/vnd.api+json; EXT="https://jsonapi.org/ext/atomic"', null, 200],
    ['application/vnd.api+json', null, 415],
    ['application/vnd.api+json;ext="https://jsonapi.org/ext/other"', null, 415],
    [
      'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic https://jsonapi.org/ext/other"',
      null,
      415,
    ],
    [`${ATOMIC};charset=utf-8`, null, 415],
    ['application/json', null, 415],
    [ATOMIC, 'application/vnd.api+json;ext="https://jsonapi.org/ext/other"', 406],
    [ATOMIC, `${ATOMIC};charset=utf-8`, 406],
  ])('of the media type %s that accepts %s is a %i', async (contentType, accept, status) => {
    const answer = await perform([update('article', 'moon', { title: 'x' })], {
      headers: { ...(contentType && { 'content-type': contentType }), ...(accept && { accept }) },
    });
    expect(answer.status).toBe(status);
    if (status !== 200) expect(answer.json.errors[0].source.header).toMatch(/^(Content-Type|Accept)$/);
  });

  it.each([['?include=field_author', { parameter: 'include' }]])(
    'with the query %s is a 400',
    async (query, source) => {
      const { status, json } = await perform([update('article', 'moon', { title: 'x' })], { query });
      expect([status, json.errors[0].source]).toEqual([400, source]);
    },
  );

  it.each(['If-Match', 'If-None-Match'])('with %s is a 400', async (header) => {
    const { status, json } = await perform([update('article', 'moon', { title: 'x' })], {
      headers: { [header]: '*' },
    });
    expect([status, json.errors[0].source]).toEqual([400, { header }]);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('has the method POST, not %s', async (method) => {
    const handle = createHandler(await createServices(driver, OPERATIONS_SCHEMA, { writable: {} }));
    const answer = await ask(handle, method, '/jsonapi/operations');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'OPTIONS, POST']);
  });

  it.each(['POST', 'GET'])('is a 405 for %s on a server that only reads', async (method) => {
    const handle = createHandler(await createServices(driver, OPERATIONS_SCHEMA));
    const answer = await ask(handle, method, '/jsonapi/operations');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'OPTIONS']);
  });

  it('counts each operation as a change of the account', async () => {
    await open({ settings: { limits: { ...DEFAULT_LIMITS, writesPerMinute: 5 } } });
    const operations = (count: number) =>
      Array.from({ length: count }, (_, at) => add('tag', { title: `t${at}` }));
    expect((await perform(operations(3))).status).toBe(200);
    const refused = await perform(operations(3));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.any(String)]);
    expect((await perform(operations(2))).status).toBe(200);
    expect((await perform(operations(6))).status).toBe(413);
  });
});

describe('the revision of an entity', () => {
  const revision = async (path: string) => (await get(path)).json.data.meta.revision;

  it('is the one before the request, for every operation', async () => {
    const meta = { ifMatch: await revision('article/moon') };
    const { status } = await perform([
      update('article', 'moon', { title: 'One' }, { meta }),
      update('article', 'moon', { field_rating: 2 }, { meta }),
    ]);
    expect([status, await text('article/moon.md')]).toEqual([
      200,
      expect.stringContaining('field_rating: 2'),
    ]);
    const outdated = await perform([{ op: 'remove', ref: to('article', 'moon'), meta }]);
    expect(outdated.status).toBe(412);
  });

  it('is required if the site requires it, but not for entities that the request creates', async () => {
    await open({ writable: { options: { requireIfMatch: true, onDelete: 'restrict' } } });
    const { status, json } = await perform([update('article', 'moon', { title: 'One' })]);
    expect([status, json.errors[0]]).toMatchObject([
      428,
      { detail: expect.stringContaining('`meta.ifMatch`'), source: { pointer: '/atomic:operations/0' } },
    ]);
    const meta = { ifMatch: await revision('article/moon') };
    const answer = await perform([
      add('tag', { title: 'Ebb' }, lid('t')),
      { op: 'update', data: { ...to('tag', lid('t')), attributes: { title: 'Flood' } } },
      update('article', 'moon', { title: 'One' }, { meta }),
    ]);
    expect(answer.status).toBe(200);
  });
});

describe('permissions', () => {
  const READER = { name: 'reader', roles: [] };

  it.each<[string, unknown, number]>([
    ['adds', add('tag', { title: 'x' }), 403],
    ['updates', update('article', 'moon', { title: 'x' }), 403],
    ['removes', { op: 'remove', ref: to('tag', 'sky') }, 403],
    [
      'relates',
      { op: 'update', ref: { ...to('article', 'moon'), relationship: 'field_author' }, data: null },
      403,
    ],
    ['removes by href', { op: 'remove', href: '/jsonapi/node/tag/sky' }, 403],
  ])('refuse a request in which an account without them %s', async (_, operation, status) => {
    const answer = await perform([operation], { actor: READER });
    expect([answer.status, answer.json.errors[0].source]).toEqual([
      status,
      { pointer: '/atomic:operations/0' },
    ]);
  });

  it('refuse anonymous requests with a challenge', async () => {
    const { status, headers } = await perform([add('tag', { title: 'x' })], {
      actor: { name: null, roles: [] },
    });
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Basic')]);
  });

  const OWN = {
    authenticated: { permissions: [{ actions: ['view'], bundles: '*', where: 'published' }] },
    owner: {
      permissions: [
        {
          actions: ['view', 'create', 'update', 'delete'],
          bundles: '*',
          where: 'own',
          fields: { change: { except: [] } },
        },
      ],
    },
  } as const;
  const OWNER = { name: 'olga', roles: ['owner'] };

  it('follow from the content that the earlier operations leave', async () => {
    await open({ roles: OWN });
    const created = add('article', { title: 'Mine' }, lid('a'));
    const changed = {
      op: 'update',
      data: { ...to('article', lid('a')), attributes: { title: 'Still mine' } },
    };
    const given = { op: 'update', data: { ...to('article', lid('a')), attributes: { uid: 'tom' } } };
    expect((await perform([created, changed], { actor: OWNER })).status).toBe(200);
    const { status, json } = await perform([created, given, changed], { actor: OWNER });
    expect([status, json.errors[0].source]).toEqual([403, { pointer: '/atomic:operations/2' }]);
  });

  it('report hidden entities as missing', async () => {
    await open({ roles: OWN });
    const answers = await Promise.all(
      ['draft', 'none'].flatMap((id) =>
        [
          update('article', id, { title: 'x' }),
          { op: 'remove', ref: to('article', id) },
          { op: 'remove', href: `/jsonapi/node/article/${id}` },
          add('person', { title: 'x' }, relationships({ field_best: to('article', id) })),
        ].map(async (operation) => {
          const { status, text: body } = await perform([operation], { actor: OWNER });
          return [status, body.replaceAll(id, '<id>')];
        }),
      ),
    );
    expect(answers.slice(0, 4)).toEqual(answers.slice(4));
    expect(answers.map(([status]) => status)).toEqual(Array(8).fill(404));
  });
});
