import type { Entity, FieldDefinition, FieldValue, Reference } from '../entities/model.ts';
import type { KnownEntities } from '../entities/references.ts';
import { ApiError, ConflictError } from '../errors.ts';
import { coerceField } from './coerce.ts';
import type { EntityInput, RelationshipChange } from './writer.ts';

/**
 * What a reference holds after a change. What is there already is not added again, and what is not there need not be
 * removed. Throws a 409 for adding to or removing from a reference to one, and a 400 for targets that cannot be.
 * Source: JSON:API 1.1, "Updating Relationships"; the statuses are Drupal's.
 */
export function relatedValue(
  entity: Entity,
  field: FieldDefinition,
  how: RelationshipChange,
  input: EntityInput,
  known: KnownEntities,
): FieldValue {
  if (!field.list && how !== 'set') {
    throw new ConflictError(`\`${field.name}\` refers to one entity: set it by PATCH.`);
  }
  const present = ([entity.values[field.name] ?? null].flat() as readonly (Reference | null)[]).filter(
    (each) => each !== null,
  );
  const sent = input.values.get(field.name) ?? null;
  const among = (list: readonly Reference[], { type, id }: Reference) =>
    list.some((each) => each.type === type && each.id === id);
  // What leaves need not be there any more, nor be for the eyes of the actor.
  const targets: KnownEntities = {
    has: (type, id) => how === 'remove' || known.has(type, id) || among(present, { type, id }),
  };
  const { value, faults } = coerceField(sent, field, targets);
  const [fault] = faults;
  if (fault !== undefined) {
    const source = { pointer: input.pointer([field.name, ...fault.path]) };
    throw new ApiError({ status: 400, title: 'Bad Request', detail: fault.detail, source });
  }
  if (!field.list) return value;
  const given = value as readonly Reference[];
  const twice = given.findIndex((each, at) => among(given.slice(0, at), each));
  if (how === 'set' && twice !== -1) {
    const source = { pointer: input.pointer([field.name, twice]) };
    throw new ApiError({
      status: 400,
      title: 'Bad Request',
      detail: 'The same target is there twice.',
      source,
    });
  }
  switch (how) {
    case 'add':
      return [...present, ...given.filter((each, at) => !among([...present, ...given.slice(0, at)], each))];
    case 'remove':
      return present.filter((each) => !among(given, each));
    case 'set':
      return given;
    default:
      return how satisfies never;
  }
}
