import { FILE_TYPE_NAME, isFileField } from '../../content/file-resource.ts';
import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import { isOwner, USER_TYPE_NAME } from '../../content/owner.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { ConflictError, MAX_VIOLATIONS, type Violation } from '../../util/errors.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../util/json.ts';
import {
  badBody,
  escaped,
  pointerInto,
  readJson,
  sameId,
  unknownField,
  visibleField,
} from '../../write/request-json.ts';
import type { EntityInput } from '../../write/writer.ts';

/**
 * Reads the document of a `POST`, or of a `PATCH` of the entity `addressed`. Throws `bad-request` if it is not a resource
 * document, and ConflictError if its type or id differs from the address. Fields that do not exist, or that the actor may
 * not see, become violations. Source: JSON:API 1.1, "Creating, Updating and Deleting Resources".
 */
export function readResource(
  document: JsonObject,
  type: ResourceType,
  access: QueryAccess,
  addressed: string | undefined,
  ownId: 'required' | 'optional' = 'required',
): EntityInput {
  const { data } = document;
  if (data === undefined || !isRecord(data)) throw badBody('`data` must be a resource object.', '/data');
  const { type: typeName, id, attributes = {}, relationships = {} } = data;
  if (typeof typeName !== 'string') throw badBody('`data.type` must be the resource type.', '/data');
  if (typeName !== type.name) {
    throw new ConflictError(
      `\`data.type\` is '${typeName}', but the resources here have the type ${type.name}.`,
      at('/data/type'),
    );
  }
  const violations: Violation[] = [];
  if (id !== undefined && typeof id !== 'string')
    violations.push({ detail: '`id` must be a string.', source: at('/data/id') });
  if (addressed !== undefined && id === undefined && ownId === 'required')
    throw badBody('`data.id` is missing.', '/data');
  if (addressed !== undefined && typeof id === 'string' && !sameId(id, addressed)) {
    throw new ConflictError(`\`data.id\` is '${id}', but the URL is that of '${addressed}'.`, at('/data/id'));
  }
  if (!isRecord(relationships)) throw badBody('`relationships` must be an object.', '/data/relationships');
  const values = new Map<string, JsonValue>();
  if (isRecord(attributes)) readAttributes(attributes, type, access, values, violations);
  else violations.push({ detail: '`attributes` must be an object.', source: at('/data/attributes') });
  readRelationships(relationships, type, access, values, violations);
  return {
    id: typeof id === 'string' ? id : undefined,
    values,
    violations,
    hasUnknown: [attributes, relationships].some(
      (members) =>
        isRecord(members) &&
        membersOf(members).some(([name]) => visibleField(type, access, name) === undefined),
    ),
    pointer: ([first, ...steps]) => {
      if (first === undefined) return '/data';
      const name = String(first);
      if (name === 'id' && !type.fields.has('id')) return '/data/id';
      const field = type.fields.get(name);
      const isLinked = field !== undefined && isLinkedValue(field) && Object.hasOwn(relationships, name);
      return field?.kind === 'reference' || isLinked
        ? pointerInto(document, ['data', 'relationships', name], ['data', ...steps])
        : pointerInto(document, ['data', 'attributes', name], steps);
    },
  };
}

/**
 * Reads a request to a relationship: `{data}` with a resource identifier, an array of them, or null. With `acceptsOne`, one
 * identifier is an array of one.
 */
export function readLinkage(document: JsonObject, field: FieldDefinition, acceptsOne = false): EntityInput {
  const { data } = document;
  if (data === undefined) throw badBody('`data` is missing: send resource identifiers.', '');
  const isArray = Array.isArray(data);
  const fits = field.list ? isArray || (acceptsOne && isRecord(data)) : data === null || isRecord(data);
  if (!fits)
    throw badBody(
      `\`data\` must be ${field.list ? 'an array of resource identifiers' : 'a resource identifier or null'}.`,
      '/data',
    );
  const items = (isArray ? data : [data]) as readonly JsonValue[];
  const wrong = items.findIndex((item) => item !== null && !isIdentifier(item));
  if (wrong !== -1 || (field.list && items.includes(null))) {
    throw badBody(IDENTIFIER_RULE, isArray ? `/data/${Math.max(wrong, 0)}` : '/data');
  }
  const linkage = isLinkedValue(field) ? linkedValues(data, field, '/data') : data;
  return {
    id: undefined,
    values: new Map([[field.name, field.list ? [linkage].flat() : linkage]]),
    violations: [],
    pointer: ([, ...steps]) => pointerInto(document, ['data'], steps),
  };
}

function readAttributes(
  attributes: JsonObject,
  type: ResourceType,
  access: QueryAccess,
  values: Map<string, JsonValue>,
  violations: Violation[],
): void {
  for (const [name, value] of membersOf(attributes)) {
    if (violations.length >= MAX_VIOLATIONS) return;
    const field = visibleField(type, access, name);
    if (field !== undefined && field.kind !== 'reference') values.set(name, value);
    else {
      const detail =
        field === undefined
          ? unknownField(type, access, name)
          : `\`${name}\` is a relationship of ${type.name}.`;
      violations.push({ detail, source: at(`/data/attributes/${escaped(name)}`) });
    }
  }
}

