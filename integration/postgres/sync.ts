import { sql } from 'kysely';
import { fileAt } from '../content/file-location.ts';
import { type Entity, languageOf, type ResourceType } from '../content/model.ts';
import { createOrderings, foldText, type Ordering, type Raw } from '../engine/store/ordering.ts';
import { splitReferenceKey } from '../engine/store/slot.ts';
import { signatureOf } from '../engine/text/searchable.ts';
import type { SiteTerms } from '../engine/text/words.ts';
import { filesOf } from '../read/content-files.ts';
import { type Database, rowsOf } from './database.ts';
import {
  addStrings,
  createDictionaryTable,
  DICTIONARIES,
  type DictionaryName,
  relabel,
  type StoredString,
} from './dictionary.ts';
import { COLUMN_TYPES, createLayout, type SlotColumn, type TypeLayout, tablesOf } from './layout.ts';
import { encodeTypes, type Meta, metaTables, readMeta, type StoredType } from './meta.ts';
import { digestEntity, encodeEntity, type Numbers, valuesOf, wordsOf } from './record.ts';
import { fromStored, toStored } from './text.ts';

/** The content to store. */
export interface SyncedContent {
  /** BCP 47 tag of the collator. */
  readonly locale: string;
  readonly types: ReadonlyMap<string, ResourceType>;
  entities(type: string): readonly Entity[];
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
  /** The entities that differ from the content of this version. If the tables have another one, all are compared. */
  readonly since?: { readonly version: number; readonly changed: Changed } | undefined;
  /** Called for each row that is written, and at first with their number. */
  readonly progress?: { start(total: number): void; step(): void } | undefined;
}

export interface SyncResult {
  /** The version of the tables. */
  readonly version: number;
  readonly written: number;
  readonly removed: number;
}

/** The channel of notifications, and what they contain. Tables in other schemas use it too. */
export const CHANNEL = 'astro_jsonapi';

export interface Notification {
  readonly schema: string;
  readonly version: number;
  /** Types and ids; undefined if there are too many. */
  readonly changed?: readonly (readonly [type: string, id: string])[];
}

/** PostgreSQL takes 8000 bytes. */
const MAX_NOTIFIED = 100;
const MAX_NOTIFICATION = 7000;

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
    const meta = await readMeta(db);
    const ordering = createOrderings(content.locale).string;
    const next: Counters = { ...meta };
    const version = meta.version + 1;
    const since = options.since?.version === meta.version ? options.since.changed : undefined;
    const changed: (readonly [type: string, id: string])[] = [];
    let written = 0;
    let removed = 0;
    if (meta.locale !== content.locale || meta.icu !== process.versions.icu) {
      for (const name of DICTIONARIES) await relabelAll(db, name, ordering, meta.types);
    }
    const types: StoredType[] = [];
    for (const type of content.types.values()) {
      const old = meta.types.find(({ name }) => name === type.name);
      const signature = signatureOfType(type, options);
      const isKept = old?.signature === signature;
      // The names of two types can be equal without it, such as those of `a-b` and `a_b`.
      const suffix = isKept ? old.suffix : `_${version}_${types.length}`;
      const layout = createLayout(type, suffix);
      if (!isKept) await createTables(db, layout);
      const compared = isKept ? since : undefined;
      if (isKept && compared !== undefined && !compared.has(type.name)) {
        types.push({ ...old, type });
        continue;
      }
      const entities = content.entities(type.name);
      const changes = await findChanges(
        db,
        layout,
        entities,
        isKept ? (compared?.get(type.name) ?? 'all') : 'none',
      );
      for (const id of changes.ids) changed.push([type.name, id]);
      await deleteRows(db, layout, changes.removed);
      const stored = { ...meta, types: [...types, ...meta.types] };
      await insertRows(db, layout, changes.added, ordering, options, next, stored);
      if (!isKept) await createIndexes(db, layout);
      const hasTranslations = entities.some(({ translation }) => translation !== undefined);
      types.push({ name: type.name, type, signature, suffix, hasTranslations });
      written += changes.added.length;
      removed += changes.removed.length;
    }
    const keptNames = new Set(types.map(({ name, suffix }) => name + suffix));
    for (const { name, suffix, type } of meta.types) {
      if (!keptNames.has(name + suffix)) await dropTables(db, createLayout(type, suffix));
    }
    const encodedTypes = encodeTypes(types);
    const isSame =
      changed.length === 0 &&
      meta.version > 0 &&
      encodedTypes === encodeTypes(meta.types) &&
      meta.revision === options.revision &&
      meta.locale === content.locale &&
      meta.icu === process.versions.icu;
    if (isSame) return { version: meta.version, written, removed };
    await rowsOf(
      db,
      sql`update meta set version = ${version}, revision = ${options.revision}, locale = ${content.locale},
        icu = ${process.versions.icu}, last_row = ${next.lastRow}, last_reference = ${next.lastReference},
        types = ${encodedTypes}`,
    );
    if (options.revision !== '') {
      await rowsOf(db, sql`insert into revisions values (${options.revision}) on conflict do nothing`);
    }
    const notification: Notification = {
      schema: options.schema,
      version,
      ...(changed.length <= MAX_NOTIFIED && { changed }),
    };
    const text = JSON.stringify(notification);
    const sent =
      Buffer.byteLength(text) <= MAX_NOTIFICATION
        ? text
        : JSON.stringify({ schema: options.schema, version });
    await rowsOf(db, sql`select pg_notify(${CHANNEL}, ${sent})`);
    return { version, written, removed };
  });
}

