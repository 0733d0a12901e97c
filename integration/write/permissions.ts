import type { Access } from '../access/access.ts';
import type { Action } from '../access/role.ts';
import type { Entity, FieldDefinition, ResourceType } from '../content/model.ts';
import { type DomainError, ForbiddenError, UnauthorizedError } from '../util/errors.ts';
import type { Writer } from './writer.ts';

/** Throws where the actor may do this to no entity of the type: a 401 for anonymous, else a 403. */
export function checkMayAtAll({ access, actor }: Writer, action: Action, type: ResourceType): void {
  if (access.filterFor(action, type) === false) throw refusal(actor.name, action, type);
}

/** As `checkMayAtAll`, for one entity, stored or as it would be. */
export function checkMay(
  { access, actor }: Writer,
  action: Action,
  type: ResourceType,
  entity: Entity,
): void {
  if (!access.allows(action, entity)) throw refusal(actor.name, action, type);
}

/** What the actor may give to a new entity, or, of a stored one, change. */
export function writableFields(
  access: Access,
  type: ResourceType,
  entity: Entity | undefined,
): readonly FieldDefinition[] {
  return [...type.fields.values()].filter(({ name }) => {
    if (SET_BY_WRITES.has(name)) return false;
    return entity === undefined
      ? access.fieldWritable(type, name, 'create')
      : access.fieldWritable(type, name, 'update', entity);
  });
}

/** Every write says itself when it was. */
export const SET_BY_WRITES: ReadonlySet<string> = new Set(['changed']);

function refusal(name: string | null, action: Action, type: ResourceType): DomainError {
  return name === null
    ? new UnauthorizedError(`Sign in to ${action} content of type ${type.name}.`)
    : new ForbiddenError(`You may not ${action} this content of type ${type.name}.`);
}
