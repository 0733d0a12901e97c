import type { Entity, FieldDefinition, Reference, ResourceType } from '../content/model.ts';
import { splitResourceType } from '../content/resource-type.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { JsonValue } from '../util/json.ts';
import { allValues, mapValue } from '../util/maybe-promise.ts';
import { entityReferences, type IncludeTree, includeTree } from './include.ts';
import type { Reader } from './reader.ts';
import { attribute, define, referencesOf } from './serialize.ts';
import { visibleFields, visibleTitle } from './sparse-fields.ts';

/**
 * An entity as plain JSON: `id`, `type` (its bundle), then every field in document order, base fields first. `body` is
 * `{value, format, processed, summary}` or null. A reference is a stub `{type, id, title}`, with a null title if the target
 * is missing or the actor may not see it.
 */
export type FlatEntity = {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: JsonValue;
};

interface FlattenOptions {
  /** Restricts the entity, but not included ones, to `id`, `type` and these fields. All fields by default. */
  readonly fields?: readonly string[] | undefined;
  /**
   * Dotted reference paths. An included reference is the flat target instead of a stub. If the target is missing or the
   * actor may not see it, it is null, or left out of a list.
   */
  readonly include?: readonly string[] | undefined;
}

export interface Flattener {
  /** Throws BadParameterError for an invalid include path. */
  flatten(entity: Entity, options?: FlattenOptions): Promise<FlatEntity>;
}

/** Converts entities to plain JSON with the fields that an actor may see. `bodyValue` extends the value of a body. */
export function createFlattener(
  services: Reader,
  access: QueryAccess,
  bodyValue: (value: JsonValue) => JsonValue = (value) => value,
): Flattener {
  const { store, engine } = services;
  const fieldsByType = new Map<ResourceType, readonly FieldDefinition[]>();

  function fieldsOf(type: ResourceType): readonly FieldDefinition[] {
    const fields = fieldsByType.get(type) ?? visibleFields(type, access);
    fieldsByType.set(type, fields);
    return fields;
  }

  function stub(reference: Reference): JsonValue | Promise<JsonValue> {
    const { type: name, id } = reference;
    const type = store.types.get(name);
    return mapValue(engine.find(name, id, access), (target) => ({
      type: splitResourceType(name).bundle,
      // The ids of a bundle that is not in the API are not either.
      id: type === undefined ? 'missing' : id,
      title: visibleTitle(access, type, target) ?? null,
    }));
  }

  function included(reference: Reference, tree: IncludeTree): JsonValue | Promise<JsonValue> {
    return mapValue(engine.find(reference.type, reference.id, access), (target) =>
      target === undefined ? null : flat(target, tree),
    );
  }

  function referenceValue(
    entity: Entity,
    field: FieldDefinition,
    tree: IncludeTree,
  ): JsonValue | Promise<JsonValue> {
    const deeper = tree.get(field.name);
    const items = referencesOf(entity.values[field.name]).map((reference) =>
      deeper === undefined ? stub(reference) : included(reference, deeper),
    );
    return mapValue(allValues(items), (targets) => {
      const values = targets.filter((value) => value !== null);
      return field.list ? values : (values[0] ?? null);
    });
  }

  async function flat(entity: Entity, tree: IncludeTree, only?: readonly string[]): Promise<FlatEntity> {
    const result: Record<string, JsonValue> = {};
    for (const field of fieldsOf(store.types.get(entity.type)!)) {
      if (only !== undefined && !only.includes(field.name)) continue;
      const value =
        field.kind === 'reference' ? referenceValue(entity, field, tree) : attribute(services, entity, field);
      const settled = value instanceof Promise ? await value : value;
      define(result, field.name, field.name === 'body' ? bodyValue(settled) : settled);
    }
    return { id: entity.id, type: splitResourceType(entity.type).bundle, ...result };
  }

  return {
    async flatten(entity, { fields, include = [] } = {}) {
      const type = store.types.get(entity.type)!;
      return flat(entity, includeTree(services, access, [type], include, entityReferences), fields);
    },
  };
}