interface Counters {
  lastRow: number;
  lastReference: number;
}

/** Creates the tables that do not depend on the content. */
async function prepareSchema(db: Database, schema: string): Promise<void> {
  if (await hasTables(db, schema)) return;
  await db.transaction().execute(async (transaction) => {
    await rowsOf(transaction, sql`select pg_advisory_xact_lock(hashtext('astro-jsonapi'))`);
    if (await hasTables(transaction, schema)) return;
    await sql.raw('CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public').execute(transaction);
    await findExtension(transaction, schema);
    // With IF NOT EXISTS, PostgreSQL demands a right that is not needed if there is a schema.
    const found = await rowsOf(transaction, sql`select from pg_namespace where nspname = ${schema}`);
    const statements = [
      ...(found.length > 0 ? [] : [`CREATE SCHEMA "${schema}"`]),
      ...metaTables(schema),
      'CREATE TABLE refs (no bigint PRIMARY KEY, type text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, UNIQUE (type, id))',
      `CREATE TABLE ${FILES_TABLE} (row bigint NOT NULL, uri text COLLATE "C" NOT NULL, type text NOT NULL, field text NOT NULL, id text NOT NULL, translation text)`,
      `CREATE INDEX ON ${FILES_TABLE} (uri)`,
      `CREATE INDEX ON ${FILES_TABLE} (row)`,
      ...DICTIONARIES.flatMap(createDictionaryTable),
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  });
}

/** The extension can be in any schema: some providers have one for extensions. */
async function findExtension(transaction: Database, schema: string): Promise<void> {
  await rowsOf(
    transaction,
    sql`select set_config('search_path', concat_ws(',', quote_ident(${schema}), 'public', quote_ident(nspname)), true)
      from pg_extension join pg_namespace n on n.oid = extnamespace where extname = 'pg_trgm'`,
  );
}

/** The files that entities refer to. */
export const FILES_TABLE = 'files';

/** True after the first sync. */
export async function hasTables(db: Database, schema: string): Promise<boolean> {
  // Unlike to_regclass, this sees what another transaction has just committed.
  const found = await rowsOf(
    db,
    sql`select from pg_tables where schemaname = ${schema} and tablename = 'meta'`,
  );
  return found.length > 0;
}

function signatureOfType(type: ResourceType, { termsKey }: SyncOptions): string {
  const { columns, lists } = createLayout(type);
  const describe = (all: Iterable<SlotColumn>) =>
    [...all].map(({ slot: { name, kind }, key, storage }) => [name, kind, key, storage]);
  return JSON.stringify([
    describe(columns.values()),
    [...lists].map(([anchor, list]) => [anchor, list.table, describe(list.columns.values())]),
    signatureOf(type),
    termsKey,
  ]);
}

async function createTables(
  db: Database,
  { table, recordTable, wordTable, columns, lists }: TypeLayout,
): Promise<void> {
  const define = (all: Iterable<SlotColumn>) =>
    [...all]
      .filter(({ storage }) => storage !== 'id')
      .flatMap(({ storage, key, raw }) => {
        const [keyType, rawType] = COLUMN_TYPES[storage];
        return [`"${key}" ${keyType}`, ...(rawType === undefined ? [] : [`"${raw}" ${rawType}`])];
      });
  const own = [
    'row bigint PRIMARY KEY',
    'no bigint NOT NULL',
    'id text COLLATE "C" NOT NULL',
    'translation text COLLATE "C"',
    'language text COLLATE "C" NOT NULL',
  ];
  // The JSON is stored as it was written: jsonb sorts keys, and refuses some strings.
  const record =
    'row bigint PRIMARY KEY, id_folded text COLLATE "C" NOT NULL, digest text NOT NULL, entity json NOT NULL';
  const statements = [
    `CREATE TABLE "${table}" (${[...own, ...define(columns.values())].join(', ')})`,
    `CREATE TABLE "${recordTable}" (${record})`,
    `CREATE TABLE "${wordTable}" (row bigint PRIMARY KEY, words jsonb NOT NULL, lengths integer[] NOT NULL)`,
    ...[...lists.values()].map(
      (list) =>
        `CREATE TABLE "${list.table}" (${['row bigint', 'pos integer', ...define(list.columns.values()), 'PRIMARY KEY (row, pos)'].join(', ')})`,
    ),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** After the first rows, because that is faster. */
async function createIndexes(db: Database, layout: TypeLayout): Promise<void> {
  const { table, recordTable, wordTable, columns, lists } = layout;
  const isIndexed = ({ storage }: SlotColumn) => !['flag', 'bodies', 'id'].includes(storage);
  const statements = [
    `CREATE UNIQUE INDEX ON "${table}" (id, coalesce(translation, ''))`,
    `CREATE INDEX ON "${table}" (no)`,
    `CREATE INDEX ON "${recordTable}" USING gin (id_folded gin_trgm_ops)`,
    `CREATE INDEX ON "${wordTable}" USING gin (words)`,
    // In the order of sorts. Backwards, nulls are last.
    ...[...columns.values()]
      .filter(isIndexed)
      .map(({ key }) => `CREATE INDEX ON "${table}" ("${key}" NULLS FIRST)`),
    // For text operators, which find strings first.
    ...[...columns.values()]
      .filter(({ storage }) => storage === 'texts')
      .map(({ raw }) => `CREATE INDEX ON "${table}" ("${raw}")`),
    ...[...lists.values()].flatMap((list) =>
      [...list.columns.values()]
        .filter(isIndexed)
        .map(({ key }) => `CREATE INDEX ON "${list.table}" ("${key}", row)`),
    ),
    ...tablesOf(layout).map((each) => `ANALYZE "${each}"`),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

async function dropTables(db: Database, layout: TypeLayout): Promise<void> {
  await rowsOf(
    db,
    sql`delete from ${sql.table(FILES_TABLE)} where row in (select row from ${sql.table(layout.table)})`,
  );
  for (const each of tablesOf(layout)) {
    await sql.raw(`DROP TABLE "${each}"`).execute(db);
  }
}

interface AddedRow {
  readonly entity: Entity;
  readonly json: string;
  readonly digest: string;
}

/** Compares the content with the rows of a type. A changed row is removed and added. */
async function findChanges(
  db: Database,
  { table, recordTable }: TypeLayout,
  all: readonly Entity[],
  compared: 'all' | 'none' | ReadonlySet<string>,
): Promise<{
  readonly removed: readonly number[];
  readonly added: readonly AddedRow[];
  readonly ids: ReadonlySet<string>;
}> {
  const isSome = typeof compared !== 'string';
  const entities = isSome ? all.filter(({ id }) => compared.has(id)) : all;
  const some = isSome ? sql`where id = any(${[...compared].map(toStored)}::text[])` : sql``;
  const rows =
    compared === 'none'
      ? []
      : await rowsOf(
          db,
          sql<{
            row: number;
            id: string;
            translation: string | null;
            digest: string;
          }>`select row, id, translation, digest from ${sql.table(table)} join ${sql.table(recordTable)} using (row) ${some}`,
        );
  const stored = new Map(rows.map((row) => [rowKey(row.id, row.translation), row]));
  const added: AddedRow[] = [];
  for (const entity of entities) {
    const json = encodeEntity(entity);
    const digest = digestEntity(json, entity);
    const key = rowKey(
      toStored(entity.id),
      entity.translation === undefined ? null : toStored(entity.translation),
    );
    if (stored.get(key)?.digest === digest) stored.delete(key);
    else added.push({ entity, json, digest });
  }
  const removed = [...stored.values()];
  const ids = new Set([...removed.map(({ id }) => fromStored(id)), ...added.map(({ entity }) => entity.id)]);
  return { removed: removed.map(({ row }) => row), added, ids };
}

function rowKey(id: string, translation: string | null): string {
  return translation === null ? id : `${id}\u0000${translation}`;
}

async function deleteRows(db: Database, layout: TypeLayout, rows: readonly number[]): Promise<void> {
  if (rows.length === 0) return;
  for (const each of [...tablesOf(layout), FILES_TABLE]) {
    await rowsOf(db, sql`delete from ${sql.table(each)} where row = any(${rows}::bigint[])`);
  }
}

/** Rows per statement. */
const BATCH = 2000;

async function insertRows(
  db: Database,
  layout: TypeLayout,
  added: readonly AddedRow[],
  ordering: Ordering,
  { terms, progress }: SyncOptions,
  counters: Counters,
  { types }: Pick<Meta, 'types'>,
): Promise<void> {
  if (added.length === 0) return;
  progress?.start(added.length);
  const numbers = await storeValues(db, layout, added, ordering, counters, types);
  for (let from = 0; from < added.length; from += BATCH) {
    const batch = added.slice(from, from + BATCH);
    const first = counters.lastRow + 1;
    counters.lastRow += batch.length;
    const columns = [...layout.columns.values()].filter(({ storage }) => storage !== 'id');
    const main = createInsert(layout.table, [
      ['row', 'bigint'],
      ['no', 'bigint'],
      ['id', 'text'],
      ['translation', 'text'],
      ['language', 'text'],
      ...columns.flatMap(columnTypes),
    ]);
    const records = createInsert(layout.recordTable, [
      ['row', 'bigint'],
      ['id_folded', 'text'],
      ['digest', 'text'],
      ['entity', 'json'],
    ]);
    const words = createInsert(layout.wordTable, [
      ['row', 'bigint'],
      ['words', 'jsonb'],
      ['lengths', 'integer[]'],
    ]);
    const files = createInsert(FILES_TABLE, [
      ['row', 'bigint'],
      ...['uri', 'type', 'field', 'id', 'translation'].map((name) => [name, 'text'] as const),
    ]);
    batch.forEach(({ entity, json, digest }, i) => {
      progress?.step();
      const { id, translation } = entity;
      const row = first + i;
      for (const [field, uris] of filesOf(layout.type, entity)) {
        for (const uri of uris) {
          // Only these addresses are looked up, and long ones do not fit into an index.
          if (fileAt(uri) === undefined) continue;
          files.add([
            row,
            ...[uri, entity.type, field, id].map(toStored),
            translation === undefined ? null : toStored(translation),
          ]);
        }
      }
      main.add([
        row,
        numbers.reference(entity.type, id),
        toStored(id),
        translation === undefined ? null : toStored(translation),
        toStored(languageOf(entity)),
        ...columns.flatMap((column) => valuesOf(column, column.slot.read(entity) as Raw | null, numbers)),
      ]);
      records.add([row, toStored(foldText(id)), digest, json]);
      if (terms === null) return;
      const { words: counts, lengths } = wordsOf(entity, layout, terms);
      words.add([row, counts, `{${lengths.join()}}`]);
    });
    await main.run(db);
    await records.run(db);
    await words.run(db);
    await files.run(db);
    for (const list of layout.lists.values()) {
      const listColumns = [...list.columns.values()];
      const items = createInsert(list.table, [
        ['row', 'bigint'],
        ['pos', 'integer'],
        ...listColumns.flatMap(columnTypes),
      ]);
      batch.forEach(({ entity }, i) => {
        const values = listColumns.map(({ slot }) => slot.read(entity) as readonly (Raw | null)[]);
        const length = Math.max(...values.map((each) => each.length));
        for (let pos = 0; pos < length; pos++) {
          items.add([
            first + i,
            pos,
            ...listColumns.flatMap((column, at) => valuesOf(column, values[at]![pos] ?? null, numbers)),
          ]);
        }
      });
      await items.run(db);
    }
  }
}

function columnTypes({ key, raw, storage }: SlotColumn): readonly (readonly [string, string])[] {
  const [keyType, rawType] = COLUMN_TYPES[storage].map((each) => each?.replace(/ COLLATE.*/, ''));
  return [[key, keyType!], ...(rawType === undefined ? [] : ([[raw, rawType]] as const))];
}

/** Inserts rows, which are given as one array for each column. */
function createInsert(table: string, columns: readonly (readonly [name: string, type: string])[]) {
  const arrays = columns.map((): (Raw | null)[] => []);
  return {
    add(values: readonly (Raw | null)[]): void {
      for (const [i, value] of values.entries()) arrays[i]!.push(value);
    },
    async run(db: Database): Promise<void> {
      if (arrays[0]!.length === 0) return;
      // An array of arrays has one length, so the inner ones are sent as text.
      const isText = (type: string) => type.endsWith('[]') || type.startsWith('json');
      const values = columns.map(
        ([, type], i) => sql`${arrays[i]}::${sql.raw(isText(type) ? 'text' : type)}[]`,
      );
      const selected = columns.map(([name, type]) => sql`${sql.ref(name)}::${sql.raw(type)}`);
      const names = columns.map(([name]) => sql.ref(name));
      await rowsOf(
        db,
        sql`insert into ${sql.table(table)} (${sql.join(names)}) select ${sql.join(selected)} from unnest(${sql.join(values)}) as v (${sql.join(names)})`,
      );
    },
  };
}

/** Stores the strings and references of new rows, which have numbers. */
async function storeValues(
  db: Database,
  layout: TypeLayout,
  added: readonly AddedRow[],
  ordering: Ordering,
  counters: Counters,
  types: readonly StoredType[],
): Promise<Numbers> {
  const strings: Readonly<Record<DictionaryName, Set<string>>> = { texts: new Set(), bodies: new Set() };
  const references = new Set<string>();
  const columns = [
    ...layout.columns.values(),
    ...[...layout.lists.values()].flatMap((list) => [...list.columns.values()]),
  ];
  for (const { slot, storage } of columns) {
    if (storage !== 'texts' && storage !== 'bodies' && storage !== 'reference') continue;
    const values: Set<string> = storage === 'reference' ? references : strings[storage];
    for (const { entity } of added) {
      const value = slot.read(entity);
      for (const raw of Array.isArray(value) ? value : [value]) if (raw !== null) values.add(String(raw));
    }
  }
  for (const { entity } of added) references.add(`${entity.type}\u0000${entity.id}`);
  const stored: Partial<Record<DictionaryName, ReadonlyMap<string, StoredString>>> = {};
  for (const name of DICTIONARIES) {
    const { strings: all, relabelled } = await addStrings(db, name, [...strings[name]], ordering);
    if (relabelled) await copyKeys(db, name, types);
    stored[name] = all;
  }
  const numbers = await storeReferences(db, [...references], counters);
  return {
    text: ({ storage }, text) => stored[storage as DictionaryName]!.get(text)!,
    reference: (type, id) => numbers.get(`${type}\u0000${id}`)!,
  };
}

async function storeReferences(
  db: Database,
  keys: readonly string[],
  counters: Counters,
): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (let from = 0; from < keys.length; from += BATCH) {
    const batch = keys.slice(from, from + BATCH).map(splitReferenceKey);
    const typeNames = batch.map(({ type }) => type);
    const ids = batch.map(({ id }) => toStored(id));
    const rows = await rowsOf(
      db,
      sql<{
        at: number;
        no: number;
      }>`select k.at, r.no from unnest(${typeNames}::text[], ${ids}::text[]) with ordinality k (type, id, at)
        join refs r on r.type = k.type and r.id = k.id`,
    );
    for (const { at, no } of rows) numbers.set(keys[from + at - 1]!, no);
    const missing = batch.flatMap((reference, i) =>
      numbers.has(keys[from + i]!) ? [] : [{ ...reference, at: from + i }],
    );
    if (missing.length === 0) continue;
    const nos = missing.map(({ at }) => {
      numbers.set(keys[at]!, ++counters.lastReference);
      return counters.lastReference;
    });
    await rowsOf(
      db,
      sql`insert into refs select * from unnest(${nos}::bigint[], ${missing.map(({ type }) => type)}::text[], ${missing.map(({ id }) => toStored(id))}::text[])`,
    );
  }
  return numbers;
}

/** Gives all strings new keys, in the tables of all types too. */
async function relabelAll(
  db: Database,
  name: DictionaryName,
  ordering: Ordering,
  types: readonly StoredType[],
): Promise<void> {
  await relabel(db, name, ordering);
  await copyKeys(db, name, types);
}

async function copyKeys(db: Database, name: DictionaryName, types: readonly StoredType[]): Promise<void> {
  const unique = new Map(types.map((stored) => [stored.name + stored.suffix, stored]));
  for (const { type, suffix } of unique.values()) {
    const layout = createLayout(type, suffix);
    for (const { table, columns } of [layout, ...layout.lists.values()]) {
      for (const { key, raw, storage } of columns.values()) {
        if (storage !== name) continue;
        const column = sql.id(key);
        await rowsOf(
          db,
          sql`update ${sql.table(table)} t set ${column} = d.key from ${sql.table(name)} d where d.no = t.${sql.id(raw)} and d.key <> t.${column}`,
        );
      }
    }
  }
}
