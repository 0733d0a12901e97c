import { beforeEach, describe, expect, it } from 'vitest';
import type { Roles } from '../../../integration/core/access/role.ts';
import { fileId } from '../../../integration/core/content/file-id.ts';
import { DEFAULT_LIMITS } from '../../../integration/core/engine/limits.ts';
import type { Handler } from '../../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { defineSchema, file, image, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { png, svg } from '../../support/pictures.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    field_cover: image().nullish(),
    field_gallery: z.array(image()).max(2).default([]),
    field_paper: file().nullish(),
    field_secret: file().nullish(),
    field_rating: z.int().nullish(),
  },
});
const ROLES: Roles = {
  authenticated: {
    permissions: [
      {
        actions: ['view', 'create', 'update'],
        bundles: '*',
        where: 'published',
        fields: { view: { except: ['field_secret'] }, change: ['title', 'field_paper'] },
      },
    ],
  },
  developer: { also: ['use raw html'] },
  author: { permissions: [{ actions: ['create'], bundles: '*', where: 'published' }] },
};
const EDITOR = { name: 'ada', roles: ['editor'] };
const READER = { name: 'bob', roles: [] };
const DEVELOPER = { name: 'dev', roles: ['editor', 'developer'] };

const MOON = `---
title: Moon # as it was
field_cover:
  src: ./old.png
  alt: The old moon
field_gallery: [old.png]
---

Text.
`;

let driver: WritableDriver;
let handle: Handler;
let touched: (readonly string[])[];
beforeEach(async () => {
  touched = [];
  driver = createMemoryDriver({
    'article/2024/moon.md': MOON,
    'article/2024/old.png': png(1, 1),
    'article/draft.md': '---\ntitle: Draft\nstatus: false\n---\n',
  });
  const onWritten = (_: unknown, keys: readonly string[]) => {
    touched.push(keys);
    return undefined;
  };
  const writable = { onWritten };
  const settings = { limits: { ...DEFAULT_LIMITS, uploadBytes: 2048 } };
  handle = createHandler(await createServices(driver, SCHEMA, { roles: ROLES, settings, writable }));
});

interface Sent {
  readonly name?: string;
  readonly type?: string;
  readonly actor?: { readonly name: string | null; readonly roles: readonly string[] };
  readonly headers?: Readonly<Record<string, string>>;
}

async function upload(path: string, bytes: Uint8Array | string, sent: Sent = {}) {
  const { name = 'New moon.png', type = 'application/octet-stream', actor = EDITOR, headers } = sent;
  const response = await fetchFrom(handle, `/jsonapi/node/article/${path}`, {
    method: 'POST',
    headers: { 'content-type': type, 'content-disposition': `file; filename="${name}"`, ...headers },
    body: bytes,
    actor,
  });
  return { status: response.status, headers: response.headers, document: await response.json() };
}

async function send(method: string, path: string, data: object, actor = EDITOR) {
  const response = await fetchFrom(handle, `/jsonapi/node/article${path}`, {
    method,
    body: { data: { type: 'node--article', ...data } },
    actor,
  });
  return { status: response.status, document: await response.json() };
}

const read = async (key: string) => Buffer.from((await driver.read(key)) ?? []).toString();
const fetchFile = async (url: string, actor = EDITOR) => await fetchFrom(handle, url, { actor });

describe('a file for an existing entity', () => {
  it('is stored beside it, named by its field with the previous alternative text, and returned', async () => {
    const { status, document } = await upload('2024/moon/field_cover', png(30, 20));
    expect(status).toBe(200);
    expect(document.data).toEqual({
      type: 'file--file',
      id: fileId('content://article/2024/new-moon.png'),
      attributes: {
        filename: 'new-moon.png',
        uri: {
          value: 'content://article/2024/new-moon.png',
          url: '/content-files/article/2024/new-moon.png',
        },
        filemime: 'image/png',
        filesize: 33,
        status: true,
        created: null,
        changed: null,
      },
      meta: { width: 30, height: 20, alt: 'The old moon' },
    });
    expect(await read('article/2024/moon.md')).toBe(MOON.replace('./old.png', './new-moon.png'));
    const served = await fetchFile('/content-files/article/2024/new-moon.png');
    expect(new Uint8Array(await served.arrayBuffer())).toEqual(png(30, 20));
    expect(touched).toEqual([['article/2024/moon.md', 'article/2024/new-moon.png']]);
  });

  it('is appended to a list', async () => {
    expect((await upload('2024/moon/field_gallery', png(3, 2))).status).toBe(200);
    expect(await read('article/2024/moon.md')).toContain('field_gallery: [old.png, new-moon.png]');
  });

  it('is removed again if the entity cannot be saved', async () => {
    await upload('2024/moon/field_gallery', png(3, 2));
    const before = await read('article/2024/moon.md');
    const { status, document } = await upload('2024/moon/field_gallery', png(4, 2), { name: 'third.png' });
    expect([status, document.errors[0].status]).toEqual([422, '422']);
    expect(await read('article/2024/moon.md')).toBe(before);
    expect(await driver.read('article/2024/third.png')).toBeUndefined();
  });

  it('requires the version in `If-Match`', async () => {
    const { status } = await upload('2024/moon/field_cover', png(3, 2), {
      headers: { 'if-match': '"other"' },
    });
    expect(status).toBe(412);
    expect(await driver.read('article/2024/new-moon.png')).toBeUndefined();
  });
});

