import { beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../../integration/core/access/actor.ts';
import type { Roles } from '../../../../integration/core/access/role.ts';
import { fileId } from '../../../../integration/core/content/file-id.ts';
import { siteLanguages } from '../../../../integration/core/content/languages.ts';
import type { Handler } from '../../../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../../../integration/core/storage/driver.ts';
import { defineSchema, file, image, z } from '../../../../integration/schema.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { png } from '../../../support/pictures.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { adminApp, createServices } from '../../../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    field_cover: image().nullish(),
    field_gallery: z.array(image()).default([]),
    field_paper: file().nullish(),
    field_card: z.object({ picture: image() }).nullish(),
  },
});

const ROLES: Roles = {
  author: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published' },
      { actions: ['update'], bundles: ['article'], where: 'own' },
    ],
  },
  titler: {
    permissions: [
      { actions: ['view'], bundles: '*', where: 'published' },
      { actions: ['update'], bundles: ['article'], fields: { change: ['title'] } },
    ],
  },
};
const EDITOR: Actor = { name: 'ada', roles: ['editor'] };
const ANONYMOUS: Actor = { name: null, roles: ['anonymous'] };

const MOON = fileId('content://article/moon.png');
const SEA = fileId('content://article/sea.png');
const LOGO = fileId('public://logo.png');
const SECRET = fileId('content://article/secret.png');
const PAPER = fileId('public://menu.pdf');
const REMOTE = fileId('https://images.example/far/away.png?w=1');

const FILES = {
  'article/moon.md': `---
title: Moon
field_cover: { src: moon.png, alt: The moon }
field_gallery: [sea.png, /logo.png]
field_paper: { src: /menu.pdf, alt: The menu }
field_card: { picture: card.png }
---

![A shore](shore.png)
`,
  'article/sun.md':
    '---\ntitle: Sun\nuid: bob\nfield_cover: moon.png\nfield_gallery: [https://images.example/far/away.png?w=1]\n---\n',
  'article/draft.md':
    '---\ntitle: Draft\nstatus: false\nfield_cover: secret.png\nfield_paper: secret.pdf\nuid: ada\n---\n',
  'article/moon.png': png(30, 20),
  'article/sea.png': png(40, 20),
  'article/card.png': png(41, 20),
  'article/shore.png': png(42, 20),
  'article/secret.png': png(50, 20),
  'article/secret.pdf': '%PDF',
  'article/unused.png': png(60, 20),
};
const PUBLIC = { 'logo.png': png(8, 8), 'other.png': png(9, 9), 'menu.pdf': '%PDF' };

let driver: WritableDriver;
let handle: Handler;
beforeEach(async () => {
  driver = createMemoryDriver(FILES);
  handle = await open();
});

async function open(settings: object = {}): Promise<Handler> {
  return createHandler(
    await createServices(driver, SCHEMA, {
      publicFiles: createMemoryDriver(PUBLIC),
      settings: { admin: true, ...settings },
      roles: ROLES,
      problems: { 'file/missing': 'warning' },
      writable: { options: { requireIfMatch: false, onDelete: 'restrict' } },
    }),
    { adminApp },
  );
}

