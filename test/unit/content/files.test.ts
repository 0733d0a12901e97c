import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createCollector } from '../../../integration/core/content/collect.ts';
import { file, image } from '../../../integration/core/content/schema/schema.ts';
import type { StorageDriver } from '../../../integration/core/storage/driver.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { createFileSource } from '../../../integration/core/storage/file-source.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { png, svg } from '../../support/pictures.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { printDiagnostics } from './collect.ts';

const COVER = png(640, 480);
const FILES = {
  'article/deep/cover.png': COVER,
  'article/deep/cöver 1#.png': COVER,
  'article/both.png': png(1, 2),
  'article/broken.png': 'not a picture',
  'article/paper.pdf': '%PDF-1.7',
  'article/_hidden/secret.png': COVER,
  'article/other.md': '---\ndraft: true\n---\nA secret.\n',
};
const PUBLIC = { 'images/tide.svg': svg(1200, 800), 'article/both.png': COVER, 'report.unknown': 'x' };

async function decode(written: string, field: z.ZodType = image(), base = '') {
  const driver = createMemoryDriver({ ...FILES, 'article/a.md': `---\nf: ${written}\n---\n` });
  return collectFrom(driver, field.optional(), base);
}

async function collectFrom(driver: StorageDriver, field: z.ZodType, base = '') {
  const collector = createCollector({
    driver,
    schema: { article: { f: field } },
    files: { public: createFileSource(createMemoryDriver(PUBLIC)) },
    options: { published: {}, danglingReferences: 'error', defaultLangcode: 'en', base },
  });
  const { entities } = await collector.load();
  const value = entities.find(({ id }) => id === 'a')?.values.f;
  const problems = printDiagnostics(collector.diagnostics().filter(({ severity }) => severity !== 'info'));
  return { value, problems, collector };
}

describe('the value of an image or a file', () => {
  it.each<[string, string, unknown]>([
    [
      'beside the file',
      './deep/cover.png',
      {
        uri: { value: 'content://article/deep/cover.png', url: '/content-files/article/deep/cover.png' },
        filename: 'cover.png',
        filemime: 'image/png',
        filesize: COVER.length,
        width: 640,
        height: 480,
        alt: null,
      },
    ],
    [
      'of public/, with words',
      '{ src: /images/tide.svg, alt: A tide }',
      {
        uri: { value: 'public://images/tide.svg', url: '/images/tide.svg' },
        filename: 'tide.svg',
        filemime: 'image/svg+xml',
        filesize: svg(1200, 800).length,
        width: 1200,
        height: 800,
        alt: 'A tide',
      },
    ],
    ['in public/ as a fallback', 'images/tide.svg', { uri: { value: 'public://images/tide.svg' } }],
    [
      'beside the file in preference to public/',
      'both.png',
      { uri: { value: 'content://article/both.png' } },
    ],
    [
      'in public/ with a leading slash',
      '/article/both.png',
      { uri: { value: 'public://article/both.png' }, width: 640 },
    ],
    [
      'with a name that needs encoding in a URL',
      'deep/cöver 1#.png',
      {
        uri: {
          value: 'content://article/deep/cöver 1#.png',
          url: '/content-files/article/deep/c%C3%B6ver%201%23.png',
        },
        filename: 'cöver 1#.png',
      },
    ],
    [
      'elsewhere',
      'https://example.com/img/x.jpg?size=2',
      {
        uri: { value: 'https://example.com/img/x.jpg?size=2', url: 'https://example.com/img/x.jpg?size=2' },
        filename: 'x.jpg',
        filemime: 'image/jpeg',
        filesize: null,
        width: null,
        height: null,
        alt: null,
      },
    ],
  ])('%s', async (_name, written, expected) => {
    const { value, problems } = await decode(
      JSON.stringify(written).startsWith('"{') ? written : `"${written}"`,
    );
    expect(problems).toEqual([]);
    expect(value).toMatchObject(expected as object);
  });

  it.each([
    ['paper.pdf', { filemime: 'application/pdf', filesize: 8, width: null, height: null }],
    ['/report.unknown', { filemime: 'application/octet-stream', filesize: 1, width: null }],
    ['deep/cover.png', { filemime: 'image/png', width: 640 }],
  ])('file() accepts %s', async (written, expected) => {
    const { value, problems } = await decode(written, file());
    expect(problems).toEqual([]);
    expect(value).toMatchObject(expected);
  });

  it('has URLs with the site’s base', async () => {
    expect((await decode('deep/cover.png', image(), '/shop')).value).toMatchObject({
      uri: { url: '/shop/content-files/article/deep/cover.png' },
    });
    expect((await decode('/images/tide.svg', image(), '/shop')).value).toMatchObject({
      uri: { url: '/shop/images/tide.svg' },
    });
  });

  it('is decoded in lists and objects', async () => {
    const field = z.object({ shots: z.array(image()) });
    const { value, problems } = await decode('{ shots: [deep/cover.png, both.png] }', field);
    expect(problems).toEqual([]);
    expect(value).toMatchObject({ shots: [{ width: 640 }, { width: 1 }] });
  });
});

