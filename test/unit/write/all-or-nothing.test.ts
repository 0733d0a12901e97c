import { describe, expect, it } from 'vitest';
import type { WritableDriver } from '../../../integration/core/storage/driver.ts';
import { RevisionConflictError } from '../../../integration/core/storage/errors.ts';
import { defineSchema, image, reference } from '../../../integration/schema.ts';
import { ask } from '../../security/attacked-site.ts';
import { createHandler } from '../../support/handler.ts';
import { createMemoryDriver } from '../../support/memory-driver.ts';
import { png } from '../../support/pictures.ts';
import { createServices } from '../../support/services.ts';

const schema = defineSchema({
  article: { field_related: reference('article').nullish(), field_cover: image().nullish() },
});
const FILES = {
  'article/moon.md': '---\ntitle: Moon\n---\n',
  'article/tide.md': '---\ntitle: Tide\nfield_related: moon\n---\n',
  'article/wave.md': '---\ntitle: Wave\nfield_related: moon\n---\n',
};

/** A server over the files. `intercept` runs before each write and removal, `onWritten` after each change. */
async function serverOver(intercept: (key: string) => void, onWritten = (): undefined => undefined) {
  const driver = createMemoryDriver(FILES);
  const intercepted: WritableDriver = {
    ...driver,
    write: async (key, bytes, when) => {
      intercept(key);
      return driver.write(key, bytes, when);
    },
    remove: async (key, when) => {
      intercept(key);
      return driver.remove(key, when);
    },
    writeAll: async (changes) => {
      for (const { key } of changes) intercept(key);
      return driver.writeAll(changes);
    },
  };
  const options = { requireIfMatch: false, onDelete: 'set-null' } as const;
  const handle = createHandler(
    await createServices(intercepted, schema, { writable: { options, onWritten } }),
  );
  const texts = async () => {
    const keys = (await driver.list()).files.map(({ key }) => key);
    const read = async (key: string) => [key, new TextDecoder().decode(await driver.read(key))];
    return Object.fromEntries(await Promise.all(keys.map(read)));
  };
  return { handle, texts };
}

describe('a deletion that clears references', () => {
  it.each([
    ['a file that refers to the entity', 'article/wave.md'],
    ['the file of the entity', 'article/moon.md'],
  ])('changes nothing if an editor keeps saving %s', async (_, busy) => {
    const { handle, texts } = await serverOver((key) => {
      if (key === busy) throw new RevisionConflictError(key, null);
    });
    expect((await ask(handle, 'DELETE', '/jsonapi/node/article/moon')).status).toBe(409);
    expect(await texts()).toEqual(FILES);
    expect((await ask(handle, 'GET', '/jsonapi/node/article/moon')).status).toBe(200);
  });

  it('removes the entity and every reference to it', async () => {
    const { handle, texts } = await serverOver(() => undefined);
    expect((await ask(handle, 'DELETE', '/jsonapi/node/article/moon')).status).toBe(204);
    expect(await texts()).toMatchObject({ 'article/tide.md': '---\ntitle: Tide\n---\n' });
  });
});

describe('an upload that fails', () => {
  const upload = {
    body: png(2, 2),
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': 'file; filename="new.png"',
    },
  };
  const path = '/jsonapi/node/article/moon/field_cover';

  it('leaves no file if the entity was not written', async () => {
    const { handle, texts } = await serverOver((key) => {
      if (key === 'article/moon.md') throw new RevisionConflictError(key, null);
    });
    expect((await ask(handle, 'POST', path, upload)).status).toBe(409);
    expect(await texts()).toEqual(FILES);
  });

  it('leaves the file if the entity already names it', async () => {
    const { handle, texts } = await serverOver(
      () => undefined,
      () => {
        throw new Error('The disk failed.');
      },
    );
    await expect(ask(handle, 'POST', path, upload)).rejects.toThrow('500');
    const files = await texts();
    expect(files['article/moon.md']).toContain('new.png');
    expect(Object.keys(files)).toContain('article/new.png');
  });
});