function readRelationships(
  relationships: JsonObject,
  type: ResourceType,
  access: QueryAccess,
  values: Map<string, JsonValue>,
  violations: Violation[],
): void {
  for (const [name, relationship] of membersOf(relationships)) {
    if (violations.length >= MAX_VIOLATIONS) return;
    const pointer = `/data/relationships/${escaped(name)}`;
    const field = visibleField(type, access, name);
    if (field !== undefined && isLinkedValue(field) && isRecord(relationship)) {
      const { data } = relationship;
      if (data === undefined) continue;
      if (values.has(name)) violations.push({ detail: `\`${name}\` is sent twice.`, source: at(pointer) });
      else values.set(name, linkedValues(data, field, `${pointer}/data`));
    } else if (field?.kind !== 'reference') {
      const detail =
        field === undefined
          ? unknownField(type, access, name)
          : `\`${name}\` is an attribute of ${type.name}.`;
      violations.push({ detail, source: at(pointer) });
    } else if (!isRecord(relationship)) {
      violations.push({ detail: 'A relationship must be an object with `data`.', source: at(pointer) });
    } else if (relationship.data !== undefined) {
      const { data } = relationship;
      const items = (Array.isArray(data) ? data : [data]) as readonly JsonValue[];
      const wrong = items.findIndex((item) => item !== null && !isIdentifier(item));
      if (wrong !== -1) {
        const itemPointer = Array.isArray(data) ? `${pointer}/data/${wrong}` : `${pointer}/data`;
        throw badBody(IDENTIFIER_RULE, itemPointer);
      }
      values.set(name, data);
    }
  }
}

/** Members but those whose name begins with an at sign, which have no meaning. Source: JSON:API 1.1, "@-Members". */
function membersOf(object: JsonObject): [name: string, value: JsonValue][] {
  return Object.entries(object).filter(([name]) => !name.startsWith('@'));
}

/** True for relationships whose values are not references: files, and the owner. */
function isLinkedValue(field: FieldDefinition): boolean {
  return isFileField(field) || isOwner(field);
}

function linkedValues(data: JsonValue, field: FieldDefinition, pointer: string): JsonValue {
  if (!isOwner(field)) return fileValues(data, pointer);
  if (data === null) return null;
  if (!isRecord(data) || !isIdentifier(data)) throw badBody(IDENTIFIER_RULE, pointer);
  if (data.type !== USER_TYPE_NAME) throw badBody(`\`type\` must be ${USER_TYPE_NAME}.`, `${pointer}/type`);
  return data.id ?? null;
}

/**
 * The values of files in linkage, whose ids are URIs. Throws `bad-request` for other identifiers, and for metadata that a
 * field cannot store.
 */
function fileValues(data: JsonValue, pointer: string): JsonValue {
  if (Array.isArray(data)) return data.map((item, index) => fileValues(item, `${pointer}/${index}`));
  if (data === null) return null;
  if (!isRecord(data) || !isIdentifier(data)) throw badBody(IDENTIFIER_RULE, pointer);
  const { type, id = null, meta = null } = data;
  if (type !== FILE_TYPE_NAME) throw badBody(`\`type\` must be ${FILE_TYPE_NAME}.`, `${pointer}/type`);
  const about = isRecord(meta) ? meta : {};
  const unknown = Object.keys(about).find((name) => !FILE_META.has(name));
  if (unknown !== undefined) {
    const detail = `A file has no metadata \`${unknown}\`. Send \`alt\`, or \`description\` for a file that is not an image.`;
    throw badBody(detail, `${pointer}/meta/${escaped(unknown)}`);
  }
  return { uri: { value: id }, alt: about.alt ?? about.description ?? null };
}

/** Metadata of Drupal. The server measures images itself. */
const FILE_META: ReadonlySet<string> = new Set([
  ...['alt', 'title', 'width', 'height', 'display', 'description'],
  ...['drupal_internal__target_id', 'arity', 'links'],
]);

/** Parses the body of a request. Throws like `readJson`, and if it is not an object. */
export function readDocument(text: string): JsonObject {
  const document = readJson(text);
  if (isRecord(document)) return document;
  throw badBody('The body must be a JSON:API document: an object with `data`.', '');
}

const IDENTIFIER_RULE = 'A resource identifier needs `type` and `id`, both strings.';

function isIdentifier(item: JsonValue): boolean {
  return (
    isRecord(item) &&
    typeof item.type === 'string' &&
    item.type !== '' &&
    typeof item.id === 'string' &&
    item.id !== ''
  );
}

function at(pointer: string) {
  return { pointer };
}
