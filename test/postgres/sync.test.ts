import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import type { Entity, ResourceType } from '../../integration/core/content/model.ts';
import { createOrderings } from '../../integration/core/engine/store/ordering.ts';
import { createSiteTerms, createTerms } from '../../integration/core/engine/text/words.ts';
import { prepareCollation } from '../../integration/features/postgres/collation.ts';
import { type Database, openDatabase, rowsOf } from '../../integration/features/postgres/database.ts';
import { createPostgresEngine } from '../../integration/features/postgres/engine.ts';
import { createLayout } from '../../integration/features/postgres/layout.ts';
import { readMeta } from '../../integration/features/postgres/meta.ts';
import {
  findTables,
  type SyncedContent,
  type SyncOptions,
  syncContent,
} from '../../integration/features/postgres/sync.ts';
import { fromCollated, toCollated } from '../../integration/features/postgres/text.ts';
import { ACCESSES } from '../oracle/access.ts';
import { contents, LOCALES } from '../oracle/arbitraries.ts';
import { runs } from '../oracle/runs.ts';
import { many, nodeType, single, TYPES } from '../oracle/schema.ts';
import { HAS_POSTGRES, usePostgres } from '../support/postgres.ts';
import { expectedRow, readStored } from './stored.ts';

const TERMS = createSiteTerms([createTerms((word) => word)]);