describe('files that cannot be used', () => {
  it.each<[string, string, z.ZodType, string]>([
    [
      'is missing, with a similar name',
      'deep/cover.pgn',
      image(),
      'article/a.md:2:4 There is no file `deep/cover.pgn`. (Did you mean `./deep/cover.png`?)',
    ],
    [
      'is missing in public/',
      '/images/tides.svg',
      image(),
      'article/a.md:2:4 There is no file `/images/tides.svg`. (Did you mean `/images/tide.svg`?)',
    ],
    [
      'is missing, without a similar name',
      'zzzzzzzzzzzzzzzz',
      file(),
      'There is no file `zzzzzzzzzzzzzzzz`. (Paths are relative',
    ],
    ['leads out', '../../x.png', image(), '`../../x.png` is outside the content folder.'],
    ['is outside public/', '/../x.png', image(), '`/../x.png` is outside the content folder.'],
    ['has a backslash', '..\\x.png', image(), 'is outside the content folder.'],
    ['belongs to a draft', './other.md', file(), 'is not served'],
    ['is the schema', '../schema.ts', file(), 'is not served'],
    ['is in a hidden folder', '_hidden/secret.png', image(), 'is not served'],
  ])('%s', async (_name, written, field, message) => {
    const { value, problems } = await decode(`'${written}'`, field);
    expect(value).toBeNull();
    expect(problems.join()).toContain(message);
  });

  it.each([
    ['broken.png', 'warning: `broken.png` cannot be measured', { width: null, filesize: 13 }],
    ['paper.pdf', 'warning: `paper.pdf` does not have the name of an image.', { width: null, filesize: 8 }],
  ])('a file that is not an image is a warning: %s', async (written, message, expected) => {
    const { value, problems } = await decode(written);
    expect(problems.join()).toContain(message);
    expect(value).toMatchObject(expected);
  });

  it('does not follow a link out of the content folder', async () => {
    const root = temporaryFolder();
    mkdirSync(path.join(root, 'content/article'), { recursive: true });
    writeFileSync(path.join(root, 'outside.png'), COVER);
    symlinkSync(path.join(root, 'outside.png'), path.join(root, 'content/article/x.png'));
    writeFileSync(path.join(root, 'content/article/a.md'), '---\nf: x.png\n---\n');
    const driver = createFsDriver(path.join(root, 'content'));
    const { value, problems } = await collectFrom(driver, image());
    expect(value).toBeNull();
    expect(problems.join()).toContain('There is no file `x.png`.');
    expect(await createFileSource(driver).facts('article/x.png')).toBeUndefined();
  });
});