async function send(method: string, path: string, actor: Actor = ANONYMOUS, body?: unknown) {
  const response = await fetchFrom(handle, `/jsonapi${path}`, {
    method,
    actor,
    headers: body === undefined ? {} : { 'content-type': 'application/vnd.api+json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) };
}

const get = (path: string, actor?: Actor) => send('GET', path, actor);
const encode = (text: string) => new TextEncoder().encode(text);
const source = async (key: string) => new TextDecoder().decode(await driver.read(key));
const idsOf = (data: readonly { readonly id: string }[]) => data.map(({ id }) => id).sort();

const LINKS = (name: string) => ({
  related: { href: `${ORIGIN}/jsonapi/node/article/moon/${name}` },
  self: { href: `${ORIGIN}/jsonapi/node/article/moon/relationships/${name}` },
});

describe('a field of images or files', () => {
  it('is a relationship with the metadata of the file, and an image in an object is an attribute', async () => {
    const { data } = await get('/node/article/moon');
    expect(data.relationships).toEqual({
      field_cover: {
        data: {
          type: 'file--file',
          id: MOON,
          meta: { alt: 'The moon', title: null, width: 30, height: 20, drupal_internal__target_id: MOON },
        },
        links: LINKS('field_cover'),
      },
      field_gallery: {
        data: [
          {
            type: 'file--file',
            id: SEA,
            meta: { alt: null, title: null, width: 40, height: 20, drupal_internal__target_id: SEA },
          },
          {
            type: 'file--file',
            id: LOGO,
            meta: { alt: null, title: null, width: 8, height: 8, drupal_internal__target_id: LOGO },
          },
        ],
        links: LINKS('field_gallery'),
      },
      field_paper: {
        data: {
          type: 'file--file',
          id: PAPER,
          meta: { display: true, description: 'The menu', drupal_internal__target_id: PAPER },
        },
        links: LINKS('field_paper'),
      },
    });
    expect(data.attributes.field_card.picture).toMatchObject({ filename: 'card.png', alt: null });
    expect(data.attributes).not.toHaveProperty('field_cover');
  });

  it('includes its files once, with the attributes of Drupal', async () => {
    const { data, included, errors } = await get(
      '/node/article?include=field_cover,field_gallery&sort=title',
    );
    expect(errors).toBeUndefined();
    expect(data).toHaveLength(2);
    expect(idsOf(included)).toEqual([MOON, SEA, LOGO, REMOTE].sort());
    expect(included.find(({ id }: { id: string }) => id === MOON)).toEqual({
      type: 'file--file',
      id: MOON,
      links: { self: { href: `${ORIGIN}/jsonapi/file/file/${MOON}` } },
      meta: { revision: expect.any(String) },
      attributes: {
        filename: 'moon.png',
        uri: { value: 'content://article/moon.png', url: '/content-files/article/moon.png' },
        filemime: 'image/png',
        filesize: 33,
        status: true,
        created: null,
        changed: null,
      },
    });
  });

  it.each([
    ['field_cover.x', "file--file has no reference 'x'. It has no references."],
    ['field_gallery.x', "file--file has no reference 'x'. It has no references."],
    ['uid.roles', null],
    ['uid.x', "has no reference 'x'"],
  ])('as the include path %s leads to the error %s', async (path, detail) => {
    const { errors = [{ detail: null }] } = await get(`/node/article/moon?include=${path}`, EDITOR);
    expect(errors[0].detail).toEqual(detail && expect.stringContaining(detail));
  });

  it('takes sparse fields of files', async () => {
    const { included, meta } = await get(
      '/node/article/moon?include=field_cover&fields[file--file]=uri,nothing',
    );
    expect(included[0].attributes).toEqual({
      uri: { value: 'content://article/moon.png', url: '/content-files/article/moon.png' },
    });
    expect(meta.ignored).toEqual(['fields[file--file]=nothing']);
  });

  it.each([
    ['filter[field_cover.alt]=The moon', ['moon']],
    ['filter[field_cover.meta.alt]=The moon', ['moon']],
    [`filter[field_cover.id]=${MOON}`, ['moon', 'sun']],
    [`filter[field_cover.meta.drupal_internal__target_id]=${MOON}`, ['moon', 'sun']],
    ['filter[field_gallery.filename]=sea.png', ['moon']],
    ['filter[field_gallery.entity.uri.value]=public://logo.png', ['moon']],
    ['filter[a][condition][path]=field_paper&filter[a][condition][operator]=IS NULL', ['sun']],
    ['filter[field_gallery.meta.width]=40', ['moon']],
    ['filter[field_paper.meta.description]=The menu', ['moon']],
  ])('is filtered by %s', async (query, expected) => {
    const { data, errors } = await get(`/node/article?${query}`);
    expect(errors).toBeUndefined();
    expect(idsOf(data)).toEqual(expected);
  });

  it('rejects an unknown property with the valid ones', async () => {
    const { status, errors } = await get('/node/article?filter[field_cover.meta.altt]=x');
    expect(status).toBe(400);
    expect(errors[0].source).toEqual({ parameter: 'filter[field_cover.meta.altt]' });
    expect(errors[0].detail).toMatch(/alt/);
  });

  it('has the addresses of a relationship', async () => {
    const related = await get('/node/article/moon/field_gallery');
    expect(idsOf(related.data)).toEqual([SEA, LOGO].sort());
    const linkage = await get('/node/article/moon/relationships/field_cover');
    expect(linkage.data).toMatchObject({ type: 'file--file', id: MOON, meta: { alt: 'The moon' } });
  });

  it('stays an attribute with drupal: false', async () => {
    handle = await open({ drupal: false });
    const { data } = await get('/node/article/moon');
    expect(data.attributes.field_cover).toMatchObject({ alt: 'The moon', filename: 'moon.png' });
    expect(data).not.toHaveProperty('relationships');
    expect((await get('/file/file')).status).toBe(404);
    expect((await get('/node/article?include=field_cover')).status).toBe(400);
  });
});

it('a bundle `file--file` of the content stays as it is', async () => {
  driver = createMemoryDriver({
    'article/a.md': '---\ntitle: A\nfield_cover: moon.png\nfield_file: file--file/ridge\n---\n',
    'article/moon.png': png(3, 2),
    'file--file/ridge.yaml': 'title: Ridge\nalt: Violet ridges\n',
  });
  handle = createHandler(await createServices(driver, {}));
  const { included } = await get('/node/article/a?include=field_file&fields[file--file]=alt');
  expect(included[0].attributes).toEqual({ alt: 'Violet ridges' });
  expect((await get('/file/file')).data.map(({ id }: { id: string }) => id)).toEqual(['ridge']);
});

describe('a file that does not exist', () => {
  const MISSING = {
    type: 'file--file',
    id: 'missing',
    meta: { links: { help: { href: expect.stringContaining('#missing'), meta: expect.anything() } } },
  };
  const GONE = `---
title: Gone
uid: ada
field_cover: { src: gone.png, alt: The past }
field_gallery: [sea.png, gone.png, { src: lost.png, alt: Lost }]
---
`;
  const article = (path = '') => `/node/article/gone${path}`;
  const patch = (relationships: unknown) =>
    send('PATCH', article(), EDITOR, { data: { type: 'node--article', id: 'gone', relationships } });
  beforeEach(async () => {
    await driver.write('article/gone.md', encode(GONE));
    handle = await open();
  });

  it('has an identifier without a resource', async () => {
    const { data, included } = await get(`${article()}?include=field_cover,field_gallery`);
    expect(data.relationships.field_cover.data).toEqual(MISSING);
    expect(data.relationships.field_gallery.data).toEqual([
      expect.objectContaining({ id: SEA }),
      { ...MISSING, meta: { ...MISSING.meta, arity: 0 } },
      { ...MISSING, meta: { ...MISSING.meta, arity: 1 } },
    ]);
    expect(idsOf(included)).toEqual([SEA]);
    expect((await get(article('/relationships/field_cover'))).data).toEqual(MISSING);
    expect(await get(article('/field_cover'))).toMatchObject({ status: 200, data: null });
    expect(idsOf((await get(article('/field_gallery'))).data)).toEqual([SEA]);
    expect(idsOf((await get('/file/file')).data)).not.toContain('missing');
    expect((await get('/file/file/missing')).status).toBe(404);
  });

  it('is null in plain JSON, and for IS NULL', async () => {
    const response = await fetchFrom(handle, '/api/content/articles/gone', {});
    const { field_cover: cover, field_gallery: gallery } = (await response.json()).data;
    expect([cover, gallery]).toMatchObject([null, [{ filename: 'sea.png' }]]);
    const isNull = '?filter[a][condition][path]=field_cover&filter[a][condition][operator]=IS NULL';
    expect(idsOf((await get(`/node/article${isNull}`)).data)).toEqual(['gone']);
    expect(idsOf((await get('/node/article?filter[field_cover.meta.alt]=The past')).data)).toEqual(['gone']);
  });

  it('stays as written if it is sent back', async () => {
    const { data } = await get(article(), EDITOR);
    expect((await patch(data.relationships)).status).toBe(200);
    expect(await source('article/gone.md')).toBe(GONE);
    const address = article('/relationships/field_gallery');
    const moon = { type: 'file--file', id: MOON };
    expect((await send('POST', address, EDITOR, { data: [moon] })).status).toBe(200);
    expect(await source('article/gone.md')).toContain('gone.png, { src: lost.png, alt: Lost }, moon.png]');
    await send('DELETE', address, EDITOR, { data: [{ type: 'file--file', id: 'missing' }] });
    expect(await source('article/gone.md')).toContain('field_gallery: [sea.png, moon.png]');
  });

  it('cannot be set', async () => {
    const missing = { type: 'file--file', id: 'missing' };
    const answer = await send('PATCH', '/node/article/moon', EDITOR, {
      data: { type: 'node--article', id: 'moon', relationships: { field_cover: { data: missing } } },
    });
    expect(answer.status).toBe(422);
  });
});

describe('the files of a site', () => {
  const used = [
    MOON,
    SEA,
    LOGO,
    PAPER,
    REMOTE,
    fileId('content://article/card.png'),
    fileId('content://article/shore.png'),
  ];

  it('are those that visible entities show, in fields, objects and bodies', async () => {
    const { data, meta } = await get('/file/file');
    expect(idsOf(data)).toEqual(used.sort());
    expect(meta.count).toBe(used.length);
  });

  it('have hidden and unused files only for accounts that may see and change everything', async () => {
    const { data } = await get('/file/file', EDITOR);
    const unused = fileId('content://article/unused.png');
    const paper = fileId('content://article/secret.pdf');
    expect(idsOf(data)).toEqual([...used, SECRET, paper, unused].sort());
    const { data: off } = await get('/file/file?filter[status]=0', EDITOR);
    expect(idsOf(off)).toEqual([unused]);
  });

  it('have those that only a visible translation shows', async () => {
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] });
    driver = createMemoryDriver({
      'article/a.md': '---\ntitle: A\nfield_cover: en.png\n---\n',
      'article/a.de.md': '---\ntitle: A\nfield_cover: de.png\n---\n',
      'article/a.fr.md': '---\ntitle: A\nstatus: false\nfield_cover: fr.png\n---\n',
      'article/b.de.md': '---\ntitle: B\nfield_cover: only.png\n---\n',
      ...Object.fromEntries(['en', 'de', 'fr', 'only'].map((name) => [`article/${name}.png`, png(3, 2)])),
    });
    handle = await open({ languages });
    const { data } = await get('/file/file');
    expect(idsOf(data)).toEqual(
      ['en', 'de', 'only'].map((name) => fileId(`content://article/${name}.png`)).sort(),
    );
  });

  it('are filtered, sorted and paged', async () => {
    const { data, links } = await get('/file/file?filter[filemime]=image/png&sort=-filename&page[limit]=2');
    expect(data.map(({ attributes }: { attributes: { filename: string } }) => attributes.filename)).toEqual([
      'shore.png',
      'sea.png',
    ]);
    expect(links.next.href).toContain('page%5Boffset%5D=2');
  });

  it('have the same address below the path of each language', async () => {
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de'] });
    handle = await open({ languages });
    const shore = `/file/file/${fileId('content://article/shore.png')}`;
    const response = await fetchFrom(handle, `/de/jsonapi${shore}`, { actor: ANONYMOUS });
    const { data } = await response.json();
    expect(data.attributes.uri.url).toBe('/content-files/article/shore.png');
  });

  it('have an address, a schema and a place in the entry point', async () => {
    const { data } = await get(`/file/file/${MOON}`);
    expect(data.attributes.filename).toBe('moon.png');
    expect((await get(`/file/file/${SECRET}`)).status).toBe(404);
    expect((await get(`/file/file/${SECRET}`, EDITOR)).status).toBe(200);
    expect((await get('/file/file/resource/schema')).title).toBe('file--file');
    expect((await get('')).links['file--file'].href).toBe(`${ORIGIN}/jsonapi/file/file`);
  });
});

