import type { Access } from '../access/access.ts';
import type { Entity, FieldDefinition, JsonValue } from '../entities/model.ts';
import type { WriterDeps } from '../write/create-writer.ts';
import { mayNameFile } from './content-files.ts';
import { attribute, linkage } from './serialize.ts';
import type { Services } from './services.ts';

/** What commands have to know of how entities are read. `services` are asked for late: they hold the writer themselves. */
export function readingOf(
  services: () => Services,
): Pick<WriterDeps, 'shown' | 'revisionOf' | 'renderBody' | 'mayName'> {
  return {
    shown: (entity, field) => shownField(services(), entity, field),
    revisionOf: (entity, { access }) => shownRevision(services(), entity, access),
    renderBody: (entity) => services().renderBody(entity),
    mayName: (key, access) => mayNameFile(services(), access, key),
  };
}

/** A field as documents have it: an attribute, or the identifiers of a relationship. */
async function shownField(services: Services, entity: Entity, field: FieldDefinition): Promise<JsonValue> {
  if (field.kind !== 'reference') return attribute(services, entity, field);
  // Identifiers are plain JSON.
  return linkage(services, entity.values[field.name] ?? null) as JsonValue;
}

/** `meta.revision` of an entity for an actor: the `ETag` of its plain GET. */
export function shownRevision(services: Services, entity: Entity, access: Access): string {
  return services.fragments.revision({ services, access }, entity);
}
