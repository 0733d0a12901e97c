import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import { type Database, openDatabase } from '../../integration/features/postgres/database.ts';
import { nodeType, single } from '../oracle/schema.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { fetchFrom } from '../support/request.ts';
import { createReadServices } from '../support/services.ts';
import { openSite, store } from './services.ts';

describe.skipIf(!HAS_POSTGRES)('a reader of PostgreSQL', () => {
  const postgres = usePostgres();
  const open: Database[] = [];
  afterAll(() => Promise.all(open.map((db) => db.destroy())));

  function connect(schema: string): Database {
    const db = openDatabase({ url: postgres().url, schema });
    open.push(db);
    return db;
  }

  const servicesOf = (...bundles: readonly string[]) => {
    const content = createEntityStore({ locale: 'en' });
    content.load(
      bundles.map((bundle) => nodeType(bundle, [single('title', 'string', { base: true })])),
      bundles.map((bundle) => ({
        ...{ type: `node--${bundle}`, id: 'a', key: `${bundle}/a.md`, revision: '' },
        ...{ values: { title: bundle }, published: true, body: null },
      })),
    );
    return createReadServices(content, {});
  };

  test.each([
    ['cannot be found', (url: string) => url.replace('host=', 'host=%2Fnowhere')],
    ['does not exist', (url: string) => url.replace('/postgres?', '/missing?')],
    ['rejects the user', (url: string) => url.replace('//postgres@', '//nobody@')],
    ['denies the user its tables', (url: string) => url.replace('//postgres@', '//guest@')],
  ])('is unavailable while the database %s', async (_, change) => {
    const db = connect('denied');
    await store(db, 'denied', servicesOf('article'), null);
    for (const statement of ['drop role if exists guest', 'create role guest login'])
      await sql.raw(statement).execute(db);
    const opening = openSite(change(postgres().url), 'denied', servicesOf('article'), null);
    await expect(opening).rejects.toMatchObject({ name: 'ServiceUnavailableError' });
  });

  test('reads a schema whose name is a word of SQL', async () => {
    await store(connect('user'), 'user', servicesOf('article'), null);
    const site = await openSite(postgres().url, 'user', servicesOf('article'), null);
    expect((await fetchFrom(site.handle, '/jsonapi/node/article')).status).toBe(200);
    await site.close();
  });

  test('answers 503 to queries that take too long, more of them than it has connections, and recovers', async () => {
    const db = connect('slow');
    await store(db, 'slow', servicesOf('article'), null);
    const site = await openSite(postgres().url, 'slow', servicesOf('article'), null, {
      statementTimeout: 500,
    });
    const ask = async (_: unknown, i: number) => {
      const { status, headers } = await fetchFrom(site.handle, `/jsonapi/node/article?filter[title]=${i}`);
      return [status, headers.get('retry-after')];
    };
    const requests = Array.from({ length: 25 });
    await db.transaction().execute(async (transaction) => {
      await sql`lock table node_article_1_0 in access exclusive mode`.execute(transaction);
      expect(await Promise.all(requests.map(ask))).toEqual(requests.map(() => [503, '5']));
    });
    expect(await Promise.all(requests.map(ask))).toEqual(requests.map(() => [200, null]));
    expect(site.messages).toEqual([]);
    await site.close();
  });

  test('answers 404 for a bundle that was removed before it has heard of this', async () => {
    const db = connect('removed');
    const before = servicesOf('article', 'page');
    await store(db, 'removed', before, null);
    const site = await openSite(postgres().url, 'removed', before, null);
    const ask = async (path: string) => (await fetchFrom(site.handle, path)).status;
    expect(await ask('/jsonapi/node/page')).toBe(200);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where query like 'LISTEN%'`.execute(db);
    await store(db, 'removed', servicesOf('article'), null);
    const answers = await Promise.all(
      ['/jsonapi/node/page?sort=title', '/jsonapi/node/page/a', '/jsonapi/node/article'].map(ask),
    );
    expect(answers).toEqual([404, 404, 200]);
    await site.close();
  });
});
