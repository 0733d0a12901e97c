import type { Access } from '../access/access.ts';
import type { Entity, FieldDefinition, JsonValue } from '../entities/model.ts';
import { createServerLinks } from './links.ts';
import { attribute, linkage } from './serialize.ts';
import type { Services } from './services.ts';
import { selectFields } from './sparse-fields.ts';

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
export async function shownRevision(services: Services, entity: Entity, access: Access): Promise<string> {
  const context = { services, access, links: createServerLinks(services.settings, '') };
  const write = services.fragments.writer(context, selectFields({}, access));
  return (await write(entity)).revision;
}
