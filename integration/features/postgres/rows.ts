import { sql } from 'kysely';
import { fileAt } from '../../core/content/file-location.ts';
import { type Entity, languageOf, type Reference } from '../../core/content/model.ts';
import type { Raw } from '../../core/engine/store/ordering.ts';
import { referenceKey, splitReferenceKey } from '../../core/engine/store/slot.ts';
import { searchableFields } from '../../core/engine/text/searchable.ts';
import { isCompleted } from '../../core/engine/text/vocabulary.ts';
import type { SiteTerms } from '../../core/engine/text/words.ts';
import { filesOf } from '../../core/read/content-files.ts';
import { type Database, rowsOf } from './database.ts';
import {
  columnsOf,
  isOwnColumn,
  lengthColumn,
  type SlotColumn,
  type Storage,
  type TypeLayout,
  tablesOf,
  textColumn,
} from './layout.ts';
import { cleanPostings, createPostingWriter } from './postings.ts';
import { digestEntity, encodeEntity, valuesOf, wordsOf } from './record.ts';
import { foldedOrNull, fromStored, toStored } from './text.ts';

/** The rows that a sync compares: those of some ids, all, or none because the tables are new. */
export type Compared = 'all' | 'none' | ReadonlySet<string>;

/** What a sync writes to the tables of a type. A changed row is removed and added. */
export interface RowPlan {
  readonly layout: TypeLayout;
  readonly compared: Compared;
  readonly entities: Iterable<Entity>;
  /** The positions of the entities to write, ascending. */
  readonly added: readonly number[];
  readonly removed: readonly number[];
  /** The number of all entities. */
  readonly size: number;
  /** The compared entities: how many they are, and the sum of their digests. */
  readonly expected: Totals;
  /** Columns with new values that are too long for an index. */
  readonly unindexed: ReadonlySet<SlotColumn>;
  readonly hasTranslations: boolean;
}

interface Totals {
  readonly count: number;
  readonly sum: bigint;
}

/** The files that entities refer to. */
export const FILES_TABLE = 'files';

/** Entities in memory, and rows of a statement. */
const BATCH = 2000;
/** PostgreSQL refuses longer values in an index, from 2704 bytes on. */
const MAX_INDEXED = 2000;

/** Compares the content with the rows of a type. */
export async function planRows(
  db: Database,
  layout: TypeLayout,
  entities: Iterable<Entity>,
  compared: Compared,
  onChange: (changed: Reference) => void,
): Promise<RowPlan> {
  const columns = allColumns(layout).filter(({ storage }) => CAN_BE_LONG.has(storage));
  const unindexed = new Set<SlotColumn>();
  const added: number[] = [];
  const kept: number[] = [];
  let hasTranslations = false;
  let position = 0;
  let count = 0;
  let sum = 0n;
  let batch: { readonly entity: Entity; readonly position: number }[] = [];

  async function compareBatch(): Promise<void> {
    const ids = batch.map(({ entity }) => entity.id);
    const digests = compared === 'none' ? undefined : await readDigests(db, layout, ids);
    count += batch.length;
    for (const { entity, position } of batch) {
      const digest = digestEntity(entity);
      sum += BigInt(digest);
      const stored = digests?.get(rowKey(toStored(entity.id), storedTranslation(entity)));
      if (stored?.digest === digest) {
        kept.push(stored.row);
        continue;
      }
      added.push(position);
      onChange(entity);
      collect(entity);
    }
    batch = [];
  }

  function collect(entity: Entity): void {
    for (const column of columns) {
      if (unindexed.has(column)) continue;
      const value = column.slot.read(entity);
      for (const raw of Array.isArray(value) ? value : [value]) {
        if (raw !== null && Buffer.byteLength(toStored(String(raw))) > MAX_INDEXED) unindexed.add(column);
      }
    }
  }

  for (const entity of entities) {
    hasTranslations ||= entity.translation !== undefined;
    if (typeof compared === 'string' || compared.has(entity.id)) batch.push({ entity, position });
    position++;
    if (batch.length >= BATCH) await compareBatch();
  }
  await compareBatch();
  const removed = compared === 'none' ? [] : await readOthers(db, layout, compared, kept);
  for (const { id } of removed) onChange({ type: layout.type.name, id: fromStored(id) });
  return {
    ...{ layout, compared, entities, added, unindexed, hasTranslations },
    removed: removed.map(({ row }) => row),
    ...{ size: position, expected: { count, sum } },
  };
}

/**
 * Throws if the compared rows are not those of the content. Returns false if other rows are missing or left over, so that
 * all must be compared.
 */
