import type { FieldDefinition, ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { type Violation, ConflictError, MAX_VIOLATIONS } from '../../util/errors.ts';
import { type JsonValue, isRecord } from '../../util/json.ts';
import { readJson } from '../../write/read-json.ts';
import { type JsonObject, badBody, escaped, knownField, pointerInto, sameId, unknownField } from '../../write/sent-body.ts';
import type { EntityInput } from '../../write/writer.ts';

/**
 * The entity that a document describes, for `POST` (no `id` in the address) and `PATCH`. Throws a 400 where it is no
 * such document, and a 409 where its type or id is another than the address says. What it says of fields that are not
 * there, or not for the eyes of the actor, is collected. Source: JSON:API 1.1, "Creating, Updating and Deleting Resources".
 */
export function readResource(
  text: string,
  type: ResourceType,
  access: QueryAccess,
  addressed: string | undefined,
): EntityInput {
  const document = readDocumentBody(text);
  const { data } = document;
  if (data === undefined || !isRecord(data)) throw badBody('`data` is one resource object.', '/data');
  const { type: named, id, attributes = {}, relationships = {} } = data;
  if (typeof named !== 'string')
    throw badBody('`data.type` is missing: the name of the resource type.', '/data');
  if (named !== type.name) {
    throw new ConflictError(
      `\`data.type\` is '${named}', and here are resources of type ${type.name}.`,
      at('/data/type'),
    );
  }
  const violations: Violation[] = [];
  if (id !== undefined && typeof id !== 'string')
    violations.push({ detail: 'An id is a text.', source: at('/data/id') });
  if (addressed !== undefined && id === undefined) throw badBody('`data.id` is missing.', '/data');
  if (addressed !== undefined && typeof id === 'string' && !sameId(id, addressed)) {
    throw new ConflictError(
      `\`data.id\` is '${id}', and the address is that of '${addressed}'.`,
      at('/data/id'),
    );
  }
  if (!isRecord(relationships)) throw badBody('`relationships` is an object.', '/data/relationships');
  const values = new Map<string, JsonValue>();
  if (isRecord(attributes)) readAttributes(attributes, type, access, values, violations);
  else violations.push({ detail: '`attributes` is an object.', source: at('/data/attributes') });
  readRelationships(relationships, type, access, values, violations);
  return {
    id: typeof id === 'string' ? id : undefined,
    values,
    violations,
    pointer: ([name, ...steps]) => {
      if (name === undefined) return '/data';
      if (name === 'id' && !type.fields.has('id')) return '/data/id';
      return type.fields.get(String(name))?.kind === 'reference'
        ? pointerInto(document, ['data', 'relationships', name], ['data', ...steps])
        : pointerInto(document, ['data', 'attributes', name], steps);
    },
  };
}

/** What a request to a relationship's own address says: `{data}` with one resource identifier, a list of them, or null. */
export function readLinkage(text: string, field: FieldDefinition): EntityInput {
  const document = readDocumentBody(text);
  const { data } = document;
  if (data === undefined) throw badBody('`data` is missing: resource identifiers.', '');
  const fits = field.list ? Array.isArray(data) : data === null || isRecord(data);
  if (!fits)
    throw badBody(
      `\`data\` is ${field.list ? 'a list of resource identifiers' : 'one resource identifier or null'}.`,
      '/data',
    );
  const items = (Array.isArray(data) ? data : [data]) as readonly JsonValue[];
  const wrong = items.findIndex((item) => item !== null && !isIdentifier(item));
  if (wrong !== -1 || (field.list && items.includes(null))) {
    throw badBody(
      'A resource identifier has `type` and `id`, both texts.',
      field.list ? `/data/${Math.max(wrong, 0)}` : '/data',
    );
  }
  return {
    id: undefined,
    values: new Map([[field.name, data]]),
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
  for (const [name, value] of Object.entries(attributes)) {
    if (violations.length >= MAX_VIOLATIONS) return;
    const field = knownField(type, access, name);
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
  for (const [name, relationship] of Object.entries(relationships)) {
    if (violations.length >= MAX_VIOLATIONS) return;
    const pointer = `/data/relationships/${escaped(name)}`;
    const field = knownField(type, access, name);
    if (field !== undefined && isFileLinkage(relationship, field)) {
      values.set(name, namedFiles((relationship as JsonObject).data ?? null));
    } else if (field?.kind !== 'reference') {
      const detail =
        field === undefined
          ? unknownField(type, access, name)
          : `\`${name}\` is an attribute of ${type.name}.`;
      violations.push({ detail, source: at(pointer) });
    } else if (!isRecord(relationship)) {
      violations.push({ detail: 'A relationship is an object with `data`.', source: at(pointer) });
    } else if (relationship.data !== undefined) {
      const { data } = relationship;
      const items = (Array.isArray(data) ? data : [data]) as readonly JsonValue[];
      const wrong = items.findIndex((item) => item !== null && !isIdentifier(item));
      if (wrong !== -1) {
        const place = Array.isArray(data) ? `${pointer}/data/${wrong}` : `${pointer}/data`;
        throw badBody('A resource identifier has `type` and `id`, both texts.', place);
      }
      values.set(name, data);
    }
  }
}

/** A file that was uploaded before, named as Drupal's clients name it. */
function isFileLinkage(relationship: JsonValue, { kind }: FieldDefinition): boolean {
  if ((kind !== 'image' && kind !== 'file') || !isRecord(relationship)) return false;
  const items = [relationship.data ?? null].flat() as readonly JsonValue[];
  return items.every((item) => isRecord(item) && isIdentifier(item) && item.type === 'file--file');
}

function namedFiles(data: JsonValue): JsonValue {
  if (Array.isArray(data)) return data.map(namedFiles);
  if (!isRecord(data)) return null;
  const { id = null, meta = null } = data;
  return { uri: { value: id }, alt: isRecord(meta) ? (meta.alt ?? null) : null };
}

function readDocumentBody(text: string): JsonObject {
  const document = readJson(text);
  if (isRecord(document)) return document;
  throw badBody('The body is a JSON:API document: an object with `data`.', '');
}

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
