import type { FieldChanges } from '../../entities/encode/encode-file.ts';
import { fileAt } from '../../entities/file-place.ts';
import type { Entity, FieldValue } from '../../entities/model.ts';

/** Keys of the files of the content folder that changed fields of an entity name: they belong to the change. */
export function filesNamed({ values }: Entity, changes: FieldChanges): readonly string[] {
  return Object.keys(changes).flatMap((name) => (name === 'body' ? [] : keysIn(values[name] ?? null)));
}

function keysIn(value: FieldValue): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: FieldValue) => keysIn(item));
  const parts = value as { readonly [name: string]: FieldValue };
  const place = typeof parts.value === 'string' ? fileAt(parts.value) : undefined;
  if (place !== undefined) return place.source === 'content' ? [place.key] : [];
  return Object.values(parts).flatMap(keysIn);
}
