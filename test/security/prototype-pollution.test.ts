import { beforeAll, describe, expect, it } from 'vitest';
import { defineSchema, reference, z } from '../../integration/schema.ts';
import { createSession, openSignInSite, PASSWORD } from '../support/sign-in-site.ts';
import { type AttackedSite, article, ask, openAttackedSite } from './attacked-site.ts';

const SCHEMA = defineSchema({
  article: {
    field_author: reference('person').nullish(),
    field_tags: z.array(reference('tag')).default([]),
    field_kit: z.object({ name: z.string().nullish() }).nullish(),
    field_any: z.json().nullish(),
  },
  person: {},
  tag: {},
});
/** `note` has no schema, so its fields are the keys of its files. */
const FILES = {
  'content/article/moon.md': '---\ntitle: Moon\nfield_author: jane\nfield_tags: [sky]\n---\n',
  'content/article/constructor.md': '---\ntitle: Constructor\n---\n',
  'content/person/jane.md': '---\ntitle: Jane\n---\n',
  'content/tag/sky.md': '---\ntitle: Sky\n---\n',
  'content/note/first.md':
    '---\ntitle: First\n__proto__: { polluted: 1 }\nconstructor: { prototype: { polluted: 2 } }\nhasOwnProperty: 3\ntoString: text\nvalueOf: [a]\n---\n',
  'content/note/second.yaml': 'title: Second\n__proto__: { polluted: 4 }\nprototype: { polluted: 5 }\n',
  'content/note/third.json':
    '{"title":"Third","__proto__":{"polluted":6},"constructor":{"prototype":{"polluted":7}}}',
  'content/constructor/x.md': '---\ntitle: In a bundle of that name\n---\n',
  'public/x.txt': '',
};
const NAMES = [
  ...['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf', '__defineGetter__'],
  ...['constructor.prototype', '__proto__.polluted', 'isPrototypeOf', 'then', 'toJSON'],
];

let site: AttackedSite;
let before: string;
beforeAll(async () => {
  site = await openAttackedSite(FILES, SCHEMA, { settings: { explorer: true } });
  before = await everything();
});

/** The responses for all content of the site. */
async function everything(): Promise<string> {
  const paths = [
    '/jsonapi',
    '/jsonapi/node/article?include=field_author,field_tags',
    '/api/content/articles',
  ];
  const texts = await Promise.all(paths.map(async (path) => (await site.request('GET', path)).text));
  return texts.join('\n');
}

function expectClean(): void {
  expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(OWN);
  for (const empty of [{}, [], () => undefined, '', 0]) {
    expect(Reflect.get(Object(empty), 'polluted')).toBeUndefined();
    expect(Reflect.get(Object(empty), 'status')).toBeUndefined();
  }
}
const OWN = Object.getOwnPropertyNames(Object.prototype).sort();

/** An object with an own member of the name, which an object literal may not have. */
const withMember = (name: string, value: unknown): object =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
const PAYLOADS: readonly unknown[] = [
  { polluted: 'yes', status: false },
  { prototype: { polluted: 'yes' } },
  'polluted',
  ['polluted'],
  null,
];

