import { sameInstant } from '../../source/date-time.ts';
import type { JsonValue } from '../../util/json.ts';
import { isRecord } from '../../util/json.ts';
import { isMissingFile } from '../file-resource.ts';
import type { FieldDefinition, FieldValue } from '../model.ts';

/** True if two values of a field mean the same. */
export function sameValue(field: FieldDefinition, a: FieldValue, b: FieldValue): boolean {
  if ((a ?? null) === (b ?? null)) return true;
  if (field.list && field.kind !== 'json') {
    const [items, others] = [itemsOf(a), itemsOf(b)];
    return (
      items.length === others.length &&
      items.every((item, index) => sameItem(field, item, others[index] ?? null))
    );
  }
  return a !== null && b !== null && sameItem(field, a, b);
}

/** The same for one item of a list. */
export function sameItem(field: FieldDefinition, a: FieldValue, b: FieldValue): boolean {
  switch (field.kind) {
    case 'datetime':
      return typeof a === 'string' && typeof b === 'string' && sameInstant(a, b);
    case 'image':
    case 'file':
      // The other properties follow from the file. An identifier of a missing one has no metadata.
      return (
        uriOf(a) !== undefined &&
        uriOf(a) === uriOf(b) &&
        (isMissingFile(a) || textOf(a, 'alt') === textOf(b, 'alt'))
      );
    case 'object':
      return (
        isRecord(a) &&
        isRecord(b) &&
        [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => {
          const part = field.properties[name];
          const [one, other] = [a[name] ?? null, b[name] ?? null];
          return part === undefined ? sameJson(one, other) : sameValue(part, one, other);
        })
      );
    case 'string':
    case 'integer':
    case 'number':
    case 'decimal':
    case 'boolean':
    case 'date':
    case 'reference':
    case 'json':
    case 'formatted_text':
      return sameJson(a, b);
    default:
      return field.kind satisfies never;
  }
}

export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [a, b] as readonly Readonly<Record<string, JsonValue>>[];
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(one?.[name] ?? null, other?.[name] ?? null))
  );
}

/** The items of a list; a single value is its only item. */
export function itemsOf(value: FieldValue): readonly FieldValue[] {
  return Array.isArray(value) ? (value as readonly FieldValue[]) : value === null ? [] : [value];
}

function uriOf(value: FieldValue): string | undefined {
  return isRecord(value) ? textOf(value.uri ?? null, 'value') : undefined;
}

function textOf(value: FieldValue, name: string): string | undefined {
  const text = isRecord(value) ? value[name] : undefined;
  return typeof text === 'string' ? text : undefined;
}
