import { describe, expect, it } from 'vitest';
import { bundleContent, createBundledDriver } from '../../../integration/astro/bundled-content.ts';
import type { StorageDriver } from '../../../integration/core/storage/driver.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import { forgeDrivers, PROTOCOLS } from '../../support/forge-host.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'article/b.md': '---\ntitle: B\n---\nText with ümläuts\r\n',
  'article/a.md': '\ufeffwith a byte order mark',
  'article/deep/empty.md': '',
  'article/cover.png': new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe]),
};
const KEYS = ['article/a.md', 'article/b.md', 'article/cover.png', 'article/deep/empty.md'];

async function onDisk(): Promise<StorageDriver> {
  return createFsDriver(temporaryFolder(FILES));
}

async function fromSnapshot(): Promise<StorageDriver> {
  const snapshot = await bundleContent(createMemoryDriver(FILES));
  return createBundledDriver(JSON.parse(JSON.stringify(snapshot)));
}

const FORGES = PROTOCOLS.map((protocol) => [protocol, forgeDrivers(protocol, FILES)] as const);

describe.each([
  ['memory', async () => createMemoryDriver(FILES)],
  ['files', onDisk],
  ['snapshot', fromSnapshot],
  ...FORGES,
] as const)('every driver: %s', (_name, create) => {
  it('lists all files with their sizes in code-unit order', async () => {
    const { files, skipped } = await (await create()).list();
    expect(files.map((file) => file.key)).toEqual(KEYS);
    expect(files.map((file) => file.size)).toEqual([25, 38, 7, 0]);
    expect(files.every((file) => file.mtimeMs > 0)).toBe(true);
    expect(skipped).toEqual([]);
  });

  it('reads the exact bytes, and describes a file as in the list', async () => {
    const driver = await create();
    const { files } = await driver.list();
    for (const file of files) {
      const content = FILES[file.key] ?? '';
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
      expect([...((await driver.read(file.key)) ?? [])]).toEqual([...bytes]);
      expect(await driver.stat(file.key)).toEqual(file);
    }
  });

  it.each([
    ['article/none.md'],
    ['article'],
    ['article/a.md/x'],
    ['../article/a.md'],
    ['/etc/passwd'],
    ['article/\0'],
    [''],
    [`${'x'.repeat(5000)}.md`],
  ])('finds nothing at %j', async (key) => {
    const driver = await create();
    expect(await driver.stat(key)).toBeUndefined();
    expect(await driver.read(key)).toBeUndefined();
  });
});

describe('a memory driver', () => {
  it('reports every write and removal to watchers until they stop', async () => {
    const driver = createMemoryDriver({ 'article/a.md': 'one' });
    const bursts: (readonly string[])[] = [];
    const stop = await driver.watch?.((keys) => bursts.push(keys));
    await driver.write('article/./b.md', new Uint8Array());
    await driver.remove('article/a.md');
    await driver.remove('article/never-there.md');
    await stop?.();
    await driver.write('article/c.md', new Uint8Array());
    expect(bursts).toEqual([['article/b.md'], ['article/a.md']]);
  });

  it('rejects keys outside the content', async () => {
    await expect(createMemoryDriver().write('../x.md', new Uint8Array())).rejects.toThrow('content folder');
  });
});

describe('a snapshot', () => {
  it('stores text as text and other bytes as base64', async () => {
    const { files } = await bundleContent(createMemoryDriver(FILES));
    expect(files['article/b.md']?.text).toBe('---\ntitle: B\n---\nText with ümläuts\r\n');
    expect(files['article/cover.png']).toMatchObject({ base64: 'iVBORwD//g==' });
  });

  it('includes commit dates, rendered bodies and only the requested files', async () => {
    const history = { 'article/a.md': { created: 100, changed: 200 } };
    const snapshot = await bundleContent(createMemoryDriver(FILES, history), {
      html: { abc: '<p>Hello</p>' },
      include: (file) => file.key.endsWith('.md'),
    });
    expect(Object.keys(snapshot.files)).toEqual(KEYS.filter((key) => key.endsWith('.md')));
    expect(snapshot.html).toEqual({ abc: '<p>Hello</p>' });
    const dates = await createBundledDriver(snapshot).history?.();
    expect([...(dates ?? [])]).toEqual(Object.entries(history));
  });

  it('rejects invalid snapshots and skips keys that lead outside', async () => {
    expect(() => createBundledDriver({ version: 2, files: {}, html: {} })).toThrow();
    expect(() => createBundledDriver(null)).toThrow();
    const files = { '../x.md': { mtimeMs: 1, text: 'x' }, 'article/y.md': { mtimeMs: 1, text: 'y' } };
    const listing = await createBundledDriver({ version: 1, files, html: {} }).list();
    expect(listing.files.map((file) => file.key)).toEqual(['article/y.md']);
  });
});
