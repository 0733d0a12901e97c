import type { FieldKind } from '../../../content/model.ts';
import { type ExplorerField, isRecord } from '../schema.ts';
import { isSame } from './write-document.ts';

/**
 * A field's value as its inputs have it, of one that is stored or sent: references as `{type, id}`, files as
 * `{uri: {value}, alt}`, a body as `{value, summary}`, everything else as it is.
 */
export function formValue(field: ExplorerField, value: unknown): unknown {
  if (value === undefined || value === null) return field.list ? [] : null;
  if (field.list) return (Array.isArray(value) ? value : [value]).map((item) => formItem(field.kind, item));
  return formItem(field.kind, Array.isArray(value) ? value[0] : value);
}

function formItem(kind: FieldKind, value: unknown): unknown {
  switch (kind) {
    case 'reference':
      return isRecord(value) ? { type: value.type, id: value.id } : value;
    case 'image':
    case 'file':
      return formFile(value);
    case 'formatted_text':
      return isRecord(value)
        ? { value: value.value ?? '', summary: value.summary ?? null }
        : { value: value ?? '', summary: null };
    default:
      return value;
  }
}

function formFile(value: unknown): unknown {
  if (typeof value === 'string') return { uri: { value }, alt: null };
  if (!isRecord(value)) return value;
  const place = isRecord(value.uri) ? value.uri.value : (value.uri ?? value.src);
  return { uri: { value: place }, alt: value.alt ?? null };
}

/**
 * What a document has to say so that a field which is `stored` becomes `wanted`, both as inputs have them; undefined
 * where it has to say nothing. Of a body, only the parts that change.
 */
export function changeOf(field: ExplorerField, stored: unknown, wanted: unknown): unknown {
  if (isSame(stored, wanted)) return undefined;
  if (field.kind !== 'formatted_text' || !isRecord(wanted)) return wanted;
  const before = isRecord(stored) ? stored : { value: '', summary: null };
  const parts = Object.entries(wanted).filter(([name, part]) => !isSame(part, before[name]));
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}

/** What the inputs show where the document says something of a field that is stored already. */
export function wantedValue(field: ExplorerField, stored: unknown, said: unknown): unknown {
  if (said === undefined) return stored;
  if (field.kind !== 'formatted_text' || !isRecord(said)) return formValue(field, said);
  const before = isRecord(stored) ? stored : { value: '', summary: null };
  return { ...before, ...said };
}

/** The text in an input. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** The value that a text stands for; null for an empty one. What is no value of the kind stays a text, for the server to refuse. */
export function readValue(text: string, kind: FieldKind): unknown {
  if (text === '') return null;
  switch (kind) {
    case 'integer':
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
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

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/** This moment, as a date-time with the offset of the browser's clock. */
export function momentText(now: Date): string {
  const minutes = -now.getTimezoneOffset();
  const two = (part: number): string => String(Math.abs(part)).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
  const local = new Date(now.getTime() + minutes * 60_000).toISOString().slice(0, 19);
  return local + (minutes === 0 ? 'Z' : offset);
}
