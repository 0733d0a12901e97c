import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { digestText } from '../../integration/core/util/revision.ts';
import { buildPage } from './bundled-page.ts';
import { htmlOf, type Magazine, markdownOf } from './magazine.ts';
import { type PagefindIndex, writePagefind } from './pagefind.ts';

/** A page that answers questions about the same content with something else. */
export interface BrowserPeer {
  readonly name: string;
  /** Folder of the page and its bundled engine. */
  readonly page: string;
  /** True for files of the content, not of the engine. */
  isData(file: string): boolean;
  readonly questions: readonly PeerQuestion[];
}

/** The newest ten articles with a tag, or a search. */
type PeerQuestion = { readonly tag: string } | { readonly word: string };

type Value = string | number | null;

interface Table {
  readonly name: string;
  readonly columns: string;
  readonly rows: readonly (readonly Value[])[];
}

const DAY = 86_400_000;
const INDEXES = 'CREATE INDEX tag_title ON tag (title); CREATE INDEX article_created ON article (created);';
/** The newest ten articles with a tag, with their authors. */
const PAGE_SQL = `SELECT article.id, article.title, article.created, article.body, person.id AS author_id,
  person.title AS author, count(*) OVER () AS total
  FROM tag JOIN article_tag ON article_tag.tag = tag.pk JOIN article ON article.pk = article_tag.article
  LEFT JOIN person ON person.pk = article.author
  WHERE tag.title = $1 ORDER BY article.created DESC LIMIT 10`;

const SQLITE_PAGE = `import open from ${JSON.stringify(fileURLToPath(import.meta.resolve('@sqlite.org/sqlite-wasm')))};
const ready = (async () => {
  const [sqlite, bytes] = await Promise.all([
    open(),
    fetch('/content.sqlite').then((response) => response.arrayBuffer()),
  ]);
  const { capi, wasm, oo1 } = sqlite;
  const database = new oo1.DB();
  const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE;
  const pointer = wasm.allocFromTypedArray(bytes);
  capi.sqlite3_deserialize(database.pointer, 'main', pointer, bytes.byteLength, bytes.byteLength, flags);
  return database;
})();
window.ask = async ({ tag }) => {
  const database = await ready;
  const rows = database.exec({ sql: ${JSON.stringify(PAGE_SQL)}, bind: [tag], rowMode: 'object', returnValue: 'resultRows' });
  return rows.map(({ id }) => id);
};`;

const POSTGRES_PAGE = `import { PGlite } from '@electric-sql/pglite';
const ready = (async () => {
  const response = await fetch('/content.tar.gz');
  return PGlite.create({ loadDataDir: await response.blob() });
})();
window.ask = async ({ tag }) => {
  const { rows } = await (await ready).query(${JSON.stringify(PAGE_SQL)}, [tag]);
  return rows.map(({ id }) => id);
};`;

const PAGEFIND_PAGE = `window.ask = async ({ tag, word }) => {
  const pagefind = await import(/* @vite-ignore */ '/pagefind/pagefind.js');
  const options = tag === undefined ? {} : { filters: { tag }, sort: { created: 'desc' } };
  const { results } = await pagefind.search(word ?? null, options);
  const first = await Promise.all(results.slice(0, 10).map((result) => result.data()));
  return first.map(({ meta }) => meta.id);
};`;

/** Writes the pages, with all published entities and the HTML of their bodies. */
export async function writePeers(
  dir: string,
  content: Magazine,
  question: { readonly tag: string; readonly word: string },
): Promise<readonly BrowserPeer[]> {
  const tables = tablesOf(content);
  await buildPage(dir, 'sqlite', SQLITE_PAGE);
  await buildPage(dir, 'pglite', POSTGRES_PAGE);
  await buildPage(dir, 'search', PAGEFIND_PAGE);
  writeSqlite(path.join(dir, 'content.sqlite'), tables);
  await writePostgres(path.join(dir, 'content.tar.gz'), tables);
  await writePagefind(path.join(dir, 'pagefind'), (index) => addArticles(index, content));
  writeFileSync(path.join(dir, 'nuxt-content.txt'), nuxtDump(tables));
  const isDatabase = (file: string) => file.startsWith('/content.');
  const { tag, word } = question;
  return [
    { name: 'SQLite WASM', page: 'sqlite', isData: isDatabase, questions: [{ tag }] },
    { name: 'PGlite', page: 'pglite', isData: isDatabase, questions: [{ tag }] },
    {
      name: 'Pagefind',
      page: 'search',
      isData: (file) => /\.pf_|pagefind-entry\.json$/.test(file),
      questions: [{ tag }, { word }],
    },
  ];
}

