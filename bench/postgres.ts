/**
 * The speed of queries in PostgreSQL: our engine, and the same questions written by hand in SQL over tables with an index on
 * every column, in the same server and in turns. Every answer is compared first. A question is timed from a prepared query to
 * the ids of the page and the exact count. The first time of a variant is measured too, with an engine that has cached nothing,
 * because later ones may find their count in the cache. The first time by hand is that of statements which are not prepared.
 * npm run bench:postgres -- [articles] [--cpu]
 *
 * With --cpu, times are processor time of this process and of PostgreSQL, without that of parallel workers. They mean something on
 * a busy machine too. Only on Linux.
 */
import { parseArgs } from 'node:util';
import { Pool } from 'pg';
import type { FilterNode } from '../integration/core/engine/ast.ts';
import type { EngineQuery, QueryAccess } from '../integration/core/engine/engine.ts';
import { DEFAULT_LIMITS } from '../integration/core/engine/limits.ts';
import { parseQuery } from '../integration/core/engine/parse/parse-query.ts';
import { PUBLISHED_PATH } from '../integration/core/engine/store/slot.ts';
import { loadSiteTerms } from '../integration/core/engine/text/languages.ts';
import { openDatabase } from '../integration/features/postgres/database.ts';
import { createPostgresEngine } from '../integration/features/postgres/engine.ts';
import { syncContent } from '../integration/features/postgres/sync.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { ARTICLE_TYPE, type Content, entitiesOf, generate, PERSON_TYPE, TAG_TYPE } from './data.ts';
import { processorTime } from './processor-time.ts';
import { QUESTIONS, type Question } from './questions.ts';

/** What anonymous visitors may see. */
const PUBLISHED: FilterNode = { kind: 'condition', path: PUBLISHED_PATH, operator: '=', value: true };
const ANONYMOUS: QueryAccess = { visibility: () => PUBLISHED, fieldVisible: () => true };
const PAGING = { pageSize: { default: 50, max: 50, unlimited: true }, limits: DEFAULT_LIMITS };
const TYPES = [PERSON_TYPE, TAG_TYPE, ARTICLE_TYPE];
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  person: ['pk', 'id', 'title', 'status', 'boss'],
  tag: ['pk', 'id', 'title', 'status'],
  article: [
    'pk',
    'id',
    'title',
    'status',
    'state',
    'section',
    'rating',
    'featured',
    'changed',
    'date',
    'author',
  ],
  article_tag: ['article', 'tag'],
};
const ROUNDS = 24;
/** Rounds with a new engine. The first of them warms up the program and the connections. */
const FIRST_ROUNDS = 8;
const SCHEMA = 'content';

