import { type ExplorerField, isRecord } from '../schema.ts';
import type { WriteTarget } from './write-target.ts';

/** A JSON:API document that is to be sent. Changed by replacing it. */
export type WriteDocument = Readonly<Record<string, unknown>>;

/** The document that says nothing yet. */
export function emptyDocument({ method, type, id, formed }: WriteTarget): WriteDocument {
  if (!formed) return { data: [] };
  return { data: { type: type.name, ...(method === 'POST' ? {} : { id }) } };
}

/** What the document says of a field: undefined where nothing, null or `[]` where it empties it. */
export function saidOf(document: unknown, field: ExplorerField): unknown {
  const data = isRecord(document) ? document.data : undefined;
  if (!isRecord(data)) return undefined;
  return fieldOf(data, field);
}

/** A field of a resource as it is answered or sent. */
export function fieldOf(resource: Readonly<Record<string, unknown>>, field: ExplorerField): unknown {
  const members = resource[memberOf(field)];
  const value = isRecord(members) && Object.hasOwn(members, field.name) ? members[field.name] : undefined;
  if (field.kind !== 'reference') return value;
  return isRecord(value) ? value.data : undefined;
}

/** The document with another value for a field; undefined takes the field out. Everything else in it stays. */
export function withField(document: WriteDocument, field: ExplorerField, value: unknown): WriteDocument {
  const data = isRecord(document.data) ? document.data : {};
  const member = memberOf(field);
  const present = isRecord(data[member]) ? data[member] : {};
  const { [field.name]: before, ...others } = present;
  const said = field.kind === 'reference' ? { ...(isRecord(before) ? before : {}), data: value } : value;
  const members = value === undefined ? others : { ...present, [field.name]: said };
  return { ...document, data: withMember(data, member, members) };
}

/** With a client's own id, or without one. */
export function withId(document: WriteDocument, id: string): WriteDocument {
  const { type, id: _, ...others } = isRecord(document.data) ? document.data : {};
  return { ...document, data: { type, ...(id === '' ? {} : { id }), ...others } };
}

export function idOf(document: WriteDocument): string {
  return isRecord(document.data) && typeof document.data.id === 'string' ? document.data.id : '';
}

export function writtenDocument(document: WriteDocument): string {
  return JSON.stringify(document, null, 2);
}

/** Reads what was written by hand: the document, or what is wrong with the text. */
export function readWritten(
  text: string,
): { readonly document: WriteDocument } | { readonly problem: string } {
  try {
    const document: unknown = JSON.parse(text);
    return isRecord(document) ? { document } : { problem: 'A document is an object with `data`.' };
  } catch (error) {
    return { problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Whether two values are written alike; the order of members does not count. */
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSame(one[name], other[name]));
}

function memberOf({ kind }: ExplorerField): 'attributes' | 'relationships' {
  return kind === 'reference' ? 'relationships' : 'attributes';
}

/** In the order in which documents have their members; one that is empty is left out. */
function withMember(
  { attributes, relationships, ...others }: Readonly<Record<string, unknown>>,
  member: 'attributes' | 'relationships',
  members: object,
): Readonly<Record<string, unknown>> {
  const both = { attributes, relationships, [member]: members };
  return {
    ...others,
    ...Object.fromEntries(
      Object.entries(both).filter(([, value]) => isRecord(value) && Object.keys(value).length > 0),
    ),
  };
}