function tablesOf({ persons, tags, articles, bodies }: Magazine): readonly Table[] {
  const published = <T extends { readonly status: boolean }>(list: readonly T[]) =>
    [...list.entries()].filter(([, { status }]) => status);
  return [
    {
      name: 'person',
      columns: 'pk INTEGER PRIMARY KEY, id TEXT, title TEXT, boss INTEGER',
      rows: published(persons).map(([pk, { id, title, boss }]) => [pk, id, title, boss]),
    },
    {
      name: 'tag',
      columns: 'pk INTEGER PRIMARY KEY, id TEXT, title TEXT, weight INTEGER',
      rows: published(tags).map(([pk, { id, title, weight }]) => [pk, id, title, weight]),
    },
    {
      name: 'article',
      columns: `pk INTEGER PRIMARY KEY, id TEXT, title TEXT, created BIGINT, changed BIGINT, author INTEGER, date BIGINT,
        featured INTEGER, rating INTEGER, section TEXT, state TEXT, body TEXT`,
      rows: published(articles).map(([pk, one]) => [
        pk,
        one.id,
        one.title,
        one.changed,
        one.changed + ((pk * 7) % 1000) * DAY,
        one.author,
        one.date,
        Number(one.featured),
        one.rating,
        one.section,
        one.state,
        htmlOf(markdownOf(bodies[pk] ?? [])),
      ]),
    },
    {
      name: 'article_tag',
      columns: 'article INTEGER, tag INTEGER, PRIMARY KEY (tag, article)',
      rows: published(articles).flatMap(([pk, one]) => one.tags.map((tag) => [pk, tag])),
    },
  ];
}

function writeSqlite(file: string, tables: readonly Table[]): void {
  const database = new DatabaseSync(file);
  database.exec('BEGIN');
  for (const sql of statements(tables)) database.exec(sql);
  database.exec(`COMMIT; ${INDEXES} VACUUM`);
  database.close();
}

async function writePostgres(file: string, tables: readonly Table[]): Promise<void> {
  const database = await PGlite.create();
  for (const sql of statements(tables)) await database.exec(sql);
  await database.exec(`${INDEXES} ANALYZE; CHECKPOINT;`);
  const dump = await database.dumpDataDir('gzip');
  writeFileSync(file, Buffer.from(await dump.arrayBuffer()));
  await database.close();
}

function* statements(tables: readonly Table[]): Generator<string> {
  for (const { name, columns, rows } of tables) {
    yield `CREATE TABLE ${name} (${columns});`;
    for (let at = 0; at < rows.length; at += 500) {
      yield `INSERT INTO ${name} VALUES ${rows
        .slice(at, at + 500)
        .map(tuple)
        .join(',')};`;
    }
  }
}

function tuple(values: readonly Value[]): string {
  const literal = (value: Value) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? 'NULL');
  return `(${values.map(literal).join(',')})`;
}

async function addArticles(index: PagefindIndex, { tags, articles, bodies }: Magazine): Promise<void> {
  for (const [at, article] of articles.entries()) {
    if (!article.status) continue;
    const { id, title } = article;
    const used = article.tags.flatMap((tag) => (tags[tag]?.status ? [tags[tag].title] : []));
    await index.addCustomRecord({
      url: `/article/${id}`,
      content: [title, ...(bodies[at] ?? []).map(({ text }) => `${text}.`)].join(' '),
      language: 'en',
      meta: { id, title },
      filters: { tag: used, section: [article.section], state: [article.state] },
      sort: { created: String(article.changed) },
    });
  }
}

/**
 * An estimate of what Nuxt Content 3 sends before its first query in a browser: an INSERT statement with all fields of each
 * entity, with the nodes of the body as JSON, compressed and as base64.
 */
function nuxtDump(tables: readonly Table[]): string {
  const sql = tables.flatMap(({ name, rows }) =>
    rows.map((values) => {
      const all = values.map((value) =>
        typeof value === 'string' && value.startsWith('<p>') ? nodesOf(value) : value,
      );
      return `INSERT INTO _content_${name} VALUES ${tuple([...all, digestText(all.join())])};`;
    }),
  );
  return gzipSync(JSON.stringify(sql)).toString('base64');
}

function nodesOf(html: string): string {
  const value = [...html.matchAll(/<(\w+)>(.*?)<\/\1>/g)].map(([, tag, text]) => [tag, {}, text]);
  return JSON.stringify({ type: 'minimark', value });
}
