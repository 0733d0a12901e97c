import { describe, expect, it } from 'vitest';
import { ADMINISTRATOR, ANONYMOUS } from '../../../integration/core/access/actor.ts';
import { createContentApi } from '../../../integration/core/builder/index.ts';
import type { SchemaDefinition } from '../../../integration/core/content/schema/schema.ts';
import type { Options } from '../../../integration/core/options/options.ts';
import { defineSchema, image, reference, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { parseOptions } from '../../support/options.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices, staticFiles } from '../../support/services.ts';

type Files = Readonly<Record<string, string>>;

const FILES: Files = {
  'post/a.md':
    '---\ntitle: A\ntext: first\nwriter: person/jane\nnotes: secret one\nrank: 1\n---\nBody of A\n',
  'post/b.md': '---\ntitle: B\ntext: second\nnotes: secret two\nrank: 2\n---\nBody of B\n',
  'person/jane.md': '---\ntitle: Jane\nnotes: secret three\n---\n',
};
const SCHEMA = defineSchema({
  post: {
    text: z.string().min(3).optional(),
    writer: reference('person').optional(),
    notes: z.string().optional(),
    rank: z.int().optional(),
  },
  person: { notes: z.string().optional() },
});

interface TestedSite {
  readonly files: Files;
  readonly schema?: SchemaDefinition | undefined;
  readonly bundles?: Options['bundles'];
  readonly admin?: boolean;
}

async function open({ files, schema, bundles = {}, admin = false }: TestedSite) {
  const driver = createMemoryDriver(files);
  const services = await createServices(driver, schema, {
    bundleOptions: bundles,
    writable: {},
    settings: { explorer: true, admin },
  });
  const handle = createHandler(services);
  const send = async (path: string, init: RequestInit = {}, actor = ANONYMOUS) => {
    const response = await fetchFrom(handle, path, { ...init, actor });
    return { status: response.status, text: await response.text() };
  };
  return { services, driver, send };
}

const without = (pattern: RegExp, files: Files, by = ''): Files =>
  Object.fromEntries(Object.entries(files).map(([key, text]) => [key, text.replace(pattern, by)]));

const READS = [
  '/jsonapi',
  '/jsonapi/node/post',
  '/jsonapi/node/post/a',
  '/jsonapi/node/post?include=writer&fields[node--post]=title,writer',
  '/jsonapi/node/post?include=author&fields[node--post]=title,author',
  ...['notes', 'text', 'teaser', 'writer.title', 'author.title', 'writer.notes', 'author.notes'].flatMap(
    (path) => [
      `/jsonapi/node/post?filter[${path}]=first`,
      `/jsonapi/node/post?filter[a][condition][path]=${path}&filter[a][condition][operator]=IS NULL`,
      `/jsonapi/node/post?sort=-${path}`,
      `/jsonapi/node/post?facetBy=${path}`,
      `/api/content/posts?filter[${path}]=first`,
      `/api/content/posts?sort=${path}`,
    ],
  ),
  '/jsonapi/node/post?include=notes',
  '/jsonapi/node/post?fields[node--post]=notes',
  '/jsonapi/node/post?filter[fulltext]=secret',
  '/jsonapi/node/post/a/writer',
  '/jsonapi/node/post/a/author',
  '/jsonapi/node/post/a/relationships/author',
  '/jsonapi/node/post/a/notes',
  '/jsonapi/node/post/resource/schema',
  '/jsonapi/openapi.json',
  '/jsonapi-explorer/schema.json',
  '/api/content/posts',
  '/api/content/posts/a',
  '/api/content/posts?fields=notes,teaser',
];

const patch = (attributes: object): RequestInit => ({
  method: 'PATCH',
  headers: { 'content-type': 'application/vnd.api+json' },
  body: JSON.stringify({ data: { type: 'node--post', id: 'a', attributes } }),
});

/** What a site answers. Revisions of files and times differ. */
async function answers(site: TestedSite) {
  const { send, services } = await open(site);
  const all = new Map<string, unknown>();
  for (const actor of [ANONYMOUS, ADMINISTRATOR])
    for (const path of READS) all.set(`${path} ${actor.roles}`, await send(path, {}, actor));
  for (const [path, text] of await staticFiles(services)) all.set(path, text);
  for (const attributes of [{ notes: 'x' }, { text: 'x' }, { teaser: 'x' }, { teaser: 1 }]) {
    all.set(JSON.stringify(attributes), await send('/jsonapi/node/post/a', patch(attributes), ADMINISTRATOR));
  }
  return all;
}

describe.each([
  ['declared', SCHEMA],
  ['inferred', undefined],
])('a field that option bundles leaves out, with %s fields', (_, schema) => {
  const bundles = { post: { fields: { notes: false } }, person: { fields: { notes: false } } } as const;

  it('cannot be inferred: each answer is that of a site without the field', async () => {
    const lesser = schema && defineSchema({ ...SCHEMA, post: omit(SCHEMA.post), person: {} });
    const left = await answers({ files: FILES, schema, bundles });
    const never = await answers({ files: without(/notes: .*\n/, FILES), schema: lesser });
    for (const [request, answer] of never)
      expect(comparable(left.get(request)), request).toEqual(comparable(answer));
    expect([...left.keys()]).toEqual([...never.keys()]);
  });

  it('is in queries of pages, and stays in files that the API changes', async () => {
    const { send, services, driver } = await open({ files: FILES, schema, bundles });
    const { entities } = createContentApi(services);
    expect(await entities('post').where('notes', 'CONTAINS', 'secret').count()).toBe(2);
    expect((await send('/jsonapi/node/post/a', patch({ rank: 5 }), ADMINISTRATOR)).status).toBe(200);
    expect(new TextDecoder().decode(await driver.read('post/a.md'))).toContain(
      'notes: secret one\nrank: 5\n',
    );
  });
});

describe('base fields and images that option bundles leaves out', () => {
  const files = {
    ...FILES,
    'post/c.md': '---\ntitle: C\npath: /c\nuid: ada\nimage: ./c.svg\n---\nHarbour\n',
    'post/c.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>',
  };
  const fields = { body: false, path: false, uid: false, image: false } as const;
  const schema = defineSchema({ ...SCHEMA, post: { ...SCHEMA.post, image: image().optional() } });
  const aliased = '/router/translate-path?path=/c';
  const names = /"body"|"path":|"uid"|"image"|c\.svg|Harbour|"\/c"/;

  it('are in no answer, and lead nowhere', async () => {
    const { send, services } = await open({ files, schema, bundles: { post: { fields } } });
    for (const path of ['/jsonapi/node/post', '/api/content/posts', '/api/content/posts/c']) {
      const { status, text } = await send(path, {}, ADMINISTRATOR);
      expect([status, names.exec(text)], path).toEqual([200, null]);
    }
    for (const [path, text] of await staticFiles(services))
      if (path.includes('post')) expect(names.exec(text), path).toBeNull();
    expect((await send('/jsonapi/node/post?filter[fulltext]=harbour')).text).toContain('"count":0');
    expect((await send(aliased)).status).toBe(404);
    expect((await send('/jsonapi/file/file')).text).toContain('"data":[]');
    for (const parameter of [
      'filter[body.value]=Harbour',
      'sort=uid',
      'filter[path.alias]=/c',
      'include=image',
    ])
      expect((await send(`/jsonapi/node/post?${parameter}`, {}, ADMINISTRATOR)).status, parameter).toBe(400);
  });

  it('keep the files that they name, also from accounts that may change all content', async () => {
    const { send, driver } = await open({ files, schema, bundles: { post: { fields } }, admin: true });
    for (const method of ['GET', 'DELETE']) {
      const { status } = await send('/jsonapi/_files/content/post/c.svg', { method }, ADMINISTRATOR);
      expect([method, status]).toEqual([method, 404]);
    }
    expect(await driver.read('post/c.svg')).toBeDefined();
  });

  it('are there without the option', async () => {
    const { send } = await open({ files, schema });
    expect((await send('/jsonapi/node/post', {}, ADMINISTRATOR)).text).toMatch(names);
    expect((await send('/jsonapi/node/post?filter[fulltext]=harbour')).text).toContain('"count":1');
    expect((await send(aliased)).status).toBe(200);
    expect((await send('/jsonapi/file/file')).text).toContain('c.svg');
  });
});

describe.each([
  ['declared', SCHEMA],
  ['inferred', undefined],
])('a field with a public name of its own, with %s fields', (_, schema) => {
  const bundles = { post: { fields: { text: 'teaser', writer: 'author' } } };

  it('has that name in each answer, as if files had it', async () => {
    const { text, writer, ...others } = SCHEMA.post;
    const renamed = schema && defineSchema({ ...SCHEMA, post: { teaser: text, author: writer, ...others } });
    const named = await answers({ files: FILES, schema, bundles });
    const files = without(/text:/, without(/writer:/, FILES, 'author:'), 'teaser:');
    const written = await answers({ files, schema: renamed });
    for (const [request, answer] of written)
      expect(comparable(named.get(request)), request).toEqual(comparable(answer));
  });

  it('keeps its key in files', async () => {
    const { send, services, driver } = await open({ files: FILES, schema, bundles });
    expect((await send('/jsonapi/node/post/a', patch({ teaser: 'changed' }), ADMINISTRATOR)).status).toBe(
      200,
    );
    expect(new TextDecoder().decode(await driver.read('post/a.md'))).toBe(
      FILES['post/a.md']?.replace('first', 'changed'),
    );
    const body = { data: { type: 'node--post', id: 'new', attributes: { title: 'New', teaser: 'third' } } };
    const created = await send(
      '/jsonapi/node/post',
      { ...patch({}), method: 'POST', body: JSON.stringify(body) },
      ADMINISTRATOR,
    );
    expect(created.status, created.text).toBe(201);
    expect(new TextDecoder().decode(await driver.read('post/new.md'))).toContain('text: third');
    const { entities } = createContentApi(services);
    const [first] = await entities('post').where('teaser', '=', 'changed').include('author').all();
    expect(first).toMatchObject({ id: 'a', teaser: 'changed', author: { title: 'Jane' } });
  });
});

it('a type has the name of its bundle in option bundles, whatever its folder is', async () => {
  const bundles = { 'blog--article': { folder: 'post' } };
  const { send } = await open({ files: FILES, bundles });
  const { status, text } = await send('/jsonapi/blog/article/a?fields[blog--article]=title');
  expect(status).toBe(200);
  expect(JSON.parse(text).data).toMatchObject({ type: 'blog--article', id: 'a', attributes: { title: 'A' } });
  expect((await send('/jsonapi/node/post')).status).toBe(404);
  expect((await send('/jsonapi/openapi.json')).text).toContain('"/jsonapi/blog/article"');
});

it('problems of a renamed field name the key of the file', async () => {
  const files = { ...FILES, 'post/c.md': '---\ntitle: C\ntext: x\n---\n' };
  const bundles = { post: { fields: { text: 'teaser' } } };
  await expect(open({ files, schema: SCHEMA, bundles })).rejects.toThrow('`text`: Too small');
});

it('an option about a field that does not exist is reported', async () => {
  const { services } = await open({ files: FILES, bundles: { post: { fields: { note: false } } } });
  const reported = services.diagnostics().filter(({ severity }) => severity === 'warning');
  expect(reported.map(({ code, message, hint }) => [code, message, hint])).toEqual([
    [
      'field/option',
      'Option bundles.post.fields.note has no effect: the bundle has no such field.',
      'Did you mean `notes`?',
    ],
  ]);
});

it.each([
  [{ title: 'name' }, 'Option bundles.post.fields.title: "title" has a meaning'],
  [{ text: 'publish_on' }, 'Option bundles.post.fields.text: "publish_on" has a meaning'],
  [{ publish_on: 'from' }, 'Option bundles.post.fields.publish_on: "publish_on" has a meaning'],
  [{ text: 'a', rank: 'a' }, 'Option bundles.post.fields.rank: "a" is the name of "text" already.'],
  [{ text: 'type' }, 'Option bundles.post.fields.text cannot be "type". Valid: '],
  [{ text: 'a b' }, 'Option bundles.post.fields.text cannot be "a b". Valid: '],
  [{ text: true }, 'Option bundles.post.fields.text cannot be true. Valid: '],
])('rejects %j and names the option', (fields, message) => {
  expect(() => parseOptions({ bundles: { post: { fields } } })).toThrow(message);
});

function omit({ notes: _, ...others }: typeof SCHEMA.post) {
  return others;
}

function comparable(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/(revision\W+:\W+)[\w-]+/g, '$1'));
}
