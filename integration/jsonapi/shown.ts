import type { Access } from '../access/access.ts';
import type { Entity, FieldDefinition, JsonValue } from '../entities/model.ts';
import { attribute, linkage } from './serialize.ts';
import type { Services } from './services.ts';

/** A field as documents have it: an attribute, or the identifiers of a relationship. */
export async function shownField(
  services: Services,
  entity: Entity,
  field: FieldDefinition,
): Promise<JsonValue> {
  if (field.kind !== 'reference') return attribute(services, entity, field);
  // Identifiers are plain JSON.
  return linkage(services, entity.values[field.name] ?? null) as JsonValue;
}

/** `meta.revision` of an entity for an actor: the `ETag` of its plain GET. */
export function shownRevision(services: Services, entity: Entity, access: Access): string {
  return services.fragments.revision({ services, access }, entity);
}