describe('a file for a new entity', () => {
  it('is stored in the bundle folder, unseen until an entity names it', async () => {
    const { status, headers, document } = await upload('field_cover', png(30, 20));
    expect([status, headers.get('location')]).toEqual([
      201,
      'https://site.example/content-files/article/new-moon.png',
    ]);
    const { url } = document.data.attributes.uri;
    expect((await fetchFile(url)).status).toBe(404);
    const { uri } = document.data.attributes;
    const attributes = { title: 'Named', field_cover: { uri, alt: 'A new moon' } };
    const created = await send('POST', '', { attributes });
    expect(created.status).toBe(201);
    expect(created.document.data.relationships.field_cover.data).toMatchObject({
      id: document.data.id,
      meta: { width: 30, alt: 'A new moon' },
    });
    expect(document.data.attributes.status).toBe(false);
    expect(await read('article/named.md')).toContain(
      'field_cover:\n  src: ./new-moon.png\n  alt: A new moon\n',
    );
    expect((await fetchFile(url, READER)).status).toBe(200);
    expect(touched).toEqual([['article/new-moon.png'], ['article/named.md', 'article/new-moon.png']]);
  });

  it('can be named as a relationship, like Drupal clients do', async () => {
    const { document } = await upload('field_paper', 'a,b\n1,2\n', { name: 'figures.csv' });
    const { type, id } = document.data;
    const relationships = { field_paper: { data: { type, id } }, field_gallery: { data: [] } };
    const { status } = await send('PATCH', '/2024/moon', { id: '2024/moon', relationships });
    expect(status).toBe(200);
    expect(await read('article/2024/moon.md')).toContain('field_paper: ../figures.csv');
  });
});

describe('a file that other entities name', () => {
  const author = { name: 'cleo', roles: ['author'] };
  const name = (src: string) => ({ attributes: { title: 'Mine', field_paper: src, body: 'x' } });

  it('is hidden from users who see none of them', async () => {
    await driver.write(
      'article/draft.md',
      Buffer.from('---\ntitle: Draft\nstatus: false\nfield_paper: own.pdf\nfield_gallery: [own.png]\n---\n'),
    );
    await driver.write('article/own.png', png(2, 2));
    await driver.write('article/own.pdf', Buffer.from('%PDF-1.7\n'));
    await upload('2024/moon/field_cover', png(1, 1));
    handle = createHandler(await createServices(driver, SCHEMA, { roles: ROLES, writable: {} }));
    for (const [field, attributes] of [
      ['field_paper', name('own.pdf').attributes],
      ['field_paper', name('content://article/own.pdf').attributes],
      ['field_paper', { title: 'Mine', field_paper: { uri: { value: 'content://article/own.pdf' } } }],
      ['body', { title: 'Mine', body: '![x](own.pdf)' }],
      ['field_gallery/1', { title: 'Mine', field_gallery: ['2024/new-moon.png', 'own.png'] }],
    ] as const) {
      const { status, document } = await send('POST', '', { attributes }, author);
      expect(status).toBe(422);
      expect(document.errors).toEqual([
        expect.objectContaining({
          detail: expect.stringMatching(/^File not found, or you may not see it\./),
          source: { pointer: `/data/attributes/${field}` },
        }),
      ]);
    }
    expect((await send('POST', '', name('2024/new-moon.png'), author)).status).toBe(201);
    expect((await send('POST', '', name('own.pdf'))).status).toBe(201);
    expect((await send('POST', '', name('own.pdf'), author)).status).toBe(201);
  });
});

