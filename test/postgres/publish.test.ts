import { describe, expect, it } from 'vitest';
import type { Entity } from '../../integration/content/model.ts';
import { createEntityStore } from '../../integration/engine/store/entity-store.ts';
import { openDatabase } from '../../integration/postgres/database.ts';
import { openPublisher } from '../../integration/postgres/open.ts';
import { nodeType, single } from '../oracle/schema.ts';
import { HAS_POSTGRES, usePostgres } from '../postgres.ts';
import { readStored } from './stored.ts';

describe.skipIf(!HAS_POSTGRES)('a server that writes', () => {
  const postgres = usePostgres();

  it('stores each change, and those of a time without a database afterwards', async () => {
    const { url } = postgres();
    const store = createEntityStore({ locale: 'en' });
    store.load(
      [nodeType('article', [single('title', 'string')])],
      [article('a', 'One'), article('b', 'Two')],
    );
    const messages: string[] = [];
    const log = { info: (text: string) => messages.push(text), error: (text: string) => messages.push(text) };
    const db = openDatabase({ url, schema: 'published' });
    const publisher = openPublisher({ url, schema: 'published', search: null, log, store });
    const titles = async () => (await readStored(db))['node--article']!.map(({ columns }) => columns.title);
    const change = (id: string, title: string) => {
      store.put(article(id, title));
      publisher.publish([{ type: 'node--article', id }]);
    };
    try {
      await publisher.published();
      expect(await titles()).toEqual(['One', 'Two']);
      change('b', 'Changed');
      await publisher.published();
      expect(await titles()).toEqual(['One', 'Changed']);
      await postgres().kill();
      change('a', 'While it was lost');
      await expect.poll(() => messages.length).toBe(1);
      await postgres().start();
      await publisher.published();
      expect(await titles()).toEqual(['While it was lost', 'Changed']);
      expect(messages).toEqual([
        expect.stringContaining('cannot be stored in the database'),
        'The database can be reached again. It has all changes.',
      ]);
    } finally {
      await publisher.close();
      await db.destroy();
    }
  });
});

function article(id: string, title: string): Entity {
  const values = { title };
  return {
    ...{ type: 'node--article', id, key: `article/${id}.md`, revision: '' },
    ...{ values, published: true, body: null },
  };
}
