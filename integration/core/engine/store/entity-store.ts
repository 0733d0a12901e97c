import type { ContentTarget } from '../../content/collect.ts';
import type { Entity, ResourceType } from '../../content/model.ts';
import { compareRaw, createOrderings } from './ordering.ts';
import type { Slot } from './slot.ts';
import { EntityTable, type Table } from './table.ts';

/** The content in memory, read-only. */
export interface EntityStore {
  /** Grows by one with every change. */
  readonly version: number;
  /** BCP 47 tag of the collator for equality and order of strings. */
  readonly locale: string;
  /** By resource type name, in code-unit order. */
  readonly types: ReadonlyMap<string, ResourceType>;
  /** The source of an entity, or its translation into a language. */
  get(type: string, id: string, translation?: string): Entity | undefined;
  /** The source of an entity and its translations by language, published or not. */
  translations(type: string, id: string): readonly Entity[];
  /**
   * All entities of a type in code-unit order of id, published or not; empty for an unknown type. Translations follow
   * their source. Later changes do not affect the array.
   */
  entities(type: string): readonly Entity[];
  /**
   * When the clock next publishes or unpublishes an entity of a type, in a store that does not have the entities: milliseconds
   * since the Unix epoch, Infinity for never.
   */
  nextScheduledChange?(type: string, after: number): number;
}

/** A store with the tables that the query engine reads. */
export interface IndexedStore extends EntityStore {
  /** Undefined for an unknown type. */
  table(type: string): Table | undefined;
  /** Prepares the columns that a query will read, in a store that loads columns when they are needed. */
  require?(columns: Iterable<NeededColumn>): void;
}

export interface NeededColumn {
  /** Resource type name. */
  readonly type: string;
  readonly slot: Slot;
  /** False if only the order of its values matters, not the values. */
  readonly values: boolean;
}

export interface MutableEntityStore extends EntityStore {
  /** Replaces all types and entities. */
  load(types: readonly ResourceType[], entities: Iterable<Entity>): void;
  /** Replaces one resource type and all its entities. */
  replaceType(type: ResourceType, entities: Iterable<Entity>): void;
  removeType(type: string): void;
  /** Adds an entity, or replaces the one with the same type, id and language. Throws for an unknown type. */
  put(entity: Entity): void;
  /** Removes a source or a translation. Returns false if it does not exist. */
  remove(type: string, id: string, translation?: string): boolean;
  /** A store with the same content, which changes on its own. Tables are copied when they change. */
  copy(): MutableEntityStore & IndexedStore;
}

/** A store, which is empty without `shared` tables. `locale` (BCP 47) sets equality and order of strings. */
export function createEntityStore(
  { locale }: Pick<EntityStore, 'locale'>,
  shared: ReadonlyMap<string, EntityTable> = new Map(),
): MutableEntityStore & IndexedStore {
  const orderings = createOrderings(locale);
  let tables = new Map(shared);
  let types: ReadonlyMap<string, ResourceType> = new Map([...shared].map(([name, { type }]) => [name, type]));
  let version = 0;

  function replaceTables(entries: Iterable<[string, EntityTable]>): void {
    tables = new Map([...entries].sort(([a], [b]) => compareRaw(a, b)));
    types = new Map([...tables].map(([name, table]) => [name, table.type]));
    version++;
  }

  /** The table of a type, which only this store changes. */
  function ownTable(type: string): EntityTable | undefined {
    const table = tables.get(type);
    if (table === undefined || table !== shared.get(type)) return table;
    const own = new EntityTable(table.type, orderings, table.entities);
    tables.set(type, own);
    return own;
  }

  return {
    locale,
    get version() {
      return version;
    },
    get types() {
      return types;
    },
    table: (type) => tables.get(type),
    get: (type, id, translation) => tables.get(type)?.get(id, translation),
    translations(type, id) {
      const table = tables.get(type);
      const row = table?.rowOf(id) ?? -1;
      return table === undefined || row === -1 ? [] : table.entities.slice(row, table.endOf(row));
    },
    entities: (type) => tables.get(type)?.entities ?? [],
    load(newTypes, entities) {
      const byType = new Map<string, Entity[]>(newTypes.map((type) => [type.name, []]));
      for (const entity of entities) {
        const list = byType.get(entity.type);
        if (list === undefined) throw unknownType(entity.type);
        list.push(entity);
      }
      replaceTables(
        newTypes.map((type) => [type.name, new EntityTable(type, orderings, byType.get(type.name) ?? [])]),
      );
    },
    replaceType(type, entities) {
      replaceTables([...tables, [type.name, new EntityTable(type, orderings, entities)]]);
    },
    removeType(type) {
      replaceTables([...tables].filter(([name]) => name !== type));
    },
    put(entity) {
      const table = ownTable(entity.type);
      if (table === undefined) throw unknownType(entity.type);
      table.put(entity);
      version++;
    },
    remove(type, id, translation) {
      const removed = ownTable(type)?.remove(id, translation) ?? false;
      if (removed) version++;
      return removed;
    },
    copy: () => createEntityStore({ locale }, new Map(tables)),
  };
}

function unknownType(type: string): Error {
  return new Error(`The store has no resource type "${type}". Load or replace the type before its entities.`);
}

/** Lets a collector keep a store current. */
export function storeTarget(store: MutableEntityStore): ContentTarget {
  return {
    load: (types, entities) => store.load(types, entities),
    apply({ removedTypes, removed, types, put }) {
      for (const type of removedTypes) store.removeType(type);
      for (const { type, id, translation } of removed) store.remove(type, id, translation);
      for (const { type, entities } of types) store.replaceType(type, entities);
      for (const entity of put) store.put(entity);
    },
  };
}