describe('the size of an image', () => {
  /** A JPEG whose dimensions follow after `padding` bytes of comments. */
  function jpeg(width: number, height: number, padding: number, orientation?: number): Uint8Array {
    const parts: number[] = [0xff, 0xd8];
    if (orientation !== undefined) {
      const entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0];
      const tiff = [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, ...entry, 0, 0, 0, 0];
      parts.push(0xff, 0xe1, 0, tiff.length + 8, 0x45, 0x78, 0x69, 0x66, 0, 0, ...tiff);
    }
    for (let left = padding; left > 0; left -= 60_000) {
      parts.push(0xff, 0xfe, 60_002 >> 8, 60_002 & 255, ...new Array(60_000).fill(32));
    }
    const frame = [8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0];
    parts.push(0xff, 0xc0, 0, frame.length + 2, ...frame, 0xff, 0xd9);
    return Uint8Array.from([...parts, ...new Array(100).fill(0)]);
  }

  it.each([
    ['at its start', jpeg(300, 200, 0, 1), { width: 300, height: 200 }],
    ['after the first chunk', jpeg(301, 201, 200_000), { width: 301, height: 201 }],
    ['rotated by EXIF', jpeg(300, 200, 0, 6), { width: 200, height: 300 }],
    ['missing', new Uint8Array(100_000), { width: null, height: null }],
  ])('is read %s', async (_name, bytes, expected) => {
    const root = temporaryFolder();
    writeFileSync(path.join(root, 'x.jpg'), bytes);
    expect(await createFileSource(createFsDriver(root)).facts('x.jpg')).toMatchObject(expected);
  });

  it('needs only the start of a large file', async () => {
    const root = temporaryFolder();
    writeFileSync(path.join(root, 'x.png'), Buffer.concat([png(30, 20), Buffer.alloc(1_000_000)]));
    const driver = createFsDriver(root);
    const read = vi.spyOn(driver, 'read');
    expect(await createFileSource(driver).facts('x.png')).toMatchObject({ width: 30, size: 1_000_033 });
    expect(read).not.toHaveBeenCalled();
  });
});

describe('changes of files', () => {
  it('reads an image once, and again when it changes; entities follow it', async () => {
    const driver = createMemoryDriver({
      'article/a.md': '---\nf: a.png\n---\n',
      'article/b.md': '---\nf: a.png\n---\n',
      'article/c.md': 'No image.\n',
      'article/a.png': png(1, 1),
    });
    const read = vi.spyOn(driver, 'read');
    const readOf = () => read.mock.calls.filter(([key]) => key === 'article/a.png').length;
    const { value, collector } = await collectFrom(driver, image().optional());
    expect(value).toMatchObject({ width: 1 });
    expect(readOf()).toBe(1);

    await driver.write('article/c.md', new TextEncoder().encode('---\nf: a.png\n---\n'));
    expect((await collector.apply(['article/c.md'])).put).toMatchObject([
      { id: 'c', values: { f: { width: 1 } } },
    ]);
    expect(readOf()).toBe(1);

    await driver.write('article/a.png', png(2, 3));
    const changed = await collector.apply(['article/a.png']);
    expect(changed.put.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
    expect(changed.put[0]?.values.f).toMatchObject({ width: 2, height: 3 });
    expect(readOf()).toBe(2);

    await driver.remove('article/a.png');
    const gone = await collector.apply(['article/a.png']);
    expect(gone.put.map(({ values }) => values.f)).toEqual([null, null, null]);
    expect(collector.diagnostics().filter(({ code }) => code === 'file/missing')).toHaveLength(3);

    await driver.write('article/a.png', png(4, 4));
    expect((await collector.apply(['article/a.png'])).put).toHaveLength(3);
    expect(collector.diagnostics().filter(({ code }) => code === 'file/missing')).toEqual([]);
  });

  it('follows files of public/', async () => {
    const driver = createMemoryDriver({ 'article/a.md': '---\nf: /x.png\n---\n' });
    const folder = createMemoryDriver();
    const collector = createCollector({
      driver,
      schema: { article: { f: image() } },
      files: { public: createFileSource(folder) },
      options: { published: {}, danglingReferences: 'error', defaultLangcode: 'en' },
    });
    await collector.load();
    await folder.write('x.png', png(7, 7));
    expect(await collector.apply([], ['x.png'])).toMatchObject({ put: [{ values: { f: { width: 7 } } }] });
  });

  it('are ignored if no field names the file', async () => {
    const driver = createMemoryDriver({ ...FILES, 'article/a.md': '---\nf: ~\n---\n' });
    const [read, stat] = [vi.spyOn(driver, 'read'), vi.spyOn(driver, 'stat')];
    await collectFrom(driver, image().optional());
    expect(read.mock.calls.map(([key]) => key).sort()).toEqual(['article/a.md', 'article/other.md']);
    expect(stat).not.toHaveBeenCalled();
  });
});
