import { beforeEach, describe, expect, it } from 'vitest';
import { type Actor, ADMINISTRATOR, ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import type { Services } from '../../../../integration/core/api/request.ts';
import type { Handler } from '../../../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../../../integration/core/storage/driver.ts';
import { defineSchema, image, reference, z } from '../../../../integration/schema.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { createServices, type TestSite } from '../../../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_related: reference(['article', 'page']).nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_words: z.array(z.string().min(2)).default([]),
    field_links: z.array(z.object({ href: z.string(), data: z.string().nullish() })).default([]),
    field_rating: z.int().min(1).nullish(),
    field_place: z.object({ city: z.string(), street: z.string().nullish() }).nullish(),
    field_cover: image().nullish(),
  },
  person: {},
  page: {},
  tag: {},
  setting: { data: z.string().nullish() },
});
const MOON = `---
title: The moon # of June
uid: ada
field_author: jane
field_tags: [tag/sea, news]
field_words: [one, two]
field_rating: 3
field_place: { city: Bergen, street: Quay }
summary: In short
---
Rises *late*.
`;
const FILES = {
  'article/moon.md': MOON,
  'article/2024/first.md': '---\ntitle: First\nfield_tags: [hidden]\n---\n',
  'article/2024/first/deep.md': '---\ntitle: Deep\n---\n',
  'article/draft.md': '---\ntitle: Draft\nstatus: false\nuid: ada\n---\n',
  'person/jane.md': '---\ntitle: Jane\n---\n',
  'person/joe.md': '---\ntitle: Joe\n---\n',
  'page/about.md': '---\ntitle: About\n---\n',
  'tag/sea.md': '---\ntitle: Sea\n---\n',
  'tag/news.md': '---\ntitle: News\n---\n',
  'tag/hidden.md': '---\ntitle: Hidden\nstatus: false\n---\n',
  'setting/one.yaml': 'title: One\ndata: x\n',
};
const EDITOR: Actor = { name: 'ed', roles: ['editor'] };
const READER: Actor = { name: 'ada', roles: [] };

let driver: WritableDriver;
let services: Services;
let handle: Handler;

beforeEach(() => open());

