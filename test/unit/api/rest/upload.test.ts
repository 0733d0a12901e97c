import { beforeEach, describe, expect, it } from 'vitest';
import { type Actor, ANONYMOUS } from '../../../../integration/core/access/actor.ts';
import { DEFAULT_LIMITS } from '../../../../integration/core/engine/limits.ts';
import type { Handler } from '../../../../integration/core/server/handler.ts';
import type { WritableDriver } from '../../../../integration/core/storage/driver.ts';
import { defineSchema, file, image, z } from '../../../../integration/schema.ts';
import { createHandler } from '../../../support/handler.ts';
import { createMemoryDriver } from '../../../support/memory-driver.ts';
import { png } from '../../../support/pictures.ts';
import { fetchFrom, ORIGIN } from '../../../support/request.ts';
import { createServices } from '../../../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    field_cover: image().nullish(),
    field_gallery: z.array(image()).max(2).default([]),
    field_paper: file().nullish(),
    field_words: z.array(z.string()).default([]),
  },
});
const EDITOR: Actor = { name: 'ada', roles: ['editor'] };
const READER: Actor = { name: 'bob', roles: [] };
const MOON = '---\ntitle: Moon # full\nfield_cover: { src: old.png, alt: The old moon }\n---\nText.\n';

let driver: WritableDriver;
let handle: Handler;
beforeEach(async () => {
  driver = createMemoryDriver({
    'article/2024/moon.md': MOON,
    'article/2024/old.png': png(1, 1),
    'article/draft.md': '---\ntitle: Draft\nstatus: false\n---\n',
  });
  const settings = { limits: { ...DEFAULT_LIMITS, uploadBytes: 2048 } };
  handle = createHandler(await createServices(driver, SCHEMA, { settings, writable: {} }));
});

async function ask(method: string, path: string, init: RequestInit = {}, actor = EDITOR) {
  const response = await fetchFrom(handle, `/api/content/articles${path}`, { ...init, method, actor });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : JSON.parse(text),
  };
}

const bytesOf = (
  bytes: Uint8Array | string = png(30, 20),
  headers: Readonly<Record<string, string>> = {},
): RequestInit => ({
  body: bytes as BodyInit,
  headers: {
    'content-type': 'application/octet-stream',
    'content-disposition': 'file; filename="New moon.png"',
    ...headers,
  },
});
const read = async (key: string) => Buffer.from((await driver.read(key)) ?? []).toString();
const count = async () => (await driver.list()).files.length;

describe('a file for an existing entity', () => {
  it('is stored beside it, named by its field and returned like the field', async () => {
    const { status, headers, body } = await ask('POST', '/2024/moon/field_cover', bytesOf());
    const url = '/content-files/article/2024/new-moon.png';
    expect([status, headers.get('location')]).toEqual([201, ORIGIN + url]);
    expect(body).toEqual({
      data: {
        uri: { value: 'content://article/2024/new-moon.png', url },
        filename: 'new-moon.png',
        filemime: 'image/png',
        filesize: 33,
        width: 30,
        height: 20,
        alt: 'The old moon',
      },
      meta: { revision: expect.any(String) },
      links: { self: ORIGIN + url, entity: `${ORIGIN}/api/content/articles/2024/moon` },
    });
    expect(await read('article/2024/moon.md')).toBe(MOON.replace('old.png', 'new-moon.png'));
    const entity = await ask('GET', '/2024/moon');
    expect([entity.body.data.field_cover, entity.body.meta.revision]).toEqual([
      body.data,
      body.meta.revision,
    ]);
  });

  it('is appended to a list, also to a list of file names', async () => {
    const list = '/2024/moon/field_gallery';
    expect((await ask('POST', list, bytesOf())).status).toBe(201);
    const named = { headers: { 'content-type': 'application/json' }, body: '["old.png"]' };
    const { status, body } = await ask('POST', list, named);
    expect([status, body.data.map(({ filename }: { filename: string }) => filename)]).toEqual([
      201,
      ['new-moon.png', 'old.png'],
    ]);
    const before = await read('article/2024/moon.md');
    const third = await ask('POST', list, bytesOf(png(4, 2)));
    expect([third.status, third.body.error.status, await read('article/2024/moon.md')]).toEqual([
      422,
      422,
      before,
    ]);
  });

  it('requires the version in `If-Match`: that of the entity or of the response to GET', async () => {
    const address = '/2024/moon/field_cover';
    const stale = await ask('POST', address, bytesOf(png(1, 1), { 'if-match': '"other"' }));
    expect([stale.status, await count()]).toEqual([412, 3]);
    const { headers, body } = await ask('GET', '/2024/moon');
    const etag = headers.get('etag') ?? '';
    expect((await ask('POST', address, bytesOf(png(1, 1), { 'if-match': etag }))).status).toBe(201);
    const revision = `"${body.meta.revision}"`;
    expect((await ask('POST', address, bytesOf(png(1, 1), { 'if-match': revision }))).status).toBe(412);
  });
});

