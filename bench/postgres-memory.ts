/**
 * The resident memory of a built server that reads from PostgreSQL, after varied requests and during changes of the content,
 * against the goal of the documentation. The content is stored in the database DATABASE_URL, unless it has some already, else
 * in a temporary one. npm run build:lib && node bench/postgres-memory.ts [articles]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { loadSiteTerms } from '../integration/core/engine/text/languages.ts';
import { openDatabase } from '../integration/features/postgres/database.ts';
import { findTables, syncContent } from '../integration/features/postgres/sync.ts';
import { build, copySite, emptySite, run, type ServedProcess, type Site, serve } from '../test/astro/site.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { ARTICLE_TYPE, entitiesOf, generate, PERSON_TYPE, TAG_TYPE } from './data.ts';
import { QUESTIONS } from './questions.ts';
import { printRequirement } from './sites/content.ts';

const AT_MOST_MB = 300;
/** In each of four rounds. */
const REQUESTS = 3000;
const CONNECTIONS = 4;
const SCHEMA = 'astro_jsonapi';
/** The setting that the documentation recommends. */
const NODE_OPTIONS = '--max-semi-space-size=4';

const size = Number(process.argv[2] ?? 1_000_000);
const content = generate(size);
const given = process.env.DATABASE_URL;
const database = given === undefined ? await startPostgres() : undefined;
const url = given ?? database!.url;
try {
  await fill();
  const site = emptySite('bench-postgres');
  const server = await startServer(site);
  try {
    const before = memoryOf(server);
    console.log(`${size} articles; at the start: ${before.now} MB`);
    for (let round = 1; round <= 4; round++) {
      const slow = await sendRequests(server, round);
      const { now, peak } = memoryOf(server);
      console.log(
        `after ${round * REQUESTS} requests: ${now} MB, at most ${peak} MB; ${slow} of this round were a 503`,
      );
    }
    const { peak } = memoryOf(server);
    printRequirement(peak < AT_MOST_MB, `resident memory below ${AT_MOST_MB} MB`, `${peak} MB`);
  } finally {
    await server.stop();
    site.remove();
  }
} finally {
  await database?.remove();
}

async function fill(): Promise<void> {
  const db = openDatabase({ url, schema: SCHEMA });
  if ((await findTables(db, SCHEMA)) === 'current') return db.destroy();
  const started = performance.now();
  await syncContent(
    db,
    {
      locale: 'en',
      types: new Map([PERSON_TYPE, TAG_TYPE, ARTICLE_TYPE].map((type) => [type.name, type])),
      // Like content that does not fit into memory.
      entities: (type) => ({
        *[Symbol.iterator]() {
          for (const entity of entitiesOf(content)) if (entity.type === type) yield entity;
        },
      }),
    },
    { schema: SCHEMA, revision: 'bench', terms: await loadSiteTerms({ language: 'en' }), termsKey: 'en' },
  );
  await db.destroy();
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  const { peak } = memoryOf({ pid: process.pid });
  console.log(`sync: ${seconds} s; this process used at most ${peak} MB`);
}

/** A server without a content folder, so it reads. */
async function startServer(site: Site): Promise<ServedProcess> {
  const project = copySite('written', 'bench-postgres-project');
  try {
    // The page of this site reads all articles, and `serve` requests it.
    writeFileSync(project.file('src/pages/index.astro'), '');
    await build(project, { JSONAPI_OPTIONS: JSON.stringify({ engine: { name: 'postgres' } }) });
    await run('cp', ['-r', project.file('dist'), site.file('dist')], project.dir);
  } finally {
    project.remove();
  }
  return serve(site, { DATABASE_URL: url, NODE_OPTIONS });
}

/** In megabytes. */
function memoryOf({ pid }: { readonly pid: number }): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]);
  return { now: Math.round(kilobytes('VmRSS') / 1024), peak: Math.round(kilobytes('VmHWM') / 1024) };
}

/**
 * Different requests: no response comes from a cache. During them, the version of the content changes ten times. Returns how
 * many were too slow.
 */
async function sendRequests({ origin }: ServedProcess, round: number): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  let next = 0;
  let slow = 0;
  const workers = Array.from({ length: CONNECTIONS }, async () => {
    while (next < REQUESTS) {
      const at = next++;
      if (at % (REQUESTS / 10) === 0) {
        await client.query(`update ${SCHEMA}.meta set version = version + 1`);
        await client.query(`select pg_notify('astro_jsonapi', $1)`, [JSON.stringify({ schema: SCHEMA })]);
      }
      const target = targetOf(round * REQUESTS + at);
      const response = await fetch(origin + target);
      const text = await response.text();
      // A busy machine reaches the time limit of a statement.
      if (response.status === 503) slow++;
      else if (response.status !== 200)
        throw new Error(`${target}: ${response.status} ${text.slice(0, 500)}`);
    }
  });
  await Promise.all(workers);
  await client.end();
  return slow;
}

function targetOf(at: number): string {
  const article = content.articles[(at * 7919) % size]!;
  const page = `page[offset]=${(at * 31) % 200}&page[limit]=50`;
  const author = 'include=field_author,field_tags,field_author.field_boss';
  const simple: readonly string[] = [
    `/jsonapi/node/article?filter[title]=${encodeURIComponent(article.title)}`,
    `/jsonapi/node/article?filter[title][operator]=STARTS_WITH&filter[title][value]=${encodeURIComponent(article.title.slice(0, 8 + (at % 8)))}&${author}&${page}`,
    `/jsonapi/node/article?sort=-changed&filter[field_rating]=${at % 10}&${author}&${page}`,
    `/jsonapi/node/article?filter[id][operator]=%3E&filter[id][value]=${article.id}&${author}&page[limit]=50`,
    `/jsonapi/node/article?filter[fulltext]=${encodeURIComponent(article.title.split(' ').slice(0, 2).join(' '))}&page[limit]=10&page[offset]=${at % 50}`,
  ];
  if (article.status && at % 3 === 0) return `/jsonapi/node/article/${article.id}?${author}`;
  if (at % 50 !== 0) return simple[at % simple.length]!;
  const question = QUESTIONS[(at / 50) % QUESTIONS.length]!;
  const variants = question.variants(content);
  return `/jsonapi/node/article?${question.filter(...variants[at % variants.length]!)}&page[limit]=50`;
}
