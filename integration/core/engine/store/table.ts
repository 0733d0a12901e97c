import { type Entity, languageOf, type ResourceType } from '../../content/model.ts';
import { checkSlice, stepsInSlices } from '../time-slices.ts';
import { Column } from './column.ts';
import { binarySearch, type ColumnKind, compareRaw, type Ordering } from './ordering.ts';
import type { Slot } from './slot.ts';

/** Maps between the codes of a reference column and the rows of a target table; -1 for none. */
export interface Join {
  /** The first row of the target; its translations follow. */
  readonly rowOfCode: Int32Array;
  /** After the last row of the target. */
  readonly endOfCode: Int32Array;
  readonly codeOfRow: Int32Array;
}

/** The entities of one resource type and the columns over them. A row is an entity in one language. */
export interface Table {
  readonly type: ResourceType;
  /** Rows. */
  readonly size: number;
  /** Grows with every change of an entity. */
  readonly version: number;
  /** The rank of each row by id (code units), then by language with the source first. Null if the number of a row is its rank. */
  readonly idRanks: Int32Array | null;
  /** The slot among whose equal values the order of rows is that of ids, so that a sort by it needs no ranks. */
  readonly rowOrder: string | null;
  readonly entities: readonly Entity[];
  entity(row: number): Entity;
  entitiesAt(rows: readonly number[]): readonly Entity[];
  languageAt(row: number): string;
  isTranslation(row: number): boolean;
  /** The first row of an id, or -1. Its translations follow. */
  rowOf(id: string): number;
  /** The row after the last one of the entity in a row. */
  endOf(row: number): number;
  /** The first rows of all entities with translations. */
  readonly translated: Int32Array;
  column(slot: Slot): Column;
  ordering(slot: Slot): Ordering;
  /** The rows of `target` that the codes of a reference column point to. */
  join(column: Column, target: Table): Join;
}

/**
 * A table in memory. Its rows are always in the order of ids, which is the default order, and bitmaps of any columns can be
 * combined.
 */
export class EntityTable implements Table {
  readonly type: ResourceType;
  readonly idRanks = null;
  readonly rowOrder = null;
  readonly #orderings: Readonly<Record<ColumnKind, Ordering>>;
  #entities: Entity[];
  /** True if a reader has the array, so that the next change copies it. */
  #isShared = false;
  readonly #columns = new Map<string, Column>();
  readonly #building = new Map<string, BuildingColumn>();
  readonly #joins = new WeakMap<Column, WeakMap<EntityTable, CachedJoin>>();
  #translations = 0;
  #translated: { readonly structure: number; readonly rows: Int32Array } | undefined;
  #structure = 0;
  #version = 0;

  constructor(
    type: ResourceType,
    orderings: Readonly<Record<ColumnKind, Ordering>>,
    entities: Iterable<Entity>,
  ) {
    this.type = type;
    this.#orderings = orderings;
    this.#entities = [...entities].sort(compareRows);
    this.#translations = countTranslations(this.#entities);
  }

  /** Later changes do not affect the array. */
  get entities(): readonly Entity[] {
    this.#isShared = true;
    return this.#entities;
  }

  get size(): number {
    return this.#entities.length;
  }

  get version(): number {
    return this.#version;
  }

  entity(row: number): Entity {
    return this.#entities[row]!;
  }

