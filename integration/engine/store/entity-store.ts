import type { Entity, ResourceType } from '../../content/model.ts';
import { compareRaw, createOrderings } from './ordering.ts';
import type { EntityStore, MutableEntityStore } from './store.ts';
import { Table } from './table.ts';

/** A store whose tables the query engine can work on. */
export interface IndexedStore extends EntityStore {
  /** The table of a resource type, or undefined where the type is unknown. */
  table(type: string): Table | undefined;
}

/** An empty store. `locale` (BCP 47) decides equality and order of texts. */
export function createEntityStore({
  locale,
}: {
  readonly locale: string;
}): MutableEntityStore & IndexedStore {
  return new InMemoryEntityStore(locale);
}

class InMemoryEntityStore implements MutableEntityStore, IndexedStore {
  readonly locale: string;
  readonly #orderings;
  #tables = new Map<string, Table>();
  #types: ReadonlyMap<string, ResourceType> = new Map();
  #version = 0;

  constructor(locale: string) {
    this.locale = locale;
    this.#orderings = createOrderings(locale);
  }

  get version(): number {
    return this.#version;
  }

  get types(): ReadonlyMap<string, ResourceType> {
    return this.#types;
  }

  table(type: string): Table | undefined {
    return this.#tables.get(type);
  }

  get(type: string, id: string): Entity | undefined {
    const table = this.#tables.get(type);
    if (table === undefined) return undefined;
    const row = table.rowOf(id);
    return row === -1 ? undefined : table.entity(row);
  }

  entities(type: string): readonly Entity[] {
    return this.#tables.get(type)?.entities ?? [];
  }

  load(types: readonly ResourceType[], entities: Iterable<Entity>): void {
    const byType = new Map<string, Entity[]>(types.map((type) => [type.name, []]));
    for (const entity of entities) {
      const list = byType.get(entity.type);
      if (list === undefined) throw unknownType(entity.type);
      list.push(entity);
    }
    this.#tables = new Map(
      types.map((type) => [type.name, new Table(type, this.#orderings, byType.get(type.name) ?? [])]),
    );
    this.#changed();
  }

  replaceType(type: ResourceType, entities: Iterable<Entity>): void {
    this.#tables.set(type.name, new Table(type, this.#orderings, entities));
    this.#changed();
  }

  removeType(type: string): void {
    this.#tables.delete(type);
    this.#changed();
  }

  put(entity: Entity): void {
    const table = this.#tables.get(entity.type);
    if (table === undefined) throw unknownType(entity.type);
    table.put(entity);
    this.#version++;
  }

  remove(type: string, id: string): boolean {
    const removed = this.#tables.get(type)?.remove(id) ?? false;
    if (removed) this.#version++;
    return removed;
  }

  #changed(): void {
    this.#version++;
    const tables = [...this.#tables].sort(([a], [b]) => compareRaw(a, b));
    this.#tables = new Map(tables);
    this.#types = new Map(tables.map(([name, table]) => [name, table.type]));
  }
}

function unknownType(type: string): Error {
  return new Error(`The store has no resource type "${type}". Load or replace the type before its entities.`);
}
