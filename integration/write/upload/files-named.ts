import type { Access } from '../../access/access.ts';
import type { FieldChanges } from '../../entities/encode/encode-file.ts';
import { fileAt } from '../../entities/file-place.ts';
import type { Entity, FieldValue } from '../../entities/model.ts';
import { InvalidEntityError, type Violation } from '../../errors.ts';
import type { EntityInput } from '../writer.ts';

/** Keys of the files of the content folder that changed fields of an entity name: they belong to the change. */
export function filesNamed(entity: Entity, changes: FieldChanges): readonly string[] {
  return Object.keys(changes).flatMap((field) => [...keysNamed(entity, field)]);
}

/**
 * Throws a 422 where changed fields name files that others do, none of whom the actor sees: whoever names a file shows
 * it to their readers. Files that nobody names yet are free.
 */
export async function checkFilesNamed(
  mayName: (key: string) => Promise<boolean>,
  before: Entity | null,
  entity: Entity,
  changes: FieldChanges,
  { pointer }: Pick<EntityInput, 'pointer'>,
): Promise<void> {
  const violations: Violation[] = [];
  for (const field of Object.keys(changes)) {
    const held = before === null ? new Set() : keysNamed(before, field);
    for (const key of keysNamed(entity, field)) {
      if (held.has(key) || (await mayName(key))) continue;
      violations.push({
        detail: `There is no file '${key}' for you.`,
        source: { pointer: pointer([field]) },
      });
    }
  }
  const [first, ...others] = violations;
  if (first !== undefined) throw new InvalidEntityError([first, ...others]);
}

/** Whether an actor may name a file of the content folder. */
export type MayName = (key: string, access: Access) => Promise<boolean>;

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
