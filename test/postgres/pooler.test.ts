import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEntityStore } from '../../integration/core/engine/store/entity-store.ts';
import type { Handler } from '../../integration/core/server/handler.ts';
import { openPublisher } from '../../integration/features/postgres/open.ts';
import { loadRecordedContent, readCases } from '../conformance/load.ts';
import { eventually } from '../support/eventually.ts';
import { createHandler } from '../support/handler.ts';
import { HAS_PGBOUNCER, startPgBouncer, type TestPgBouncer } from '../support/pgbouncer.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { fetchFrom } from '../support/request.ts';
import { createReadServices } from '../support/services.ts';
import { ARTICLE, article, compareWithMemory, openSite } from './services.ts';

const SEARCH = { language: 'en', languages: {} } as const;
const PATHS = [
  '/jsonapi/node/article?sort=-title&page[limit]=5',
  '/jsonapi/node/article?filter[title][operator]=CONTAINS&filter[title][value]=1',
  '/jsonapi/node/article?filter[fulltext]=change&sort=title',
] as const;

describe.skipIf(!HAS_POSTGRES || !HAS_PGBOUNCER)('behind PgBouncer in transaction mode', () => {
  const postgres = usePostgres();
  let pooler: TestPgBouncer;
  beforeAll(async () => {
    pooler = await startPgBouncer(postgres());
  });
  afterAll(() => pooler?.stop());

  test('a server answers every recorded request with the bytes of one with its content in memory', async () => {
    const paths = [...new Set(readCases().map(({ path }) => path))];
    const { answered, differences } = await compareWithMemory(
      pooler.url,
      'recorded',
      await loadRecordedContent(),
      paths.map((target) => ({ target })),
      SEARCH,
    );
    expect(answered).toBeGreaterThan(600);
    expect(differences.slice(0, 3)).toEqual([]);
  });

  test.each([
    { schema: 'listening', how: 'with an address to listen at', direct: true },
    { schema: 'asking', how: 'without an address to listen at', direct: false },
  ])('several readers follow the server that writes, $how', async ({ schema, direct }) => {
    const { url } = pooler;
    const listenUrl = direct ? postgres().url : undefined;
    const messages: string[] = [];
    const log = { info: (text: string) => messages.push(text), error: (text: string) => messages.push(text) };
    const content = createEntityStore({ locale: 'en' });
    content.load(
      [ARTICLE],
      Array.from({ length: 20 }, (_, index) => article(`a${index}`, 'first')),
    );
    const deps = { url, listenUrl, maxAge: 2000, schema, search: SEARCH, log, store: content };
    const publisher = openPublisher(deps);
    const written = createReadServices(content);
    await publisher.published();
    const readers = await Promise.all(
      [1, 2, 3].map(() => openSite(url, schema, written, SEARCH, { maxAge: 2000, listenUrl })),
    );
    try {
      for (let change = 0; change < 30; change++) {
        const id = `a${change % 25}`;
        if (change % 7 === 6) content.remove(ARTICLE.name, id);
        else content.put(article(id, `change ${change}`));
        publisher.publish([{ type: ARTICLE.name, id }]);
        await Promise.all(readers.flatMap(({ handle }) => PATHS.map((path) => fetchFrom(handle, path))));
      }
      await publisher.published();
      const expected = await Promise.all(PATHS.map((path) => textOf(createHandler(written), path)));
      for (const { handle } of readers) {
        await eventually(async () => {
          expect(await Promise.all(PATHS.map((path) => textOf(handle, path)))).toEqual(expected);
        });
      }
      expect([...messages, ...readers.flatMap((reader) => reader.messages)]).toEqual([]);
    } finally {
      for (const reader of readers) await reader.close();
      await publisher.close();
    }
  });
});

async function textOf(handle: Handler, path: string): Promise<string> {
  return (await fetchFrom(handle, path)).text();
}
