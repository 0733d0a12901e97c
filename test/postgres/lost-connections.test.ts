import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { createAvailability } from '../../integration/features/postgres/availability.ts';
import {
  openDatabase,
  openDatabaseConnections,
  rowsOf,
} from '../../integration/features/postgres/database.ts';
import { openPublisher } from '../../integration/features/postgres/open.ts';
import { eventually } from '../support/eventually.ts';
import { HAS_POSTGRES, startPostgres, usePostgres } from '../support/postgres.ts';
import { fetchFrom } from '../support/request.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { ARTICLE, article, openSite, type PostgresSite, servicesOf, store } from './services.ts';

describe.skipIf(!HAS_POSTGRES)('connections that go silent', () => {
  const postgres = usePostgres();
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function startProxy({ folder } = postgres()): Promise<TcpProxy & { readonly url: string }> {
    const proxy = await startTcpProxy(`${folder}/.s.PGSQL.5432`);
    closing.push(() => proxy.close());
    return { ...proxy, url: `postgres://postgres@127.0.0.1:${proxy.port}/postgres` };
  }

  function connect(schema: string) {
    const db = openDatabase({ url: postgres().url, schema });
    closing.push(() => db.destroy());
    return db;
  }

  async function openReader(url: string, schema: string): Promise<PostgresSite> {
    const site = await openSite(url, schema, servicesOf('One'), null, { maxAge: 2000 });
    closing.push(() => site.close());
    return site;
  }

  test('keep no reader from a change of a list that it has cached', async () => {
    const db = connect('silent');
    await store(db, 'silent', servicesOf('One'), null);
    const proxy = await startProxy();
    const { handle } = await openReader(proxy.url, 'silent');
    for (let i = 0; i < 3; i++) expect(await titleIn(handle)).toBe('One');
    proxy.forget();
    await store(db, 'silent', servicesOf('Two'), null);
    await eventually(async () => expect(await titleIn(handle)).toBe('Two'));
  });

  test('keep a change from readers for no longer than the age that the options allow', async () => {
    const db = connect('bound');
    await store(db, 'bound', servicesOf('One'), null);
    const proxy = await startProxy();
    const maxAge = 5000;
    const site = await openSite(proxy.url, 'bound', servicesOf('One'), null, { maxAge });
    closing.push(() => site.close());
    for (let i = 0; i < 3; i++) expect(await titleIn(site.handle)).toBe('One');
    await eventually(() => expect(site.content.age()).toBeLessThan(200));
    proxy.forget();
    await store(db, 'bound', servicesOf('Two'), null);
    // Counted instead of timed: a slow machine makes each wait longer, and those of the reader too.
    let waits = 0;
    for (; (await titleIn(site.handle)) !== 'Two'; waits++) await sleep(100);
    expect(waits).toBeLessThanOrEqual(maxAge / 100);
  });

  test('keep no reader from a change of which a connection that works has heard', async () => {
    const db = connect('heard');
    await store(db, 'heard', servicesOf('One'), null);
    const proxy = await startProxy();
    const maxAge = 4000;
    const listenUrl = postgres().url;
    const site = await openSite(proxy.url, 'heard', servicesOf('One'), null, { maxAge, listenUrl });
    closing.push(() => site.close());
    for (let i = 0; i < 3; i++) expect(await titleIn(site.handle)).toBe('One');
    // Only connections for queries. That for notifications has another address.
    proxy.forget();
    await store(db, 'heard', servicesOf('Two'), null);
    let waits = 0;
    for (; (await titleIn(site.handle)) !== 'Two'; waits++) await sleep(100);
    expect(waits).toBeLessThanOrEqual(maxAge / 100);
  });

  test('show in the age of the content, which a new connection resets', async () => {
    const db = connect('aging');
    await store(db, 'aging', servicesOf('One'), null);
    const proxy = await startProxy();
    const { content } = await openReader(proxy.url, 'aging');
    proxy.cut();
    await eventually(() => expect(content.age()).toBeGreaterThan(3000));
    proxy.heal();
    await eventually(() => expect(content.age()).toBeLessThan(1000));
  });

  describe('of a standby', () => {
    /** A standby with the tables of `schema`, and what removes rows from the primary that its transactions can see. */
    async function follow(schema: string, settings: Readonly<Record<string, string>> = {}) {
      const standby = await startPostgres({ primary: postgres(), settings });
      closing.push(() => standby.remove());
      const db = connect(schema);
      await store(db, schema, servicesOf('One'), null);
      const following = openDatabase({ url: standby.url, schema });
      closing.push(() => following.destroy());
      const versions = sql<{ version: number }>`select version::int from ${sql.table('meta')}`;
      await eventually(async () => expect(await rowsOf(following, versions)).toHaveLength(1));
      async function change() {
        await store(db, schema, servicesOf('Two'), null);
        await sql`vacuum ${sql.table('meta')}`.execute(db);
        await store(db, schema, servicesOf('Three'), null);
      }
      return { standby, db, following, versions, change };
    }

    test('keep it from no change, if they are lost in a transaction', async () => {
      const { standby, db, following, versions, change } = await follow('followed');
      const proxy = await startProxy(standby);
      const url = proxy.url;
      const { pool } = openDatabaseConnections({ url, schema: 'followed', statementTimeout: 10_000 });
      closing.push(() => pool.end());
      const reading = await pool.connect();
      await reading.query('begin isolation level repeatable read', []);
      await reading.query('select from followed.meta', []);
      proxy.forget();
      await change();
      const [changed] = await rowsOf(db, versions);
      let waits = 0;
      for (; (await rowsOf(following, versions))[0]!.version < changed!.version; waits++) await sleep(100);
      expect(waits).toBeLessThanOrEqual(80);
      reading.release();
    });

    test('are a 503 when it stops their query to apply a change', async () => {
      const { following, change } = await follow('conflict', { max_standby_streaming_delay: '0' });
      const { run } = createAvailability({ info: () => undefined, error: () => undefined });
      const query = sql`select pg_sleep(60) from ${sql.table('meta')}`;
      const reading = expect(run(() => rowsOf(following, query))).rejects.toMatchObject({
        name: 'ServiceUnavailableError',
        message: expect.stringContaining('stopped this query'),
      });
      const sleeping = sql`select from pg_stat_activity where wait_event = 'PgSleep'`;
      await eventually(async () => expect(await rowsOf(following, sleeping)).toHaveLength(1));
      await change();
      await reading;
    });
  });

  test.each(['forget', 'cut'] as const)('keep no change of a writer from the database (%s)', async (loss) => {
    const schema = `writing_${loss}`;
    const db = connect(schema);
    const proxy = await startProxy();
    const content = createEntityStore({ locale: 'en' });
    content.load([ARTICLE], [article('a', 'One')]);
    const log = { info: () => undefined, error: () => undefined };
    const publisher = openPublisher({
      url: proxy.url,
      maxAge: 2000,
      schema,
      search: null,
      log,
      store: content,
    });
    closing.push(() => publisher.close());
    await publisher.published();
    const reader = await openReader(postgres().url, schema);
    expect(await titleIn(reader.handle)).toBe('One');
    content.put(article('a', 'Two'));
    await db.transaction().execute(async (transaction) => {
      await rowsOf(transaction, sql`select pg_advisory_xact_lock(hashtext(${schema}))`);
      publisher.publish([{ type: 'node--article', id: 'a' }]);
      const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock'`;
      await eventually(async () => expect(await rowsOf(transaction, waiting)).toHaveLength(1));
      proxy[loss]();
    });
    // Now an abandoned transaction has the lock.
    if (loss === 'cut') await sleep(2000);
    proxy.heal();
    await eventually(async () => expect(await titleIn(reader.handle)).toBe('Two'));
  });
});

/** The title in a list of one article. */
async function titleIn(handle: Handler): Promise<unknown> {
  const response = await fetchFrom(handle, '/jsonapi/node/article?sort=title');
  const { data } = await response.json();
  return data[0].attributes.title;
}
