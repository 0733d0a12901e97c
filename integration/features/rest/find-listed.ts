import type { Access } from '../../core/access/access.ts';
import type { FieldDefinition, ResourceType } from '../../core/content/model.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { type AddressedAs, type BelowEntity, findBelow } from '../../core/read/find.ts';
import type { Reader } from '../../core/read/reader.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';

/** An entity, or a list in one of its fields. */
export type Listed = AddressedAs<'list'>;

/** Finds `<id>` or `<id>/<field>`. Throws NotFoundError, also for a field that is not a list. */
export function findListed(
  services: Reader,
  access: Access,
  type: ResourceType,
  segments: readonly string[],
): Promise<Listed> {
  return findBelow(services, access, type, segments, BELOW_ENTITY);
}

/** The list fields of a type that the actor may see. */
export function listFields(access: QueryAccess, type: ResourceType): readonly FieldDefinition[] {
  return visibleFields(type, access).filter(({ list }) => list);
}

const BELOW_ENTITY: readonly BelowEntity<'list'>[] = [
  { kind: 'list', before: [], noun: 'list', fields: listFields },
];
