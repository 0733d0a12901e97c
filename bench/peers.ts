import { DatabaseSync, type StatementSync } from 'node:sqlite';
import Loki from 'lokijs';
import { Query } from 'mingo';
import sift from 'sift';
import type { Content } from './data.ts';
import type { Parameter, Question, Row } from './questions.ts';

export interface Answer {
  readonly ids: readonly string[];
  readonly count: number;
}

/** Answers questions over the same content. */
export interface Peer {
  readonly name: string;
  /** Does the preparation once; the returned function is timed. */
  prepare(question: Question, parameters: readonly Parameter[]): () => Answer;
}

/** SQLite in memory with an index on every column used, both directions of the list included. */
export function sqlitePeer(content: Content): Peer {
  const database = openDatabase(content);
  return {
    name: 'SQLite',
    prepare({ sql, page }, parameters) {
      const { offset, limit } = page(content);
      const counting = statement(database, `SELECT count(*) FROM ${sql.from}`);
      const count = () => Number(row(counting, parameters)[0]);
      if (limit === 0) return () => ({ ids: [], count: count() });
      const tail = `FROM ${sql.from} ORDER BY ${sql.order} LIMIT ${limit} OFFSET ${offset}`;
      const paging = statement(database, `SELECT id ${tail}`);
      const windowed = statement(database, `SELECT id, count(*) OVER () ${tail}`);
      const twoStatements = () => {
        const ids = rows(paging, parameters).map(([id]) => String(id));
        // A first page that is not full contains everything: no need to count.
        return { ids, count: offset === 0 && ids.length < limit ? ids.length : count() };
      };
      const oneStatement = () => {
        const matches = rows(windowed, parameters);
        const total = matches[0]?.[1];
        const ids = matches.map(([id]) => String(id));
        return { ids, count: total === undefined ? count() : Number(total) };
      };
      return faster(twoStatements, oneStatement);
    },
  };
}

/** The content in SQLite, with an index on every column. */
export function openDatabase(content: Content): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  fill(database, content);
  return database;
}

/** LokiJS with a binary index on every property. */
export function lokiPeer(content: Content, plain: readonly Row[]): Peer {
  const rowsIn = new Loki('bench').addCollection<Row>('article', {
    indices: [
      'id',
      'title',
      'status',
      'state',
      'section',
      'rating',
      'featured',
      'changed',
      'date',
      'bossTitle',
    ],
    adaptiveBinaryIndices: false,
  });
  rowsIn.insert(plain.map((one) => ({ ...one })));
  rowsIn.ensureAllIndexes(true);
  return {
    name: 'LokiJS',
    prepare({ criteria, sort, page }, parameters) {
      const { offset, limit } = page(content);
      const query = { $and: Object.entries(criteria(...parameters)).map(lokiCondition) };
      return () => {
        const matches = rowsIn.chain().find(query);
        const count = matches.count();
        if (limit === 0) return { ids: [], count };
        if (sort === null) matches.simplesort('id');
        else if (sort.by === 'date')
          matches.compoundsort([
            ['date', sort.descending],
            ['id', false],
          ]);
        else matches.simplesort(sort.by, { desc: sort.descending });
        return {
          ids: matches
            .offset(offset)
            .limit(limit)
            .data()
            .map(({ id }) => id),
          count,
        };
      };
    },
  };
}

export function siftPeer(content: Content, plain: readonly Row[]): Peer {
  return {
    name: 'sift',
    prepare(question, parameters) {
      const test = sift.default(question.criteria(...parameters));
      return scan(question, content, plain, (one) => test(one));
    },
  };
}

export function mingoPeer(content: Content, plain: readonly Row[]): Peer {
  return {
    name: 'mingo',
    prepare(question, parameters) {
      const query = new Query({ ...question.criteria(...parameters) });
      return scan(question, content, plain, (one) => query.test(one));
    },
  };
}

/** The articles as plain objects in order of id. */
export function plainRows({ persons, tags, articles }: Content): readonly Row[] {
  const seen = <T extends { readonly status: boolean }>(one: T | undefined) =>
    one?.status ? one : undefined;
  return articles.map(({ author, tags: chosen, ...article }): Row => {
    const boss = seen(author === null ? undefined : persons[author])?.boss ?? null;
    return {
      ...article,
      bossTitle: (boss === null ? undefined : seen(persons[boss])?.title) ?? null,
      tagTitles: chosen.flatMap((index) => seen(tags[index])?.title ?? []),
    };
  });
}

