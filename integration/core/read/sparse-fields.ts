import { UNSTORED_TYPES } from '../content/file-resource.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../content/model.ts';
import { isOwner, PUBLIC_OWNER } from '../content/owner.ts';
import type { Query } from '../engine/ast.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';

/** The fields of a type to return, in document order. */
export type FieldSelection = (type: ResourceType) => readonly FieldDefinition[];

/** Selects the visible fields of each type that are in `fields[type]`, or all visible fields. */
export function selectFields(fields: Query['fields'], access: QueryAccess): FieldSelection {
  return (type) => {
    const names = fields[type.name];
    return documentFields(type, access).filter(({ name }) => names?.includes(name) !== false);
  };
}

/** Unknown and hidden fields in `fields`, as `fields[type]=name`. Drupal ignores them. */
export function unknownFields(fields: Query['fields'], store: EntityStore, access: QueryAccess): string[] {
  return Object.entries(fields).flatMap(([typeName, names]) => {
    const type = store.types.get(typeName) ?? UNSTORED_TYPES.get(typeName);
    if (type === undefined) return [`fields[${typeName}]`];
    const visible = new Set(documentFields(type, access).map(({ name }) => name));
    return names.filter((name) => !visible.has(name)).map((name) => `fields[${typeName}]=${name}`);
  });
}

export function visibleFields(type: ResourceType, access: QueryAccess): FieldDefinition[] {
  return [...type.fields.values()].filter((field) => access.fieldVisible(type, field.name));
}

/** The title of an entity, if it has one that the actor may see. */
export function visibleTitle(
  access: QueryAccess,
  type: ResourceType | undefined,
  entity: Entity | undefined,
): string | undefined {
  const title = type && access.fieldVisible(type, 'title') ? entity?.values.title : undefined;
  return typeof title === 'string' ? title : undefined;
}

/**
 * The fields that JSON:API shows: the visible ones, and the owner as a user for an actor without access to the names of
 * accounts.
 */
export function documentFields(type: ResourceType, access: QueryAccess): FieldDefinition[] {
  const hasOwners = access.ownersShown?.(type) === true;
  return [...type.fields.values()].flatMap((field) => {
    if (access.fieldVisible(type, field.name)) return [field];
    return hasOwners && isOwner(field) ? [PUBLIC_OWNER] : [];
  });
}

/** The entity without its hidden fields, for code that reads fields by name. */
export function visibleEntity(entity: Entity, store: EntityStore, access: QueryAccess): Entity {
  const type = store.types.get(entity.type);
  const isVisible = (name: string) => type !== undefined && access.fieldVisible(type, name);
  const values: Record<string, FieldValue> = Object.create(null);
  for (const [name, value] of Object.entries(entity.values)) if (isVisible(name)) values[name] = value;
  return { ...entity, values, body: isVisible('body') ? entity.body : null };
}