const { values: flags, positionals } = parseArgs({
  options: { cpu: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const size = Number(positionals[0] ?? 100_000);
const content = generate(size);
const server = await startPostgres({
  settings: {
    shared_buffers: '1GB',
    work_mem: '64MB',
    maintenance_work_mem: '512MB',
  },
});
try {
  await fillByHand(content, server.url);
  const db = openDatabase({ url: server.url, schema: SCHEMA });
  const byType = Map.groupBy(entitiesOf(content), ({ type }) => type);
  const started = performance.now();
  const terms = await loadSiteTerms({ language: 'en' });
  await syncContent(
    db,
    {
      locale: 'en',
      types: new Map(TYPES.map((type) => [type.name, type])),
      entities: (type) => byType.get(type) ?? [],
    },
    { schema: SCHEMA, revision: 'bench', terms, termsKey: 'en' },
  );
  console.log(`sync of ${size} articles: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  byType.clear();
  const pool = new Pool({ connectionString: server.url });
  pool.on('error', () => undefined);
  for (const [name, schema] of [
    ['our tables', SCHEMA],
    ['tables by hand', 'public'],
  ]) {
    const { rows } = await pool.query(
      `SELECT sum(pg_total_relation_size(oid)) / 1e6 AS size FROM pg_class WHERE relkind = 'r' AND relnamespace = $1::regnamespace`,
      [schema],
    );
    console.log(`${name}: ${Number(rows[0].size).toFixed(0)} MB`);
  }
  // PostgreSQL does so by itself within minutes.
  await pool.query('VACUUM ANALYZE');
  const engines = Array.from({ length: FIRST_ROUNDS }, () => createPostgresEngine({ db, terms }));
  for (const engine of engines) await engine.state();
  console.log(
    'question; times in ms: first, median and 95th percentile; the same by hand; ours as many times as by hand: first, median',
  );
  const all: number[] = [];
  for (const question of QUESTIONS) {
    const page = question.page(content);
    const ours: number[] = [];
    const theirs: number[] = [];
    const first: number[] = [];
    const theirFirst: number[] = [];
    const variants = question.variants(content).map((parameters) => {
      const { filter, sort } = parseQuery(question.filter(...parameters), 'collection', PAGING);
      return { parameters, query: { filter, sort, page } satisfies EngineQuery };
    });
    for (let round = 0; round < FIRST_ROUNDS + ROUNDS; round++) {
      const engine = engines[round] ?? engines[0]!;
      for (const { parameters, query } of variants) {
        const [mine, myTime] = await timed(async () => {
          const { entities, count } = await engine.run(ARTICLE_TYPE, query, ANONYMOUS);
          return { ids: entities.map(({ id }) => id), count };
        });
        const [other, otherTime] = await timed(() =>
          askByHand(pool, question, parameters, page, round < FIRST_ROUNDS),
        );
        if (JSON.stringify(mine) !== JSON.stringify(other))
          throw new Error(`${question.name}: ${JSON.stringify([mine, other]).slice(0, 2000)}`);
        if (round === 0) continue;
        if (round < FIRST_ROUNDS) {
          first.push(myTime);
          theirFirst.push(otherTime);
        } else {
          ours.push(myTime);
          theirs.push(otherTime);
        }
      }
    }
    all.push(...ours);
    console.log(
      [
        question.name.padEnd(22),
        ...[
          median(first),
          median(ours),
          percentile(ours, 0.95),
          median(theirFirst),
          median(theirs),
          percentile(theirs, 0.95),
        ].map((time) => time.toFixed(1).padStart(8)),
        (median(first) / median(theirFirst)).toFixed(2).padStart(8),
        (median(ours) / median(theirs)).toFixed(2).padStart(8),
      ].join(''),
    );
  }
  console.log(`all questions: 95th percentile ${percentile(all, 0.95).toFixed(1)} ms`);
  await pool.end();
  await db.destroy();
} finally {
  await server.remove();
}

async function timed<T>(run: () => Promise<T>): Promise<readonly [T, number]> {
  const now = flags.cpu ? processorTime(server.folder) : () => performance.now();
  const started = now();
  const result = await run();
  return [result, now() - started];
}

async function askByHand(
  pool: Pool,
  { name, sql }: Question,
  parameters: readonly (string | number)[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
  isFirst: boolean,
) {
  const prepared = (part: string) => (isFirst ? {} : { name: `${name} ${part}` });
  let at = 0;
  const where = sql.from.replaceAll(
    '?',
    () => `$${++at}${typeof parameters[at - 1] === 'number' ? '::bigint' : '::text'}`,
  );
  const counting = pool.query({
    ...prepared('count'),
    text: `SELECT count(*)::int AS count FROM ${where}`,
    values: [...parameters],
  });
  if (limit === 0) return { ids: [], count: (await counting).rows[0].count };
  const [page, count] = await Promise.all([
    pool.query({
      ...prepared('page'),
      text: `SELECT id FROM ${where} ORDER BY ${sql.order} LIMIT ${limit} OFFSET ${offset}`,
      values: [...parameters],
    }),
    counting,
  ]);
  return { ids: page.rows.map(({ id }) => id), count: count.rows[0].count };
}

/** The tables that a careful developer would make for these questions. */
async function fillByHand({ persons, tags, articles }: Content, url: string): Promise<void> {
  const pool = new Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  const text = 'text COLLATE "C"';
  await pool.query(`CREATE EXTENSION pg_trgm;
    CREATE TABLE person (pk int PRIMARY KEY, id ${text} UNIQUE, title ${text}, status smallint, boss int);
    CREATE TABLE tag (pk int PRIMARY KEY, id ${text} UNIQUE, title ${text}, status smallint);
    CREATE TABLE article (pk int PRIMARY KEY, id ${text} UNIQUE, title ${text}, status smallint, state ${text}, section ${text},
      rating smallint, featured smallint, changed bigint, date bigint, author int);
    CREATE TABLE article_tag (article int, tag int, PRIMARY KEY (article, tag))`);
  await insert(
    pool,
    'person',
    persons.map((one, pk) => [pk, one.id, one.title, Number(one.status), one.boss]),
  );
  await insert(
    pool,
    'tag',
    tags.map((one, pk) => [pk, one.id, one.title, Number(one.status)]),
  );
  await insert(
    pool,
    'article',
    articles.map((one, pk) => [
      pk,
      one.id,
      one.title,
      Number(one.status),
      one.state,
      one.section,
      one.rating,
      Number(one.featured),
      one.changed,
      one.date,
      one.author,
    ]),
  );
  await insert(
    pool,
    'article_tag',
    articles.flatMap((one, pk) => one.tags.map((tag) => [pk, tag])),
  );
  await pool.query(`CREATE INDEX ON article_tag (tag, article);
    CREATE INDEX ON article USING gin (title gin_trgm_ops)`);
  const indexed = {
    person: ['title', 'boss'],
    tag: ['title'],
    article: ['title', 'state', 'section', 'rating', 'featured', 'changed', 'date', 'author'],
  };
  for (const [table, columns] of Object.entries(indexed)) {
    for (const column of columns) await pool.query(`CREATE INDEX ON ${table} (${column})`);
  }
  await pool.query('VACUUM ANALYZE');
  await pool.end();
}

async function insert(pool: Pool, table: string, rows: readonly (readonly unknown[])[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 20_000) {
    const batch = rows.slice(from, from + 20_000);
    await pool.query(
      `INSERT INTO ${table} SELECT (json_populate_record(null::${table}, value)).* FROM json_array_elements($1::json)`,
      [
        JSON.stringify(
          batch.map((row) => Object.fromEntries(COLUMNS[table]!.map((name, i) => [name, row[i]]))),
        ),
      ],
    );
  }
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
