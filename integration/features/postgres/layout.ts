import type { ResourceType } from '../../core/content/model.ts';
import { slotsOfType } from '../../core/engine/store/all-slots.ts';
import type { Raw } from '../../core/engine/store/ordering.ts';
import { OWNER_PATH, type Slot } from '../../core/engine/store/slot.ts';
import { fromCollated, fromStored, toCollated, toStored } from './text.ts';

/**
 * The tables of a resource type. A row is an entity in one language. Single slots are columns of the main table; the slots
 * of a list have a table with a row for each item.
 */
export interface TypeLayout {
  readonly type: ResourceType;
  /** Columns: `row`, `no` (of the entity in `refs`), `id`, `id_folded`, `translation`, `language`, and those of the single slots. */
  readonly table: string;
  /**
   * What filters rarely read: `row`, `entity` (by `encodeEntity`), its `digest`, the body, and the words of each searchable field in
   * their order (`textColumn`), if search is on.
   */
  readonly recordTable: string;
  /** `row`, and the number of words in each searchable field (`lengthColumn`). */
  readonly wordTable: string;
  /** The rows with each word: `key` (by `wordKey`), `block` and `postings`, see `StoredPostings`. */
  readonly postingTable: string;
  /** The different terms of all words: `no`, which ascends as terms are added, and `term`. Those of removed rows stay. */
  readonly termTable: string;
  /** By slot name. */
  readonly columns: ReadonlyMap<string, SlotColumn>;
  /** The column of the text of the body, in the table of records. */
  readonly body: SlotColumn | undefined;
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
  /** What text operators search in, if it is not simply the key in lower case; else null. See `foldedText`. */
  readonly folded: string | null;
}

/** How values are stored. */
export type Storage =
  /** Strings in the collation of the site's language, and their `foldedOrNull`. */
  | 'texts'
  /** Those of bodies, in the table of records. */
  | 'bodies'
  /** The number in `refs`. */
  | 'reference'
  | 'number'
  | 'flag'
  /** An exact number, and its text. */
  | 'decimal'
  /** Milliseconds since the Unix epoch, and the text, if it is not the usual one: see `rawIn`. */
  | 'instant'
  /** In the order of code units. */
  | 'exact'
  /** The id of the entity, in column `id`. */
  | 'id';

/** PostgreSQL's types of keys. Other columns are text. */
export const COLUMN_TYPES: Readonly<Record<Storage, string>> = {
  texts: 'text',
  bodies: 'text',
  reference: 'bigint',
  number: 'double precision',
  flag: 'smallint',
  decimal: 'numeric',
  instant: 'double precision',
  exact: 'text',
  id: 'text',
};

/** Storages with the text beside the key. */
const WITH_RAW: ReadonlySet<Storage> = new Set(['decimal', 'instant']);
/** Storages with the text that text operators search in beside the key. */
const WITH_FOLDED: ReadonlySet<Storage> = new Set(['texts', 'bodies']);

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
    body: [...columns.values()].find(({ storage }) => storage === 'bodies'),
    recordTable: named(`${type.name}_records`),
    wordTable: named(`${type.name}_words`),
    postingTable: named(`${type.name}_postings`),
    termTable: named(`${type.name}_terms`),
    columns,
    lists,
  };
}

function createColumn(slot: Slot, names: (name: string) => string): SlotColumn {
  const storage = storageOf(slot);
  if (storage === 'id') return { slot, storage, key: 'id', raw: 'id', folded: 'id_folded' };
  const key = names(slot.name);
  return {
    slot,
    storage,
    key,
    raw: WITH_RAW.has(storage) ? `${key}_raw` : key,
    folded: WITH_FOLDED.has(storage) ? `${key}_folded` : null,
  };
}

/** The columns of a slot: names and types. */
export function columnsOf({ storage, key, raw, folded }: SlotColumn): readonly (readonly [string, string])[] {
  return [
    [key, COLUMN_TYPES[storage]],
    ...(raw === key ? [] : [[raw, 'text'] as const]),
    ...(folded === null ? [] : [[folded, 'text'] as const]),
  ];
}

/** True for a column of the main table of a type, which is made for a slot. */
export function isOwnColumn({ storage }: SlotColumn): boolean {
  return storage !== 'id' && storage !== 'bodies';
}

/** The column of the number of words in a searchable field. */
export function lengthColumn(at: number): string {
  return `length_${at}`;
}

/** The column of the words of a searchable field in their order. */
export function textColumn(at: number): string {
  return `text_${at}`;
}

/** The key of a value. References are numbered later. */
export function keyOfRaw(storage: Exclude<Storage, 'reference'>, raw: Raw): Raw {
  switch (storage) {
    case 'texts':
    case 'bodies':
      return toCollated(String(raw));
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

/** A value with this key, which is written as PostgreSQL writes it. */
export function rawOfKey(storage: Storage, key: string): Raw {
  switch (storage) {
    case 'texts':
    case 'bodies':
      return fromCollated(key);
    case 'number':
    case 'flag':
      return Number(key);
    case 'instant':
      return new Date(Number(key)).toISOString();
    case 'decimal':
    case 'reference':
      return key;
    case 'exact':
    case 'id':
      return fromStored(key);
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

/** PostgreSQL cuts names after 63 bytes. Names of other columns, of indexes and of generations have endings. */
const MAX_TABLE_NAME = 50;
const MAX_COLUMN_NAME = 50;
const OWN_COLUMNS = ['row', 'no', 'id', 'id_folded', 'translation', 'language'];
const ENDINGS = ['', '_raw', '_folded'];

/** All tables of a type whose rows belong to entities. */
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
    for (let number = 2; ENDINGS.some((ending) => used.has(unique + ending)); number++)
      unique = `${clean}_${number}`;
    for (const ending of ENDINGS) used.add(unique + ending);
    return unique;
  };
}
