import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Entity, Reference, ResourceType } from '../../core/content/model.ts';
import {
  POLICY_SLOTS,
  PUBLISHED_PATH,
  referenceKey,
  splitReferenceKey,
} from '../../core/engine/store/slot.ts';
import { searchableFields, signatureOf } from '../../core/engine/text/searchable.ts';
import type { SiteTerms } from '../../core/engine/text/words.ts';
import { type Collation, dropCollations, prepareCollation } from './collation.ts';
import { foldedText } from './compile.ts';
import { type Database, rowsOf } from './database.ts';
import {
  columnsOf,
  createLayout,
  isOwnColumn,
  lengthColumn,
  type SlotColumn,
  type TypeLayout,
  tablesOf,
  textColumn,
} from './layout.ts';
import {
  encodeTypes,
  type LastChange,
  metaTables,
  NEWEST_COLUMN,
  readMeta,
  type StoredType,
} from './meta.ts';
import { phrasesOf } from './record.ts';
import {
  type Counters,
  checkRows,
  deleteRows,
  FILES_TABLE,
  insertRows,
  planRows,
  type RowPlan,
} from './rows.ts';

/** The content to store. */
export interface SyncedContent {
  /** BCP 47 tag of the collator. */
  readonly locale: string;
  readonly types: ReadonlyMap<string, ResourceType>;
  /** Can be iterated several times, with equal entities in the same order, whatever changes meanwhile. */
  entities(type: string): Iterable<Entity>;
}

/** Ids by resource type. */
export type Changed = ReadonlyMap<string, ReadonlySet<string>>;

export interface SyncOptions {
  /** The schema of the tables. */
  readonly schema: string;
  /** What the content was made from, such as a commit. */
  readonly revision: string;
  /** Null if full-text search is off. */
  readonly terms: SiteTerms | null;
  /** Equal for equal terms. */
  readonly termsKey: string;
  /** The entities that differ from the content of this state. If the tables have another one, all are compared. */
  readonly since?: { readonly stamp: string; readonly changed: Changed } | undefined;
  /** `start` is called with the number of rows to write, and `step` for each of them. */
  readonly progress?: { start(total: number): void; step(): void } | undefined;
}

export interface SyncResult {
  /** The version of the tables. */
  readonly version: number;
  readonly stamp: string;
  readonly written: number;
  readonly removed: number;
  /** False if rows that were not compared are missing or left over. */
  readonly isComplete: boolean;
}

/** The channel of notifications. Tables in other schemas use it too. */
export const CHANNEL = 'astro_jsonapi';

/** Changes with more entities are not described. */
const MAX_DESCRIBED = 100;

/**
 * Makes the tables equal to the content, in one transaction: readers see all of it or nothing. One process at a time does
 * so. Unchanged rows are not written. Tables of a changed type are made again.
 */
