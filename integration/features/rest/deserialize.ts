import type { KnownEntities } from '../../core/content/decode/references.ts';
import type { FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { splitResourceType } from '../../core/content/resource-type.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { ConflictError, MAX_VIOLATIONS, type Violation } from '../../core/util/errors.ts';
import { isRecord, type JsonValue } from '../../core/util/json.ts';
import {
  badBody,
  pointerInto,
  readJson,
  sameId,
  unknownField,
  visibleField,
} from '../../core/write/request-json.ts';
import type { EntityInput } from '../../core/write/writer.ts';

/**
 * Reads the fields of an entity from a JSON object, or from `data` in the form that reading returns. `targets` are the
 * entities that the actor may refer to; `addressed` is the id in the URL. Throws `bad-request` for any other body, and
 * ConflictError if `type` or `id` differs from the URL. Fields that do not exist, or that the actor may not see, become
 * violations.
 */
export function readFlatEntity(
  text: string,
  type: ResourceType,
  access: QueryAccess,
  targets: KnownEntities,
  addressed: string | undefined,
): EntityInput {
  const document = readJson(text);
  const start = isDocument(document, type.fields.has('data')) ? ['data'] : [];
  const flat = start.length === 0 ? document : dataOf(document);
  const pointer: EntityInput['pointer'] = ([name, ...steps]) =>
    pointerInto(document, name === undefined ? start : [...start, name], steps);
  const at = (name: string) => ({ pointer: pointer([name]) });
  if (!isRecord(flat)) {
    throw badBody(
      'The body must be an object with the fields of an entity.',
      pointerInto(document, start, []),
    );
  }
  const { type: typeName = type.bundle, id, ...fields } = flat;
  if (typeName !== type.bundle && typeName !== type.name) {
    const detail = `\`type\` is ${JSON.stringify(typeName)}, but the entities here have the type '${type.bundle}'.`;
    throw new ConflictError(detail, at('type'));
  }
  if (addressed !== undefined && id !== undefined && !(typeof id === 'string' && sameId(id, addressed))) {
    const detail = `\`id\` is ${JSON.stringify(id)}, but the URL is that of '${addressed}'.`;
    throw new ConflictError(detail, at('id'));
  }
  const violations: Violation[] = [];
  if (id !== undefined && typeof id !== 'string')
    violations.push({ detail: '`id` must be a string.', source: at('id') });
  const values = new Map<string, JsonValue>();
  for (const [name, value] of Object.entries(fields)) {
    if (violations.length >= MAX_VIOLATIONS) break;
    const field = visibleField(type, access, name);
    if (field !== undefined) values.set(name, fieldValue(value, field, targets));
    else violations.push({ detail: unknownField(type, access, name), source: at(name) });
  }
  const hasUnknown = Object.keys(fields).some((name) => visibleField(type, access, name) === undefined);
  return {
    id: addressed ?? (typeof id === 'string' ? id : undefined),
    values,
    violations,
    hasUnknown,
    pointer,
  };
}

/** Reads the items of a list: an array, a single item, or either in `data`. */
export function readFlatList(text: string, field: FieldDefinition, targets: KnownEntities): EntityInput {
  const document = readJson(text);
  const start = isDocument(document, field.kind === 'json' || Object.hasOwn(field.properties, 'data'))
    ? ['data']
    : [];
  const sent = start.length === 0 ? document : dataOf(document);
  const items: readonly JsonValue[] = Array.isArray(sent) ? sent : [sent];
  const pointer: EntityInput['pointer'] = ([, ...steps]) => pointerInto(document, start, steps);
  const nulls = items.flatMap((item, index) => (item === null ? [index] : []));
  return {
    id: undefined,
    values: new Map([[field.name, fieldValue(items, field, targets)]]),
    violations: nulls.map((index) => ({
      detail: 'A list cannot contain null.',
      source: { pointer: pointer([field.name, index]) },
    })),
    pointer,
  };
}

/** True if a body is a document as reading returns it. If `data` may be a field, `links` is required to be sure. */
function isDocument(document: JsonValue, isField: boolean): boolean {
  if (!isRecord(document) || !Object.hasOwn(document, 'data')) return false;
  const names = Object.keys(document);
  return names.every((name) => DOCUMENT_MEMBERS.has(name)) && (!isField || names.includes('links'));
}

const DOCUMENT_MEMBERS: ReadonlySet<string> = new Set(['data', 'meta', 'links']);

function dataOf(document: JsonValue): JsonValue {
  return isRecord(document) ? (document.data ?? null) : null;
}

/** References as `{type, id}` with the full resource type. Other members, such as `title`, are ignored. */
function fieldValue(value: JsonValue, field: FieldDefinition, targets: KnownEntities): JsonValue {
  if (field.kind !== 'reference') return value;
  if (Array.isArray(value)) return value.map((item) => fieldValue(item, field, targets));
  if (!isRecord(value) || typeof value.type !== 'string') return value;
  const { type, id = null } = value;
  const candidates = field.targets.filter(
    (target) => target === type || splitResourceType(target).bundle === type,
  );
  const target = candidates.find((each) => targets.has(each, String(id))) ?? candidates[0] ?? type;
  return { type: target, id };
}