export async function checkRows(
  db: Database,
  { layout: { type, table, recordTable }, compared, expected, size }: RowPlan,
): Promise<boolean> {
  const some =
    typeof compared === 'string' ? sql`` : sql`where id = any(${[...compared].map(toStored)}::text[])`;
  const [stored] = await rowsOf(
    db,
    sql<{ size: number; count: number; sum: string }>`
      select (select count(*) from ${sql.table(table)}) as size, count(*) as count, coalesce(sum(digest), 0)::text as sum
      from ${sql.table(table)} join ${sql.table(recordTable)} using (row) ${some}`,
  );
  const { count, sum } = stored!;
  if (count !== expected.count || BigInt(sum) !== expected.sum)
    throw new Error(
      `The stored rows of ${type.name} are not those of the content: ${count} instead of ${expected.count}, digest ${sum} instead of ${expected.sum}.`,
    );
  return stored!.size === size;
}

async function readDigests(db: Database, { table, recordTable }: TypeLayout, ids: readonly string[]) {
  const rows = await rowsOf(
    db,
    sql<{
      row: number;
      id: string;
      translation: string | null;
      digest: string;
    }>`select row, id, translation, digest::text as digest from ${sql.table(table)} join ${sql.table(recordTable)} using (row) where id = any(${ids.map(toStored)}::text[])`,
  );
  return new Map(rows.map((row) => [rowKey(row.id, row.translation), row]));
}

/** The rows of a comparison that are not in a list. */
async function readOthers(
  db: Database,
  { table }: TypeLayout,
  compared: Compared,
  rows: readonly number[],
): Promise<readonly { readonly row: number; readonly id: string }[]> {
  const some =
    typeof compared === 'string' ? sql`` : sql`and id = any(${[...compared].map(toStored)}::text[])`;
  return rowsOf(
    db,
    sql<{
      row: number;
      id: string;
    }>`select t.row, id from ${sql.table(table)} t left join unnest(${rows}::bigint[]) k (row) using (row) where k.row is null ${some}`,
  );
}

function rowKey(id: string, translation: string | null): string {
  return translation === null ? id : `${id}\u0000${translation}`;
}

function storedTranslation({ translation }: Entity): string | null {
  return translation === undefined ? null : toStored(translation);
}

export async function deleteRows(db: Database, layout: TypeLayout, rows: readonly number[]): Promise<void> {
  if (rows.length === 0) return;
  for (const each of [...tablesOf(layout), FILES_TABLE]) {
    await rowsOf(db, sql`delete from ${sql.table(each)} where row = any(${rows}::bigint[])`);
  }
  await cleanPostings(db, layout, rows);
}

/** Storages of values that can be too long for an index. */
const CAN_BE_LONG: ReadonlySet<Storage> = new Set(['texts', 'decimal', 'exact', 'id']);

/** The last numbers in use. */
export interface Counters {
  lastRow: number;
  lastReference: number;
}

export interface InsertOptions {
  /** Null if full-text search is off. */
  readonly terms: SiteTerms | null;
  readonly progress?: { step(): void } | undefined;
}

/** Adds the rows of a plan. */
export async function insertRows(
  db: Database,
  { layout, entities, added }: RowPlan,
  options: InsertOptions,
  counters: Counters,
): Promise<void> {
  const terms = new Set<string>();
  const postings = createPostingWriter(layout);
  let batch: Entity[] = [];
  let position = 0;
  let next = 0;
  for (const entity of entities) {
    if (next === added.length) break;
    if (position++ !== added[next]) continue;
    next++;
    batch.push(entity);
    if (batch.length < BATCH && next < added.length) continue;
    await insertBatch(db, layout, batch, options, counters, terms, postings);
    batch = [];
  }
  await postings.flush(db);
}

