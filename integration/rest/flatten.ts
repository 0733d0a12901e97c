import type { Entity, FieldDefinition, JsonValue, Reference, ResourceType } from '../entities/model.ts';
import { type IncludeTree, includeTree } from '../jsonapi/include.ts';
import { attribute, define, referencesOf } from '../jsonapi/serialize.ts';
import type { Services } from '../jsonapi/services.ts';
import { visibleFields } from '../jsonapi/sparse-fields.ts';
import type { QueryAccess } from '../query/engine.ts';

/**
 * An entity as plain JSON: `id`, `type` (its bundle), then every field in document order, base fields first.
 * `body` is `{value, format, processed, summary}`, or null where the file has none. A reference is a stub
 * `{type, id, title}`, whose title is null where the target is missing or may not be seen.
 */
export type FlatEntity = {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: JsonValue;
};

interface FlattenOptions {
  /** Restricts the entity (not what it includes) to `id`, `type` and these; all fields when undefined. */
  readonly fields?: readonly string[] | undefined;
  /**
   * Dotted reference paths. An included reference is the flat target in place of a stub; where the target is
   * missing or may not be seen it is null, and left out of a list.
   */
  readonly include?: readonly string[] | undefined;
}

export interface Flattener {
  /** Throws BadParameterError for an include path that is none. */
  flatten(entity: Entity, options?: FlattenOptions): Promise<FlatEntity>;
}

/** Turns entities into plain JSON as one actor may see them. */
export function createFlattener(services: Services, access: QueryAccess): Flattener {
  const { store, engine } = services;
  const fieldsByType = new Map<ResourceType, readonly FieldDefinition[]>();

  function fieldsOf(type: ResourceType): readonly FieldDefinition[] {
    const fields = fieldsByType.get(type) ?? visibleFields(type, access);
    fieldsByType.set(type, fields);
    return fields;
  }

  async function visibleTarget({ type, id }: Reference): Promise<Entity | undefined> {
    const target = store.get(type, id);
    return target !== undefined && (await engine.visible(type, id, access)) ? target : undefined;
  }

  async function stub(reference: Reference): Promise<JsonValue> {
    const target = await visibleTarget(reference);
    const type = store.types.get(reference.type);
    const titled = type !== undefined && access.fieldVisible(type, 'title');
    const title = titled ? target?.values.title : null;
    return {
      type: bundleOf(reference.type),
      id: reference.id,
      title: typeof title === 'string' ? title : null,
    };
  }

  async function included(reference: Reference, tree: IncludeTree): Promise<JsonValue> {
    const target = await visibleTarget(reference);
    return target === undefined ? null : flat(target, tree);
  }

  async function referenceValue(
    entity: Entity,
    field: FieldDefinition,
    tree: IncludeTree,
  ): Promise<JsonValue> {
    const deeper = tree.get(field.name);
    const values: JsonValue[] = [];
    for (const reference of referencesOf(entity.values[field.name])) {
      const value = deeper === undefined ? await stub(reference) : await included(reference, deeper);
      if (value !== null) values.push(value);
    }
    return field.list ? values : (values[0] ?? null);
  }

  async function flat(entity: Entity, tree: IncludeTree, only?: readonly string[]): Promise<FlatEntity> {
    const result: Record<string, JsonValue> = {};
    const type = store.types.get(entity.type);
    for (const field of type === undefined ? [] : fieldsOf(type)) {
      if (only !== undefined && !only.includes(field.name)) continue;
      const value =
        field.kind === 'reference'
          ? await referenceValue(entity, field, tree)
          : await attribute(services, entity, field);
      define(result, field.name, value);
    }
    return { id: entity.id, type: bundleOf(entity.type), ...result };
  }

  return {
    async flatten(entity, { fields, include = [] } = {}) {
      const type = store.types.get(entity.type);
      const tree = type === undefined ? NO_INCLUDES : includeTree(services, access, [type], include);
      return flat(entity, tree, fields);
    },
  };
}

/** `article` of `node--article`. */
function bundleOf(typeName: string): string {
  return typeName.slice(typeName.indexOf('--') + 2);
}

const NO_INCLUDES: IncludeTree = new Map();
