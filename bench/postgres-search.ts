/**
 * The time of searches in PostgreSQL that find parts of many words, first and repeated: node bench/postgres-search.ts [entities] [folder of
 * Markdown files] [--cpu]. Each entity has a title and some 60 words from the files, and one in twenty is not published. A first search is
 * that of a new engine, which has read the list of words and which entities are visible. The time of this is measured first, because
 * it is needed again after each change of the content. With --cpu, times are processor time, as in bench/postgres.ts.
 */
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import type { FilterNode } from '../integration/core/engine/ast.ts';
import type { EngineQuery, QueryAccess } from '../integration/core/engine/engine.ts';
import { loadSiteTerms } from '../integration/core/engine/text/languages.ts';
import { openDatabase } from '../integration/features/postgres/database.ts';
import { createPostgresEngine } from '../integration/features/postgres/engine.ts';
import { syncContent } from '../integration/features/postgres/sync.ts';
import { createMemoryDriver } from '../test/support/memory-driver.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { createServices } from '../test/support/services.ts';
import { makePages } from './pages.ts';
import { processorTime } from './processor-time.ts';

const { values: flags, positionals } = parseArgs({
  options: { cpu: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const ENTITIES = Number(positionals[0] ?? 100_000);
const SEARCHES = [
  'template',
  'ma',
  'to',
  'stat',
  'block',
  'ethereum trans',
  'the contract sta',
  'comphex error',
  'xyzzyqq',
];
const PUBLISHED: FilterNode = { kind: 'condition', path: 'status', operator: '=', value: true };
const ANONYMOUS: QueryAccess = { visibility: () => PUBLISHED, fieldVisible: () => true };

const { files } = makePages(ENTITIES, positionals[1]);
const { store, engine: memory } = await createServices(createMemoryDriver(files));
const type = store.types.get('node--page')!;
const server = await startPostgres({ settings: { shared_buffers: '512MB', work_mem: '64MB' } });
try {
  const db = openDatabase({ url: server.url, schema: 'content' });
  const terms = await loadSiteTerms({ language: 'en' });
  const now = flags.cpu ? processorTime(server.folder) : () => performance.now();
  const started = now();
  await syncContent(
    db,
    { locale: 'en', types: store.types, entities: (name) => store.entities(name) },
    { schema: 'content', revision: 'bench', terms, termsKey: 'en' },
  );
  console.log(`sync of ${ENTITIES} entities: ${((now() - started) / 1000).toFixed(1)} s`);
  const pool = new Pool({ connectionString: server.url });
  pool.on('error', () => undefined);
  await pool.query('VACUUM ANALYZE');
  const { rows } = await pool.query(
    `SELECT relname, pg_total_relation_size(oid) / 1e6 AS size FROM pg_class WHERE relkind = 'r' AND relname LIKE 'node_page%'`,
  );
  for (const { relname, size } of rows) console.log(`${relname}: ${Number(size).toFixed(0)} MB`);
  console.log('search, matches; times in ms: the first one of a state, first, again, the next page');
  for (const text of SEARCHES) {
    const query = (offset: number): EngineQuery => ({
      filter: {
        kind: 'group',
        conjunction: 'AND',
        members: [{ kind: 'search', text, isTolerant: true }],
      },
      sort: [],
      page: { offset, limit: 10 },
    });
    const times: string[] = [];
    const expected = await memory.run(type, query(0), ANONYMOUS);
    const engine = createPostgresEngine({ db, terms });
    await engine.state();
    const opened = now();
    await engine.run(
      type,
      {
        ...query(0),
        filter: {
          kind: 'group',
          conjunction: 'AND',
          members: [{ kind: 'search', text: 'qqqzz', isTolerant: true }],
        },
      },
      ANONYMOUS,
    );
    times.push((now() - opened).toFixed(0).padStart(6));
    for (const offset of [0, 0, 10]) {
      const from = now();
      const { count, entities } = await engine.run(type, query(offset), ANONYMOUS);
      times.push((now() - from).toFixed(0).padStart(6));
      const ids = (list: typeof entities) => list.map(({ id }) => id).join(' ');
      if (offset === 0 && (count !== expected.count || ids(entities) !== ids(expected.entities)))
        throw new Error(
          `${text}: ${count} of ${expected.count}, ${ids(entities)} instead of ${ids(expected.entities)}`,
        );
    }
    console.log(`${text.padEnd(20)} ${String(expected.count).padStart(7)} ${times.join(' ')}`);
  }
  await pool.end();
  await db.destroy();
} finally {
  await server.remove();
}
