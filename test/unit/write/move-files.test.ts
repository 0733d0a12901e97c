import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../integration/core/access/actor.ts';
import { fileId } from '../../../integration/core/content/file-id.ts';
import { commitMessage } from '../../../integration/core/write/describe-commits.ts';
import { defineSchema, file, image, z } from '../../../integration/schema.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { png } from '../../support/pictures.ts';
import { fetchFrom } from '../../support/request.ts';
import { adminApp, createServices } from '../../support/services.ts';

const SCHEMA = defineSchema({
  article: {
    field_cover: image().nullish(),
    field_gallery: z.array(image()).default([]),
    field_paper: file().nullish(),
  },
  page: { cover: z.string().nullish() },
});
const EDITOR: Actor = { name: 'ada', roles: ['editor'] };
const AUTHOR: Actor = { name: 'bob', roles: [] };

async function open(files: Readonly<Record<string, string | Uint8Array>>) {
  const driver = createMemoryDriver(files);
  const written: unknown[] = [];
  const messages: string[] = [];
  const services = await createServices(driver, SCHEMA, {
    settings: { admin: true },
    writable: {
      options: { requireIfMatch: false, onDelete: 'restrict' },
      onWritten: (changes, keys, { actor }) => {
        written.push([...keys].sort());
        messages.push(commitMessage({}, changes, actor));
        return undefined;
      },
    },
  });
  const handle = createHandler(services, { adminApp });
  return {
    driver,
    written,
    messages,
    services,
    async move(from: string, to: string, { actor = EDITOR, type = 'file--file', headers = {} } = {}) {
      const response = await fetchFrom(handle, `/jsonapi/_files/content/${from}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/vnd.api+json', ...headers },
        actor,
        body: JSON.stringify({
          data: { type, id: `content://${from}`, attributes: { uri: { value: `content://${to}` } } },
        }),
      });
      const text = await response.text();
      return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) };
    },
    async get(path: string) {
      const response = await fetchFrom(handle, path, { actor: EDITOR });
      return { status: response.status, ...JSON.parse(await response.text()) };
    },
    read: async (key: string) => new TextDecoder().decode(await driver.read(key)),
  };
}

const FILES = {
  'article/moon.md':
    '---\ntitle: Moon # by heart\nfield_cover: { src: moon.png, alt: The moon }\nfield_gallery: [./moon.png, sea.png]\n---\n\n![Moon](moon.png) and ![Sea](sea.png)\n',
  'article/moon.png': png(30, 20),
  'article/sea.png': png(40, 20),
  'article/2024/deep.md': '---\ntitle: Deep\nfield_paper: ../tides.pdf\n---\n![](../moon.png)\n',
  'article/tides.pdf': '%PDF-1.4',
  'page/about.md': '---\ntitle: About\n---\nSee [tides](../article/tides.pdf).\n',
  'page/data.json': '{ "title": "Data", "cover": "../article/moon.png" }\n',
};