describe.skipIf(!HAS_POSTGRES)('sync', () => {
  const postgres = usePostgres();
  const open: Database[] = [];
  let schemas = 0;

  function connect(schema: string): Database {
    const db = openDatabase({ url: postgres().url, schema });
    open.push(db);
    return db;
  }

  function newSchema(): string {
    return `s${++schemas}`;
  }

  afterAll(() => Promise.all(open.map((db) => db.destroy())));

  test('stores each value of each row', async () => {
    await fc.assert(
      fc.asyncProperty(contents(10, ['de', 'fr']), async ({ locale, entities }) => {
        const schema = newSchema();
        const db = connect(schema);
        const result = await sync(db, contentOf(TYPES, entities, locale), schema);
        expect(result).toMatchObject({ version: 1, written: entities.length, removed: 0, isComplete: true });
        const stored = await readStored(db);
        for (const type of TYPES) {
          const expected = entities.filter((entity) => entity.type === type.name).sort(byIdAndLanguage);
          expect(stored[type.name]!.map(({ words: _, ...row }) => row)).toEqual(
            expected.map((entity) => expectedRow(type, entity)),
          );
        }
        await checkOrder(db, locale);
        await db.destroy();
      }),
      runs(6),
    );
  });

  test('leaves the same rows by differences as at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(contents(10, ['de', 'fr']), { minLength: 2, maxLength: 4 }),
        fc.constantFrom(...LOCALES),
        async (states, locale) => {
          const schema = newSchema();
          const db = connect(schema);
          for (const { entities } of states) await sync(db, contentOf(TYPES, entities, locale), schema);
          const last = contentOf(TYPES, states.at(-1)!.entities, locale);
          const atOnce = newSchema();
          const other = connect(atOnce);
          await sync(other, last, atOnce);
          expect(await readStored(db)).toEqual(await readStored(other));
          await checkOrder(db, locale);
          expect(await sync(db, last, schema)).toMatchObject({ written: 0, removed: 0 });
          await Promise.all([db.destroy(), other.destroy()]);
        },
      ),
      runs(4),
    );
  });

  test('writes only changed entities, and numbers each state', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const a = article('a', { title: 'One' });
    const b = article('b', { title: 'Two' });
    await sync(db, contentOf([ARTICLE], [a, b]), schema, 'first');
    expect(
      await sync(db, contentOf([ARTICLE], [a, article('b', { title: 'three' })]), schema, 'second'),
    ).toMatchObject({
      written: 1,
      removed: 1,
    });
    expect(await sync(db, contentOf([ARTICLE], [a]), schema, 'third')).toMatchObject({
      written: 0,
      removed: 1,
    });
    expect(await readMeta(db)).toMatchObject({ version: 3, revision: 'third' });
    expect(await sync(db, contentOf([ARTICLE], [a]), schema, 'third')).toMatchObject({
      version: 3,
      written: 0,
      removed: 0,
      isComplete: true,
    });
  });

  test('compares only entities that changed after the version in the tables', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const before = [
      article('a', { title: 'One' }),
      article('b', { title: 'Two' }),
      article('c', { title: 'Three' }),
    ];
    const after = [
      article('a', { title: 'Other' }),
      article('b', { title: 'New' }),
      article('d', { title: 'Four' }),
    ];
    const { stamp } = await sync(db, contentOf([ARTICLE], before), schema);
    const changed = new Map([['node--article', new Set(['b', 'c'])]]);
    const syncSince = (since: string) =>
      syncContent(db, contentOf([ARTICLE], after), {
        ...{ schema, revision: '', terms: TERMS, termsKey: 'en' },
        since: { stamp: since, changed },
      });
    const titles = async () => (await readStored(db))['node--article']!.map(({ columns }) => columns.title);
    expect(await syncSince(stamp)).toMatchObject({ version: 2, written: 1, removed: 2, isComplete: false });
    expect(await titles()).toMatchObject(['One', 'New']);
    expect(await syncSince(stamp)).toMatchObject({ version: 3, written: 2, removed: 1, isComplete: true });
    expect(await titles()).toEqual(['Other', 'New', 'Four']);
  });

  test('stores nothing if a row that it wrote is missing or has other content', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const before = [article('a', { title: 'One' })];
    await sync(db, contentOf([ARTICLE], before), schema);
    const suffix = (await readMeta(db)).types[0]!.suffix;
    const { table, recordTable } = createLayout(ARTICLE, suffix);
    await sql`create function skip() returns trigger language plpgsql as 'begin return null; end'`.execute(
      db,
    );
    await sql`create function alter_digest() returns trigger language plpgsql as
      'begin new.digest = 12345; return new; end'`.execute(db);
    for (const [name, action] of [
      [table, 'skip'],
      [recordTable, 'alter_digest'],
    ] as const) {
      await sql`create trigger t before insert on ${sql.table(name)} for each row execute function ${sql.ref(action)}()`.execute(
        db,
      );
      const syncing = sync(db, contentOf([ARTICLE], [article('a', { title: 'Two' })]), schema);
      await expect(syncing).rejects.toThrow('The stored rows of node--article are not those of the content');
      await sql`drop trigger t on ${sql.table(name)}`.execute(db);
      expect((await readStored(db))['node--article']!.map(({ columns }) => columns.title)).toEqual(['One']);
    }
  });

  test('makes the tables of a changed type again, while readers see the old ones', async () => {
    const schema = newSchema();
    const db = connect(schema);
    await sync(db, contentOf([ARTICLE], [article('a', { title: 'One' })]), schema);
    const reader = connect(schema);
    await reader
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (transaction) => {
        const before = await readStored(transaction);
        const changed = nodeType('article', [single('title', 'string'), single('field_number', 'integer')]);
        const syncing = sync(
          db,
          contentOf([changed], [article('a', { title: 'One', field_number: 3 })]),
          schema,
        );
        await Promise.race([syncing, new Promise((resolve) => setTimeout(resolve, 500))]);
        expect(await readStored(transaction)).toEqual(before);
      });
    await expect
      .poll(async () => (await readStored(db))['node--article']?.[0]?.columns)
      .toMatchObject({
        field_number: '3',
        title: 'One',
      });
  });

  test('removes the tables of a removed type', async () => {
    const schema = newSchema();
    const db = connect(schema);
    await sync(db, contentOf([ARTICLE, nodeType('page', [single('title', 'string')])], []), schema);
    await sync(db, contentOf([ARTICLE], []), schema);
    expect(await tableNames(db, schema)).toEqual([
      'files',
      'meta',
      'node_article_1_0',
      'node_article_field_tags_1_0',
      'node_article_postings_1_0',
      'node_article_records_1_0',
      'node_article_terms_1_0',
      'node_article_words_1_0',
      'refs',
      'revisions',
    ]);
  });

  test('types and fields whose names are similar, or have no letters of ASCII, have tables and columns of their own', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const long = 'long'.repeat(20);
    const bundles = [
      'article',
      'article_field_tags',
      'article_words',
      'Article',
      'a-b',
      'a_b',
      `${long}1`,
      `${long}2`,
    ];
    const fields = [single('title', 'string'), single('日本', 'string'), single('中国', 'string')];
    const types = bundles.map((bundle) =>
      nodeType(bundle, [...fields, many('field_tags', 'string'), many('標籤', 'string')]),
    );
    const entities = types.map(({ name }) => ({
      ...article('one', { title: name, 日本: 'a', 中国: 'b', field_tags: ['c'], 標籤: ['d'] }),
      type: name,
    }));
    await sync(db, contentOf(types, entities), schema);
    const stored = await readStored(db);
    expect(
      types.map(({ name }) =>
        stored[name]!.map(({ entity, columns, lists }) => ({ entity, columns, lists })),
      ),
    ).toEqual(types.map((type, i) => [expectedRow(type, entities[i]!)]));
  });

  test('a user without rights to the database can use a schema and an extension that are there, in any schema', async () => {
    const admin = connect('public');
    for (const statement of ['create role guest login', 'create database guests']) {
      await sql.raw(statement).execute(admin);
    }
    const urlOf = (user: string) => postgres().url.replace('//postgres@/postgres', `//${user}@/guests`);
    const owner = openDatabase({ url: urlOf('postgres'), schema: 'public' });
    open.push(owner);
    for (const statement of [
      'create schema extensions',
      'grant usage on schema extensions to guest',
      'create extension pg_trgm schema extensions',
      'create schema theirs authorization guest',
    ]) {
      await sql.raw(statement).execute(owner);
    }
    const guest = openDatabase({ url: urlOf('guest'), schema: 'theirs' });
    open.push(guest);
    const entities = [article('a', { title: 'One' })];
    expect(await sync(guest, contentOf([ARTICLE], entities), 'theirs')).toMatchObject({ written: 1 });
    const changed = nodeType('article', [single('title', 'string')]);
    expect(await sync(guest, contentOf([changed], entities), 'theirs')).toMatchObject({ version: 2 });
  });

  test('a read-only user can read new tables after a change of the schema', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const entities = [article('a', { title: 'One' })];
    await sync(db, contentOf([ARTICLE], entities), schema);
    await sql.raw('create role "Only reads" login').execute(db);
    await sql.raw(`grant usage on schema ${schema} to "Only reads"`).execute(db);
    await sql.raw(`grant select on all tables in schema ${schema} to "Only reads"`).execute(db);
    const changed = nodeType('article', [single('title', 'string'), single('field_new', 'string')]);
    await sync(db, contentOf([changed, nodeType('other', [single('title', 'string')])], entities), schema);
    const reader = openDatabase({
      url: postgres().url.replace('//postgres@', '//Only%20reads@'),
      schema,
    });
    open.push(reader);
    const read = await rowsOf(
      reader,
      sql<{ allowed: boolean }>`select has_table_privilege(c.oid, 'select') as allowed from pg_class c
        where relkind = 'r' and relnamespace = ${schema}::regnamespace`,
    );
    expect(read.length).toBeGreaterThan(8);
    expect(read.filter(({ allowed }) => !allowed)).toEqual([]);
  });

  test('a database with another encoding than UTF8 is refused', async () => {
    const admin = connect('public');
    await sql`create database latin encoding 'LATIN1' template template0`.execute(admin);
    const db = openDatabase({ url: postgres().url.replace('/postgres?', '/latin?'), schema: 'content' });
    open.push(db);
    await expect(sync(db, contentOf([ARTICLE], []), 'content')).rejects.toThrow(
      "The database has the encoding LATIN1, which cannot store all texts. Create one with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
    );
  });

  test('options in the address of the database replace other settings, but not the schema', async () => {
    const schema = newSchema();
    const url = `${postgres().url}&options=${encodeURIComponent('-c search_path=public -c random_page_cost=4')}`;
    const db = openDatabase({ url, schema });
    open.push(db);
    await sync(db, contentOf([ARTICLE], [article('a', { title: 'One' })]), schema);
    expect(
      await rowsOf(
        db,
        sql`select distinct schemaname from pg_tables where schemaname in ('public', ${schema})`,
      ),
    ).toEqual([{ schemaname: schema }]);
    expect(await rowsOf(db, sql`show random_page_cost`)).toEqual([{ random_page_cost: '4' }]);
    expect(await rowsOf(db, sql`show jit`)).toEqual([{ jit: 'off' }]);
  });

  test('images with long addresses on other hosts are stored', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const type = nodeType('article', [single('title', 'string'), single('cover', 'string')]);
    const uri = `https://example.org/${Array.from({ length: 4000 }, (_, i) => ((i * i * 7919) % 36).toString(36)).join('')}`;
    const images = [{ uri }, { uri: 'content://article/a.png' }] as unknown as NonNullable<Entity['images']>;
    await sync(db, contentOf([type], [{ ...article('a', { title: 'One' }), images }]), schema);
    expect(await rowsOf(db, sql`select uri from ${sql.table('files')}`)).toEqual([
      { uri: 'content://article/a.png' },
    ]);
  });

  test('ids, targets of references, and decimals that are too long for an index are stored', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const type = nodeType('article', [
      single('title', 'string'),
      single('price', 'decimal'),
      many('prices', 'decimal'),
      many('field_tags', 'reference', { targets: ['node--tag'] }),
    ]);
    // Random, so that compression does not make it short.
    const random = (length: number, radix: number) =>
      Array.from({ length }, (_, i) => ((i * i * 7919 + i * 31) % radix).toString(radix)).join('');
    const short = article('short', { title: 'One', price: '1', prices: ['2'], field_tags: [] });
    const long = article(random(6000, 36), {
      ...{ title: 'Two', price: `1${random(9000, 10)}`, prices: [`0.${random(9000, 10)}`] },
      field_tags: [{ type: 'node--tag', id: random(5000, 36) }],
    });
    const stored = async () => (await readStored(db))['node--article']!.map(({ words: _, ...row }) => row);
    const expected = [long, short].sort(byIdAndLanguage).map((entity) => expectedRow(type, entity));
    await sync(db, contentOf([type], [short]), schema);
    // The indexes are there already.
    await sync(db, contentOf([type], [short, long]), schema);
    expect(await stored()).toEqual(expected);
    expect(await sync(db, contentOf([type], [short, long]), schema)).toMatchObject({
      written: 0,
      removed: 0,
    });
    const atOnce = newSchema();
    const other = connect(atOnce);
    await sync(other, contentOf([type], [short, long]), atOnce);
    expect(await readStored(other)).toEqual(await readStored(db));
  });

  test('two processes at once store one state after the other', async () => {
    const schema = newSchema();
    const states = Array.from({ length: 6 }, (_, i) =>
      contentOf([ARTICLE], [article('a', { title: `Title ${i}` }), article(`only ${i}`, { title: 'Same' })]),
    );
    await Promise.all(states.map((state, i) => sync(connect(schema), state, schema, `state ${i}`)));
    const db = connect(schema);
    const { version, revision } = await readMeta(db);
    expect(version).toBe(6);
    const at = Number(revision.split(' ')[1]);
    const rows = (await readStored(db))['node--article']!;
    expect(rows.map(({ entity }) => (entity as Entity).id)).toEqual(['a', `only ${at}`]);
    expect(rows[0]!.columns.title).toBe(`Title ${at}`);
  });

  test('a process that ends halfway leaves the last state, and the next sync succeeds', async () => {
    const schema = newSchema();
    const db = connect(schema);
    await sync(db, contentOf([ARTICLE], [article('a', { title: 'One' })]), schema, 'first');
    const before = await readStored(db);
    const tables = await tableNames(db, schema);
    const many = Array.from({ length: 20_000 }, (_, i) => article(`b${i}`, { title: `Title ${i}` }));
    const other = connect(schema);
    const failed = expect(sync(other, contentOf([ARTICLE], many), schema, 'second')).rejects.toThrow();
    const pids = sql<{ pid: number }>`select pid from pg_locks where locktype = 'advisory' and granted`;
    await expect.poll(async () => (await rowsOf(db, pids)).length, { interval: 5 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const { pid } of await rowsOf(db, pids)) await rowsOf(db, sql`select pg_terminate_backend(${pid})`);
    await failed;
    expect(await readStored(db)).toEqual(before);
    expect((await readMeta(db)).revision).toBe('first');
    expect(await tableNames(db, schema)).toEqual(tables);
    expect(await sync(other, contentOf([ARTICLE], many), schema, 'second')).toMatchObject({
      written: 20_000,
      removed: 1,
    });
  });

  test('content in another language is sorted again', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const entities = ['z', 'ä', 'a', 'Ä', 'zz', 'o', 'ö'].map((title, i) => article(`id${i}`, { title }));
    await sync(db, contentOf([ARTICLE], entities, 'de'), schema);
    await checkOrder(db, 'de');
    await sync(db, contentOf([ARTICLE], entities, 'sv'), schema);
    await checkOrder(db, 'sv');
    expect((await readStored(db))['node--article']!.map(({ columns }) => columns.title)).toEqual(
      entities.map(({ values }) => values.title),
    );
  });

  test('strings are equal if the collator says so, and have its order, whatever characters they have', async () => {
    const db = connect('s-order');
    await sync(db, contentOf([], []), 's-order');
    const anything = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.string({ unit: fc.constantFrom(...SIMILAR), maxLength: 6 }),
    );
    // The order of others can differ between versions of ICU.
    const common = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...SIMILAR.filter((each) => !STORED_ALIKE.includes(each))),
        ...COMMON.map(([min, max]) => fc.integer({ min, max }).map((point) => String.fromCodePoint(point))),
      ),
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...LOCALES, 'de-u-co-phonebk', 'th', 'da'),
        fc.array(fc.tuple(anything, anything), { minLength: 200, maxLength: 200 }),
        fc.array(fc.tuple(common, common), { minLength: 200, maxLength: 200 }),
        async (locale, some, others) => {
          const { name } = await prepareCollation(db, 's-order', locale);
          const { compare } = createOrderings(locale).string;
          const compareStored = async (pairs: readonly (readonly [string, string])[]) => {
            const [left, right] = [0, 1].map((at) => pairs.map((pair) => toCollated(pair[at]!)));
            return rowsOf(
              db,
              sql<{
                equal: boolean;
                below: boolean;
              }>`select a = b collate ${sql.id('s-order', name)} as equal,
                a < b collate ${sql.id('s-order', name)} as below from unnest(${left}::text[], ${right}::text[]) v (a, b)`,
            );
          };
          const expected = (pairs: readonly (readonly [string, string])[]) =>
            pairs.map(([a, b]) => ({ a, b, equal: compare(a, b) === 0, below: compare(a, b) < 0 }));
          const found = await compareStored(others);
          expect(others.map(([a, b], i) => ({ a, b, ...found[i] }))).toEqual(expected(others));
          const equal = (await compareStored(some)).map((each) => each.equal);
          expect(some.map(([a, b], i) => ({ a, b, equal: equal[i] }))).toEqual(
            expected(some).map(({ below: _, ...each }) => each),
          );
          for (const [a] of some) expect(fromCollated(toCollated(a))).toBe(a);
        },
      ),
      runs(20),
    );
  });

  test('texts that are too long for an index are stored, found and sorted', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const type = nodeType('article', [single('title', 'string'), many('words', 'string')]);
    const long = Array.from({ length: 9000 }, (_, i) => ((i * i * 7919 + i * 31) % 36).toString(36)).join('');
    const short = article('short', { title: 'One', words: ['two'] });
    const other = article('long', { title: long, words: [long] });
    await sync(db, contentOf([type], [short]), schema);
    // The indexes are there already.
    await sync(db, contentOf([type], [short, other]), schema);
    const atOnce = newSchema();
    const second = connect(atOnce);
    await sync(second, contentOf([type], [short, other]), atOnce);
    for (const each of [db, second]) {
      const terms = TERMS;
      const engine = createPostgresEngine({ db: each, terms });
      for (const path of ['title', 'words']) {
        const result = await engine.run(
          type,
          {
            filter: {
              kind: 'group',
              conjunction: 'AND',
              members: [{ kind: 'condition', path, operator: '=', value: long.toUpperCase() }],
            },
            sort: [{ path, direction: 'ASC' }],
            page: { offset: 0, limit: 10 },
          },
          ACCESSES.all,
        );
        expect([path, result.entities.map(({ id }) => id)]).toEqual([path, ['long']]);
      }
    }
  });

  test('tables of an older version are made again, for the same readers', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const entities = [article('a', { title: 'One' })];
    await sync(db, contentOf([ARTICLE], entities), schema);
    await sql.raw('create role "Reads old tables" login').execute(db);
    await sql.raw(`grant usage on schema ${schema} to "Reads old tables"`).execute(db);
    for (const statement of [
      'alter table meta rename collation_version to icu',
      'create table texts (no bigint)',
      'grant select on meta to "Reads old tables"',
    ]) {
      await sql.raw(statement.replace(/meta|texts/, `${schema}.$&`)).execute(db);
    }
    expect(await findTables(db, schema)).toBe('old');
    expect(await sync(db, contentOf([ARTICLE], entities), schema)).toMatchObject({ written: 1 });
    expect(await findTables(db, schema)).toBe('current');
    expect(await tableNames(db, schema)).not.toContain('texts');
    const unreadable = await rowsOf(
      db,
      sql`select relname from pg_class c where relkind = 'r' and relnamespace = ${schema}::regnamespace
        and not has_table_privilege('Reads old tables', c.oid, 'select')`,
    );
    expect(unreadable).toEqual([]);
    expect((await readStored(db))['node--article']!.map(({ columns }) => columns.title)).toEqual(['One']);
  });

  test('tables without the list of words are made again', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const entities = [article('a', { title: 'One' })];
    await sync(db, contentOf([ARTICLE], entities), schema);
    await sql.raw(`drop table ${schema}.node_article_terms_1_0`).execute(db);
    await sql
      .raw(`update ${schema}.meta set types = replace(types, '"signature":"', '"signature":"older')`)
      .execute(db);
    expect(await sync(db, contentOf([ARTICLE], entities), schema)).toMatchObject({ written: 1 });
    expect(await tableNames(db, schema)).toContain('node_article_terms_2_0');
  });

  test('lists of words do not grow when entities change', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const articles = (word: string) =>
      Array.from({ length: 1100 }, (_, i) => article(`a${i}`, { title: `The ${word} ${i}` }));
    const sizes: unknown[] = [];
    for (const word of ['sea', 'sun', 'sky']) {
      await sync(db, contentOf([ARTICLE], articles(word)), schema);
      const postings = sql.table(`node_article_postings_1_0`);
      sizes.push(await rowsOf(db, sql`select count(*), sum(length(postings)) from ${postings}`));
    }
    expect(sizes[2]).toEqual(sizes[0]);
    const other = connect(newSchema());
    await sync(other, contentOf([ARTICLE], articles('sky')), `s${schemas}`);
    expect(await readStored(db)).toEqual(await readStored(other));
  });

  test('tables are made again if the rules of ICU have changed', async () => {
    const schema = newSchema();
    const db = connect(schema);
    const entities = [article('a', { title: 'One' })];
    await sync(db, contentOf([ARTICLE], entities), schema);
    expect(await sync(db, contentOf([ARTICLE], entities), schema)).toMatchObject({ written: 0 });
    const versions = sql<{ version: string }>`select collversion as version from pg_collation
      where collnamespace = ${schema}::regnamespace`;
    const before = await rowsOf(db, versions);
    const [{ version }] = before as [{ version: string }];
    await sql`update ${sql.table('meta')} set types = replace(types, ${version}, '1.0')`.execute(db);
    await withSystemTables(db, (on) =>
      sql`update pg_collation set collversion = '1.0' where collnamespace = ${schema}::regnamespace`.execute(
        on,
      ),
    );
    expect(await sync(db, contentOf([ARTICLE], entities), schema)).toMatchObject({ version: 2, written: 1 });
    expect(await rowsOf(db, versions)).toEqual(before);
    expect(await sync(db, contentOf([ARTICLE], entities), schema)).toMatchObject({ version: 2, written: 0 });
  });

  test('a server without ICU is refused', async () => {
    await sql`create database without_icu`.execute(connect('public'));
    const url = postgres().url.replace('/postgres?', '/without_icu?');
    const db = openDatabase({ url, schema: 'content' });
    open.push(db);
    await withSystemTables(db, (on) => sql`delete from pg_collation where collprovider = 'i'`.execute(on));
    await expect(sync(db, contentOf([ARTICLE], []), 'content')).rejects.toThrow(
      'The PostgreSQL server was built without ICU',
    );
  });

  async function withSystemTables(db: Database, change: (on: Database) => Promise<unknown>): Promise<void> {
    await db.transaction().execute(async (transaction) => {
      await sql`set local allow_system_table_mods = on`.execute(transaction);
      await change(transaction);
    });
  }

  async function tableNames(db: Database, schema: string): Promise<readonly string[]> {
    const rows = await rowsOf(
      db,
      sql<{ name: string }>`select tablename as name from pg_tables where schemaname = ${schema} order by 1`,
    );
    return rows.map(({ name }) => name);
  }

  /** PostgreSQL sorts the titles of articles like the collator. */
  async function checkOrder(db: Database, locale: string): Promise<void> {
    const { compare } = createOrderings(locale).string;
    const { types } = await readMeta(db);
    const { type, suffix } = types.find(({ name }) => name === 'node--article')!;
    const { table } = createLayout(type, suffix);
    const rows = await rowsOf(
      db,
      sql<{ title: string }>`select title from ${sql.table(table)} where title is not null order by title`,
    );
    const titles = rows.map(({ title }) => fromCollated(title));
    for (let i = 1; i < rows.length; i++) {
      expect([titles[i - 1], titles[i], compare(titles[i - 1]!, titles[i]!) <= 0]).toEqual([
        titles[i - 1],
        titles[i],
        true,
      ]);
    }
  }
});

