import type { Entity } from '../content/model.ts';
import { visibleFields } from '../read/sparse-fields.ts';
import { isVisible } from '../read/translations.ts';
import type { FileChange, StorageDriver } from '../storage/driver.ts';
import { fileOfKey } from '../storage/key.ts';
import type { Content, FilePreview, StagedChange, Writer } from './writer.ts';

/**
 * The changed files of entities that the actor may see with all fields. A file has more than its entity shows, so all
 * others are left out: those of hidden entities, and the list of deleted ids.
 */
export async function previewFiles(
  { store, reader, driver }: Pick<Content, 'store' | 'reader'> & { readonly driver: StorageDriver },
  { access }: Writer,
  changes: readonly StagedChange[],
  files: readonly FileChange[],
): Promise<readonly FilePreview[]> {
  const keys = new Set(files.map(({ key }) => key));
  const entities = new Map<string, Entity[]>();
  const add = (entity: Entity) => {
    const key = fileOfKey(entity.key);
    entities.set(key, [...(entities.get(key) ?? []), entity]);
  };
  for (const type of store.types.keys()) {
    for (const entity of store.entities(type)) if (keys.has(fileOfKey(entity.key))) add(entity);
  }
  for (const { change, entity } of changes) if (change === 'created') add(entity);
  const previews: FilePreview[] = [];
  for (const { key, bytes, ifRevision } of files) {
    const contained = entities.get(key) ?? [];
    const isShown = await Promise.all(contained.map((entity) => seesWhole(entity, ifRevision === null)));
    if (contained.length === 0 || isShown.includes(false)) continue;
    previews.push({ key, before: (ifRevision && (await driver.read(key))) || null, after: bytes });
  }
  return previews;

  async function seesWhole(entity: Entity, isNew: boolean): Promise<boolean> {
    const type = store.types.get(entity.type);
    if (type !== undefined && visibleFields(type, access).length < type.fields.size) return false;
    return isNew || isVisible({ services: reader, access }, entity);
  }
}