describe('a moved file', () => {
  it('keeps the videos and posters of texts', async () => {
    const body = (name: string) =>
      `Text.\n\n<video src="./${name}" poster="./still.png" controls></video>\n\nThe name film.mp4.\n`;
    const { move, read, get } = await open({
      'article/a.md': body('film.mp4'),
      'article/film.mp4': 'film',
      'article/still.png': png(4, 3),
    });
    const { data } = await get('/jsonapi/_files/content/article/film.mp4');
    expect(data.relationships.usedBy.meta.count).toBe(1);
    expect((await move('article/film.mp4', 'article/films/tide.mp4')).status).toBe(204);
    expect(await read('article/a.md')).toBe(body('films/tide.mp4'));
  });

  it('is a 410 at its former id if anonymous visitors could see it, until it moves back', async () => {
    const { move, services } = await open({
      'article/moon.md': '---\ntitle: Moon\nfield_cover: ./moon.png\n---\n',
      'article/moon.png': png(4, 3),
      'article/secret.md': '---\ntitle: Secret\nstatus: false\nfield_cover: ./secret.png\n---\n',
      'article/secret.png': png(4, 3),
    });
    const handle = createHandler(services);
    const resource = (key: string) => fetchFrom(handle, `/jsonapi/file/file/${fileId(`content://${key}`)}`);
    const statusOf = async (key: string) => (await resource(key)).status;
    expect(await statusOf('article/moon.png')).toBe(200);
    for (const name of ['moon', 'secret']) {
      expect((await move(`article/${name}.png`, `article/sky/${name}.png`)).status).toBe(204);
    }
    expect(await statusOf('article/moon.png')).toBe(410);
    const { errors } = JSON.parse(await (await resource('article/moon.png')).text());
    expect(errors[0].detail).toBe(`'${fileId('content://article/moon.png')}' was moved.`);
    expect(await statusOf('article/sky/moon.png')).toBe(200);
    expect(await statusOf('article/secret.png')).toBe(404);
    expect((await move('article/sky/moon.png', 'article/moon.png')).status).toBe(204);
    expect(await statusOf('article/moon.png')).toBe(200);
    expect(await statusOf('article/sky/moon.png')).toBe(410);
  });

  it('keeps all references, and changes nothing else', async () => {
    const { move, read, driver, written, get } = await open(FILES);
    expect((await move('article/moon.png', 'article/sky/full-moon.png')).status).toBe(204);
    const { data } = await get('/jsonapi/_files/content/article/sky/full-moon.png');
    expect(data.relationships.usedBy.meta.count).toBe(2);
    expect(await read('article/moon.md')).toBe(
      FILES['article/moon.md'].replaceAll('moon.png', 'sky/full-moon.png'),
    );
    expect(await read('article/2024/deep.md')).toContain('![](../sky/full-moon.png)');
    expect(await read('page/data.json')).toContain('"../article/sky/full-moon.png"');
    expect(await read('page/about.md')).toBe(FILES['page/about.md']);
    expect(await driver.read('article/moon.png')).toBeUndefined();
    expect(await driver.read('article/sky/full-moon.png')).toEqual(png(30, 20));
    // One change, so one commit.
    expect(written).toHaveLength(1);
    const { data: moon } = await get('/jsonapi/node/article/moon');
    expect(moon.id).toBe('moon');
  });

  it('is named by the message of the commit, as a file or as a folder', async () => {
    const { move, messages } = await open({ ...FILES, 'article/moon.png.crop.json': '{ "rotation": 90 }' });
    await move('article/sea.png', 'page/sky/sea.png');
    await move('page/sky', 'page/sea', { type: 'file--folder' });
    await move('article', 'page/moon', { type: 'file--folder' });
    expect(messages).toEqual([
      'Move file "page/sky/sea.png"',
      'Move file "page/sea/sea.png"',
      'Move folder "page/moon"',
    ]);
  });

  it('takes its crop with it', async () => {
    const crop = '{ "rotation": 90 }\n';
    const { move, read, driver, written } = await open({ ...FILES, 'article/moon.png.crop.json': crop });
    expect((await move('article/moon.png', 'article/sky/full-moon.png')).status).toBe(204);
    expect(await read('article/sky/full-moon.png.crop.json')).toBe(crop);
    expect(await driver.read('article/moon.png.crop.json')).toBeUndefined();
    expect(written).toEqual([
      expect.arrayContaining(['article/moon.png.crop.json', 'article/sky/full-moon.png.crop.json']),
    ]);
  });

  it('takes the crops of a folder with it', async () => {
    const { move, read } = await open({ ...FILES, 'article/moon.png.crop.json': '{ "rotation": 90 }' });
    expect((await move('article', 'page/sky', { type: 'file--folder' })).status).toBe(204);
    expect(await read('page/sky/moon.png.crop.json')).toBe('{ "rotation": 90 }');
  });

  it('can be a document that only texts name', async () => {
    const { move, read } = await open(FILES);
    expect((await move('article/tides.pdf', 'page/tables.pdf')).status).toBe(204);
    expect(await read('page/about.md')).toContain('[tides](./tables.pdf)');
    expect(await read('article/2024/deep.md')).toContain('field_paper: ../../page/tables.pdf');
  });

  it.each([
    ['article/moon.png', 'article/sea.png', 409],
    ['article/moon.png', 'article/moon.png', 422],
    ['article/moon.png', 'article/moon.jpg', 422],
    ['article/moon.png', 'article/_hidden/moon.png', 422],
    ['article/moon.png', 'article/../../moon.png', 422],
    ['article/moon.png', 'article/a(b).png', 422],
    ['article/moon.png', 'moon.png', 422],
    ['article/moon.png', 'other/moon.png', 422],
    ['article/moon.png', 'articles/moon.png', 422],
    ['article/nothing.png', 'article/x.png', 404],
  ])('is refused from %s to %s', async (from, to, status) => {
    const { move, driver } = await open(FILES);
    expect((await move(from, to)).status).toBe(status);
    expect(await driver.read('article/moon.png')).toEqual(png(30, 20));
  });

  it('needs an account that may change all content, and the bytes that it has read', async () => {
    const { move } = await open(FILES);
    expect((await move('article/moon.png', 'article/x.png', { actor: AUTHOR })).status).toBe(403);
    const headers = { 'if-match': '"other"' };
    expect((await move('article/moon.png', 'article/x.png', { headers })).status).toBe(412);
  });
});

describe('a moved folder', () => {
  it('is not the whole content', async () => {
    const { move, written } = await open({
      'article/a.md': '---\ntitle: A\n---\n',
      'article/moon.png': png(3, 2),
    });
    const { status, errors } = await move('', 'article/all', { type: 'file--folder' });
    expect([status, errors[0].source]).toEqual([400, { pointer: '/data/id' }]);
    expect(written).toEqual([]);
  });

  it('takes 1,000 used pictures with it, and leaves its entries', async () => {
    const files: Record<string, string | Uint8Array> = {};
    for (let at = 0; at < 1000; at += 1) {
      files[`article/photos/p${at}.png`] = png(at + 1, 1);
      files[`article/a${at}.md`] =
        `---\ntitle: A${at}\nfield_cover: photos/p${at}.png\n---\n![x](photos/p${(at + 1) % 1000}.png)\n`;
    }
    files['article/photos/entry.md'] = '---\ntitle: Entry\nfield_cover: ./p0.png\n---\n';
    const { move, read, written, get, driver } = await open(files);
    const type = 'file--folder';
    expect((await move('article/photos', 'article/archive/photos-2024', { type })).status).toBe(204);
    expect(written).toHaveLength(1);
    for (const at of [0, 1, 500, 999]) {
      expect(await read(`article/a${at}.md`)).toBe(
        String(files[`article/a${at}.md`]).replaceAll('photos/', 'archive/photos-2024/'),
      );
      expect(await driver.read(`article/archive/photos-2024/p${at}.png`)).toEqual(png(at + 1, 1));
    }
    expect(await read('article/photos/entry.md')).toContain('../archive/photos-2024/p0.png');
    const { meta } = await get('/jsonapi/_files?filter[folder]=content://article/archive&filter[used]=true');
    expect(meta).toEqual({
      count: 1000,
      folders: [{ id: 'content://article/archive/photos-2024', name: 'photos-2024', count: 1000 }],
    });
    expect((await move('article/photos', 'article/x', { type })).status).toBe(404);
  });
});