export async function syncContent(
  database: Database,
  content: SyncedContent,
  options: SyncOptions,
): Promise<SyncResult> {
  await prepareSchema(database, options.schema);
  return database.transaction().execute(async (transaction) => {
    const db: Database = transaction;
    await rowsOf(db, sql`select pg_advisory_xact_lock(hashtext(${options.schema}))`);
    await findExtension(db, options.schema);
    if ((await findTables(db, options.schema)) === 'old') await replaceTables(db, options.schema);
    const meta = await readMeta(db);
    const collation = await prepareCollation(db, options.schema, content.locale);
    const next: Counters = { ...meta };
    const version = meta.version + 1;
    const since = options.since?.stamp === meta.stamp ? options.since.changed : undefined;
    const changed = createChangedEntities();
    const types: StoredType[] = [];
    const plans: RowPlan[] = [];
    // At one moment: the content of a server can change meanwhile.
    const all = [...content.types.values()].map((type) => ({ type, entities: content.entities(type.name) }));
    for (const { type, entities } of all) {
      const old = meta.types.find(({ name }) => name === type.name);
      const signature = signatureOfType(type, options, collation);
      const isKept = old?.signature === signature;
      // The names of two types can be equal without it, such as those of `a-b` and `a_b`.
      const suffix = isKept ? old.suffix : `_${version}_${types.length}`;
      const layout = createLayout(type, suffix);
      if (!isKept) await createTables(db, layout, collation);
      if (isKept && since !== undefined && !since.has(type.name)) {
        types.push({ ...old, type });
        continue;
      }
      const compared = isKept ? (since?.get(type.name) ?? 'all') : 'none';
      const plan = await planRows(db, layout, entities, compared, changed.add);
      plans.push(plan);
      types.push({ name: type.name, type, signature, suffix, hasTranslations: plan.hasTranslations });
    }
    const written = plans.reduce((sum, { added }) => sum + added.length, 0);
    const removed = plans.reduce((sum, plan) => sum + plan.removed.length, 0);
    options.progress?.start(written);
    let isComplete = true;
    for (const plan of plans) {
      if (plan.compared !== 'none') await dropIndexes(db, plan.layout, plan.unindexed);
      await deleteRows(db, plan.layout, plan.removed);
      await insertRows(db, plan, options, next);
      if (!(await checkRows(db, plan))) isComplete = false;
      if (plan.compared === 'none') await createIndexes(db, plan.layout, plan.unindexed);
    }
    if (types.some(({ name, suffix }) => suffix !== meta.types.find((old) => old.name === name)?.suffix)) {
      await grantReading(db, options.schema);
    }
    const keptNames = new Set(types.map(({ name, suffix }) => name + suffix));
    for (const { name, suffix, type } of meta.types) {
      if (!keptNames.has(name + suffix)) await dropTables(db, createLayout(type, suffix));
    }
    await dropCollations(db, options.schema, collation);
    const encodedTypes = encodeTypes(types);
    const isSame =
      written + removed === 0 &&
      meta.version > 0 &&
      encodedTypes === encodeTypes(meta.types) &&
      meta.revision === options.revision &&
      meta.locale === content.locale &&
      meta.collationVersion === collation.version;
    if (isSame) return { version: meta.version, stamp: meta.stamp, written, removed, isComplete };
    const stamp = randomUUID();
    const lastChange: LastChange = { from: meta.stamp, ...changed.list() };
    await rowsOf(
      db,
      sql`update meta set version = ${version}, stamp = ${stamp}, last_change = ${JSON.stringify(lastChange)},
        revision = ${options.revision}, locale = ${content.locale}, collation_version = ${collation.version},
        last_row = ${next.lastRow}, last_reference = ${next.lastReference}, types = ${encodedTypes}`,
    );
    if (options.revision !== '') {
      await rowsOf(db, sql`insert into revisions values (${options.revision}) on conflict do nothing`);
    }
    await rowsOf(db, sql`select pg_notify(${CHANNEL}, ${options.schema})`);
    return { version, stamp, written, removed, isComplete };
  });
}

/** All changed entities, or none if they are too many. */
function createChangedEntities() {
  const keys = new Set<string>();
  return {
    add(reference: Reference): void {
      if (keys.size <= MAX_DESCRIBED) keys.add(referenceKey(reference));
    },
    list(): Pick<LastChange, 'changed'> {
      if (keys.size > MAX_DESCRIBED) return {};
      return {
        changed: [...keys].map((key) => {
          const { type, id } = splitReferenceKey(key);
          return [type, id];
        }),
      };
    },
  };
}

