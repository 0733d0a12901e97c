import { readdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundleContent, createBundledDriver } from '../../../integration/astro/bundled-content.ts';
import { file } from '../../../integration/core/content/schema/schema.ts';
import type { HandlerContext } from '../../../integration/core/server/handler.ts';
import type { StorageDriver } from '../../../integration/core/storage/driver.ts';
import { createFsDriver } from '../../../integration/core/storage/drivers/fs.ts';
import {
  createCarriedFileSource,
  type FileSource,
  WHOLE_FILE_BYTES,
} from '../../../integration/core/storage/file-source.ts';
import { digestBytes } from '../../../integration/core/util/revision.ts';
import { eventually } from '../../support/eventually.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { fetchFrom } from '../../support/request.ts';
import { createServices } from '../../support/services.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const KEY = 'article/film.zip';
const ADDRESS = `/content-files/${KEY}`;
const SCHEMA = { article: { field_film: file() } };
const MARKDOWN = '---\nfield_film: film.zip\n---\n';
const FILM = film(1);
const CONTENT = { 'article/a.md': MARKDOWN, [KEY]: FILM };

function film(seed: number, length = 600_003): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + seed + (at >> 9)) & 0xff);
}

let folder: string;
let log: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  folder = temporaryFolder(CONTENT);
});
afterEach(() => void vi.restoreAllMocks());

/** Files in a folder and the number of chunks read from them. */
function counted() {
  const driver = createFsDriver(folder);
  const count = { parts: 0 };
  const counting: StorageDriver = {
    ...driver,
    async *readParts(...wanted) {
      for await (const part of driver.readParts!(...wanted)) {
        count.parts += 1;
        yield part;
      }
    },
  };
  return { driver: counting, count };
}

async function site(driver: StorageDriver, files?: FileSource) {
  const handle = createHandler(await createServices(driver, SCHEMA, files && { files }));
  return async (init: RequestInit = {}, context: HandlerContext = {}, address = ADDRESS) => {
    return fetchFrom(handle, address, { ...init, ...context });
  };
}

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
/** The file descriptors of this process in the folder. */
const openFiles = () =>
  readdirSync('/proc/self/fd').filter((each) => {
    try {
      return readlinkSync(`/proc/self/fd/${each}`).startsWith(folder);
    } catch {
      return false;
    }
  });

