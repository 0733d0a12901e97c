import type { Entity } from '../content/model.ts';
import type { StagedChange } from './writer.ts';

/** A change of files that are not content. A change names an entity, and this one is not in the content. */
export function changeOfFiles(keys: readonly string[]): StagedChange {
  const values: Entity['values'] = Object.create(null);
  const entity: Entity = { type: '', id: '', key: '', revision: '', values, published: false, body: null };
  return { entity, change: 'unchanged', keys };
}
