import { sql } from 'kysely';
import { Client } from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import { type Database, openDatabase } from '../../integration/features/postgres/database.ts';
import { openPublisher } from '../../integration/features/postgres/open.ts';
import { eventually } from '../support/eventually.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { fetchFrom } from '../support/request.ts';
import { ARTICLE, article, openSite, type PostgresSite, servicesOf, store } from './services.ts';
import { readStored } from './stored.ts';

describe.skipIf(!HAS_POSTGRES)('tables whose versions repeat', () => {
  const postgres = usePostgres();
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  function connect(schema: string): Database {
    const db = openDatabase({ url: postgres().url, schema });
    closing.push(() => db.destroy());
    return db;
  }

  async function openReader(schema: string): Promise<PostgresSite> {
    const site = await openSite(postgres().url, schema, servicesOf(''), null, { maxAge: 2000 });
    closing.push(() => site.close());
    return site;
  }

  /** Replaces tables by those of a backup. */
  async function restore(schema: string, backup: string): Promise<void> {
    const client = new Client({ connectionString: postgres().url });
    await client.connect();
    await client.query(`drop schema if exists ${schema} cascade; ${backup}`);
    await client.end();
  }

  /** The title in a list, in an entity, and the revision of the content: all of one state. */
  const look = ({ content, handle }: PostgresSite) =>
    content.consistent(async () => {
      const list = await (await fetchFrom(handle, '/jsonapi/node/article?sort=title')).json();
      const { data } = await (await fetchFrom(handle, '/jsonapi/node/article/a')).json();
      return [list.data[0].attributes.title, data.attributes.title, content.revision()];
    });

  async function warm(site: PostgresSite, title: string): Promise<void> {
    for (let i = 0; i < 3; i++) expect(await look(site)).toEqual([title, title, title]);
  }

  async function showsOnlyWhole(site: PostgresSite, old: string, next: string): Promise<void> {
    await eventually(async () => {
      const seen = await look(site);
      if (seen[0] !== next) expect(seen).toEqual([old, old, old]);
      else expect(seen).toEqual([next, next, next]);
      expect(seen[0]).toBe(next);
    });
  }

  test('are read again by warm readers after they were dropped and created again', async () => {
    const schema = 'again';
    const db = connect(schema);
    await store(db, schema, servicesOf('One'), null, 'One');
    const site = await openReader(schema);
    await warm(site, 'One');
    await sql.raw(`drop schema ${schema} cascade`).execute(db);
    await store(db, schema, servicesOf('Two'), null, 'Two');
    await showsOnlyWhole(site, 'One', 'Two');
  });

  test('are read again after a restore and as many changes as before', async () => {
    const schema = 'restored';
    const db = connect(schema);
    await store(db, schema, servicesOf('One'), null, 'One');
    const backup = postgres().dump(schema);
    await store(db, schema, servicesOf('Two'), null, 'Two');
    const site = await openReader(schema);
    await warm(site, 'Two');
    await restore(schema, backup);
    await store(db, schema, servicesOf('Three'), null, 'Three');
    await showsOnlyWhole(site, 'Two', 'Three');
  });

  test('are repaired by the server that writes, without a change', async () => {
    const schema = 'repaired';
    const db = connect(schema);
    const content = createEntityStore({ locale: 'en' });
    content.load([ARTICLE], [article('a', 'One')]);
    const log = { info: () => undefined, error: () => undefined };
    const publisher = openPublisher({
      url: postgres().url,
      maxAge: 2000,
      schema,
      search: null,
      log,
      store: content,
    });
    closing.push(() => publisher.close());
    const titles = async () => (await readStored(db))['node--article']!.map(({ columns }) => columns.title);
    await publisher.published();
    const backup = postgres().dump(schema);
    content.put(article('a', 'Two'));
    publisher.publish([{ type: 'node--article', id: 'a' }]);
    await publisher.published();
    await restore(schema, backup);
    await eventually(async () => expect(await titles()).toEqual(['Two']));
    await sql.raw(`drop schema ${schema} cascade`).execute(db);
    await eventually(async () => expect(await titles()).toEqual(['Two']));
  });

  test('are made again before a server reads them if an older version has made them', async () => {
    const schema = 'former';
    const db = connect(schema);
    await store(db, schema, servicesOf('One'), null);
    await sql.raw(`alter table ${schema}.meta rename collation_version to icu`).execute(db);
    await expect(openReader(schema)).rejects.toMatchObject({ name: 'ServiceUnavailableError' });
    await store(db, schema, servicesOf('Two'), null, 'Two');
    await warm(await openReader(schema), 'Two');
  });

  test('name the changed entities to a reader, although a query has noticed the change first', async () => {
    const schema = 'described';
    const db = connect(schema);
    await store(db, schema, servicesOf('One'), null);
    const site = await openReader(schema);
    await store(db, schema, servicesOf('Two'), null, 'Two');
    await showsOnlyWhole(site, 'One', 'Two');
    expect(site.changes).toEqual([[['node--article', 'a']]]);
  });
});
