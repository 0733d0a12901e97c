import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Entity } from '../../integration/core/content/model.ts';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import { type Database, openDatabase, rowsOf } from '../../integration/features/postgres/database.ts';
import { createLayout } from '../../integration/features/postgres/layout.ts';
import { readMeta } from '../../integration/features/postgres/meta.ts';
import { openPublisher } from '../../integration/features/postgres/open.ts';
import { FILES_TABLE } from '../../integration/features/postgres/rows.ts';
import { runs } from '../oracle/runs.ts';
import { nodeType, single } from '../oracle/schema.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
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
    const publisher = openPublisher({ url, maxAge: 2000, schema: 'published', search: null, log, store });
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

  it('stores a change of the last entity if another one is deleted meanwhile', async () => {
    const { url } = postgres();
    const { store, publisher, db, close } = await openSite(url, 'deleted', ['a', 'b', 'c']);
    const other = openDatabase({ url, schema: 'deleted' });
    try {
      await publisher.published();
      // Stops the transaction between its comparison and its inserts.
      await other.transaction().execute(async (lock) => {
        await rowsOf(lock, sql`lock table ${sql.table(FILES_TABLE)} in access exclusive mode`);
        store.put(article('c', 'Changed'));
        publisher.publish([{ type: ARTICLE, id: 'c' }]);
        const waiting = sql`select from pg_locks where not granted and relation = ${FILES_TABLE}::regclass`;
        await expect.poll(() => rowsOf(lock, waiting)).toHaveLength(1);
        store.remove(ARTICLE, 'a');
        publisher.publish([{ type: ARTICLE, id: 'a' }]);
      });
      await publisher.published();
      expect(await titlesOf(db)).toEqual(['b', 'Changed']);
    } finally {
      await other.destroy();
      await close();
    }
  });

  it('stores all changes of requests that overlap', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const change = fc.record({
      id: fc.constantFrom(...ids),
      title: fc.option(fc.constantFrom('One', 'Two', 'Three')),
      delay: fc.nat(8),
    });
    let schemas = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(change, change), { minLength: 5, maxLength: 20 }),
        async (rounds) => {
          const { store, publisher, db, messages, close } = await openSite(
            postgres().url,
            `overlap${++schemas}`,
            ids,
          );
          const apply = async ({ id, title, delay }: (typeof rounds)[number][number]) => {
            await new Promise((resolve) => setTimeout(resolve, delay));
            if (title === null) store.remove(ARTICLE, id);
            else store.put(article(id, title));
            publisher.publish([{ type: ARTICLE, id }]);
          };
          try {
            await publisher.published();
            for (const pair of rounds) await Promise.all(pair.map(apply));
            await publisher.published();
            expect(await titlesOf(db)).toEqual(store.entities(ARTICLE).map(({ values }) => values.title));
            expect(messages).toEqual([]);
          } finally {
            await close();
          }
        },
      ),
      runs(5),
    );
  });

  it('adds rows that are missing for another reason after the next change', async () => {
    const { store, publisher, db, close } = await openSite(postgres().url, 'missing', ['a', 'b', 'c']);
    try {
      await publisher.published();
      const layout = createLayout(store.types.get(ARTICLE)!, (await readMeta(db)).types[0]!.suffix);
      await rowsOf(db, sql`delete from ${sql.table(layout.table)} where id = 'b'`);
      store.put(article('c', 'Changed'));
      publisher.publish([{ type: ARTICLE, id: 'c' }]);
      await publisher.published();
      expect(await titlesOf(db)).toEqual(['a', 'b', 'Changed']);
    } finally {
      await close();
    }
  });
});

const ARTICLE = 'node--article';

/** A server that writes, with articles that have their ids as titles. */
async function openSite(url: string, schema: string, ids: readonly string[]) {
  const store = createEntityStore({ locale: 'en' });
  store.load(
    [nodeType('article', [single('title', 'string')])],
    ids.map((id) => article(id, id)),
  );
  const messages: string[] = [];
  const log = { info: (text: string) => messages.push(text), error: (text: string) => messages.push(text) };
  const db = openDatabase({ url, schema });
  const publisher = openPublisher({ url, maxAge: 2000, schema, search: null, log, store });
  const close = async () => {
    await publisher.close();
    await db.destroy();
  };
  return { store, publisher, db, messages, close };
}

async function titlesOf(db: Database): Promise<readonly unknown[]> {
  return (await readStored(db))[ARTICLE]!.map(({ columns }) => columns.title);
}

function article(id: string, title: string): Entity {
  const values = { title };
  return {
    ...{ type: 'node--article', id, key: `article/${id}.md`, revision: '' },
    ...{ values, published: true, body: null },
  };
}