async function insertBatch(
  db: Database,
  layout: TypeLayout,
  batch: readonly Entity[],
  { terms, progress }: InsertOptions,
  counters: Counters,
  storedTerms: Set<string>,
  postings: ReturnType<typeof createPostingWriter>,
): Promise<void> {
  const newTerms: string[] = [];
  const numbers = await storeReferences(db, layout, batch, counters);
  const numberOf = (reference: Reference) => numbers.get(referenceKey(reference))!;
  const first = counters.lastRow + 1;
  counters.lastRow += batch.length;
  const columns = [...layout.columns.values()].filter(isOwnColumn);
  const bodies = layout.body === undefined ? [] : [layout.body];
  const main = createInsert(layout.table, [
    ['row', 'bigint'],
    ['no', 'bigint'],
    ...['id', 'id_folded', 'translation', 'language'].map((name) => [name, 'text'] as const),
    ...columns.flatMap(columnsOf),
  ]);
  const records = createInsert(layout.recordTable, [
    ['row', 'bigint'],
    ['digest', 'bigint'],
    ['entity', 'text'],
    ...bodies.flatMap(columnsOf),
    ...searchableFields(layout.type).map((_, at) => [textColumn(at), 'text'] as const),
  ]);
  const words = createInsert(layout.wordTable, [
    ['row', 'bigint'],
    ...searchableFields(layout.type).map((_, at) => [lengthColumn(at), 'integer'] as const),
  ]);
  const files = createInsert(FILES_TABLE, [
    ['row', 'bigint'],
    ...['uri', 'type', 'field', 'id', 'translation'].map((name) => [name, 'text'] as const),
  ]);
  for (const [i, entity] of batch.entries()) {
    progress?.step();
    const { id } = entity;
    const storedId = toStored(id);
    const row = first + i;
    const valuesIn = (some: readonly SlotColumn[]) =>
      some.flatMap((column) => valuesOf(column, column.slot.read(entity) as Raw | null, numberOf));
    const translation = storedTranslation(entity);
    for (const [field, uris] of filesOf(layout.type, entity)) {
      for (const uri of uris) {
        // Only these addresses are looked up, and long ones do not fit into an index.
        if (fileAt(uri) === undefined) continue;
        files.add([row, ...[uri, entity.type, field, id].map(toStored), translation]);
      }
    }
    main.add([
      row,
      numberOf(entity),
      storedId,
      foldedOrNull(id, storedId),
      translation,
      toStored(languageOf(entity)),
      ...valuesIn(columns),
    ]);
    const searched = terms && wordsOf(entity, layout.type, terms);
    const texts = searched?.texts ?? searchableFields(layout.type).map(() => null);
    records.add([
      ...[row, digestEntity(entity), encodeEntity(entity, layout.type)],
      ...[...valuesIn(bodies), ...texts],
    ]);
    if (searched === null) continue;
    const { counts, lengths } = searched;
    words.add([row, ...lengths]);
    await postings.add(db, row, counts);
    for (const key of counts.keys()) {
      const term = key.slice(key.indexOf(':') + 1);
      if (storedTerms.has(term) || !isCompleted(term)) continue;
      storedTerms.add(term);
      newTerms.push(term);
    }
  }
  await main.run(db);
  await records.run(db);
  await words.run(db);
  await rowsOf(
    db,
    sql`insert into ${sql.table(layout.termTable)} (term) select unnest(${newTerms}::text[]) on conflict do nothing`,
  );
  await files.run(db);
  for (const list of layout.lists.values()) {
    const listColumns = [...list.columns.values()];
    const items = createInsert(list.table, [
      ['row', 'bigint'],
      ['pos', 'integer'],
      ...listColumns.flatMap(columnsOf),
    ]);
    batch.forEach((entity, i) => {
      const values = listColumns.map(({ slot }) => slot.read(entity) as readonly (Raw | null)[]);
      const length = Math.max(...values.map((each) => each.length));
      for (let pos = 0; pos < length; pos++) {
        items.add([
          first + i,
          pos,
          ...listColumns.flatMap((column, at) => valuesOf(column, values[at]![pos] ?? null, numberOf)),
        ]);
      }
    });
    await items.run(db);
  }
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
      const values = columns.map(([, type], i) => sql`${arrays[i]}::${sql.raw(type)}[]`);
      const names = columns.map(([name]) => sql.ref(name));
      await rowsOf(
        db,
        sql`insert into ${sql.table(table)} (${sql.join(names)}) select * from unnest(${sql.join(values)})`,
      );
    },
  };
}

/** The numbers of the references and the entities of a batch by `referenceKey`. Missing ones are stored. */
async function storeReferences(
  db: Database,
  layout: TypeLayout,
  batch: readonly Entity[],
  counters: Counters,
): Promise<ReadonlyMap<string, number>> {
  const found = new Set(batch.map(referenceKey));
  for (const { slot, storage } of allColumns(layout)) {
    if (storage !== 'reference') continue;
    for (const entity of batch) {
      const value = slot.read(entity);
      for (const raw of Array.isArray(value) ? value : [value]) if (raw !== null) found.add(raw);
    }
  }
  const keys = [...found];
  const numbers = new Map<string, number>();
  const references = keys.map(splitReferenceKey);
  const rows = await rowsOf(
    db,
    sql<{
      at: number;
      no: number;
    }>`select k.at, r.no from unnest(${references.map(({ type }) => type)}::text[], ${references.map(({ id }) => toStored(id))}::text[]) with ordinality k (type, id, at)
      join refs r on hashtext(r.id) = hashtext(k.id) and r.type = k.type and r.id = k.id`,
  );
  for (const { at, no } of rows) numbers.set(keys[at - 1]!, no);
  const missing = references.filter((_, i) => !numbers.has(keys[i]!));
  const nos = missing.map((reference) => {
    numbers.set(referenceKey(reference), ++counters.lastReference);
    return counters.lastReference;
  });
  await rowsOf(
    db,
    sql`insert into refs select * from unnest(${nos}::bigint[], ${missing.map(({ type }) => type)}::text[], ${missing.map(({ id }) => toStored(id))}::text[])`,
  );
  return numbers;
}

/** The columns of all tables of a type. */
function allColumns({ columns, lists }: TypeLayout): readonly SlotColumn[] {
  return [columns, ...[...lists.values()].map((list) => list.columns)].flatMap((each) => [...each.values()]);
}
