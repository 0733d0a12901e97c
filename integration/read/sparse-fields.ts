import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../content/model.ts';
import type { Query } from '../engine/ast.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';

/** The fields of one type to answer, in document order. */
export type FieldSelection = (type: ResourceType) => readonly FieldDefinition[];

/** The fields to answer of each type: those of `fields[type]`, else all, and never one that is hidden. */
export function selectFields(fields: Query['fields'], access: QueryAccess): FieldSelection {
  const selections = new Map<ResourceType, readonly FieldDefinition[]>();
  return (type) => {
    const known = selections.get(type);
    if (known !== undefined) return known;
    const wanted = fields[type.name];
    const selection = visibleFields(type, access).filter(
      (field) => wanted === undefined || wanted.includes(field.name),
    );
    selections.set(type, selection);
    return selection;
  };
}

/** What `fields` names in vain, as `fields[type]=name`; Drupal lets it pass. */
export function unknownFields(fields: Query['fields'], store: EntityStore, access: QueryAccess): string[] {
  return Object.entries(fields).flatMap(([typeName, names]) => {
    const type = store.types.get(typeName);
    if (type === undefined) return [`fields[${typeName}]`];
    return names
      .filter((name) => !type.fields.has(name) || !access.fieldVisible(type, name))
      .map((name) => `fields[${typeName}]=${name}`);
  });
}

export function visibleFields(type: ResourceType, access: QueryAccess): FieldDefinition[] {
  return [...type.fields.values()].filter((field) => access.fieldVisible(type, field.name));
}

/** An entity without what the actor may not see of it, for what reads its fields by name. */
export function asSeen(entity: Entity, store: EntityStore, access: QueryAccess): Entity {
  const type = store.types.get(entity.type);
  const seen = (name: string) => type !== undefined && access.fieldVisible(type, name);
  const values: Record<string, FieldValue> = Object.create(null);
  for (const [name, value] of Object.entries(entity.values)) if (seen(name)) values[name] = value;
  return { ...entity, values, body: seen('body') ? entity.body : null };
}
