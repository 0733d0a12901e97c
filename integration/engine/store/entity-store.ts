import type { ContentChange } from '../../content/collect.ts';
import type { Entity, ResourceType } from '../../content/model.ts';
import { compareRaw, createOrderings } from './ordering.ts';
import { Table } from './table.ts';

/** The content in memory, read-only. */
export interface EntityStore {
  /** Grows by one with every change. */
  readonly version: number;
  /** BCP 47 tag of the collator for equality and order of strings. */
  readonly locale: string;
  /** By resource type name, in code-unit order. */
  readonly types: ReadonlyMap<string, ResourceType>;
  get(type: string, id: string): Entity | undefined;
  /** All entities of a type in code-unit order of id, published or not; empty for an unknown type. */
  entities(type: string): readonly Entity[];
}

/** A store with the tables that the query engine reads. */
export interface IndexedStore extends EntityStore {
  /** Undefined for an unknown type. */
  table(type: string): Table | undefined;
}

export interface MutableEntityStore extends EntityStore {
  /** Replaces all types and entities. */
  load(types: readonly ResourceType[], entities: Iterable<Entity>): void;
  /** Replaces one resource type and all its entities. */
  replaceType(type: ResourceType, entities: Iterable<Entity>): void;
  removeType(type: string): void;
  /** Adds an entity, or replaces the one with the same type and id. Throws for an unknown type. */
  put(entity: Entity): void;
  /** Returns false if there was no such entity. */
  remove(type: string, id: string): boolean;
}

/** An empty store. `locale` (BCP 47) sets equality and order of strings. */
export function createEntityStore(options: { readonly locale: string }): MutableEntityStore & IndexedStore {
  return new InMemoryEntityStore(options.locale);
}

/** Applies a collector's change to the store. */
export function applyChange(store: MutableEntityStore, change: ContentChange): void {
  for (const type of change.removedTypes) store.removeType(type);
  for (const { type, id } of change.removed) store.remove(type, id);
  for (const { type, entities } of change.types) store.replaceType(type, entities);
  for (const entity of change.put) store.put(entity);
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