describe('upload permissions', () => {
  it.each([
    ['an anonymous user may not upload', 'field_paper', { name: null, roles: [] }, 401],
    ['a user without the field may not upload', 'field_cover', READER, 403],
    ['a user may not upload to an entity without the field', '2024/moon/field_cover', READER, 403],
    ['a user may not upload to an unseen entity', 'draft/field_paper', READER, 404],
    ['a user may not upload to a hidden field', '2024/moon/field_secret', READER, 404],
    ['a user with permission to change the field may upload', '2024/moon/field_paper', READER, 200],
    ['a user with permission to create entities may upload', 'field_paper', READER, 201],
  ])('%s', async (_who, path, actor, status) => {
    const sent = await upload(path, '%PDF-1.7\n', { name: 'x.pdf', actor });
    expect(sent.status).toBe(status);
    if (status >= 400) expect((await driver.list()).files).toHaveLength(3);
  });

  it.each([
    ['field_cover', 200, 'OPTIONS, POST'],
    ['2024/moon/field_cover', 200, 'GET, HEAD, OPTIONS, POST'],
    ['nothing/field_cover', 404, undefined],
    ['2024/moon/nothing', 404, undefined],
  ])('are described by OPTIONS: %s', async (path, status, allow) => {
    const response = await fetchFrom(handle, `/jsonapi/node/article/${path}`, {
      method: 'OPTIONS',
      actor: READER,
    });
    expect(response.status).toBe(status);
    if (allow !== undefined) expect(response.headers.get('allow')).toBe(allow);
  });

  it.each(['field_rating', '2024/moon/field_rating', '2024/moon/nothing', 'nothing/field_cover'])(
    'apply to file fields only: %s',
    async (path) => {
      expect([404, 405]).toContain((await upload(path, png(1, 1))).status);
    },
  );
});

describe('an uploaded file', () => {
  it.each([
    ['image/png', 415],
    ['application/vnd.api+json', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/octet-stream; charset=binary', 201],
  ])('is sent as bytes: %s', async (type, status) => {
    expect((await upload('field_cover', png(1, 1), { type })).status).toBe(status);
  });

  it('may reach the size limit but not exceed it', async () => {
    const text = (bytes: number) => upload('field_paper', 'x'.repeat(bytes), { name: 'x.txt' });
    expect((await text(2048)).status).toBe(201);
    const { status, document } = await text(2049);
    expect(status).toBe(413);
    expect(document.errors[0].detail).toContain('limits.uploadBytes');
  });

  it.each([
    ['an image', 'field_cover', 'x.png', png(1, 1), 201],
    ['an image in a file field', 'field_paper', 'x.png', png(1, 1), 201],
    ['a document in an image field', 'field_cover', 'x.pdf', '%PDF-1.7\n', 422],
    ['an image with a document extension', 'field_paper', 'x.pdf', png(1, 1), 422],
    ['a PNG with the extension jpg', 'field_cover', 'x.jpg', png(1, 1), 422],
    ['a web page with an image extension', 'field_cover', 'x.png', '<html><script>alert(1)</script>', 422],
    ['an image without dimensions', 'field_cover', 'x.png', png(0, 0), 422],
    ['a text file', 'field_paper', 'x.txt', 'Grüße\r\n\tan <b>alle</b>', 201],
    [
      'a text file with binary content',
      'field_paper',
      'x.txt',
      new Uint8Array([0x4d, 0x5a, 0x90, 0x00]),
      422,
    ],
    ['a text file that is not UTF-8', 'field_paper', 'x.csv', new Uint8Array([0xe4, 0x2c]), 422],
    ['an empty file', 'field_paper', 'x.txt', '', 422],
    ['a truncated image', 'field_cover', 'x.png', png(1, 1).slice(0, 12), 422],
  ])('must match its extension: %s', async (_what, field, name, bytes, status) => {
    expect((await upload(field, bytes, { name })).status).toBe(status);
  });

  it('may be an SVG only from users with `use raw html`, and never runs', async () => {
    const name = 'x.svg';
    const refused = await upload('2024/moon/field_cover', svg(4, 3), { name });
    expect([refused.status, refused.document.errors[0].detail]).toEqual([
      422,
      'An SVG can contain scripts. To upload one, you need the permission `use raw html`.',
    ]);
    const { status, document } = await upload('2024/moon/field_cover', svg(4, 3), { name, actor: DEVELOPER });
    expect([status, document.data.meta.width]).toEqual([200, 4]);
    const served = await fetchFile(document.data.attributes.uri.url);
    expect(served.headers.get('content-security-policy')).toContain('sandbox');
  });

  it('with an SVG extension must be an SVG, regardless of the sender', async () => {
    const { status } = await upload('field_cover', 'text', { name: 'x.svg', actor: DEVELOPER });
    expect(status).toBe(422);
  });
});