  entitiesAt(rows: readonly number[]): readonly Entity[] {
    return rows.map((row) => this.#entities[row]!);
  }

  languageAt(row: number): string {
    return languageOf(this.#entities[row]!);
  }

  isTranslation(row: number): boolean {
    return this.#entities[row]!.translation !== undefined;
  }

  rowOf(id: string): number {
    const row = this.#position({ id });
    return this.#entities[row]?.id === id ? row : -1;
  }

  /** The source, or a translation into a language. */
  get(id: string, translation?: string): Entity | undefined {
    const entity = this.#entities[this.#position({ id, translation })];
    return entity !== undefined && isSameRow(entity, { id, translation }) ? entity : undefined;
  }

  endOf(row: number): number {
    const { id } = this.#entities[row]!;
    let end = row + 1;
    while (end < this.size && this.#entities[end]!.id === id) end++;
    return end;
  }

  get translated(): Int32Array {
    if (this.#translations === 0) return NO_ROWS;
    if (this.#translated?.structure !== this.#structure) {
      this.#translated = { structure: this.#structure, rows: translatedRows(this.#entities) };
    }
    return this.#translated.rows;
  }

  put(entity: Entity): void {
    const row = this.#position(entity);
    const present = this.#entities[row];
    this.#splice(row, present !== undefined && isSameRow(present, entity) ? 1 : 0, entity);
  }

  remove(id: string, translation?: string): boolean {
    const row = this.#position({ id, translation });
    const present = this.#entities[row];
    if (present === undefined || !isSameRow(present, { id, translation })) return false;
    this.#splice(row, 1);
    return true;
  }

  /**
   * The column of a slot, built at the first call and patched from then on. If the slice ends during the build, the next
   * call continues it, even if entities have changed since.
   */
  column(slot: Slot): Column {
    const existing = this.#columns.get(slot.name);
    if (existing !== undefined) return existing;
    let building = this.#building.get(slot.name);
    if (building === undefined) {
      const entities = [...this.#entities];
      building = { entities, steps: Column.build(slot, this.ordering(slot), entities) };
      this.#building.set(slot.name, building);
    }
    const column = stepsInSlices(building.steps);
    this.#building.delete(slot.name);
    patchColumn(column, building.entities, this.#entities);
    this.#columns.set(slot.name, column);
    return column;
  }

  ordering(slot: Slot): Ordering {
    return this.#orderings[slot.kind];
  }

  join(column: Column, target: EntityTable): Join {
    let joins = this.#joins.get(column);
    if (joins === undefined) {
      joins = new WeakMap();
      this.#joins.set(column, joins);
    }
    const cached = joins.get(target);
    if (cached?.generation === column.generation && cached.structure === target.#structure)
      return cached.join;
    const join = createJoin(column, target);
    joins.set(target, { generation: column.generation, structure: target.#structure, join });
    checkSlice();
    return join;
  }

  /** The row of an entity in a language, or the row to insert it at. */
  #position(key: RowKey): number {
    const { id } = key;
    return binarySearch(this.size, (row) => {
      const entity = this.#entities[row]!;
      return entity.id < id || (entity.id === id && compareTranslations(entity, key) < 0);
    });
  }

  /** Removes the row or not, then inserts a row for the entity if there is one. */
  #splice(row: number, removed: 0 | 1, entity?: Entity): void {
    const added = entity === undefined ? [] : [entity];
    if (this.#isShared) this.#entities = [...this.#entities];
    this.#isShared = false;
    const before = this.#entities.splice(row, removed, ...added);
    this.#translations += countTranslations(added) - countTranslations(before);
    this.#version++;
    if (removed !== added.length) this.#structure++;
    for (const [name, column] of this.#columns) {
      column.splice(row, removed, entity);
      if (column.isFragmented) this.#columns.delete(name);
    }
  }
}

/** The parts of an entity that identify its row. */
export interface RowKey {
  readonly id: string;
  readonly translation?: string | undefined;
}

/** The order of rows: by id, the source first, then by language. */
export function compareRows(a: RowKey, b: RowKey): number {
  return compareRaw(a.id, b.id) || compareTranslations(a, b);
}

function compareTranslations({ translation: a = '' }: RowKey, { translation: b = '' }: RowKey): number {
  return compareRaw(a, b);
}

function isSameRow(a: RowKey, b: RowKey): boolean {
  return a.id === b.id && a.translation === b.translation;
}

const NO_ROWS = new Int32Array(0);

function countTranslations(entities: readonly Entity[]): number {
  let count = 0;
  for (const { translation } of entities) if (translation !== undefined) count++;
  return count;
}

function translatedRows(entities: readonly Entity[]): Int32Array {
  const rows: number[] = [];
  let first = 0;
  entities.forEach(({ id, translation }, row) => {
    if (entities[first]?.id !== id) first = row;
    if (translation !== undefined && rows.at(-1) !== first) rows.push(first);
  });
  return Int32Array.from(rows);
}

/** Updates a column of the entities `before` to those `after`. Both are in the order of rows. */
function patchColumn(column: Column, before: readonly Entity[], after: readonly Entity[]): void {
  for (let row = 0, at = 0; row < after.length || at < before.length; ) {
    const old = before[at];
    const current = after[row];
    const order = old === undefined ? 1 : current === undefined ? -1 : compareRows(old, current);
    if (order < 0) {
      column.splice(row, 1, undefined);
      at++;
    } else if (order > 0) {
      column.splice(row, 0, current);
      row++;
    } else {
      if (old !== current) column.splice(row, 1, current);
      at++;
      row++;
    }
  }
}

/** A column that is being built in slices, and the entities it is built from. */
interface BuildingColumn {
  readonly entities: readonly Entity[];
  readonly steps: Generator<void, Column, undefined>;
}

interface CachedJoin {
  readonly generation: number;
  readonly structure: number;
  readonly join: Join;
}

/** Both sides are sorted by id, so one pass is enough. */
function createJoin(column: Column, target: EntityTable): Join {
  const { dictionary } = column;
  const prefix = `${target.type.name}\u0000`;
  const rowOfCode = new Int32Array(dictionary.size).fill(-1);
  const endOfCode = new Int32Array(dictionary.size).fill(-1);
  const codeOfRow = new Int32Array(target.size).fill(-1);
  let row = 0;
  const end = dictionary.lowerBound(`${target.type.name}\u0001`);
  for (let code = dictionary.lowerBound(prefix); code < end; code++) {
    const id = String(dictionary.raw(code)).slice(prefix.length);
    while (row < target.size && target.entity(row).id < id) row++;
    if (row === target.size || target.entity(row).id !== id) continue;
    rowOfCode[code] = row;
    endOfCode[code] = target.endOf(row);
    codeOfRow.fill(code, row, endOfCode[code]);
  }
  return { rowOfCode, endOfCode, codeOfRow };
}