/** Creates the tables that do not depend on the content. */
async function prepareSchema(db: Database, schema: string): Promise<void> {
  if ((await findTables(db, schema)) !== 'none') return;
  await db.transaction().execute(async (transaction) => {
    await rowsOf(transaction, sql`select pg_advisory_xact_lock(hashtext('astro-jsonapi'))`);
    if ((await findTables(transaction, schema)) !== 'none') return;
    await checkEncoding(transaction);
    await sql.raw('CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public').execute(transaction);
    await findExtension(transaction, schema);
    // With IF NOT EXISTS, PostgreSQL demands a right that is not needed if there is a schema.
    const schemas = await rowsOf(transaction, sql`select from pg_namespace where nspname = ${schema}`);
    if (schemas.length === 0) await sql.raw(`CREATE SCHEMA "${schema}"`).execute(transaction);
    await createSharedTables(transaction, schema);
  });
}

async function createSharedTables(db: Database, schema: string): Promise<void> {
  const statements = [
    ...metaTables(schema),
    'CREATE TABLE refs (no bigint PRIMARY KEY, type text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL)',
    // Ids can be too long for other indexes.
    'CREATE INDEX ON refs (hashtext(id))',
    `CREATE TABLE ${FILES_TABLE} (row bigint NOT NULL, uri text COLLATE "C" NOT NULL, type text NOT NULL, field text NOT NULL, id text NOT NULL, translation text)`,
    `CREATE INDEX ON ${FILES_TABLE} (uri)`,
    `CREATE INDEX ON ${FILES_TABLE} (row)`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Drops the tables of an older version of this package. The roles that may read them may read the new ones. */
async function replaceTables(db: Database, schema: string): Promise<void> {
  const readers = await findReaders(db);
  const tables = await rowsOf(
    db,
    sql<{ name: string }>`select quote_ident(tablename) as name from pg_tables where schemaname = ${schema}`,
  );
  for (const { name } of tables) await sql.raw(`DROP TABLE "${schema}".${name}`).execute(db);
  await createSharedTables(db, schema);
  for (const name of readers) await sql.raw(`GRANT SELECT ON "${schema}".meta TO ${name}`).execute(db);
}

async function checkEncoding(db: Database): Promise<void> {
  const [found] = await rowsOf(
    db,
    sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`,
  );
  if (found!.encoding === 'UTF8') return;
  throw new Error(
    `The database has the encoding ${found!.encoding}, which cannot store all texts. Create one with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  );
}

/** The extension can be in any schema: some providers have one for extensions. */
async function findExtension(transaction: Database, schema: string): Promise<void> {
  await rowsOf(
    transaction,
    sql`select set_config('search_path', concat_ws(',', quote_ident(${schema}), 'public', quote_ident(nspname)), true)
      from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'pg_trgm'`,
  );
}

/** Roles that may read the table `meta` may read new tables too. */
async function grantReading(db: Database, schema: string): Promise<void> {
  for (const name of await findReaders(db)) {
    await sql.raw(`GRANT SELECT ON ALL TABLES IN SCHEMA "${schema}" TO ${name}`).execute(db);
  }
}

/** Roles that may read the table `meta`. */
async function findReaders(db: Database): Promise<readonly string[]> {
  const roles = await rowsOf(
    db,
    sql<{
      name: string;
    }>`select distinct case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end as name
      from pg_class, aclexplode(relacl) where oid = (select tableoid from meta)
        and privilege_type = 'SELECT' and grantee <> relowner`,
  );
  return roles.map(({ name }) => name);
}

/** The tables of a schema; `old` if an older version of this package made them, `none` before the first sync. */
export async function findTables(db: Database, schema: string): Promise<'current' | 'old' | 'none'> {
  // Unlike to_regclass, this sees what another transaction has just committed.
  const [found] = await rowsOf(
    db,
    sql<{ current: boolean }>`select exists (
      select from pg_attribute where attrelid = c.oid and attname = ${NEWEST_COLUMN}) as current
      from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = ${schema} and relname = 'meta'`,
  );
  if (found === undefined) return 'none';
  return found.current ? 'current' : 'old';
}

/** Increased when the tables of words change. */
const TERMS_VERSION = 6;

function signatureOfType(
  type: ResourceType,
  { termsKey }: SyncOptions,
  { name, version }: Collation,
): string {
  const { columns, lists } = createLayout(type);
  const describe = (all: Iterable<SlotColumn>) =>
    [...all].map(({ slot: { name, kind }, key, storage }) => [name, kind, key, storage]);
  return JSON.stringify([
    describe(columns.values()),
    [...lists].map(([anchor, list]) => [anchor, list.table, describe(list.columns.values())]),
    signatureOf(type),
    termsKey,
    TERMS_VERSION,
    phrasesOf(type),
    [name, version],
  ]);
}

async function createTables(db: Database, layout: TypeLayout, collation: Collation): Promise<void> {
  const { type, table, recordTable, wordTable, postingTable, termTable, columns, lists, body } = layout;
  const define = (column: SlotColumn) =>
    columnsOf(column).map(([name, of]) => {
      const isCollated = name === column.key && (column.storage === 'texts' || column.storage === 'bodies');
      const order = of === 'text' ? ` COLLATE "${isCollated ? collation.name : 'C'}"` : '';
      return `"${name}" ${of}${order}`;
    });
  const ofSlots = [...columns.values()].filter(isOwnColumn).flatMap(define);
  const isText = (definition: string) => / (?:text|numeric)/.test(definition);
  // PostgreSQL reads a row from its beginning, and skips columns with a fixed length fast.
  const own = [
    'row bigint PRIMARY KEY',
    'no bigint NOT NULL',
    ...ofSlots.filter((definition) => !isText(definition)).sort(byAlignment),
    'id text COLLATE "C" NOT NULL',
    'language text COLLATE "C" NOT NULL',
    ...ofSlots.filter(isText),
    'id_folded text COLLATE "C"',
    'translation text COLLATE "C"',
  ];
  const record = [
    'row bigint PRIMARY KEY',
    'digest bigint NOT NULL',
    'entity text COLLATE "C" NOT NULL',
    ...(body === undefined ? [] : define(body)),
    ...searchableFields(type).map((_, at) => `${textColumn(at)} text COLLATE "C"`),
  ];
  const words = [
    'row bigint PRIMARY KEY',
    ...searchableFields(type).map((_, at) => `${lengthColumn(at)} integer NOT NULL`),
  ];
  const statements = [
    `CREATE TABLE "${table}" (${own.join(', ')})`,
    `CREATE TABLE "${recordTable}" (${record.join(', ')})`,
    `CREATE TABLE "${wordTable}" (${words.join(', ')})`,
    `CREATE TABLE "${postingTable}" (block integer, key text COLLATE "C", postings bytea NOT NULL, PRIMARY KEY (key, block))`,
    // They hardly become smaller by compression.
    `ALTER TABLE "${postingTable}" ALTER postings SET STORAGE EXTERNAL`,
    `CREATE TABLE "${termTable}" (no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, term text COLLATE "C" NOT NULL UNIQUE)`,
    ...[...lists.values()].map(
      (list) =>
        `CREATE TABLE "${list.table}" (${['row bigint NOT NULL', 'pos integer NOT NULL', ...[...list.columns.values()].flatMap(define)].join(', ')})`,
    ),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Definitions of columns with eight bytes before those with two. */
function byAlignment(a: string, b: string): number {
  return Number(a.endsWith('smallint')) - Number(b.endsWith('smallint'));
}

/** After the first rows, because that is faster. */
async function createIndexes(
  db: Database,
  layout: TypeLayout,
  unindexed: ReadonlySet<SlotColumn>,
): Promise<void> {
  const { table, recordTable, postingTable, columns, lists, body } = layout;
  const isIndexed = ({ storage }: SlotColumn) => !['flag', 'bodies', 'id'].includes(storage);
  const indexesOf = (on: string, all: Iterable<SlotColumn>, define: (column: SlotColumn) => string) =>
    [...all].flatMap((column) => [
      ...(isIndexed(column)
        ? [unindexed.has(column) ? indexOfLong(on, column) : `CREATE INDEX ON "${on}" ${define(column)}`]
        : []),
      ...(column.storage === 'texts' ? [indexOfFolded(db, on, column)] : []),
    ]);
  const id = [...columns.values()].find(({ storage }) => storage === 'id')!;
  const published = columns.get(PUBLISHED_PATH)!;
  const statements = [
    unindexed.has(id)
      ? indexOfLong(table, id)
      : `CREATE UNIQUE INDEX ON "${table}" (id, coalesce(translation, ''))`,
    `CREATE INDEX ON "${table}" (no)`,
    indexOfFolded(db, table, id),
    ...(body === undefined ? [] : [indexOfFolded(db, recordTable, body)]),
    // In the order of sorts. Backwards, nulls are last.
    ...indexesOf(table, columns.values(), ({ slot, storage, key }) => {
      // Few entities have it, and lists are not sorted by it.
      if (POLICY_SLOTS.has(slot.name)) return `("${key}") WHERE "${key}" IS NOT NULL`;
      // Equal entries of other columns take less space without it.
      if (storage !== 'texts') return `("${key}" NULLS FIRST)`;
      // Counts of published entities need no other part of the table.
      return `("${key}" NULLS FIRST) INCLUDE ("${published.key}") WITH (fillfactor = 100)`;
    }),
    // Few entities are marked, and most are published.
    ...[...columns.values()].flatMap(({ slot: { name, kind }, key }) =>
      kind === 'boolean' && name !== 'status' && !POLICY_SLOTS.has(name)
        ? [`CREATE INDEX ON "${table}" ("${key}") WHERE "${key}" = 1::smallint`]
        : [],
    ),
    ...[...lists.values()].flatMap((list) => [
      `CREATE INDEX ON "${list.table}" (row)`,
      ...indexesOf(list.table, list.columns.values(), ({ key }) => `("${key}", row)`),
    ]),
    ...[...tablesOf(layout), postingTable].map((each) => `ANALYZE "${each}"`),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Only for equal values, of any length. */
function indexOfLong(table: string, { key }: SlotColumn): string {
  return `CREATE INDEX ON "${table}" USING hash ("${key}")`;
}

/** For text operators. */
function indexOfFolded(db: Database, table: string, column: SlotColumn): string {
  return `CREATE INDEX ON "${table}" USING gin ((${foldedText(column).compile(db).sql}) gin_trgm_ops)`;
}

/** Drops the indexes of columns that get values which are too long for them. Queries need more time then. */
async function dropIndexes(
  db: Database,
  layout: TypeLayout,
  unindexed: ReadonlySet<SlotColumn>,
): Promise<void> {
  if (unindexed.size === 0) return;
  for (const { table, columns } of [layout, ...layout.lists.values()]) {
    for (const column of columns.values()) {
      if (!unindexed.has(column)) continue;
      const indexes = await rowsOf(
        db,
        sql<{ name: string }>`select c.oid::regclass::text as name
          from pg_index i join pg_class c on c.oid = indexrelid join pg_am m on m.oid = relam join pg_attribute a on attrelid = c.oid
          where indrelid = quote_ident(${table})::regclass and amname = 'btree' and attnum = 1 and attname = ${column.key}`,
      );
      for (const { name } of indexes) await sql.raw(`DROP INDEX ${name}`).execute(db);
      if (indexes.length > 0) await sql.raw(indexOfLong(table, column)).execute(db);
    }
  }
}

async function dropTables(db: Database, layout: TypeLayout): Promise<void> {
  await rowsOf(
    db,
    sql`delete from ${sql.table(FILES_TABLE)} where row in (select row from ${sql.table(layout.table)})`,
  );
  for (const each of tablesOf(layout)) {
    await sql.raw(`DROP TABLE "${each}"`).execute(db);
  }
  // Tables of older versions of this package lack these.
  for (const each of [layout.termTable, layout.postingTable])
    await sql.raw(`DROP TABLE IF EXISTS "${each}"`).execute(db);
}
