import { isRecord } from '../../../integration/core/util/json.ts';
import { objectOf } from '../api/document.ts';
import type { Field } from '../api/schema.ts';
import { fieldIn } from './document.ts';

/** Why a field cannot have the value of a past version again. */
export type Obstacle = 'readOnly' | 'missing';

/** Undefined if the value of the version can be stored again. `writable` has the names of the fields that may be set. */
export function obstacleTo(
  field: Field,
  version: unknown,
  writable: ReadonlySet<string>,
): Obstacle | undefined {
  if (!writable.has(field.name)) return 'readOnly';
  const value = fieldIn(version, field);
  const items = Array.isArray(value) ? value : [value];
  return field.kind === 'reference' && items.some(isMissing) ? 'missing' : undefined;
}

/**
 * True for fields that a restore leaves alone unless they are chosen: the time and place of publication, and files of
 * which the version may have had one that no longer exists. An address can also follow from the title.
 */
export function isKept({ name, kind }: Field, version: unknown): boolean {
  const isFile = kind === 'image' || kind === 'file';
  const items = [fieldIn(version, { name, kind })].flat().filter((item) => (item ?? null) !== null);
  return PUBLICATION.includes(name) || (isFile && items.length === 0);
}

const PUBLICATION: readonly string[] = ['status', 'publish_on', 'unpublish_on', 'path'];

/** An identifier of an entity that does not exist any more. */
function isMissing(item: unknown): boolean {
  return isRecord(item) && item.id === 'missing' && objectOf(objectOf(item.meta).links).help !== undefined;
}