/** Strings that are similar to a collator, or that PostgreSQL cannot store as they are. */
const SIMILAR = [...'aAáåßIıİａ𝐚😀-', 'a\u0301', '\u0323', 'ch', 'aa', 'ss', '\u200b'].concat([
  ...['\0', '\u0001', '\u007f', '\u0080', '\ud800', '\udc00', '\u{10d800}'],
]);

/** Lone surrogates are stored as private characters, so their order beside these is not that of the collator. */
const STORED_ALIKE = ['\ud800', '\udc00', '\u{10d800}'];

/** Characters that ICU has long sorted: of Latin, Greek and Cyrillic, and kana. Versions differ in the strokes of ideographs. */
const COMMON = [
  [0, 0x2ff],
  [0x370, 0x377],
  [0x391, 0x3a1],
  [0x3b1, 0x3c9],
  [0x400, 0x481],
  [0x3041, 0x3096],
] as const;

const ARTICLE = nodeType('article', [
  single('title', 'string'),
  many('field_tags', 'reference', { targets: ['node--tag'] }),
]);

function article(id: string, values: Entity['values']): Entity {
  return {
    type: 'node--article',
    id,
    key: `article/${id}.md`,
    revision: '',
    values,
    published: true,
    body: null,
  };
}

function contentOf(
  types: readonly ResourceType[],
  entities: readonly Entity[],
  locale = 'en',
): SyncedContent {
  return {
    locale,
    types: new Map(types.map((type) => [type.name, type])),
    entities: (name) => entities.filter(({ type }) => type === name),
  };
}

function sync(
  db: Database,
  content: SyncedContent,
  schema: string,
  revision = '',
): ReturnType<typeof syncContent> {
  const options: SyncOptions = { schema, revision, terms: TERMS, termsKey: 'en' };
  return syncContent(db, content, options);
}

function byIdAndLanguage(a: Entity, b: Entity): number {
  const [one, other] = [a, b].map(({ id, translation = '' }) => [id, translation] as const);
  const order = one![0] === other![0] ? [one![1], other![1]] : [one![0], other![0]];
  return order[0]! < order[1]! ? -1 : order[0]! > order[1]! ? 1 : 0;
}
