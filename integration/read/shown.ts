import type { Access } from '../access/access.ts';
import type { Entity, FieldDefinition } from '../content/model.ts';
import type { JsonValue } from '../util/json.ts';
import type { Reader } from './reader.ts';
import { attribute, linkage } from './serialize.ts';

/** A field as documents have it: an attribute, or the identifiers of a relationship. */
export async function serializeField(
  reader: Reader,
  entity: Entity,
  field: FieldDefinition,
): Promise<JsonValue> {
  if (field.kind !== 'reference') return attribute(reader, entity, field);
  // Identifiers are plain JSON.
  return linkage(reader, entity.values[field.name] ?? null) as JsonValue;
}

/** `meta.revision` of an entity for an actor: the `ETag` of its plain GET. */
export function entityRevision(reader: Reader, entity: Entity, access: Access): string {
  return reader.fragments.revision({ services: reader, access }, entity);
}