async function open(site: TestSite = {}): Promise<void> {
  driver = createMemoryDriver(FILES);
  services = await createServices(driver, SCHEMA, { writable: {}, now: () => Date.UTC(2026, 0, 1), ...site });
  handle = createHandler(services);
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  { actor = EDITOR, ...headers }: { readonly actor?: Actor } & Record<string, unknown> = {},
) {
  const response = await fetchFrom(handle, path, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...(headers as object) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    actor,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

const fileOf = async (key: string): Promise<string | undefined> => {
  const bytes = await driver.read(key);
  return bytes && Buffer.from(bytes).toString();
};
const listPointers = ({ errors, error }: { errors?: Sourced[]; error: Sourced }) =>
  (errors ?? [error]).map(({ source }) => source?.pointer);

describe('POST of an entity', () => {
  it.each(['', '/v1'])('under %s creates it, and returns its location', async (version) => {
    const sent = {
      title: 'Low Water',
      field_author: 'jane',
      field_tags: ['tag/news', { type: 'tag', id: 'sea', title: 'whatever' }],
      field_words: ['tide'],
      body: 'All *dry*.',
    };
    const { status, headers, body } = await ask('POST', `${version}/api/content/articles`, sent);
    expect(status).toBe(201);
    const at = `${ORIGIN}${version}/api/content/articles/low-water`;
    expect(headers.get('location')).toBe(at);
    expect(body.links).toEqual({ self: at });
    expect(body.data).toMatchObject({
      id: 'low-water',
      type: 'article',
      uid: 'ed',
      field_author: { type: 'person', id: 'jane', title: 'Jane' },
      field_tags: [{ id: 'news' }, { id: 'sea', title: 'Sea' }],
    });
    expect(await fileOf('article/low-water.md')).toBe(
      '---\ntitle: Low Water\nuid: ed\nfield_author: jane\nfield_tags: [news, sea]\nfield_words: [tide]\n---\nAll *dry*.\n',
    );
    expect((await ask('GET', `${version}/api/content/articles/low-water`)).body).toEqual(body);
  });

  it('accepts an id, both names of the type, and the response to GET', async () => {
    const { status, body } = await ask('POST', '/api/content/article', {
      type: 'node--article',
      id: 'ebb',
      title: 'E',
    });
    expect([status, body.data.id]).toEqual([201, 'ebb']);
    const { data } = (await ask('GET', '/api/content/article/moon')).body;
    const copy = { ...data, id: 'copy', body: { ...data.body, processed: undefined }, changed: undefined };
    expect(
      (await ask('POST', '/api/content/article', { data: { ...copy, uid: undefined }, links: {} })).body.data,
    ).toMatchObject({
      id: 'copy',
      title: 'The moon',
      field_tags: data.field_tags,
      field_place: data.field_place,
    });
  });

  it.each<[string, unknown, number, (string | undefined)[]]>([
    ['no JSON', '{', 400, ['']],
    ['nothing', '', 400, ['']],
    ['a list', [], 400, ['']],
    ['a text', '"x"', 400, ['']],
    ['data that is an array', { data: [] }, 400, ['/data']],
    ['another type', { type: 'page', title: 'x' }, 409, ['/type']],
    ['another type in data', { data: { type: 5, title: 'x' } }, 409, ['/data/type']],
    ['an existing id', { id: 'moon', title: 'x' }, 409, ['/id']],
    ['an existing id of an unseen entity', { id: 'draft', title: 'x' }, 409, ['/id']],
    ['an invalid id', { id: 5, title: 'x' }, 422, ['/id']],
    ['an empty id', { id: '', title: 'x' }, 422, ['/id']],
    ['no title', {}, 422, ['/title']],
    ['an empty title', { title: '' }, 422, ['/title']],
    ['an unknown field', { title: 'x', 'field_a/b': 1 }, 422, ['/field_a~1b']],
    [
      'a property name of JavaScript',
      '{"title":"x","__proto__":{"a":1},"constructor":1}',
      422,
      ['/__proto__', '/constructor'],
    ],
    [
      'everything wrong',
      { field_rating: 0, field_words: ['ok', 'x'], field_nope: 1, field_place: { street: 'y' } },
      422,
      ['/field_nope', '/title', '/field_rating', '/field_words/1', '/field_place'],
    ],
    ['several errors at once', { data: { field_rating: 'x' } }, 422, ['/data/title', '/data/field_rating']],
    ['an invalid reference', { title: 'x', field_tags: ['sea', 5] }, 422, ['/field_tags/1']],
    [
      'a reference to another bundle',
      { title: 'x', field_author: { type: 'tag', id: 'sea' } },
      422,
      ['/field_author'],
    ],
    ['a reference to a missing entity', { title: 'x', field_author: 'nobody' }, 404, ['/field_author']],
    ['a change date', { title: 'x', changed: '2024-01-01T00:00:00Z' }, 403, ['/changed']],
    ['an owner', { title: 'x', uid: 'eve' }, 403, ['/uid']],
  ])('rejects %s', async (_, sent, status, pointers) => {
    const before = await driver.list();
    const answer = await ask('POST', '/api/content/articles', sent);
    expect([answer.status, answer.body.error.status]).toEqual([status, status]);
    expect(listPointers(answer.body).sort()).toEqual([...pointers].sort());
    expect(await driver.list()).toEqual(before);
  });

  it.each([
    ['an anonymous user', ANONYMOUS, 401],
    ['a reader', READER, 403],
  ])('rejects %s', async (_, actor, status) => {
    const { status: answered, headers } = await ask(
      'POST',
      '/api/content/articles',
      { title: 'x' },
      { actor },
    );
    expect(answered).toBe(status);
    expect(headers.has('www-authenticate')).toBe(status === 401);
  });
});

describe('PATCH', () => {
  it('changes the sent fields and no other byte', async () => {
    const { status, headers, body } = await ask('PATCH', '/api/content/articles/moon?fields=title', {
      field_rating: '4',
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${ORIGIN}/api/content/articles/moon`);
    expect(body.data).toEqual({ id: 'moon', type: 'article', title: 'The moon' });
    expect(await fileOf('article/moon.md')).toBe(MOON.replace('field_rating: 3', 'field_rating: 4'));
  });

  it.each(['articles/moon', 'articles/2024/first', 'articles/draft', 'settings/one'])(
    'of %s with the response to GET leaves the file unchanged',
    async (path) => {
      for (const actor of [EDITOR, ADMINISTRATOR]) {
        const revisions = services.store.entities('node--article').map(({ revision }) => revision);
        const read = (await ask('GET', `/api/content/${path}`, undefined, { actor })).body;
        for (const [method, sent] of [
          ['PATCH', read],
          ['PATCH', read.data],
          ['PUT', read],
          ['PUT', read.data],
        ]) {
          const { status, body } = await ask(method, `/api/content/${path}`, sent, { actor });
          expect(status, JSON.stringify(body)).toBe(201);
          expect(body).toEqual(read);
        }
        expect(services.store.entities('node--article').map(({ revision }) => revision)).toEqual(revisions);
      }
    },
  );

  it.each<[string, unknown, unknown]>([
    ['field_author', 'joe', { type: 'person', id: 'joe', title: 'Joe' }],
    ['field_author', 'person/joe', { type: 'person', id: 'joe', title: 'Joe' }],
    ['field_author', { type: 'node--person', id: 'joe' }, { type: 'person', id: 'joe', title: 'Joe' }],
    ['field_author', null, null],
    ['field_related', 'page/about', { type: 'page', id: 'about', title: 'About' }],
    ['field_related', { type: 'page', id: 'about' }, { type: 'page', id: 'about', title: 'About' }],
    ['field_tags', 'news', [{ type: 'tag', id: 'news', title: 'News' }]],
    ['field_tags', [], []],
    ['field_words', null, []],
    ['field_place', { city: 'Oslo' }, { city: 'Oslo' }],
  ])('accepts %s as %j', async (name, sent, answered) => {
    const { status, body } = await ask('PATCH', '/api/content/articles/moon', { [name]: sent });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.data[name]).toEqual(answered);
  });

  it('writes a reference that keeps its target if another bundle gets an entity with that id', async () => {
    const path = '/api/content/articles/moon?fields=field_related';
    const { body } = await ask('PATCH', path, { field_related: 'page/about' });
    expect((await ask('POST', '/api/content/articles', { id: 'about', title: 'Another' })).status).toBe(201);
    expect((await ask('GET', path)).body.data).toEqual(body.data);
  });

  it('preserves the parts of a body that are not sent', async () => {
    const { body } = await ask('PATCH', '/api/content/articles/moon', { body: { value: 'Sets.' } });
    expect(body.data.body).toMatchObject({ value: 'Sets.', summary: 'In short' });
  });

  it('supports a field named data', async () => {
    expect((await ask('PATCH', '/api/content/settings/one', { data: 'y' })).body.data.data).toBe('y');
    const read = (await ask('GET', '/api/content/settings/one')).body;
    const sent = { ...read, data: { ...read.data, data: 'z' } };
    expect((await ask('PATCH', '/api/content/settings/one', sent)).body.data.data).toBe('z');
  });

  it.each<[string, unknown, number, string | undefined]>([
    ['/api/content/articles/moon', { id: 'sun' }, 409, '/id'],
    ['/api/content/articles/moon', { data: { id: 'sun' } }, 409, '/data/id'],
    ['/api/content/articles/moon', { type: 'page' }, 409, '/type'],
    ['/api/content/articles/moon', { title: null }, 422, '/title'],
    ['/api/content/articles/moon', { path: '/moon' }, 422, '/path'],
    ['/api/content/articles/moon', { path: { alais: '/moon' } }, 422, '/path/alais'],
    ['/api/content/articles/moon', { field_cover: { src: './a.jpg', atl: 'A' } }, 422, '/field_cover/atl'],
    ['/api/content/settings/one', { body: { summary: 'In short' } }, 422, '/body/summary'],
    ['/api/content/settings/one', { body: 'Text' }, 422, '/body'],
    ['/api/content/articles/nope', { title: 'x' }, 404, undefined],
    ['/api/content/nope/nope', { title: 'x' }, 404, undefined],
  ])('%s with %j returns %i', async (path, sent, status, pointer) => {
    const answer = await ask('PATCH', path, sent);
    expect([answer.status, answer.body.error.source?.pointer]).toEqual([status, pointer]);
  });
});

describe('PUT of an entity', () => {
  it('empties fields that are not sent, except those the server manages', async () => {
    const { status, body } = await ask('PUT', '/api/content/articles/moon', {
      title: 'New moon',
      field_place: { city: 'Bergen' },
      body: { value: 'Dark.' },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(await fileOf('article/moon.md')).toBe(
      '---\ntitle: New moon # of June\nuid: ada\nfield_place: { city: Bergen }\n---\nDark.\n',
    );
  });

  it('requires a title', async () => {
    const { status, body } = await ask('PUT', '/api/content/articles/moon', { field_words: ['x'] });
    expect([status, listPointers(body).sort()]).toEqual([422, ['/field_words/0', '/title']]);
  });

  it('preserves fields that the actor may not see or change', async () => {
    const except = { except: ['uid', 'field_rating', 'field_author'] };
    await open({
      roles: {
        writer: { permissions: [{ actions: ['view', 'update'], bundles: '*', fields: { change: except } }] },
        anonymous: {},
        authenticated: {},
      },
    });
    const actor = { name: 'wil', roles: ['writer'] };
    const { status } = await ask('PUT', '/api/content/articles/moon', { title: 'M' }, { actor });
    expect(status).toBe(201);
    expect(await fileOf('article/moon.md')).toContain('field_author: jane\nfield_rating: 3\n');
    const sent = { title: 'M', field_rating: 4 };
    expect((await ask('PUT', '/api/content/articles/moon', sent, { actor })).status).toBe(403);
  });

  it('of an unknown id is a 404 unless it asks to create', async () => {
    const sent = { title: 'Flood' };
    expect((await ask('PUT', '/api/content/articles/flood', sent)).status).toBe(404);
    const creates = { 'if-none-match': '*' };
    const created = await ask('PUT', '/api/content/articles/flood', sent, creates);
    expect([created.status, created.headers.get('location')]).toEqual([
      201,
      `${ORIGIN}/api/content/articles/flood`,
    ]);
    expect(await fileOf('article/flood.md')).toBe('---\ntitle: Flood\nuid: ed\n---\n');
    for (const id of ['flood', 'draft'])
      expect((await ask('PUT', `/api/content/articles/${id}`, sent, creates)).status, id).toBe(412);
    expect((await ask('PUT', '/api/content/articles/a/b', { ...sent, id: 'a' }, creates)).status).toBe(409);
    expect((await ask('PUT', '/api/content/articles/a/b', sent, creates)).body.data.id).toBe('a/b');
    expect((await ask('PUT', '/api/content/articles/c', sent, { ...creates, actor: ANONYMOUS })).status).toBe(
      401,
    );
  });
});

describe('DELETE of an entity', () => {
  it('removes it, and returns a 410 to users with access until it is created again', async () => {
    const removed = await ask('DELETE', '/api/content/articles/draft');
    expect([removed.status, removed.body]).toEqual([204, null]);
    expect(await fileOf('article/draft.md')).toBeUndefined();
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE']) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { title: 'x' };
      expect((await ask(method, '/api/content/articles/draft', body)).status, method).toBe(410);
      expect((await ask(method, '/api/content/articles/draft', body, { actor: ANONYMOUS })).status).toBe(404);
    }
    const { body } = await ask('GET', '/api/content/articles/draft');
    expect(body.error.detail).toBe("'draft' was deleted.");
    const again = await ask('PUT', '/api/content/articles/draft', { title: 'D' }, { 'if-none-match': '*' });
    expect(again.status).toBe(201);
    expect((await ask('GET', '/api/content/articles/draft')).status).toBe(200);
  });

  it('is rejected if other entities refer to it', async () => {
    const { status, body } = await ask('DELETE', '/api/content/people/jane');
    expect([status, body.error.detail]).toEqual([409, expect.stringContaining("node--article 'moon'")]);
  });
});

describe('the lists of an entity', () => {
  const tags = '/api/content/articles/moon/field_tags';
  const words = '/api/content/articles/moon/field_words';
  const tag = (id: string, title: string | null) => ({ type: 'tag', id, title });

  it('have addresses of their own', async () => {
    const { status, headers, body } = await ask('GET', `/v1${tags}`);
    const revision = (await ask('GET', '/api/content/articles/moon')).body.meta.revision;
    expect(status).toBe(200);
    expect(headers.get('etag')).toMatch(/^"\w+"$/);
    expect(body).toEqual({
      data: [tag('sea', 'Sea'), tag('news', 'News')],
      meta: { revision },
      links: { self: `${ORIGIN}/v1${tags}`, entity: `${ORIGIN}/v1/api/content/articles/moon` },
    });
    const head = await ask('HEAD', `/v1${tags}`);
    expect([head.status, head.headers.get('etag')]).toEqual([200, headers.get('etag')]);
    expect(
      (await ask('GET', '/api/content/articles/2024/first/field_tags', undefined, { actor: ANONYMOUS })).body
        .data,
    ).toEqual([tag('hidden', null)]);
  });

  it.each<[string, string, unknown, readonly unknown[]]>([
    ['POST', words, 'three', ['one', 'two', 'three']],
    ['POST', words, ['three', 'two'], ['one', 'two', 'three', 'two']],
    ['POST', words, { data: ['three'] }, ['one', 'two', 'three']],
    ['POST', words, [], ['one', 'two']],
    ['PUT', words, ['three'], ['three']],
    ['PUT', words, { data: 'three', meta: {}, links: {} }, ['three']],
    [
      'POST',
      tags,
      ['sea', 'tag/hidden', { type: 'tag', id: 'hidden', title: 'x' }],
      [tag('sea', 'Sea'), tag('news', 'News'), tag('hidden', 'Hidden')],
    ],
    [
      'POST',
      tags,
      { type: 'tag', id: 'hidden' },
      [tag('sea', 'Sea'), tag('news', 'News'), tag('hidden', 'Hidden')],
    ],
    ['PUT', tags, ['news', 'sea'], [tag('news', 'News'), tag('sea', 'Sea')]],
    ['POST', '/api/content/articles/moon/field_links', { href: 'a', data: 'b' }, [{ href: 'a', data: 'b' }]],
    ['POST', '/api/content/articles/2024/first/field_words', 'ten', ['ten']],
  ])('%s %s with %j', async (method, path, sent, answered) => {
    const quoted = JSON.stringify(sent);
    const { status, headers, body } = await ask(method, path, quoted);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(headers.get('location')).toBe(ORIGIN + path);
    expect(body.data).toEqual(answered);
    expect((await ask('GET', path)).body).toEqual(body);
  });

  it('are emptied by DELETE', async () => {
    const { status, body } = await ask('DELETE', tags);
    expect([status, body]).toEqual([204, null]);
    expect(await fileOf('article/moon.md')).not.toContain('sea');
    expect((await ask('GET', tags)).body.data).toEqual([]);
  });

  it('do not change the file if nothing is added', async () => {
    expect((await ask('POST', tags, ['sea'])).status).toBe(201);
    expect((await ask('PUT', words, ['one', 'two'])).status).toBe(201);
    expect(await fileOf('article/moon.md')).toBe(MOON);
  });

  it('keep references to missing entities', async () => {
    await driver.write('article/moon.md', Buffer.from(MOON.replace('news]', 'nothing]')));
    const { status, body } = await ask('POST', tags, ['hidden']);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.data).toEqual([tag('sea', 'Sea'), tag('nothing', null), tag('hidden', 'Hidden')]);
  });

  it.each<[string, string, unknown, number, (string | undefined)[]]>([
    ['POST', words, '["ok","x",5]', 422, ['/1', '/2']],
    ['POST', words, '{"data":["ok","x"]}', 422, ['/data/1']],
    ['POST', words, '"x"', 422, ['']],
    ['PUT', words, '["ok",null]', 422, ['/1']],
    ['PUT', words, '[', 400, ['']],
    ['POST', tags, '[5]', 422, ['/0']],
    ['POST', tags, '["nope"]', 404, ['/0']],
    ['POST', '/api/content/articles/moon/title', '["x"]', 404, [undefined]],
    ['POST', '/api/content/articles/moon/field_author', '["joe"]', 404, [undefined]],
    ['POST', '/api/content/articles/draft/nope', '["joe"]', 404, [undefined]],
    ['PUT', tags, '["sea","sea"]', 201, []],
  ])('%s %s with %s returns %i', async (method, path, sent, status, pointers) => {
    const answer = await ask(method, path, sent);
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    if (status >= 400) expect(listPointers(answer.body)).toEqual(pointers);
  });

  it('win over an entity with the same address, whose link is encoded', async () => {
    const { body } = await ask('PATCH', '/api/content/articles/2024/first/deep', { title: 'D' });
    expect(body.data.id).toBe('2024/first/deep');
    const created = await ask('POST', '/api/content/articles', { id: 'moon/field_words', title: 'M' });
    const encoded = '/api/content/articles/moon%2Ffield_words';
    expect([created.status, created.headers.get('location')]).toEqual([201, `${ORIGIN}${encoded}`]);
    expect((await ask('GET', encoded)).body.data.id).toBe('moon/field_words');
    expect((await ask('GET', words)).body.data).toEqual(['one', 'two']);
    expect((await ask('DELETE', encoded)).status).toBe(204);
    expect((await ask('GET', encoded)).status).toBe(410);
    expect((await ask('GET', words)).body.data).toEqual(['one', 'two']);
    expect((await ask('POST', words, '["three"]')).status).toBe(201);
  });

  it('can be changed with permission to change the entity', async () => {
    for (const [actor, status] of [
      [ANONYMOUS, 401],
      [READER, 403],
    ] as const)
      for (const method of ['POST', 'PUT', 'DELETE'])
        expect((await ask(method, words, method === 'DELETE' ? undefined : [], { actor })).status).toBe(
          status,
        );
  });
});

describe('OPTIONS', () => {
  it.each([
    ['/api/content/articles', 'GET, HEAD, OPTIONS, POST'],
    ['/v1/api/content/article/moon', 'GET, HEAD, OPTIONS, PUT, PATCH, DELETE'],
    ['/api/content/articles/moon/field_tags', 'GET, HEAD, OPTIONS, POST, PUT, DELETE'],
  ])('%s lists %s', async (path, allow) => {
    const { status, headers, body } = await ask('OPTIONS', path);
    expect([status, headers.get('allow'), body.meta.allow.join(', ')]).toEqual([200, allow, allow]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      if (allow.includes(method)) continue;
      const refused = await ask(method, path, {});
      expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, allow]);
    }
  });

  it.each(['/api/content/articles/moon', '/jsonapi/node/article/moon'])(
    'on %s lists DELETE only for actors with permission to delete the entity',
    async (path) => {
      for (const [actor, isListed] of [
        [ADMINISTRATOR, true],
        [EDITOR, true],
        [READER, false],
        [ANONYMOUS, false],
      ] as const) {
        const { headers, body } = await ask('OPTIONS', path, undefined, { actor });
        expect(body.meta.allow.includes('DELETE')).toBe(isListed);
        expect(headers.get('allow')).toBe(body.meta.allow.join(', '));
      }
    },
  );

  it('lists the fields this actor may set or change', async () => {
    const attributes = async (path: string, actor: Actor) =>
      (await ask('OPTIONS', path, undefined, { actor })).body.meta.attributes;
    const all = [...(services.store.types.get('node--article')?.fields.keys() ?? [])];
    const own = all.filter((name) => name !== 'changed');
    for (const path of ['/api/content/articles', '/api/content/articles/moon']) {
      expect(await attributes(path, ADMINISTRATOR)).toEqual(own);
      expect(await attributes(path, EDITOR)).toEqual(own.filter((name) => name !== 'uid'));
      expect(await attributes(path, READER)).toEqual([]);
      expect(await attributes(path, ANONYMOUS)).toEqual([]);
    }
  });

  it('lists fields by operation and by entity', async () => {
    await open({
      roles: {
        author: {
          permissions: [
            { actions: ['create'], bundles: ['article'] },
            { actions: ['update'], bundles: ['article'], where: 'own', fields: { change: ['title'] } },
          ],
        },
      },
    });
    const actor = { name: 'ada', roles: ['author'] };
    const fieldsAt = async (path: string) =>
      (await ask('OPTIONS', path, undefined, { actor })).body.meta.attributes;
    expect(await fieldsAt('/api/content/articles')).toContain('status');
    expect(await fieldsAt('/api/content/articles/moon')).toEqual(['title']);
    expect(await fieldsAt('/api/content/articles/2024/first')).toEqual([]);
    expect(
      (await ask('POST', '/api/content/articles', { title: 'x', status: false }, { actor })).status,
    ).toBe(201);
    expect((await ask('PATCH', '/api/content/articles/moon', { title: 'x' }, { actor })).status).toBe(201);
    expect((await ask('PATCH', '/api/content/articles/moon', { status: false }, { actor })).status).toBe(403);
    expect((await ask('PATCH', '/api/content/articles/2024/first', { title: 'x' }, { actor })).status).toBe(
      403,
    );
  });
});

describe('preconditions', () => {
  const path = '/api/content/articles/moon';

  it.each([
    ['meta.revision', path, async () => `"${(await ask('GET', path)).body.meta.revision}"`],
    ['the ETag', path, () => tagOf(path)],
    ['the ETag of the other version', `/v1${path}`, () => tagOf(path)],
    ['the ETag of the same query', `${path}?fields=title`, () => tagOf(`${path}?fields=title`)],
    ['the ETag of the whole', `${path}?fields=title`, () => tagOf(path)],
    ['the tag of JSON:API', path, () => tagOf('/jsonapi/node/article/moon')],
    ['anything', path, async () => '*'],
    ['one of several ETags', path, async () => `"x", ${await tagOf(path)}`],
    ['the ETag of a list', `${path}/field_words`, () => tagOf(`${path}/field_words`)],
  ])('match %s', async (_, target, tag) => {
    const body = target.endsWith('words') ? ['new'] : { title: 'New' };
    const method = target.endsWith('words') ? 'PUT' : 'PATCH';
    const headers = { 'if-match': await tag() };
    expect((await ask(method, target, body, headers)).status).toBe(201);
    if (headers['if-match'] === '*') return;
    expect((await ask(method, target, body, headers)).status).toBe(412);
    expect((await ask('DELETE', path, undefined, headers)).status).toBe(412);
    expect((await ask('DELETE', path, undefined, { 'if-match': await tagOf(path) })).status).toBe(204);
  });

  it('fail if the ETag belongs to another response', async () => {
    for (const tag of ['"x"', 'x', `W/${await tagOf(path)}`, await tagOf('/api/content/articles/2024/first')])
      for (const [method, below, body] of [
        ['PUT', '', { title: 'x' }],
        ['PATCH', '', { title: 'x' }],
        ['DELETE', '', undefined],
        ['POST', '/field_words', ['xx']],
        ['PUT', '/field_words', ['xx']],
        ['DELETE', '/field_words', undefined],
      ] as const)
        expect((await ask(method, path + below, body, { 'if-match': tag })).status, `${method} ${tag}`).toBe(
          412,
        );
    expect(await fileOf('article/moon.md')).toBe(MOON);
  });

  it('can be required by an option', async () => {
    await open({ writable: { options: { requireIfMatch: true, onDelete: 'restrict' } } });
    const { status, body } = await ask('PATCH', path, { title: 'x' });
    expect([status, body.error.source]).toEqual([428, { header: 'If-Match' }]);
    expect((await ask('POST', '/api/content/articles', { title: 'x' })).status).toBe(201);
    expect(
      (await ask('PUT', '/api/content/articles/y', { title: 'x' }, { 'if-none-match': '*' })).status,
    ).toBe(201);
  });

  async function tagOf(target: string): Promise<string> {
    return (await ask('GET', target)).headers.get('etag') ?? '';
  }
});

describe('a title of whitespace only', () => {
  it.each(['', ' ', '\t', '\n', '\u2028', '\ufeff', ['\t'], { value: ' ' }])(
    'is empty: %j',
    async (title) => {
      for (const [method, path] of [
        ['POST', '/api/content/articles'],
        ['PUT', '/api/content/articles/moon'],
        ['PATCH', '/api/content/articles/moon'],
      ] as const) {
        const { status, body } = await ask(method, path, { title });
        expect([status, body.error?.source]).toEqual([422, { pointer: '/title' }]);
      }
    },
  );
});

describe('invalid requests', () => {
  it.each([
    ['/api/content/articles', 'GET, HEAD, OPTIONS, POST'],
    ['/api/content/articles/moon', 'GET, HEAD, OPTIONS, PUT, PATCH, DELETE'],
    ['/jsonapi/node/article', 'GET, HEAD, OPTIONS, POST'],
    ['/jsonapi/node/article/moon', 'GET, HEAD, OPTIONS, PATCH, DELETE'],
  ])('an unknown method lists the methods of %s', async (path, allow) => {
    const { status, headers } = await ask('PROPFIND', path);
    expect([status, headers.get('allow')]).toEqual([405, allow]);
  });

  it.each([
    'application/vnd.api+json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
  ])('a body as %s is a 415', async (type) => {
    const { status, body } = await ask(
      'POST',
      '/api/content/articles',
      { title: 'x' },
      { 'content-type': type },
    );
    expect([status, body.error.source]).toEqual([415, { header: 'Content-Type' }]);
  });

  it('a media type in any letter case and with parameters is accepted', async () => {
    const type = 'Application/JSON; charset=utf-8';
    expect(
      (await ask('POST', '/api/content/articles', { title: 'x' }, { 'content-type': type })).status,
    ).toBe(201);
  });

  it.each([
    ['/api/content/articles?include=field_tags', 'include'],
    ['/api/content/articles?fields=nope', 'fields'],
  ])('%s is a 400, and creates nothing', async (path, parameter) => {
    const count = services.store.entities('node--article').length;
    const { status, body } = await ask('POST', path, { title: 'x' });
    expect([status, body.error.source]).toEqual([400, { parameter }]);
    expect(services.store.entities('node--article')).toHaveLength(count);
  });

  it('a body that is too large or nested too deep is rejected', async () => {
    const { bodyBytes } = services.settings.limits;
    const large = JSON.stringify({ title: 'x'.repeat(bodyBytes) });
    expect((await ask('POST', '/api/content/articles', large)).status).toBe(413);
    const deep = `{"title":${'['.repeat(100)}${']'.repeat(100)}}`;
    expect((await ask('POST', '/api/content/articles', deep)).status).toBe(400);
  });

  it('an Accept header without JSON is a 406', async () => {
    const { status } = await ask('POST', '/api/content/articles', { title: 'x' }, { accept: 'text/html' });
    expect(status).toBe(406);
  });

  it('read-only content rejects changes', async () => {
    handle = createHandler({ ...services, writer: null });
    for (const path of [
      '/api/content/articles',
      '/api/content/articles/moon',
      '/api/content/articles/moon/field_tags',
    ]) {
      const { status, headers } = await ask('PUT', path, {});
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect((await ask('OPTIONS', path)).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    }
  });
});

describe('arbitrary text', () => {
  const values: readonly unknown[] = [
    ...[
      null,
      '',
      'x',
      0,
      -1,
      1.5,
      1e21,
      true,
      [],
      {},
      [null],
      [[]],
      [['x']],
      [{}],
      'a\u0000b',
      '\ud800',
      '../../x',
    ],
    ...[
      { value: null },
      { value: 'x' },
      { value: { value: 'x' } },
      { type: 'tag', id: 'sea' },
      { type: 5, id: {} },
    ],
    ...[
      { src: '../../x' },
      { uri: { value: 1 } },
      { uri: null },
      '2024-02-30',
      '---\ntitle: other',
      '# x: [',
    ],
    ...[
      { data: [] },
      { data: { data: 'x' } },
      { data: null, links: {} },
      [{ type: 'tag', id: 'sea' }, 'sea'],
    ],
  ];
  const ids = [
    '..',
    'a//b',
    '/a',
    'con',
    'a\nb',
    '%2e%2e',
    '..\\x',
    'ü',
    ' ',
    '?x',
    '#y',
    '_x',
    'x/index',
    '\u202e',
    '😀',
  ];

  it.each([
    ...['field_tags', 'field_words', 'field_links', 'field_place', 'field_cover', 'field_author'],
    'body',
    'path',
    'id',
    'type',
    'status',
    'uid',
    'constructor',
    '__proto__',
  ])('as %s is stored and readable, or rejected', async (name) => {
    for (const value of values) {
      const entity = `{"title":"T",${JSON.stringify(name)}:${JSON.stringify(value)}}`;
      await expectSense('PATCH', '/api/content/articles/2024/first', entity);
      await expectSense('PUT', '/api/content/articles/2024/first', entity);
      await expectSense('POST', '/api/content/articles', entity);
      for (const method of ['POST', 'PUT'])
        await expectSense(method, `/api/content/articles/moon/${name}`, JSON.stringify(value));
    }
  });

  it('as an id is stored and readable, or rejected', async () => {
    for (const id of ids) {
      await expectSense('POST', '/api/content/articles', { id, title: 'T' });
      const path = `/api/content/articles/${encodeURIComponent(`${id}z`)}`;
      await expectSense('PUT', path, { title: 'T' }, { 'if-none-match': '*' });
    }
    const { files } = await driver.list();
    expect(files.filter(({ key }) => !/^[a-z]+\/[a-z0-9/-]+\.(md|yaml)$/.test(key))).toEqual([]);
  });

  async function expectSense(method: string, path: string, sent: unknown, headers = {}): Promise<void> {
    const {
      status,
      headers: answered,
      body,
    } = await ask(method, path, sent, { actor: ADMINISTRATOR, ...headers });
    const what = `${method} ${path} ${JSON.stringify(sent)}: ${JSON.stringify(body)}`;
    expect([201, 400, 403, 404, 405, 409, 412, 415, 422], what).toContain(status);
    if (status !== 201) return;
    const read = await ask('GET', new URL(answered.get('location') ?? '').pathname, undefined, {
      actor: ADMINISTRATOR,
    });
    expect([read.status, read.body], what).toEqual([200, body]);
  }
});

interface Sourced {
  readonly source?: { readonly pointer?: string };
}