describe('a large file', () => {
  it.each([
    ['a folder', () => site(createFsDriver(folder))],
    ['memory', () => site(createMemoryDriver(CONTENT))],
    ['a snapshot', async () => site(createBundledDriver(await bundleContent(createMemoryDriver(CONTENT))))],
    [
      'a build',
      () =>
        site(
          createMemoryDriver(CONTENT),
          createCarriedFileSource({
            facts: { [KEY]: { size: FILM.length, width: null, height: null } },
            bytes: { [KEY]: async () => ({ default: Buffer.from(FILM).toString('base64') }) },
          }),
        ),
    ],
  ])('of %s has its bytes, its length and their digest as ETag', async (_, open) => {
    const get = await open();
    const response = await get();
    expect(response.headers.get('content-length')).toBe(String(FILM.length));
    const etag = `"${digestBytes(FILM)}"`;
    expect(response.headers.get('etag')).toBe(etag);
    expect(Buffer.compare(await bytesOf(response), FILM)).toBe(0);
    const head = await get({ method: 'HEAD' });
    expect([...head.headers]).toEqual([...response.headers]);
    const unchanged = await get({ headers: { 'if-none-match': etag } });
    expect([head.status, unchanged.status, await head.text()]).toEqual([200, 304, '']);
    for (const [start, end] of [
      [0, 1],
      [65_000, 70_000],
      [65_532, 131_064],
      [200_001, FILM.length],
    ] as const) {
      const part = await get({ headers: { range: `bytes=${start}-${end - 1}` } });
      expect([part.status, part.headers.get('content-length')]).toEqual([206, String(end - start)]);
      expect(Buffer.compare(await bytesOf(part), FILM.subarray(start, end))).toBe(0);
    }
  });

  it('is hashed once; later responses without a body read nothing', async () => {
    const { driver, count } = counted();
    const get = await site(driver);
    const heads = await Promise.all(Array.from({ length: 5 }, () => get({ method: 'HEAD' })));
    expect(count.parts).toBe(Math.ceil(FILM.length / 65_532));
    const [etag = ''] = heads.map(({ headers }) => headers.get('etag'));
    count.parts = 0;
    await get({ method: 'HEAD' });
    expect((await get({ headers: { 'if-none-match': etag ?? '' } })).status).toBe(304);
    expect(count.parts).toBe(0);
    writeFileSync(path.join(folder, KEY), film(2));
    expect((await get({ method: 'HEAD' })).headers.get('etag')).toBe(`"${digestBytes(film(2))}"`);
  });

  it('is read only within the requested range', async () => {
    const { driver, count } = counted();
    const get = await site(driver);
    await get({ method: 'HEAD' });
    count.parts = 0;
    await bytesOf(await get({ headers: { range: 'bytes=400000-400010' } }));
    expect(count.parts).toBe(1);
  });

  it('is larger than WHOLE_FILE_BYTES', async () => {
    const { driver, count } = counted();
    const get = await site(driver);
    for (const [length, parts] of [
      [WHOLE_FILE_BYTES, 0],
      [WHOLE_FILE_BYTES + 1, 2 * 5],
    ] as const) {
      writeFileSync(path.join(folder, KEY), film(3, length));
      expect(Buffer.compare(await bytesOf(await get()), film(3, length))).toBe(0);
      expect(count.parts).toBe(parts);
    }
  });

  it('is read only as fast as each of 300 clients receives it', async () => {
    const { driver, count } = counted();
    const get = await site(driver);
    await get({ method: 'HEAD' });
    count.parts = 0;
    const connection = { drained: () => new Promise<void>(() => undefined), destroy: () => undefined };
    const stuck = await Promise.all(Array.from({ length: 150 }, () => get({}, { connection })));
    const readers = stuck.map(({ body }) => body!.getReader());
    for (const reader of readers) void reader.read().catch(() => undefined);
    const unread = await Promise.all(Array.from({ length: 150 }, () => get()));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(count.parts).toBe(0);
    await Promise.all([
      ...readers.map((reader) => reader.cancel()),
      ...unread.map(({ body }) => body?.cancel()),
    ]);
    expect(Buffer.compare(await bytesOf(await get()), FILM)).toBe(0);
  });

  it.skipIf(process.platform !== 'linux')('is closed at its end and when the client leaves', async () => {
    const get = await site(createFsDriver(folder));
    const reader = (await get()).body!.getReader();
    await reader.read();
    expect(openFiles()).toHaveLength(1);
    await reader.cancel();
    await eventually(() => expect(openFiles().length).toBe(0));
    await bytesOf(await get());
    expect(openFiles()).toEqual([]);
  });

  it.each([
    ['replaced', () => renameSync(written(`${KEY}~`, film(2)), path.join(folder, KEY))],
    ['removed', () => rmSync(path.join(folder, KEY))],
  ])('that is %s during a download arrives in its old version', async (_, change) => {
    const get = await site(createFsDriver(folder));
    const reader = (await get()).body!.getReader();
    const parts = [(await reader.read()).value!];
    change();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
    }
    expect(Buffer.compare(Buffer.concat(parts), FILM)).toBe(0);
  });

  it.each([
    ['overwritten', () => written(KEY, film(2))],
    ['shortened', () => written(KEY, film(1, 300_000))],
  ])('that is %s in place during a download stays incomplete', async (_, change) => {
    const get = await site(createFsDriver(folder));
    const destroy = vi.fn();
    const response = await get({}, { connection: { drained: () => undefined, destroy } });
    const reader = response.body!.getReader();
    await reader.read();
    change();
    await expect(reader.read()).rejects.toThrow('film.zip changed while it was read');
    expect(destroy).toHaveBeenCalledOnce();
    expect(log).toHaveBeenCalledOnce();
  });

  it('that is replaced before its first byte is never sent with the old ETag', async () => {
    const get = await site(createFsDriver(folder));
    const response = await get();
    renameSync(written(`${KEY}~`, film(2)), path.join(folder, KEY));
    await expect(response.arrayBuffer()).rejects.toThrow('changed');
    expect(Buffer.compare(await bytesOf(await get()), film(2))).toBe(0);
  });

  it('is a 406 in /subrequests, and is not read', async () => {
    const { driver, count } = counted();
    const get = await site(driver);
    await get({ method: 'HEAD' });
    count.parts = 0;
    const list = [{ requestId: 'film', action: 'view', uri: ADDRESS }];
    const response = await get({ method: 'POST', body: JSON.stringify(list) }, {}, '/subrequests');
    expect((await response.json()).film.headers.status).toEqual([406]);
    expect(count.parts).toBe(0);
  });
});

function written(key: string, bytes: Uint8Array): string {
  const file = path.join(folder, key);
  writeFileSync(file, bytes);
  return file;
}
