import type { FieldChanges } from '../../content/encode/encode-file.ts';
import { fileAt, isServable, placesOf } from '../../content/file-place.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../../content/model.ts';
import { imagesInBody, relativeImagePath } from '../../source/body-images.ts';
import type { Violation } from '../../util/errors.ts';
import type { EntityInput } from '../writer.ts';

/** Keys of the files of the content folder that changed fields of an entity name: they belong to the change. */
export function filesNamed(entity: Entity, changes: FieldChanges): readonly string[] {
  return Object.keys(changes).flatMap((field) => [...keysNamed(entity, field)]);
}

/**
 * Of files that changed fields name, those that others name already, none of whom the actor sees: whoever names a file
 * shows it to their readers. Told as files that are not there are (`NO_FILE`). Files that nobody names yet are free, and
 * so are those that the field holds already. `key` is that of the entity's file.
 */
export async function hiddenFiles(
  mayName: (key: string) => Promise<boolean>,
  {
    type,
    key,
    before,
  }: { readonly type: ResourceType; readonly key: string; readonly before: Entity | null },
  changes: FieldChanges,
  { pointer }: Pick<EntityInput, 'pointer'>,
): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const field = type.fields.get(name);
    if (field === undefined) continue;
    const held = before === null ? new Set() : keysNamed(before, name);
    for (const { src, path } of field.name === 'body' ? imagesOf(value) : sourcesIn(value, field, [name])) {
      const named = fileAt(src);
      for (const place of named === undefined ? placesOf(key, src) : [named]) {
        if (place.source !== 'content' || !isServable(place) || held.has(place.key)) continue;
        if (!(await mayName(place.key)))
          violations.push({ detail: NO_FILE, source: { pointer: pointer(path) } });
      }
    }
  }
  return violations;
}

/** What is said of a file that is not there, or not for the actor: the same, so that nobody is told which. */
export const NO_FILE =
  'There is no such file, or not for you. Paths are relative to the file of the entity; with a leading slash, to public/.';

interface NamedFile {
  readonly src: string;
  /** Where it is named: the field, and steps into its value. */
  readonly path: readonly (string | number)[];
}

function imagesOf(body: FieldValue): readonly NamedFile[] {
  const text = typeof body === 'object' && body !== null && 'value' in body ? body.value : null;
  if (typeof text !== 'string') return [];
  const sources = imagesInBody(text).flatMap(({ src }) => relativeImagePath(src)?.path ?? []);
  return [...new Set(sources)].map((src) => ({ src, path: ['body'] }));
}

function sourcesIn(
  value: FieldValue,
  field: FieldDefinition,
  path: readonly (string | number)[],
): readonly NamedFile[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item: FieldValue, index) => sourcesIn(item, field, [...path, index]));
  }
  const parts = value as { readonly [name: string]: FieldValue };
  if (field.kind === 'image' || field.kind === 'file') {
    const { uri } = parts;
    const src = typeof uri === 'object' && uri !== null && 'value' in uri ? uri.value : undefined;
    return typeof src === 'string' ? [{ src, path }] : [];
  }
  return Object.values(field.properties).flatMap((part) =>
    sourcesIn(parts[part.name] ?? null, part, [...path, part.name]),
  );
}

function keysNamed({ values, images = [] }: Entity, field: string): ReadonlySet<string> {
  const uris = field === 'body' ? images.map(({ uri }) => uri) : urisIn(values[field] ?? null);
  const places = uris.map(fileAt);
  return new Set(places.flatMap((place) => (place?.source === 'content' ? [place.key] : [])));
}

function urisIn(value: FieldValue): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item: FieldValue) => urisIn(item));
  const parts = value as { readonly [name: string]: FieldValue };
  const { value: uri } = parts;
  return typeof uri === 'string' ? [uri] : Object.values(parts).flatMap(urisIn);
}
