import type { Access } from '../access/access.ts';
import type { Action } from '../access/role.ts';
import type { Entity, FieldDefinition, ResourceType } from '../content/model.ts';
import { type DomainError, ForbiddenError, UnauthorizedError } from '../util/errors.ts';
import type { Writer } from './writer.ts';

/** Throws UnauthorizedError or ForbiddenError if the actor may not do this to any entity of the type. */
export function checkMayAtAll({ access, actor }: Writer, action: Action, type: ResourceType): void {
  if (access.filterFor(action, type) === false) throw refusal(actor.name, action, type);
}

/** The same for one entity, stored or new. */
export function checkMay(
  { access, actor }: Writer,
  action: Action,
  type: ResourceType,
  entity: Entity,
): void {
  if (!access.allows(action, entity)) throw refusal(actor.name, action, type);
}

/** The fields that the actor may set in an entity, or in a new one. */
export function writableFields(
  access: Access,
  type: ResourceType,
  entity: Entity | undefined,
): readonly FieldDefinition[] {
  return [...type.fields.values()].filter(({ name, untranslated }) => {
    if (SET_BY_SERVER.has(name)) return false;
    if (untranslated === true && entity?.translation !== undefined) return false;
    return entity === undefined
      ? access.fieldWritable(type, name, 'create')
      : access.fieldWritable(type, name, 'update', entity);
  });
}

/** Fields that each write sets. */
export const SET_BY_SERVER: ReadonlySet<string> = new Set(['changed']);

function refusal(name: string | null, action: Action, type: ResourceType): DomainError {
  return name === null
    ? new UnauthorizedError(`Sign in to ${action} content of type ${type.name}.`)
    : new ForbiddenError(`You may not ${action} this content of type ${type.name}.`);
}
