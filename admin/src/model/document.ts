import type { FieldKind } from '../../../integration/core/content/model.ts';
import { isRecord } from '../../../integration/core/util/json.ts';
import { type JsonObject, objectOf } from '../api/document.ts';
import type { Field } from '../api/schema.ts';

/** Parses a document that was written by hand. */
export function parseDocument(
  text: string,
): { readonly document: JsonObject } | { readonly problem: string } {
  try {
    const document: unknown = JSON.parse(text);
    return isRecord(document)
      ? { document }
      : { problem: 'A document must be an object with a `data` member.' };
  } catch (error) {
    return { problem: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The value of a field in a resource; undefined if the resource does not have it. */
export function fieldIn(resource: unknown, field: Pick<Field, 'name' | 'kind'>): unknown {
  const members = objectOf(objectOf(resource)[memberOf(field)]);
  const value = Object.hasOwn(members, field.name) ? members[field.name] : undefined;
  return field.kind === 'reference' ? objectOf(value).data : value;
}

/** The document with another value for a field, or without the field if the value is undefined. */
export function withField(document: JsonObject, field: Field, value: unknown): JsonObject {
  const { attributes, relationships, ...others } = objectOf(document.data);
  const member = memberOf(field);
  const { [field.name]: before, ...rest } = objectOf(member === 'attributes' ? attributes : relationships);
  const after = field.kind === 'reference' ? { ...objectOf(before), data: value } : value;
  const members = value === undefined ? rest : { ...rest, [field.name]: after };
  const all = { attributes, relationships, [member]: members };
  const used = Object.entries(all).filter(([, names]) => Object.keys(objectOf(names)).length > 0);
  return { ...document, data: { ...others, ...Object.fromEntries(used) } };
}

/** The document with an id of the client, or without one if it is empty. */
export function withId(document: JsonObject, id: string): JsonObject {
  const { type, id: _, ...others } = objectOf(document.data);
  return { ...document, data: { type, ...(id === '' ? {} : { id }), ...others } };
}

/** The JSON pointer of a field in a document. */
export function pointerTo({ name, kind }: Pick<Field, 'name' | 'kind'>): string {
  return `/data/${memberOf({ kind })}/${name}`;
}

/**
 * A value as the inputs of its field hold it: references as `{type, id}`, files as `{uri: {value}, alt}`, a body as
 * `{value, summary}`, other values unchanged.
 */
export function toInput(field: Field, value: unknown): unknown {
  if (value === undefined || value === null) return field.list ? [] : null;
  const items = (Array.isArray(value) ? value : [value]).map((item) => itemToInput(field.kind, item));
  return field.list ? items : items[0];
}

/**
 * The value to send so that a field changes from `stored` to `wanted`, both as inputs hold them; undefined if nothing
 * changes. Only the changed parts of a body are sent.
 */
export function changeOf(field: Field, stored: unknown, wanted: unknown): unknown {
  if (isSame(stored, wanted)) return undefined;
  if (field.kind !== 'formatted_text' || !isRecord(wanted)) return wanted;
  const before = isRecord(stored) ? stored : EMPTY_BODY;
  return Object.fromEntries(Object.entries(wanted).filter(([name, part]) => !isSame(part, before[name])));
}

/** The value that the inputs show: the stored one with the change of the document. */
export function withChange(field: Field, stored: unknown, change: unknown): unknown {
  if (change === undefined) return stored;
  if (field.kind !== 'formatted_text' || !isRecord(change)) return toInput(field, change);
  return { ...(isRecord(stored) ? stored : EMPTY_BODY), ...change };
}

/** True if an entity cannot do without the field. */
export function isRequired({ name, required }: Pick<Field, 'name' | 'required'>): boolean {
  return required === true || name === 'title';
}

/** False for an item of a list that has not been filled in. */
export function isFilled(item: unknown): boolean {
  return item !== null && !isSame(item, { type: '', id: '' });
}

/** The text of an input. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** The value of a text; null if it is empty. Text that does not fit the kind stays text, so that the API reports it. */
export function parseValue(text: string, kind: FieldKind): unknown {
  if (text === '') return null;
  switch (kind) {
    case 'integer':
    case 'number':
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || (text === 'false' ? false : text);
    case 'object':
    case 'json':
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    default:
      return text;
  }
}

/** RFC 3339 with the offset of the browser's time zone, to the second. */
export function dateTimeText(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, 19);
  if (minutes === 0) return `${local}Z`;
  const twoDigits = (part: number): string => String(Math.trunc(Math.abs(part))).padStart(2, '0');
  return `${local}${minutes < 0 ? '-' : '+'}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`;
}

/** Deep equality; the order of members does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(one[name], other[name]));
}

const EMPTY_BODY: JsonObject = { value: '', summary: null };

function memberOf({ kind }: Pick<Field, 'kind'>): 'attributes' | 'relationships' {
  return kind === 'reference' ? 'relationships' : 'attributes';
}

function itemToInput(kind: FieldKind, value: unknown): unknown {
  switch (kind) {
    case 'reference':
      return isRecord(value) ? { type: value.type, id: value.id } : value;
    case 'formatted_text':
      return isRecord(value)
        ? { value: value.value ?? '', summary: value.summary ?? null }
        : { ...EMPTY_BODY, value };
    case 'image':
    case 'file': {
      if (!isRecord(value)) return typeof value === 'string' ? { uri: { value }, alt: null } : value;
      const uri = isRecord(value.uri) ? value.uri.value : (value.uri ?? value.src);
      return { uri: { value: uri }, alt: value.alt ?? null };
    }
    default:
      return value;
  }
}
