import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Roles } from '../../../integration/core/access/role.ts';
import type { Services } from '../../../integration/core/api/request.ts';
import { siteLanguages } from '../../../integration/core/content/languages.ts';
import { file, image } from '../../../integration/core/content/schema/schema.ts';
import { writeDocuments } from '../../../integration/core/runtime/write-documents.ts';
import type { HandlerContext } from '../../../integration/core/server/handler.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { png, svg } from '../../support/pictures.ts';
import { fetchFrom, ORIGIN } from '../../support/request.ts';
import { createServices, publishedContentFiles } from '../../support/services.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ADMIN: HandlerContext = { actor: { name: 'root', roles: ['administrator'] } };
const SCHEMA = {
  article: {
    field_cover: image().nullish(),
    field_files: z.array(file()).default([]),
    field_shots: z.array(z.object({ shot: image() })).default([]),
    publish_on: z.iso.datetime().nullish(),
  },
};
const FILES = {
  'article/a/index.md':
    '---\nfield_cover: { src: ./sea picture.png, alt: The sea }\nfield_files: [x.svg, x.pdf, x.html, x.js, x.zip, x.txt, x.csv]\n---\n',
  'article/a/sea picture.png': png(640, 480),
  'article/a/x.svg': svg(10, 10),
  'article/a/x.pdf': '%PDF',
  'article/a/x.html': '<script>alert(1)</script>',
  'article/a/x.js': 'alert(1)',
  'article/a/x.zip': 'PK',
  'article/a/x.txt': 'Grüße',
  'article/a/x.csv': '012345678',
  'article/a/unnamed.png': png(3, 3),
  'article/shots.md': '---\nfield_shots: [{ shot: shot.png }]\n---\n',
  'article/shot.png': png(5, 5),
  'article/draft.md': '---\ndraft: true\nfield_cover: draft.png\nfield_files: [a/x.txt]\n---\n',
  'article/draft.png': png(8, 8),
  'article/later.md': '---\npublish_on: 2030-01-01T00:00:00Z\nfield_cover: later.png\n---\n',
  'article/later.png': png(9, 9),
};

function site(now = Date.parse('2026-01-01')): Promise<Services> {
  return createServices(createMemoryDriver(FILES), SCHEMA, { now: () => now });
}

async function get(file: string, context: HandlerContext = {}, init: RequestInit = {}, now?: number) {
  return fetchFrom(createHandler(await site(now)), file, { ...init, ...context });
}