describe.each(NAMES)('%s', (name) => {
  it('as a member of a request body changes nothing else', async () => {
    for (const payload of PAYLOADS) {
      const member = withMember(name, payload);
      const data = { type: 'node--article', id: 'moon' };
      const documents: readonly unknown[] = [
        { data: { ...data, attributes: member } },
        { data: { ...data, relationships: withMember(name, { data: payload }) } },
        { data: { ...data, ...member } },
        { data: member },
        member,
        { data: { ...data, attributes: { body: member } } },
        { data: { ...data, attributes: { path: member } } },
        { data: { ...data, attributes: { title: member } } },
        { data: { ...data, relationships: { field_author: member } } },
        { data: { ...data, relationships: { field_author: { data: { type: name, id: name, ...member } } } } },
        { data: { ...data, relationships: { field_author: { data: { type: 'node--person', id: name } } } } },
      ];
      for (const body of documents) {
        const { status } = await site.request('PATCH', '/jsonapi/node/article/moon', { body });
        // Unknown members of a resource object are ignored.
        expect([200, 400, 404, 409, 422], JSON.stringify(body)).toContain(status);
        expectClean();
      }
      for (const body of [
        member,
        { data: member },
        { body: member },
        { field_kit: member },
        { field_author: member },
      ]) {
        const { status } = await site.request('PATCH', '/api/content/articles/moon', { body });
        expect([201, 400, 404, 409, 422], JSON.stringify(body)).toContain(status);
        expectClean();
      }
      await site.request('POST', '/jsonapi/node/article/moon/relationships/field_tags', {
        body: { data: [{ type: name, id: name, ...member }] },
      });
      await site.request('POST', '/subrequests', {
        body: JSON.stringify([{ requestId: name, uri: '/jsonapi', ...member }]),
      });
      expectClean();
    }
    expect((await site.request('GET', '/jsonapi/node/article/moon')).json.data.attributes.title).toBe('Moon');
  });

  it('is stored as a member of a JSON field, without side effects', async () => {
    const value = { list: [withMember(name, { polluted: 'yes' })], ...withMember(name, 'text') };
    const { status, text } = await site.request('PATCH', '/api/content/articles/moon?fields=field_any', {
      body: `{"field_any":${JSON.stringify(value)}}`,
    });
    // Zod drops `__proto__`, so it is rejected instead of being lost.
    if (name === '__proto__') expect(status).toBe(422);
    else
      expect({ status, text }).toMatchObject({
        status: 201,
        text: expect.stringContaining(JSON.stringify(value)),
      });
    expectClean();
    await site.request('PATCH', '/api/content/articles/moon', { body: { field_any: null } });
  });

  it('may be an id, a title and a file name', async () => {
    const created = await site.request('POST', '/jsonapi/node/article', {
      body: article({ title: name }, name === 'constructor' ? {} : { id: name }),
    });
    expect(created.status).toBe(201);
    const address = new URL(created.headers.get('location') ?? '').pathname;
    expect((await site.request('GET', address)).json.data.attributes.title).toBe(name);
    expect((await site.request('GET', `/api/content/tags/${name}`)).status).toBe(404);
    expect((await site.request('DELETE', address)).status).toBe(204);
    expectClean();
  });

  it('is unknown in every parameter of a query', async () => {
    const paths = [
      `filter[${name}]=1`,
      `filter[${name}][polluted]=1`,
      `filter[${name}][condition][path]=title&filter[${name}][condition][value]=1`,
      `filter[${name}][group][conjunction]=OR&filter[a][condition][path]=title&filter[a][condition][value]=x&filter[a][condition][memberOf]=${name}`,
      `filter[a][condition][path]=${name}&filter[a][condition][value]=1`,
      `filter[title][operator]=${name}&filter[title][value]=1`,
      `filter[title][${name}]=1`,
      `filter[field_author.${name}]=1`,
      `sort=${name}`,
      `sort[a][path]=title&sort[a][${name}]=x`,
      `sort[${name}][path]=title`,
      `include=${name}`,
      `include=field_author.${name}`,
      `fields[${name}]=title`,
      `fields[node--article]=${name}`,
      `page[${name}]=1`,
      `${name}[polluted]=1`,
      `${name}=1`,
    ];
    for (const query of paths) {
      for (const path of [`/jsonapi/node/article?${query}`, `/api/content/articles?${query}`]) {
        const { status } = await site.request('GET', path);
        expect([200, 400], path).toContain(status);
        expectClean();
      }
    }
    const unknown = ['filter', 'sort', 'include'].map(
      (family) =>
        `/jsonapi/node/article?${family}${family === 'filter' ? `[${name}]` : ''}=${family === 'filter' ? 1 : name}`,
    );
    for (const path of unknown) expect((await site.request('GET', path)).status, path).toBe(400);
    for (const path of [
      `/jsonapi/${name}/x`,
      `/jsonapi/node/article/${name}/${name}`,
      `/jsonapi/menu_items/${name}`,
    ]) {
      expect((await site.request('GET', path)).status, path).toBe(404);
    }
  });

  it('is not a role and grants nothing', async () => {
    const actor = { name, roles: [name, 'constructor', '__proto__'] };
    for (const [method, path] of [
      ['POST', '/jsonapi/node/article'],
      ['POST', '/api/content/articles'],
      ['DELETE', '/jsonapi/node/article/moon'],
    ] as const) {
      const body =
        method === 'DELETE' ? undefined : path.startsWith('/api') ? { title: 'X' } : article({ title: 'X' });
      expect((await site.request(method, path, { body, actor })).status).toBe(403);
    }
  });
});

it('keys of files with such names are ordinary fields', async () => {
  const { text, json } = await site.request('GET', '/jsonapi/node/note');
  expect(json.data).toHaveLength(3);
  expect(text).toContain('"hasOwnProperty":3');
  const bundles = await site.request('GET', '/jsonapi');
  expect(bundles.text).toContain('node--constructor');
  expect((await site.request('GET', '/jsonapi/node/constructor/x')).json.data.attributes.title).toMatch(
    /of that name/,
  );
  expectClean();
  const body = {
    data: { type: 'node--note', id: 'first', attributes: { toString: 'other', title: 'First again' } },
  };
  expect((await site.request('PATCH', '/jsonapi/node/note/first', { body })).status).toBe(200);
  expect(site.content().get('note/first.md')).toContain('toString: other\n');
  expect(site.content().get('note/first.md')).toContain('__proto__: { polluted: 1 }\n');
  expectClean();
});

it('all responses are the same afterwards', async () => {
  expectClean();
  // A missing object with an empty member has become an empty object.
  await site.request('PATCH', '/api/content/articles/moon', { body: { field_kit: null } });
  const now = await everything();
  const timeless = (text: string) => text.replace(/"(changed|created|revision)":"[^"]*"/g, '');
  const parts = new Set(timeless(before).split(','));
  expect(
    timeless(now)
      .split(',')
      .filter((part) => !parts.has(part)),
  ).toEqual([]);
});

it('no account has such a name by accident', async () => {
  const signIn = await openSignInSite();
  for (const name of NAMES) {
    const body = JSON.stringify(withMember('pass', PASSWORD)).replace(
      '{',
      `{"name":${JSON.stringify(name)},"__proto__":{"roles":["administrator"]},`,
    );
    const response = await signIn.request(
      '/user/login?_format=json',
      {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      },
      { session: createSession() },
    );
    expect([400, 401, 429]).toContain(response.status);
    const account = await signIn.auth.accounts.find(name);
    expect(account).toBeUndefined();
    expectClean();
  }
  const answer = await ask(async (request) => signIn.handle(request), 'GET', '/jsonapi/node/article/draft');
  expect(answer.status).toBe(404);
});