describe('a file for a new entity', () => {
  it('is returned in the form that creates the entity with it', async () => {
    const { status, headers, body } = await ask('POST', '/field_cover?fields=title', bytesOf());
    const url = `${ORIGIN}/content-files/article/new-moon.png`;
    expect([status, headers.get('location'), body.meta, body.links]).toEqual([
      201,
      url,
      { ignored: ['fields'] },
      { self: url },
    ]);
    const created = await ask('POST', '', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Named', field_cover: { ...body.data, alt: 'A new moon' } }),
    });
    expect([created.status, created.body.data.field_cover]).toMatchObject([
      201,
      { filename: 'new-moon.png', alt: 'A new moon' },
    ]);
  });
});

describe('an upload', () => {
  const name = { 'content-disposition': 'file; filename="x.pdf"' };

  it.each<[string, string, RequestInit, Actor, number]>([
    ['an anonymous request', '/field_paper', bytesOf('%PDF-1.7\n', name), ANONYMOUS, 401],
    ['a request without permission', '/2024/moon/field_paper', bytesOf('%PDF-1.7\n', name), READER, 403],
    ['an unseen entity', '/draft/field_paper', bytesOf('%PDF-1.7\n', name), READER, 404],
    ['a missing entity', '/sun/field_paper', bytesOf('%PDF-1.7\n', name), EDITOR, 404],
    ['a text field', '/2024/moon/field_words', bytesOf(), EDITOR, 415],
    [
      'JSON',
      '/2024/moon/field_cover',
      { headers: { 'content-type': 'application/json' }, body: '{}' },
      EDITOR,
      415,
    ],
    [
      'a file without a name',
      '/field_cover',
      bytesOf(png(1, 1), { 'content-disposition': 'file' }),
      EDITOR,
      400,
    ],
    ['content that contradicts its extension', '/field_cover', bytesOf('<script>'), EDITOR, 422],
    ['a file over the size limit', '/field_cover', bytesOf('x'.repeat(2049)), EDITOR, 413],
    ['an unknown parameter', '/field_cover?foo=1', bytesOf(), EDITOR, 400],
  ])('for %s is rejected in plain JSON, and stores nothing', async (_what, path, init, actor, status) => {
    const { status: answered, body } = await ask('POST', path, init, actor);
    expect([answered, body.error.status, body.error.detail]).toEqual([status, status, expect.any(String)]);
    expect(await count()).toBe(3);
  });

  it.each([
    ['/field_cover', 'OPTIONS, POST'],
    ['/field_gallery', 'OPTIONS, POST'],
    ['/2024/moon/field_cover', 'OPTIONS, POST'],
    ['/2024/moon/field_gallery', 'GET, HEAD, OPTIONS, POST, PUT, DELETE'],
  ])('is described by OPTIONS of %s', async (path, allow) => {
    const { status, headers } = await ask('OPTIONS', path);
    expect([status, headers.get('allow')]).toEqual([200, allow]);
  });

  it.each(['/sun/field_cover', '/draft/field_cover'])('is not described by OPTIONS of %s', async (path) => {
    expect((await ask('OPTIONS', path, {}, READER)).status).toBe(404);
  });
});
