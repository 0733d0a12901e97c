import type { Entity, ResourceType } from '../../content/model.ts';
import { checkSlice, stepsInSlices } from '../time-slices.ts';
import { Column } from './column.ts';
import { binarySearch, type ColumnKind, compareRaw, type Ordering } from './ordering.ts';
import type { Slot } from './slot.ts';

/** Maps between the codes of a reference column and the rows of a target table; -1 for none. */
export interface Join {
  readonly rowOfCode: Int32Array;
  readonly codeOfRow: Int32Array;
}

/**
 * The entities of one resource type and the columns over them. A row number is always the entity's rank by id (code
 * units), so rows are in default order, and bitmaps of any columns can be combined.
 */
export class Table {
  readonly type: ResourceType;
  readonly #orderings: Readonly<Record<ColumnKind, Ordering>>;
  #entities: Entity[];
  readonly #columns = new Map<string, Column>();
  readonly #building = new Map<string, BuildingColumn>();
  readonly #joins = new WeakMap<Column, WeakMap<Table, CachedJoin>>();
  #structure = 0;
  #version = 0;

  constructor(
    type: ResourceType,
    orderings: Readonly<Record<ColumnKind, Ordering>>,
    entities: Iterable<Entity>,
  ) {
    this.type = type;
    this.#orderings = orderings;
    this.#entities = [...entities].sort((a, b) => compareRaw(a.id, b.id));
  }

  get entities(): readonly Entity[] {
    return this.#entities;
  }

  get size(): number {
    return this.#entities.length;
  }

  /** Grows with every change of an entity. */
  get version(): number {
    return this.#version;
  }

  entity(row: number): Entity {
    return this.#entities[row]!;
  }

  /** The row of an id, or -1. */
  rowOf(id: string): number {
    const row = this.#position(id);
    return this.#entities[row]?.id === id ? row : -1;
  }

  put(entity: Entity): void {
    const row = this.#position(entity.id);
    this.#splice(row, this.#entities[row]?.id === entity.id ? 1 : 0, entity);
  }

  remove(id: string): boolean {
    const row = this.rowOf(id);
    if (row === -1) return false;
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

  /** The rows of `target` that the codes of a reference column point to. */
  join(column: Column, target: Table): Join {
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

  /** The row of an id, or the row to insert it at. */
  #position(id: string): number {
    return binarySearch(this.size, (row) => this.#entities[row]!.id < id);
  }

  /** Removes the row or not, then inserts a row for the entity if there is one. */
  #splice(row: number, removed: 0 | 1, entity?: Entity): void {
    const added = entity === undefined ? [] : [entity];
    this.#entities.splice(row, removed, ...added);
    this.#version++;
    if (removed !== added.length) this.#structure++;
    for (const [name, column] of this.#columns) {
      column.splice(row, removed, entity);
      if (column.isFragmented) this.#columns.delete(name);
    }
  }
}

/** Updates a column of the entities `before` to those `after`. Both are sorted by id. */
function patchColumn(column: Column, before: readonly Entity[], after: readonly Entity[]): void {
  for (let row = 0, at = 0; row < after.length || at < before.length; ) {
    const old = before[at];
    const current = after[row];
    if (current === undefined || (old !== undefined && old.id < current.id)) {
      column.splice(row, 1, undefined);
      at++;
    } else if (old === undefined || current.id < old.id) {
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
function createJoin(column: Column, target: Table): Join {
  const { dictionary } = column;
  const prefix = `${target.type.name}\u0000`;
  const rowOfCode = new Int32Array(dictionary.size).fill(-1);
  const codeOfRow = new Int32Array(target.size).fill(-1);
  let row = 0;
  const end = dictionary.lowerBound(`${target.type.name}\u0001`);
  for (let code = dictionary.lowerBound(prefix); code < end; code++) {
    const id = String(dictionary.raw(code)).slice(prefix.length);
    while (row < target.size && target.entity(row).id < id) row++;
    if (row < target.size && target.entity(row).id === id) {
      rowOfCode[code] = row;
      codeOfRow[row] = code;
    }
  }
  return { rowOfCode, codeOfRow };
}
