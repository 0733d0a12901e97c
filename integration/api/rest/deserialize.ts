import type { KnownEntities } from '../../content/decode/references.ts';
import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import { splitResourceType } from '../../content/resource-type.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { ConflictError, MAX_VIOLATIONS, type Violation } from '../../util/errors.ts';
import type { JsonValue } from '../../util/json.ts';
import { isObject } from '../../write/coerce.ts';
import { readJson } from '../../write/read-json.ts';
import { badBody, knownField, pointerInto, sameId, unknownField } from '../../write/sent-body.ts';
import type { EntityInput } from '../../write/writer.ts';

/**
 * The entity that a body describes: its fields in one object, or that in `data` as reading answers it. `known` are the
 * entities that the actor may refer to. Throws a 400 for what is no object, and a 409 where `type` or `id` is another
 * than the address says (`addressed` is undefined where it says none). Fields that are not there, or not for the eyes of
 * the actor, are collected.
 */
export function readFlatEntity(
  text: string,
  type: ResourceType,
  access: QueryAccess,
  known: KnownEntities,
  addressed: string | undefined,
): EntityInput {
  const document = readJson(text);
  const start = isAnswer(document, type.fields.has('data')) ? ['data'] : [];
  const flat = start.length === 0 ? document : dataOf(document);
  const pointer: EntityInput['pointer'] = ([name, ...steps]) =>
    pointerInto(document, name === undefined ? start : [...start, name], steps);
  const at = (name: string) => ({ pointer: pointer([name]) });
  if (!isObject(flat)) {
    throw badBody('The body is an object with the fields of an entity.', pointerInto(document, start, []));
  }
  const { type: named = type.bundle, id, ...fields } = flat;
  if (named !== type.bundle && named !== type.name) {
    const detail = `\`type\` is ${JSON.stringify(named)}, and here are entities of type '${type.bundle}'.`;
    throw new ConflictError(detail, at('type'));
  }
  if (addressed !== undefined && id !== undefined && !(typeof id === 'string' && sameId(id, addressed))) {
    const detail = `\`id\` is ${JSON.stringify(id)}, and the address is that of '${addressed}'.`;
    throw new ConflictError(detail, at('id'));
  }
  const violations: Violation[] = [];
  if (id !== undefined && typeof id !== 'string')
    violations.push({ detail: 'An id is a text.', source: at('id') });
  const values = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(fields)) {
    if (violations.length >= MAX_VIOLATIONS) break;
    const field = knownField(type, access, name);
    if (field !== undefined) values.set(name, fieldValue(value, field, known));
    else violations.push({ detail: unknownField(type, access, name), source: at(name) });
  }
  return {
    id: addressed ?? (typeof id === 'string' ? id : undefined),
    values,
    violations,
    pointer,
  };
}

/** What a body says of one list: its items, or one of them, or either in `data` as reading answers it. */
export function readFlatList(text: string, field: FieldDefinition, known: KnownEntities): EntityInput {
  const document = readJson(text);
  const start = isAnswer(document, mayHaveData(field)) ? ['data'] : [];
  const sent = start.length === 0 ? document : dataOf(document);
  const items: readonly JsonValue[] = Array.isArray(sent) ? sent : [sent];
  const pointer: EntityInput['pointer'] = ([, ...steps]) => pointerInto(document, start, steps);
  const nothing = items.flatMap((item, at) => (item === null ? [at] : []));
  return {
    id: undefined,
    values: new Map([[field.name, fieldValue(items, field, known)]]),
    violations: nothing.map((at) => ({
      detail: 'A list holds values; null is none.',
      source: { pointer: pointer([field.name, at]) },
    })),
    pointer,
  };
}

/** Whether a body is a document as reading answers it. Where `data` may be a field, its links tell. */
function isAnswer(document: JsonValue, isField: boolean): boolean {
  if (!isObject(document) || !Object.hasOwn(document, 'data')) return false;
  const names = Object.keys(document);
  return names.every((name) => DOCUMENT_MEMBERS.has(name)) && (!isField || names.includes('links'));
}

const DOCUMENT_MEMBERS: ReadonlySet<string> = new Set(['data', 'meta', 'links']);

function dataOf(document: JsonValue): JsonValue {
  return isObject(document) ? (document.data ?? null) : null;
}

function mayHaveData({ kind, properties }: FieldDefinition): boolean {
  return kind === 'json' || Object.hasOwn(properties, 'data');
}

/** References as `{type, id}` with the type in full; what else there is of them (`title`) tells nothing. */
function fieldValue(value: JsonValue, field: FieldDefinition, known: KnownEntities): JsonValue {
  if (field.kind !== 'reference') return value;
  if (Array.isArray(value)) return value.map((item) => fieldValue(item, field, known));
  if (!isObject(value) || typeof value.type !== 'string') return value;
  const { type, id = null } = value;
  const named = field.targets.filter(
    (target) => target === type || splitResourceType(target).bundle === type,
  );
  const target = named.find((each) => known.has(each, String(id))) ?? named[0] ?? type;
  return { type: target, id };
}
