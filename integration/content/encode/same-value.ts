import { sameInstant } from '../../source/edit/date-time-spelling.ts';
import type { JsonValue } from '../../util/json.ts';
import type { FieldDefinition, FieldValue } from '../model.ts';
import { namedFile } from './file-spelling.ts';

/** Whether two values of a field are the same for everybody who reads them. */
export function sameValue(field: FieldDefinition, a: FieldValue, b: FieldValue): boolean {
  const [one, other] = [a ?? null, b ?? null];
  if (one === other) return true;
  if (field.list && field.kind !== 'json') {
    const [items, others] = [listOf(one), listOf(other)];
    return (
      items.length === others.length &&
      items.every((item, index) => sameItem(field, item, others[index] ?? null))
    );
  }
  return one !== null && other !== null && sameItem(field, one, other);
}

/** As `sameValue`, of one item of a list. */
export function sameItem(field: FieldDefinition, a: FieldValue, b: FieldValue): boolean {
  switch (field.kind) {
    case 'datetime':
      return typeof a === 'string' && typeof b === 'string' && sameInstant(a, b);
    case 'image':
    case 'file': {
      const [file, other] = [namedFile(a as JsonValue), namedFile(b as JsonValue)];
      return file !== undefined && file.uri === other?.uri && file.alt === other.alt;
    }
    case 'object': {
      if (!isMap(a) || !isMap(b)) return false;
      return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => {
        const part = field.properties[name];
        const [own, others] = [a[name] ?? null, b[name] ?? null];
        return part === undefined ? sameJson(own, others) : sameValue(part, own, others);
      });
    }
    case 'string':
    case 'integer':
    case 'number':
    case 'decimal':
    case 'boolean':
    case 'date':
    case 'reference':
    case 'json':
    case 'formatted_text':
      return sameJson(a as JsonValue, b as JsonValue);
    default:
      return field.kind satisfies never;
  }
}

export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    const others = b as readonly JsonValue[];
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      (a as readonly JsonValue[]).every((item, index) => sameJson(item, others[index] ?? null))
    );
  }
  if (!isMap(a) || !isMap(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name] ?? null, b[name] ?? null))
  );
}

/** The items of a list; of anything else, that alone. */
export function listOf(value: FieldValue): readonly FieldValue[] {
  return Array.isArray(value) ? (value as readonly FieldValue[]) : value === null ? [] : [value];
}

export function isMap(value: FieldValue): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
