import type { KnownEntities } from '../content/decode/references.ts';
import type { Entity, FieldDefinition, FieldValue, Reference } from '../content/model.ts';
import { ConflictError, DomainError } from '../util/errors.ts';
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
  const held = new Set(present.map(nameOf));
  // What leaves need not be there any more, nor be for the eyes of the actor.
  const targets: KnownEntities = {
    has: (type, id) => how === 'remove' || known.has(type, id) || held.has(nameOf({ type, id })),
  };
  const { value, faults } = coerceField(sent, field, targets);
  const [fault] = faults;
  if (fault !== undefined) {
    const source = { pointer: input.pointer([field.name, ...fault.path]) };
    throw new DomainError('bad-request', fault.detail, { source });
  }
  if (!field.list) return value;
  const given = value as readonly Reference[];
  const names = given.map(nameOf);
  const first = new Map(names.map((name, at) => [name, at] as const).reverse());
  const twice = names.findIndex((name, at) => first.get(name) !== at);
  if (how === 'set' && twice !== -1) {
    const source = { pointer: input.pointer([field.name, twice]) };
    throw new DomainError('bad-request', 'The same target is there twice.', { source });
  }
  switch (how) {
    case 'add':
      return [
        ...present,
        ...given.filter((_, at) => first.get(names[at] ?? '') === at && !held.has(names[at] ?? '')),
      ];
    case 'remove':
      return present.filter((each) => !first.has(nameOf(each)));
    case 'set':
      return given;
    default:
      return how satisfies never;
  }
}

/** Types have no blanks. */
function nameOf({ type, id }: Reference): string {
  return `${type} ${id}`;
}