/** A filter function, then a native sort: the usual code around such a library. */
function scan(
  { sort, page }: Question,
  content: Content,
  plain: readonly Row[],
  test: (one: Row) => boolean,
): () => Answer {
  const { offset, limit } = page(content);
  const compare = sort && comparison(sort.by, sort.descending ? -1 : 1);
  return () => {
    const matches = plain.filter(test);
    if (limit === 0) return { ids: [], count: matches.length };
    if (compare) matches.sort(compare);
    return { ids: matches.slice(offset, offset + limit).map(({ id }) => id), count: matches.length };
  };
}

/** The rows are in order of id and the sort is stable, so equal rows stay in order of id. */
function comparison(by: 'title' | 'changed' | 'date', sign: 1 | -1): (a: Row, b: Row) => number {
  return (a, b) => {
    const left = a[by];
    const right = b[by];
    if (left === right) return 0;
    if (left === null) return -sign;
    if (right === null) return sign;
    return left < right ? -sign : sign;
  };
}

function lokiCondition([property, value]: readonly [string, unknown]): Readonly<Record<string, unknown>> {
  if (property === 'tagTitles') return { tagTitles: { $contains: value } };
  if (property === '$or') return { $or: value };
  if (typeof value !== 'object' || value === null) return { [property]: value };
  if ('$gte' in value && '$lte' in value) return { [property]: { $between: [value.$gte, value.$lte] } };
  return { [property]: value };
}

function fill(database: DatabaseSync, { persons, tags, articles }: Content): void {
  database.exec(`
    CREATE TABLE person (pk INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT COLLATE NOCASE, status INTEGER, boss INTEGER);
    CREATE TABLE tag (pk INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT COLLATE NOCASE, status INTEGER);
    CREATE TABLE article (pk INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT COLLATE NOCASE, status INTEGER,
      state TEXT COLLATE NOCASE, section TEXT COLLATE NOCASE, rating INTEGER, featured INTEGER, changed INTEGER,
      date INTEGER, author INTEGER);
    CREATE TABLE article_tag (article INTEGER, tag INTEGER, PRIMARY KEY (article, tag)) WITHOUT ROWID;
    BEGIN`);
  insert(
    database,
    'person',
    persons.map((one, pk) => [pk, one.id, one.title, Number(one.status), one.boss]),
  );
  insert(
    database,
    'tag',
    tags.map((one, pk) => [pk, one.id, one.title, Number(one.status)]),
  );
  insert(
    database,
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
  insert(
    database,
    'article_tag',
    articles.flatMap((one, pk) => one.tags.map((tag) => [pk, tag])),
  );
  database.exec('COMMIT; CREATE INDEX article_tag_tag ON article_tag (tag, article)');
  const indexed = {
    person: ['title', 'status', 'boss'],
    tag: ['title', 'status'],
    article: ['title', 'status', 'state', 'section', 'rating', 'featured', 'changed', 'date', 'author'],
  };
  for (const [table, columns] of Object.entries(indexed)) {
    for (const column of columns) database.exec(`CREATE INDEX ${table}_${column} ON ${table} (${column})`);
  }
  database.exec('ANALYZE');
}

type SqlValue = string | number | null;

function insert(database: DatabaseSync, table: string, values: readonly (readonly SqlValue[])[]): void {
  const marks = (values[0] ?? []).map(() => '?').join(', ');
  const prepared = database.prepare(`INSERT INTO ${table} VALUES (${marks})`);
  for (const one of values) prepared.run(...one);
}

function statement(database: DatabaseSync, sql: string): StatementSync {
  const prepared = database.prepare(sql);
  prepared.setReturnArrays(true);
  return prepared;
}

/** Rows are returned as arrays, which are cheaper than objects; Node's types only know objects. */
function rows(prepared: StatementSync, parameters: readonly Parameter[]): readonly (readonly unknown[])[] {
  return prepared.all(...parameters) as unknown as readonly (readonly unknown[])[];
}

function row(prepared: StatementSync, parameters: readonly Parameter[]): readonly unknown[] {
  return prepared.get(...parameters) as unknown as readonly unknown[];
}

/** The faster of two ways to the same result. */
function faster<T>(one: () => T, other: () => T): () => T {
  const spent = [one, other].map((way) => {
    way();
    const times = Array.from({ length: 5 }, () => {
      const start = performance.now();
      way();
      return performance.now() - start;
    });
    return Math.min(...times);
  });
  return (spent[0] ?? 0) <= (spent[1] ?? 0) ? one : other;
}