describe('files beside the content', () => {
  it('are served at their URL byte for byte', async () => {
    const document = await (await get('/jsonapi/node/article/a?include=field_cover')).json();
    const { width, height, alt } = document.data.relationships.field_cover.data.meta;
    const { uri, filemime, filesize } = document.included[0].attributes;
    expect({ filemime, filesize, width, height, alt }).toEqual({
      filemime: 'image/png',
      filesize: 33,
      width: 640,
      height: 480,
      alt: 'The sea',
    });
    const response = await get(uri.url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '33',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\da-f]{16}"$/),
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(png(640, 480));
  });

  it('include the videos, posters, sounds and captions of a text', async () => {
    const body =
      '<video src="film.mp4" poster="still.png" controls><track src="film.vtt"></video>\n\n<audio src=a.mp3>\n';
    const files = {
      'film.mp4': 'f',
      'still.png': png(4, 3),
      'film.vtt': 'WEBVTT',
      'a.mp3': 'a',
      'b.mp3': 'b',
    };
    const stored = Object.entries(files).map(([name, bytes]) => [`article/${name}`, bytes]);
    const driver = createMemoryDriver({ ...Object.fromEntries(stored), 'article/tide.md': body });
    const handle = createHandler(await createServices(driver, SCHEMA));
    const statuses = Object.keys(files).map(async (name) => {
      const { status } = await fetchFrom(handle, `/content-files/article/${name}`);
      return [name, status];
    });
    expect(await Promise.all(statuses)).toEqual([
      ['film.mp4', 200],
      ['still.png', 200],
      ['film.vtt', 200],
      ['a.mp3', 200],
      ['b.mp3', 404],
    ]);
  });

  it('return 304 to a client with the current version', async () => {
    const address = '/content-files/article/a/x.svg';
    const etag = (await get(address)).headers.get('etag') ?? '';
    const again = await get(address, {}, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    expect((await get(address, {}, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it.each([
    ['bytes=0-0', 206, 'bytes 0-0/9', '0'],
    ['bytes=3-5', 206, 'bytes 3-5/9', '345'],
    ['bytes=3-', 206, 'bytes 3-8/9', '345678'],
    ['bytes=-3', 206, 'bytes 6-8/9', '678'],
    ['bytes=-100', 206, 'bytes 0-8/9', '012345678'],
    ['bytes=7-100', 206, 'bytes 7-8/9', '78'],
    ['BYTES=8-999999999999999', 206, 'bytes 8-8/9', '8'],
    ['bytes=9-', 416, 'bytes */9', undefined],
    ['bytes=-0', 416, 'bytes */9', undefined],
    // Other values are not a single range, so the header is ignored.
    ['bytes=5-3', 200, null, '012345678'],
    ['bytes=9-8', 200, null, '012345678'],
    ['bytes=-', 200, null, '012345678'],
    ['bytes=0-1,3-4', 200, null, '012345678'],
    ['bytes=0-9999999999999999', 200, null, '012345678'],
    ['items=0-1', 200, null, '012345678'],
    ['bytes=a-b', 200, null, '012345678'],
  ])('return the part that Range asks for: %s', async (range, status, contentRange, text) => {
    const response = await get('/content-files/article/a/x.csv', {}, { headers: { range } });
    expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange]);
    if (text === undefined) {
      expect((await response.json()).errors).toEqual([
        expect.objectContaining({ status: '416', source: { header: 'Range' } }),
      ]);
      return;
    }
    expect(response.headers.get('accept-ranges')).toBe('bytes');
    expect(response.headers.get('content-length')).toBe(String(text.length));
    expect(await response.text()).toBe(text);
  });

  it('return a part only of the version that If-Range names, and none to HEAD', async () => {
    const address = '/content-files/article/a/x.csv';
    const etag = (await get(address)).headers.get('etag') ?? '';
    const part = async (headers: Record<string, string>, method = 'GET') =>
      (await get(address, {}, { method, headers: { range: 'bytes=0-1', ...headers } })).status;
    expect(await part({ 'if-range': etag })).toBe(206);
    expect(await part({ 'if-range': `W/${etag}` })).toBe(200);
    expect(await part({ 'if-range': '"other"' })).toBe(200);
    expect(await part({ 'if-range': 'Thu, 01 Jan 2026 00:00:00 GMT' })).toBe(200);
    expect(await part({ 'if-none-match': etag })).toBe(304);
    expect(await part({}, 'HEAD')).toBe(200);
    expect((await get('/jsonapi/node/article/a', {}, { headers: { range: 'bytes=0-1' } })).status).toBe(200);
  });

  it('support HEAD with the same headers and OPTIONS, and return 405 for other methods', async () => {
    const [whole, head] = [
      await get('/content-files/article/a/x.svg'),
      await get('/content-files/article/a/x.svg', {}, { method: 'HEAD' }),
    ];
    expect([...head.headers]).toEqual([...whole.headers]);
    expect(await head.text()).toBe('');
    expect((await get('/content-files/article/a/x.svg', {}, { method: 'OPTIONS' })).status).toBe(200);
    expect((await get('/content-files/article/a/x.svg', {}, { method: 'DELETE' })).status).toBe(405);
  });

  it.each([
    ['x.svg', 'image/svg+xml', true, false],
    ['x.pdf', 'application/pdf', false, false],
    ['x.txt', 'text/plain; charset=utf-8', true, false],
    ['x.html', 'text/html; charset=utf-8', true, true],
    ['x.js', 'application/octet-stream', true, true],
    ['x.zip', 'application/zip', true, true],
  ])('cannot run in a browser: %s', async (name, type, sandboxed, attached) => {
    const { headers } = await get(`/content-files/article/a/${name}`);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('content-disposition')).toBe(attached ? 'attachment' : null);
    const policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
    expect(headers.get('content-security-policy')).toBe(sandboxed ? policy : null);
  });

  it('can be nested in arrays and objects', async () => {
    expect((await get('/content-files/article/shot.png')).status).toBe(200);
  });

  it('of drafts do not exist for anonymous readers', async () => {
    const [draft, later, none] = await Promise.all(
      ['draft', 'later', 'nowhere'].map(async (name) => {
        const response = await get(`/content-files/article/${name}.png`);
        return [response.status, (await response.text()).replaceAll(name, 'x'), [...response.headers.keys()]];
      }),
    );
    expect(draft).toEqual(none);
    expect(later).toEqual(none);
    expect(none?.[0]).toBe(404);
    expect((await get('/content-files/article/draft.png', ADMIN)).status).toBe(200);
    const path = '/content-files/article/later.png';
    expect((await get(path, {}, {}, Date.parse('2031-01-01'))).status).toBe(200);
  });

  it('do not exist for readers from whom the only field with the file is hidden', async () => {
    const fields = { view: { except: ['field_cover'] } };
    const roles: Roles = {
      anonymous: { permissions: [{ actions: ['view'], bundles: '*', where: 'published', fields }] },
    };
    const handle = createHandler(await createServices(createMemoryDriver(FILES), SCHEMA, { roles }));
    const statusOf = async (path: string) =>
      (await fetchFrom(handle, `/content-files/article/${path}`)).status;
    expect([await statusOf('a/sea%20picture.png'), await statusOf('a/x.svg')]).toEqual([404, 200]);
  });

  it('of a translation are visible if it is, whatever its source and the language of the request are', async () => {
    const files = {
      'article/b.md': '---\ntitle: B\n---\n',
      'article/b.de.md': '---\ntitle: B\nfield_cover: german.png\n---\n',
      'article/b.fr.md': '---\ntitle: B\nstatus: false\nfield_cover: french.png\n---\n',
      'article/german.png': png(4, 4),
      'article/french.png': png(4, 4),
    };
    const languages = siteLanguages({ defaultLocale: 'en', locales: ['en', 'de', 'fr'] });
    const services = await createServices(createMemoryDriver(files), SCHEMA, { settings: { languages } });
    const handle = createHandler(services);
    const statusOf = async (name: string) =>
      (await fetchFrom(handle, `/content-files/article/${name}`)).status;
    expect([await statusOf('german.png'), await statusOf('french.png')]).toEqual([200, 404]);
  });

  it('that a published entity names are visible even if a draft names them too', async () => {
    expect((await get('/content-files/article/a/x.txt')).status).toBe(200);
  });

  it.each([
    '/content-files',
    '/content-files/',
    '/content-files/article',
    '/content-files/article/a/unnamed.png',
    '/content-files/article/a/index.md',
    '/content-files/article/draft.md',
    '/content-files/../article/a/x.svg',
    '/content-files/article/a/..%2F..%2Farticle%2Fa%2Fx.svg',
    '/content-files/%2e%2e%2f%2e%2e%2fetc/passwd',
    '/content-files/..%5C..%5Cetc%5Cpasswd',
    '/content-files/article/a/x.svg%00.png',
    '/content-files/%',
    '/content-files//etc/passwd',
  ])('cannot be reached by %s', async (address) => {
    const response = await createHandler(await site())(new Request(ORIGIN + address), ADMIN);
    expect(response?.status ?? 404).toBe(404);
  });

  it('can be filtered by their properties', async () => {
    const ids = async (query: string) => {
      const document = await (await get(`/jsonapi/node/article?sort=id&${query}`, ADMIN)).json();
      return document.data?.map(({ id }: { id: string }) => id) ?? document.errors;
    };
    expect(await ids('filter[field_cover.filename]=sea%20picture.png')).toEqual(['a']);
    expect(await ids('filter[field_cover.width][operator]=%3E&filter[field_cover.width][value]=8')).toEqual([
      'a',
      'later',
    ]);
    expect(await ids('filter[field_cover.filemime]=image/png&sort=-field_cover.width')).toEqual([
      'a',
      'later',
      'draft',
    ]);
    expect(await ids('filter[field_cover.filesize]=33')).toEqual(['a', 'draft', 'later']);
    expect(await ids('filter[field_cover.alt]=The%20sea')).toEqual(['a']);
    expect(await ids('filter[field_cover.uri.url]=/content-files/article/later.png')).toEqual(['later']);
    expect(
      await ids('filter[c][condition][path]=field_cover&filter[c][condition][operator]=IS%20NULL'),
    ).toEqual(['shots']);
    expect(await ids('filter[field_files.filename]=x.pdf')).toEqual(['a']);
  });
});

describe('images in a body', () => {
  const withBodies = {
    ...FILES,
    'article/told.md': '![Told](told.png)\n',
    'article/told.png': png(7, 7),
    'article/kept-back.md': '---\ndraft: true\n---\n![Kept back](kept-back.png) ![Told](told.png)\n',
    'article/kept-back.png': png(6, 6),
  };

  it('are visible to everyone with access to an entity with the image', async () => {
    const services = await createServices(createMemoryDriver(withBodies), SCHEMA);
    const status = async (name: string, context: HandlerContext = {}) => {
      return (await fetchFrom(createHandler(services), `/content-files/article/${name}`, context)).status;
    };
    expect(await status('told.png')).toBe(200);
    expect(await status('kept-back.png')).toBe(404);
    expect(await status('kept-back.png', ADMIN)).toBe(200);
  });

  it('change the ETag of their entity when they are added', async () => {
    const tag = async (files: Record<string, string | Uint8Array>) => {
      const services = await createServices(createMemoryDriver(files), undefined);
      return (await fetchFrom(createHandler(services), '/jsonapi/node/page/a')).headers.get('etag');
    };
    const page = { 'page/a.md': '---\ncreated: 2024-01-01\nchanged: 2024-01-01\n---\n    ![](x.png)\n' };
    expect(await tag(page)).toBe(await tag(page));
    expect(await tag(page)).not.toBe(await tag({ ...page, 'page/x.png': png(1, 1) }));
  });

  it('are written for a static host if anonymous visitors may see them', async () => {
    const services = await createServices(createMemoryDriver(withBodies), SCHEMA);
    const paths: string[] = [];
    for await (const { path } of publishedContentFiles(services)) paths.push(path);
    expect(paths).toContain('content-files/article/told.png');
    expect(paths).not.toContain('content-files/article/kept-back.png');
  });
});

describe('files of a static site', () => {
  it('are the files that published entities name, byte for byte', async () => {
    const folder = temporaryFolder();
    const written = await writeDocuments(publishedContentFiles(await site()), folder);
    expect(written.files).toBe(9);
    const read = (name: string) => readFileSync(path.join(folder, 'content-files/article', name));
    expect(new Uint8Array(read('a/sea picture.png'))).toEqual(png(640, 480));
    expect(read('a/x.svg').toString()).toBe(svg(10, 10));
    for (const name of ['draft.png', 'later.png', 'a/unnamed.png', 'a/index.md']) {
      expect(() => read(name)).toThrow('ENOENT');
    }
  });

  it('are without those that were removed since the content was read', async () => {
    const driver = createMemoryDriver(FILES);
    const services = await createServices(driver, SCHEMA);
    await driver.remove('article/a/x.csv');
    expect((await fetchFrom(createHandler(services), '/content-files/article/a/x.csv')).status).toBe(404);
    const paths: string[] = [];
    for await (const { path } of publishedContentFiles(services)) paths.push(path);
    expect(paths).toContain('content-files/article/a/x.pdf');
    expect(paths).not.toContain('content-files/article/a/x.csv');
  });

  it('are rejected in /subrequests, which only carries text', async () => {
    const list = ['/content-files/article/a/sea picture.png', '/jsonapi/node/article/a'].map((uri, at) => ({
      requestId: `r${at}`,
      action: 'view',
      uri,
    }));
    const response = await get('/subrequests', {}, { method: 'POST', body: JSON.stringify(list) });
    expect(response.status).toBe(207);
    const answers = await response.json();
    expect(answers.r0.headers.status).toEqual([406]);
    expect(JSON.parse(answers.r0.body).details).toContain('is not JSON');
    expect(answers.r1.headers.status).toEqual([200]);
  });
});
