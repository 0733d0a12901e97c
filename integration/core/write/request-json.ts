import { type Entity, type FieldDefinition, type ResourceType, writableField } from '../content/model.ts';
import { isUuid } from '../content/resource-type.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { Reader } from '../read/reader.ts';
import { DomainError } from '../util/errors.ts';
import { isRecord, type JsonValue } from '../util/json.ts';
import { errorMessage } from '../util/text.ts';
import type { EntityInput, ValuePath } from './writer.ts';

/** Levels of objects and arrays in one body. */
export const MAX_BODY_DEPTH = 64;

/** Members of objects and items of arrays in one body, at all levels. */
export const MAX_BODY_VALUES = 20_000;

/** Parses the body of a request. Throws a `bad-request` error, or `too-large` for too many values. */
export function readJson(text: string): JsonValue {
  if (text.trim() === '') throw badBody('The body is empty. Send JSON.');
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw badBody(`The body is not valid JSON: ${errorMessage(error)}.`);
  }
  checkValues(value);
  return value;
}

/** Checks all values and names, without recursion, which depth could break. Stops at the limits. */
function checkValues(value: JsonValue): void {
  let level: readonly JsonValue[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_BODY_DEPTH)
      throw badBody(`The body can have at most ${MAX_BODY_DEPTH} levels of objects and arrays.`);
    const next: JsonValue[] = [];
    for (const each of level) {
      if (typeof each === 'number' && !Number.isFinite(each)) {
        throw badBody('The body has a number that is too large. Send it as a string.');
      }
      if (typeof each === 'string' && !each.isWellFormed()) throw badBody(HALF_CHARACTER);
      if (typeof each !== 'object' || each === null) continue;
      const inside = Array.isArray(each) ? each : Object.values(each);
      count += inside.length;
      if (count > MAX_BODY_VALUES) {
        const detail = `A request can have at most ${MAX_BODY_VALUES} values: members of objects and items of arrays. Send several requests.`;
        throw new DomainError('too-large', detail, { source: { pointer: '' } });
      }
      if (!Array.isArray(each) && !Object.keys(each).every((name) => name.isWellFormed()))
        throw badBody(HALF_CHARACTER);
      next.push(...inside);
    }
    level = next;
  }
}

const HALF_CHARACTER = 'The body has half of a character: an escape such as \\ud83d without the other half.';

/** A field that can be written and is visible to the actor. */
export function visibleField(
  type: ResourceType,
  access: QueryAccess,
  name: string,
): FieldDefinition | undefined {
  return access.fieldVisible(type, name) ? writableField(type, name) : undefined;
}

/** Reads a request again if it names fields that only past versions of the entity may have. */
export async function readWithPast(
  read: () => EntityInput,
  { past }: Pick<Reader, 'past'>,
  { former }: ResourceType,
  entity: Entity,
): Promise<EntityInput> {
  const input = read();
  if (input.hasUnknown !== true || past === null || former === undefined) return input;
  await past.recall(entity);
  return read();
}

/** The error detail for any other field. */
export function unknownField(type: ResourceType, access: QueryAccess, name: string): string {
  const names = [...type.fields.keys()].filter((each) => access.fieldVisible(type, each));
  return `${type.name} has no field '${name}'. Fields: ${names.join(', ')}.`;
}

/**
 * The JSON pointer of `steps` from `start`, as far as the document has them. The document may have a single value for an
 * array, and `{value}` for a value. `start` itself may be absent. Source: JSON:API 1.1, "Error Objects".
 */
export function pointerInto(document: JsonValue, start: ValuePath, steps: ValuePath): string {
  const path = [...start];
  let at: JsonValue | undefined = start.reduce<JsonValue | undefined>(stepInto, document);
  for (const step of steps) {
    let next = stepInto(at, step);
    if (next === undefined && at !== undefined && isRecord(at) && Object.keys(at).join() === 'value') {
      at = stepInto(at, 'value');
      path.push('value');
      next = stepInto(at, step);
    }
    if (next === undefined) break;
    path.push(step);
    at = next;
  }
  return path.map((step) => `/${escaped(String(step))}`).join('');
}

function stepInto(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Readonly<Record<string | number, JsonValue>>)[step];
}

/** Source: RFC 6901, section 3. */
export function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** UUIDs are case-insensitive. */
export function sameId(one: string, other: string): boolean {
  return one === other || (isUuid(other) && one.toLowerCase() === other.toLowerCase());
}

/** The body does not have the expected structure. */
export function badBody(detail: string, pointer = ''): DomainError {
  return new DomainError('bad-request', detail, { source: { pointer } });
}
