import type { FieldDefinition, ResourceType } from '../content/model.ts';
import type { QueryAccess } from '../engine/engine.ts';
import { DomainError } from '../util/errors.ts';
import { isRecord, type JsonValue } from '../util/json.ts';

/** Undefined for a field that is not there, or not for the eyes of the actor. */
export function knownField(
  type: ResourceType,
  access: QueryAccess,
  name: string,
): FieldDefinition | undefined {
  return access.fieldVisible(type, name) ? type.fields.get(name) : undefined;
}

/** The sentence that refuses such a field. */
export function unknownField(type: ResourceType, access: QueryAccess, name: string): string {
  const names = [...type.fields.keys()].filter((each) => access.fieldVisible(type, each));
  return `${type.name} has no field '${name}'. Fields: ${names.join(', ')}.`;
}

/**
 * The pointer to where the steps lead from `start`, as far as the document goes: a list of one may stand there bare, and
 * a value in `{value}`. `start` itself need not be there. Source: JSON:API 1.1, "Error Objects", `source.pointer`.
 */
export function pointerInto(
  document: JsonValue,
  start: readonly (string | number)[],
  steps: readonly (string | number)[],
): string {
  const path = [...start];
  let place: JsonValue | undefined = start.reduce<JsonValue | undefined>(stepInto, document);
  for (const step of steps) {
    let next = stepInto(place, step);
    if (
      next === undefined &&
      isRecord(place ?? null) &&
      Object.keys(place as JsonObject).join() === 'value'
    ) {
      place = stepInto(place, 'value');
      path.push('value');
      next = stepInto(place, step);
    }
    if (next === undefined) break;
    path.push(step);
    place = next;
  }
  return path.map((step) => `/${escaped(String(step))}`).join('');
}

function stepInto(place: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof place !== 'object' || place === null || !Object.hasOwn(place, step)) return undefined;
  return (place as Readonly<Record<string | number, JsonValue>>)[step];
}

/** Source: RFC 6901, section 3. */
export function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** UUIDs are the same in any letter case. */
export function sameId(one: string, other: string): boolean {
  return one === other || (UUID.test(other) && one.toLowerCase() === other.toLowerCase());
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The body does not have the expected structure. */
export function badBody(detail: string, pointer: string): DomainError {
  return new DomainError('bad-request', detail, { source: { pointer } });
}

export type JsonObject = { readonly [key: string]: JsonValue };
