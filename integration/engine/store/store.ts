import type { Entity, ResourceType } from '../../content/model.ts';

/** The content in memory, read-only. One instance lives as long as the process; `version` moves with each change. */
export interface EntityStore {
  /** Grows by one with every change. */
  readonly version: number;
  /** BCP 47 tag whose collator decides equality and order of texts. */
  readonly locale: string;
  /** By resource type name, in code-unit order. */
  readonly types: ReadonlyMap<string, ResourceType>;
  get(type: string, id: string): Entity | undefined;
  /** All entities of a type in code-unit order of id, whatever their status; empty for an unknown type. */
  entities(type: string): readonly Entity[];
}

export interface MutableEntityStore extends EntityStore {
  /** Replaces types and entities as a whole. */
  load(types: readonly ResourceType[], entities: Iterable<Entity>): void;
  /** Replaces one resource type and all its entities. */
  replaceType(type: ResourceType, entities: Iterable<Entity>): void;
  removeType(type: string): void;
  /** Adds an entity or replaces the one of the same type and id. Its type must be known. */
  put(entity: Entity): void;
  /** False where there was none. */
  remove(type: string, id: string): boolean;
}
