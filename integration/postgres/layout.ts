import type { ResourceType } from '../content/model.ts';
import { slotsOfType } from '../engine/store/all-slots.ts';
import type { Raw } from '../engine/store/ordering.ts';
import { OWNER_PATH, type Slot } from '../engine/store/slot.ts';
import { toStored } from './text.ts';

/**
 * The tables of a resource type. A row is an entity in one language. Single slots are columns of the main table; the slots
 * of a list have a table with a row for each item.
 */
export interface TypeLayout {
  readonly type: ResourceType;
  /** Columns: `row`, `no` (of the entity in `refs`), `id`, `translation`, `language`, and those of the single slots. */
  readonly table: string;
  /** What filters rarely read: `row`, `id_folded`, `entity` and its `digest`. */
  readonly recordTable: string;
  /** The words of each row: `row`, `words` (how often each occurs, by `wordKey`) and `lengths` by searchable field. */
  readonly wordTable: string;
  /** By slot name. */
  readonly columns: ReadonlyMap<string, SlotColumn>;
  /** By anchor. Columns: `row`, `pos`, and those of the slots. */
  readonly lists: ReadonlyMap<string, ListLayout>;
}

export interface ListLayout {
  readonly table: string;
  readonly columns: ReadonlyMap<string, SlotColumn>;
}

export interface SlotColumn {
  readonly slot: Slot;
  readonly storage: Storage;
  /** Compares like the values. */
  readonly key: string;
  /** The values as they are written, if keys are something else; else the same as `key`. */
  readonly raw: string;
}

/** How values are stored. */
export type Storage =
  /** Strings: the key in a dictionary, and the number of the string there. */
  | 'texts'
  | 'bodies'
  /** The number in `refs`. */
  | 'reference'
  | 'number'
  | 'flag'
  /** An exact number, and its text. */
  | 'decimal'
  /** Milliseconds since the Unix epoch, and the text. */
  | 'instant'
  /** In the order of code units. */
  | 'exact'
  /** The id of the entity, in column `id`. */
  | 'id';

/** PostgreSQL's types of keys and, if there are any, of raw values. */
export const COLUMN_TYPES: Readonly<Record<Storage, readonly [key: string, raw?: string]>> = {
  texts: ['bigint', 'bigint'],
  bodies: ['bigint', 'bigint'],
  reference: ['bigint'],
  number: ['double precision'],
  flag: ['smallint'],
  decimal: ['numeric', 'text COLLATE "C"'],
  instant: ['double precision', 'text COLLATE "C"'],
  exact: ['text COLLATE "C"'],
  id: ['text COLLATE "C"'],
};

export function createLayout(type: ResourceType, suffix = ''): TypeLayout {
  const tables = uniqueNames(MAX_TABLE_NAME - suffix.length - 1);
  const named = (name: string) => tables(name) + suffix;
  const table = named(type.name);
  const names = uniqueNames(MAX_COLUMN_NAME, OWN_COLUMNS);
  const columns = new Map<string, SlotColumn>();
  const lists = new Map<string, { table: string; columns: Map<string, SlotColumn>; names: typeof names }>();
  for (const slot of slotsOfType(type)) {
    if (!slot.list) {
      columns.set(slot.name, createColumn(slot, names));
      continue;
    }
    const list = lists.get(slot.anchor) ?? {
      table: named(`${type.name}_${slot.anchor}`),
      columns: new Map(),
      names: uniqueNames(MAX_COLUMN_NAME, ['row', 'pos']),
    };
    list.columns.set(slot.name, createColumn(slot, list.names));
    lists.set(slot.anchor, list);
  }
  return {
    type,
    table,
    recordTable: named(`${type.name}_records`),
    wordTable: named(`${type.name}_words`),
    columns,
    lists,
  };
}

function createColumn(slot: Slot, names: (name: string) => string): SlotColumn {
  const storage = storageOf(slot);
  if (storage === 'id') return { slot, storage, key: 'id', raw: 'id' };
  const key = names(slot.name);
  return { slot, storage, key, raw: COLUMN_TYPES[storage].length === 1 ? key : `${key}_raw` };
}

/** The values of a slot in its columns; null for a missing value. References are numbered later. */
export function keyOfRaw(storage: Exclude<Storage, 'texts' | 'bodies' | 'reference'>, raw: Raw): Raw {
  switch (storage) {
    case 'number':
    case 'flag':
      return Number(raw);
    case 'instant':
      return Date.parse(String(raw));
    case 'decimal':
      return String(raw);
    case 'exact':
    case 'id':
      return toStored(String(raw));
    default:
      return storage satisfies never;
  }
}

export function storageOf({ name, kind, bytes }: Slot): Storage {
  if (name === OWNER_PATH) return 'exact';
  switch (kind) {
    case 'string':
      return bytes ? 'bodies' : 'texts';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'presence':
      return 'flag';
    case 'datetime':
      return 'instant';
    case 'date':
      return 'exact';
    case 'decimal':
    case 'reference':
    case 'id':
      return kind;
    default:
      return kind satisfies never;
  }
}

/** PostgreSQL cuts names after 63 bytes. Names of raw columns, of indexes and of generations have endings. */
const MAX_TABLE_NAME = 50;
const MAX_COLUMN_NAME = 50;
const OWN_COLUMNS = ['row', 'no', 'id', 'translation', 'language'];

/** All tables of a type. */
export function tablesOf({ table, recordTable, wordTable, lists }: TypeLayout): readonly string[] {
  return [table, recordTable, wordTable, ...[...lists.values()].map((list) => list.table)];
}

/** Readable names that are different from each other and from the `taken` ones. */
function uniqueNames(length: number, taken: readonly string[] = []): (name: string) => string {
  const used = new Set(taken);
  return (name) => {
    const clean =
      name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '_')
        .replace(/^_|_$/g, '')
        .slice(0, length - 6) || 'unnamed';
    let unique = clean;
    for (let number = 2; used.has(unique) || used.has(`${unique}_raw`); number++)
      unique = `${clean}_${number}`;
    used.add(unique);
    used.add(`${unique}_raw`);
    return unique;
  };
}
