import { sql } from 'kysely';
import { bodyText, type Entity, type ResourceType } from '../../integration/core/content/model.ts';
import { searchableFields } from '../../integration/core/engine/text/searchable.ts';
import { rawIn } from '../../integration/features/postgres/compile.ts';
import { type Database, rowsOf } from '../../integration/features/postgres/database.ts';
import {
  createLayout,
  type ListLayout,
  lengthColumn,
  type SlotColumn,
  type TypeLayout,
} from '../../integration/features/postgres/layout.ts';
import { readMeta } from '../../integration/features/postgres/meta.ts';
import { eachPosting, rowAt, type StoredPostings } from '../../integration/features/postgres/postings.ts';
import { decodeEntity } from '../../integration/features/postgres/record.ts';
import { fromCollated, fromStored } from '../../integration/features/postgres/text.ts';

/** What the tables of a type contain, without the numbers of rows, strings and references. */
export interface StoredRow {
  readonly entity: unknown;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly lists: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  readonly words: unknown;
}

/** All rows by type, in the order of id and language. */
export async function readStored(db: Database): Promise<Readonly<Record<string, readonly StoredRow[]>>> {
  const { types } = await readMeta(db);
  const all: Record<string, readonly StoredRow[]> = {};
  for (const { name, type, suffix } of types) {
    const layout = createLayout(type, suffix);
    const { table, recordTable, wordTable, body } = layout;
    const lengths = searchableFields(type).map((_, at) => sql.id(lengthColumn(at)));
    const rows = await rowsOf(
      db,
      sql<{
        row: number;
        record: string;
        body: string | null;
        lengths: unknown;
      }>`select t.row, entity as record, ${body === undefined ? sql`null` : sql.id('r', body.key)} as body, array[${sql.join(lengths)}]::int[] as lengths
        from ${sql.table(table)} t join ${sql.table(recordTable)} r using (row) left join ${sql.table(wordTable)} w on w.row = t.row order by id, translation nulls first`,
    );
    const columns = await readColumns(db, layout);
    const words = await readWords(db, layout);
    const lists = new Map<string, Map<number, Record<string, unknown>[]>>();
    for (const [anchor, list] of layout.lists) lists.set(anchor, await readItems(db, list));
    all[name] = rows.map(({ row, record, body, lengths }) => ({
      entity: plain(decodeEntity(type, record, body)),
      columns: columns.get(row)![0]!,
      lists: Object.fromEntries([...lists].map(([anchor, items]) => [anchor, items.get(row) ?? []])),
      words: [Object.fromEntries(words.get(row) ?? []), lengths],
    }));
  }
  return all;
}

/** What should be stored. */
export function expectedRow(
  type: ResourceType,
  entity: Entity,
): Pick<StoredRow, 'entity' | 'columns' | 'lists'> {
  const { columns, lists } = createLayout(type);
  return {
    entity: plain(entity),
    columns: Object.fromEntries(
      [...columns]
        .filter(([, { storage }]) => storage !== 'id')
        .map(([name, { slot }]) => [name, shown(slot.read(entity))]),
    ),
    lists: Object.fromEntries(
      [...lists].map(([anchor, list]) => {
        const values = [...list.columns].map(
          ([name, { slot }]) => [name, slot.read(entity) as readonly unknown[]] as const,
        );
        const length = Math.max(...values.map(([, each]) => each.length));
        return [
          anchor,
          Array.from({ length }, (_, i) =>
            Object.fromEntries(values.map(([name, each]) => [name, shown(each[i] ?? null)])),
          ),
        ];
      }),
    ),
  };
}

function plain({ body, ...entity }: Entity): unknown {
  return JSON.parse(
    JSON.stringify({
      ...entity,
      body: body && { format: body.format, summary: body.summary, text: bodyText(body) },
    }),
  );
}

/** Numbers and strings are equal if they look equal. */
function shown(value: unknown): unknown {
  return value === null ? null : String(value);
}

/** How often each word of a field occurs, by row. */
async function readWords(
  db: Database,
  { postingTable }: TypeLayout,
): Promise<ReadonlyMap<number, ReadonlyMap<string, number>>> {
  const stored = await rowsOf(
    db,
    sql<StoredPostings & { key: string }>`select key, block, postings from ${sql.table(postingTable)}`,
  );
  const words = new Map<number, Map<string, number>>();
  for (const { key, block, postings } of stored) {
    eachPosting(postings, (offset, count) => {
      const row = rowAt(block, offset);
      words.set(row, (words.get(row) ?? new Map()).set(key, count));
    });
  }
  return words;
}

async function readColumns(
  db: Database,
  { table, recordTable, columns }: TypeLayout,
): Promise<Map<number, Record<string, unknown>[]>> {
  return readItems(db, { table, columns }, sql`row`, recordTable);
}

async function readItems(
  db: Database,
  { table, columns }: ListLayout,
  order = sql`row, pos`,
  recordTable = '',
): Promise<Map<number, Record<string, unknown>[]>> {
  const read = [...columns.values()].filter(({ storage }) => storage !== 'id');
  const selected = read.map((column, i) => sql`${storedValue(column, recordTable)} as ${sql.id(`c${i}`)}`);
  const rows = await rowsOf(
    db,
    sql<{ row: number } & Record<string, unknown>>`select row ${sql.join(
      selected.map((each) => sql`, ${each}`),
      sql``,
    )} from ${sql.table(table)} t order by ${order}`,
  );
  const found = new Map<number, Record<string, unknown>[]>();
  for (const { row, ...values } of rows) {
    const items = found.get(row) ?? [];
    items.push(
      Object.fromEntries(read.map((column, i) => [column.slot.name, unstored(column, values[`c${i}`])])),
    );
    found.set(row, items);
  }
  return found;
}

function storedValue(column: SlotColumn, recordTable: string) {
  const { storage, raw } = column;
  switch (storage) {
    case 'bodies':
      return sql`(select r.${sql.id(raw)} from ${sql.table(recordTable)} r where r.row = t.row)`;
    case 'reference':
      return sql`(select type || chr(1) || id from ${sql.table('refs')} where no = t.${sql.id(raw)})`;
    default:
      return rawIn('t', column);
  }
}

function unstored({ storage }: SlotColumn, value: unknown): unknown {
  if (value === null) return null;
  if (storage === 'texts' || storage === 'bodies') return fromCollated(String(value));
  const text = fromStored(String(value));
  // The type and the id of a reference, as the slot separates them.
  return storage === 'reference' ? text.replace('\u0001', '\u0000') : text;
}
