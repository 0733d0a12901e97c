import { ANONYMOUS } from '../../core/access/actor.ts';
import type { Services } from '../../core/api/request.ts';
import {
  bodyLength,
  type Entity,
  type FieldDefinition,
  type FieldValue,
  type ResourceType,
} from '../../core/content/model.ts';
import { isPublicOwner, ownerReference } from '../../core/content/owner.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { createOrderings } from '../../core/engine/store/ordering.ts';
import { NULL_CODE } from '../../core/engine/store/postings.ts';
import { createSlot } from '../../core/engine/store/slot.ts';
import { compareRows, EntityTable } from '../../core/engine/store/table.ts';
import { isKnown, referencesOf } from '../../core/read/serialize.ts';
import { documentFields } from '../../core/read/sparse-fields.ts';
import { divide, joinEnd, type Sizes } from './divide.ts';
import { REVISION } from './format.ts';

/** A type with its visible rows in the order of a snapshot. */
export interface OrderedTable {
  readonly type: ResourceType;
  readonly visible: readonly FieldDefinition[];
  /** In the order of ids. */
  readonly table: EntityTable;
  /** In the order of the snapshot. */
  readonly entities: readonly Entity[];
  /** The row in `table` of each row. */
  readonly idRows: readonly number[];
  readonly firstRows: ReadonlyMap<string, number>;
  /** The first recent row. */
  readonly recent: number;
  readonly blocks: readonly (readonly Entity[])[];
  /** The block of each first row. */
  readonly blockOf: ReadonlyMap<string, number>;
}

export function orderTable(services: Services, type: ResourceType, sizes: Sizes): OrderedTable {
  const { store, engine } = services;
  const access = services.access(ANONYMOUS, 'source');
  const visible = documentFields(type, access);
  const visibleRows: Entity[] = [];
  let last: string | undefined;
  for (const { id } of store.entities(type.name)) {
    if (id === last) continue;
    last = id;
    const rows = engine.translations(type.name, id, access);
    if (rows instanceof Promise) throw new Error('A snapshot needs an engine in memory.');
    visibleRows.push(...rows.map((entity) => withoutHiddenIds(entity, visible, store)));
  }
  const table = new EntityTable(type, createOrderings(store.locale), visibleRows);
  const isDated = visible.some(({ name }) => name === 'created');
  const created = new Map<string, number>();
  for (const { id, values } of table.entities)
    if (!created.has(id)) created.set(id, (isDated && Date.parse(String(values.created))) || 0);
  const idRows = table.entities.map((_, row) => row);
  idRows.sort((a, b) => {
    const [first, second] = [table.entity(a), table.entity(b)];
    return created.get(first.id)! - created.get(second.id)! || compareRows(first, second);
  });
  const entities = idRows.map((row) => table.entity(row));
  const firstRows = new Map<string, number>();
  entities.forEach(({ id }, row) => {
    if (!firstRows.has(id)) firstRows.set(id, row);
  });
  const blocks = blocksOf(entities, visible, sizes.block);
  const blockOf = new Map<string, number>();
  blocks.forEach((block, number) => {
    for (const { id } of block) if (!blockOf.has(id)) blockOf.set(id, number);
  });
  const parts = divide(entities, sizes.recent, recentSize, idOf);
  const recent = entities.length - (parts.length < 4 ? 0 : parts.at(-1)!.length);
  return { type, visible, table, entities, idRows, firstRows, recent, blocks, blockOf };
}

/** All searches load the words of recent rows, so fewer rows are recent if their bodies are long. */
function recentSize({ body }: Entity): number {
  return 1 + (body === null ? 0 : bodyLength(body) / BODY_OF_A_ROW);
}

/** The bytes of a body that count as one more row. */
const BODY_OF_A_ROW = 500;

function blocksOf(
  entities: readonly Entity[],
  visible: readonly FieldDefinition[],
  size: number,
): readonly Entity[][] {
  const sizeOf = ({ values }: Entity) =>
    visible.reduce(
      (sum, { name }) => sum + (name === 'body' ? 0 : (JSON.stringify(values[name])?.length ?? 0) + 1),
      REVISION,
    );
  const total = entities.reduce((sum, entity) => sum + sizeOf(entity), 0);
  const blocks = divide(entities, total < 8 * size ? total : size, sizeOf, idOf, 8);
  // Most queries ask for the newest entities, so that a small last block would be a request more.
  return joinEnd(blocks, size, sizeOf);
}

export const idOf = ({ id }: Entity) => id;

/** The entity without the ids of references to types that are not in the API, and with its owner as visitors see it. */
function withoutHiddenIds(entity: Entity, visible: readonly FieldDefinition[], store: EntityStore): Entity {
  const { types } = store;
  let values: Record<string, FieldValue> | undefined;
  for (const field of visible) {
    const { name, kind, list } = field;
    if (isPublicOwner(field) && entity.values[name] !== null) {
      const owner = ownerReference(entity.values[name]);
      values ??= Object.assign(Object.create(null), entity.values) as Record<string, FieldValue>;
      values[name] = owner !== undefined && isKnown(store, owner, field) ? owner : null;
    }
    const references = kind === 'reference' ? referencesOf(entity.values[name]) : [];
    if (references.every(({ type }) => types.has(type))) continue;
    const shown = references.map(({ type, id }) => ({ type, id: types.has(type) ? id : 'missing' }));
    values ??= Object.assign(Object.create(null), entity.values) as Record<string, FieldValue>;
    values[name] = list ? shown : (shown[0] ?? null);
  }
  return values === undefined ? entity : { ...entity, values };
}

/** Pages of lists without a sort that have files of their own. */
const MAX_COPIED_PAGES = 4;

/** The rank of each of some different numbers. */
export function ranksAmong(numbers: readonly number[]): number[] {
  const ranks = new Map(numbers.toSorted((a, b) => a - b).map((number, rank) => [number, rank]));
  return numbers.map((number) => ranks.get(number)!);
}

/** The rows of the first pages in the order of ids; none if they are close to each other. */
export function firstPagesById({ table, idRows }: OrderedTable, size: number): number[][] {
  const count = Math.min(MAX_COPIED_PAGES, Math.floor(idRows.length / (4 * size)));
  if (idRows.every((idRow, row) => idRow === row)) return [];
  const rows = new Map(idRows.map((idRow, row) => [idRow, row]));
  const pages = Array.from({ length: count }, (): number[] => []);
  const ids = new Set<string>();
  table.entities.every(({ id }, idRow) => {
    const page = pages[Math.ceil(ids.add(id).size / size) - 1];
    page?.push(rows.get(idRow)!);
    return page !== undefined;
  });
  return pages;
}

/** True if the order of rows with equal values in a slot is that of ids. */
export function hasOrderOf({ type, visible, table, idRows }: OrderedTable, name: string): boolean {
  const field = visible.find((each) => each.name === name);
  if (field === undefined || field.list) return false;
  const { codes, dictionary } = table.column(createSlot(type, [name], [field]));
  const { classes } = dictionary;
  const last = new Map<number, number>();
  return idRows.every((idRow) => {
    const code = codes[idRow]!;
    const key = code === NULL_CODE || classes === null ? code : classes[code]!;
    const isAfter = idRow > (last.get(key) ?? -1);
    last.set(key, idRow);
    return isAfter;
  });
}
