import type { Access } from '../../access/access.ts';
import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { type AddressedAs, type BelowEntity, findBelow } from '../../read/find.ts';
import type { Reader } from '../../read/reader.ts';
import { visibleFields } from '../../read/sparse-fields.ts';
import { NotFoundError } from '../../util/errors.ts';

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

function findList(access: QueryAccess, type: ResourceType, name: string): FieldDefinition {
  const fields = listFields(access, type);
  const field = fields.find((each) => each.name === name);
  if (field !== undefined) return field;
  const names = fields.map((each) => each.name).join(', ');
  throw new NotFoundError(
    `${type.name} has no list '${name}'. ${names === '' ? 'It has no lists.' : `Lists: ${names}.`}`,
  );
}

const BELOW_ENTITY: readonly BelowEntity<'list'>[] = [{ kind: 'list', before: [], field: findList }];