describe('changing a file', () => {
  const patch = (relationships: unknown, attributes = {}) =>
    send('PATCH', '/node/article/moon', EDITOR, {
      data: { type: 'node--article', id: 'moon', attributes, relationships },
    });

  it.each([
    ['a relationship', { field_cover: { data: { type: 'file--file', id: SEA, meta: { alt: 'Sea' } } } }, {}],
    ['an attribute', {}, { field_cover: { src: 'sea.png', alt: 'Sea' } }],
  ])('takes %s and edits one line', async (_, relationships, attributes) => {
    expect((await patch(relationships, attributes)).status).toBe(200);
    expect(await source('article/moon.md')).toBe(
      FILES['article/moon.md'].replace('{ src: moon.png, alt: The moon }', '{ src: sea.png, alt: Sea }'),
    );
  });

  it('changes nothing if the same is sent back', async () => {
    const { data } = await get('/node/article/moon', EDITOR);
    expect((await patch(data.relationships)).status).toBe(200);
    expect(await source('article/moon.md')).toBe(FILES['article/moon.md']);
  });

  it.each(['moon', 'gone'])('takes the same back from a role that may not change files: %s', async (id) => {
    await driver.write(
      'article/gone.md',
      encode('---\ntitle: Gone\nfield_cover: { src: x.png, alt: X }\n---\n'),
    );
    handle = await open();
    const titler: Actor = { name: 'eve', roles: ['titler'] };
    const { data } = await get(`/node/article/${id}`, titler);
    const { field_cover } = data.relationships;
    const change = (cover: unknown) =>
      send('PATCH', `/node/article/${id}`, titler, {
        data: {
          type: 'node--article',
          id,
          attributes: { title: 'New' },
          relationships: { field_cover: cover },
        },
      });
    expect((await change({ data: { type: 'file--file', id: SEA } })).status).toBe(403);
    expect((await change(field_cover)).status).toBe(200);
    expect(await source(`article/${id}.md`)).toContain('title: New');
  });

  it('takes a file that nothing uses yet', async () => {
    const id = fileId('content://article/unused.png');
    expect((await patch({ field_cover: { data: { type: 'file--file', id } } })).status).toBe(200);
    expect(await source('article/moon.md')).toContain('field_cover: { src: unused.png }');
  });

  it('adds to, sets and removes from a list at its address', async () => {
    const address = '/node/article/moon/relationships/field_gallery';
    const item = (id: string) => ({ type: 'file--file', id });
    expect((await send('POST', address, EDITOR, { data: [item(MOON), item(SEA)] })).data).toHaveLength(3);
    expect(await source('article/moon.md')).toContain('field_gallery: [sea.png, /logo.png, moon.png]');
    expect((await send('DELETE', address, EDITOR, { data: [item(LOGO)] })).status).toBe(204);
    expect(await source('article/moon.md')).toContain('field_gallery: [sea.png, moon.png]');
    expect((await send('PATCH', address, EDITOR, { data: [item(LOGO)] })).status).toBe(204);
    expect(await source('article/moon.md')).toContain('field_gallery: [/logo.png]');
  });

  it.each([
    ['another type', { type: 'node--article', id: 'sun' }, '/data/relationships/field_cover/data/type'],
    [
      'unknown metadata',
      { type: 'file--file', id: SEA, meta: { altt: 'x' } },
      '/data/relationships/field_cover/data/meta/altt',
    ],
    [
      'an id of no file',
      { type: 'file--file', id: fileId('content://article/none.png') },
      '/data/relationships/field_cover/data',
    ],
  ])('rejects %s', async (_, data, pointer) => {
    const { status, errors } = await patch({ field_cover: { data } });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(errors[0].source.pointer).toBe(pointer);
    expect(await source('article/moon.md')).toBe(FILES['article/moon.md']);
  });

  it('does not reveal whether a hidden file exists', async () => {
    const author: Actor = { name: 'bob', roles: ['author'] };
    handle = await open();
    const link = async (uri: string) => {
      const relationships = { field_cover: { data: { type: 'file--file', id: fileId(uri) } } };
      const { status, errors } = await send('PATCH', '/node/article/sun', author, {
        data: { type: 'node--article', id: 'sun', relationships },
      });
      return { status, errors };
    };
    const missing = await link('content://article/none.png');
    expect(missing.status).toBe(422);
    for (const uri of ['content://article/secret.png', 'content://article/secret.pdf']) {
      expect(await link(uri)).toEqual(missing);
    }
  });

  it('rejects a file in a field of images', async () => {
    const { status, errors } = await patch({ field_cover: { data: { type: 'file--file', id: PAPER } } });
    expect(status).toBe(422);
    expect(errors[0].source.pointer).toBe('/data/relationships/field_cover/data');
  });

  it('is not possible at the address of the file', async () => {
    const { status } = await send('DELETE', `/file/file/${MOON}`, EDITOR);
    expect(status).toBe(405);
  });
});
