import { isPublishedAt } from '../../core/access/schedule.ts';
import { slugFor } from '../../core/content/encode/slug.ts';
import { type Entity, type FieldValue, languageOf } from '../../core/content/model.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { fileOfKey } from '../../core/storage/key.ts';
import { digestText } from '../../core/util/revision.ts';
import { entitiesOfFile, referencesTo, withoutTargets } from '../../core/write/referrers.ts';
import type { FollowChange } from '../../core/write/writer.ts';
import { addToBin, type BinEntry, type Referrer } from './entries.ts';

/** Moves the file of a deleted entry into the bin. */
export const keepRemoved: FollowChange = async ({ change, writer, now, before, after }, files) => {
  const { entity, bytes } = change;
  if (bytes === undefined) return [];
  const { type, id, translation, values } = entity;
  const at = new Date(now).toISOString();
  const key = fileOfKey(entity.key);
  const { title, uid } = values;
  const entry: BinEntry = {
    type,
    id,
    ...(translation !== undefined && { translation }),
    file: fileName(entity, key, at),
    key,
    title: typeof title === 'string' ? title : id,
    langcode: languageOf(entity),
    at,
    by: writer.actor.name,
    published: isPublishedAt(entity, now),
    uid: typeof uid === 'string' ? uid : null,
    referrers: translation === undefined ? referrersOf(entity, before, after) : [],
  };
  return addToBin(files, entry, bytes);
};

/** `node--article/two-bulges-1a2b3c4d.md`: readable, and different for each deletion. */
function fileName({ type, id, translation = '' }: Entity, key: string, at: string): string {
  const name = slugFor(id.slice(id.lastIndexOf('/') + 1), () => false);
  const digest = digestText([type, id, translation, at].join('\n')).slice(0, 8);
  return `${type}/${name}-${digest}${key.slice(key.lastIndexOf('.'))}`;
}

/** The references to an entity, and to the others of its file, before a request, with what their fields have after it. */
function referrersOf(target: Entity, before: EntityStore, after: EntityStore): Referrer[] {
  const targets = entitiesOfFile(before, target);
  return referencesTo(before, targets).map(({ entity: { type, id, translation }, field, value }) => {
    const present = after.get(type, id, translation)?.values[field] ?? null;
    return {
      type,
      id,
      ...(translation !== undefined && { translation }),
      field,
      before: asReferences(value),
      // A change of one entity is not in the content yet.
      after: asReferences(before === after ? withoutTargets(value, targets) : present),
    };
  });
}

function asReferences(value: FieldValue): Referrer['before'] {
  return value as Referrer['before'];
}
