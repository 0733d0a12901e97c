import type { FieldChanges } from '../content/encode/encode-file.ts';
import type { Entity, FieldValue, ResourceType } from '../content/model.ts';
import { isRecord } from '../util/json.ts';
import type { EntityInput, Writer } from './writer.ts';

/** The fields that a full replacement empties; those that the server keeps and those that the actor does not see stay. */
export function emptied(
  { access }: Writer,
  type: ResourceType,
  entity: Entity,
  { values }: EntityInput,
): FieldChanges {
  const changes: Record<string, FieldValue> = Object.create(null);
  for (const { name, list } of type.fields.values()) {
    if (KEPT_BY_SERVER.has(name) || values.has(name)) continue;
    if (!access.fieldWritable(type, name, 'update', entity)) continue;
    if (name !== 'body') changes[name] = list ? [] : null;
    else if (entity.body !== null) changes.body = NO_BODY;
  }
  return changes;
}

/** With all of the body, where there is something of it. */
export function completed(values: EntityInput['values']): EntityInput['values'] {
  const body = values.get('body') ?? null;
  if (body === null) return values;
  const whole = isRecord(body) ? { ...NO_BODY, ...body } : { ...NO_BODY, value: body };
  return new Map(values).set('body', whole);
}

const NO_BODY = { value: '', summary: null } as const;

const KEPT_BY_SERVER: ReadonlySet<string> = new Set(['uid', 'created', 'changed']);
