import { type FileLocation, uriOf } from '../../core/content/file-location.ts';
import type { Entity, ResourceType } from '../../core/content/model.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { referrersOf, visibleReferrers } from '../../core/read/content-files.ts';
import type { Reader } from '../../core/read/reader.ts';
import { visibleTitle } from '../../core/read/sparse-fields.ts';

/** An entity that the actor may see, and its fields and translations that refer to a file. */
export interface FileUser {
  readonly type: ResourceType;
  readonly id: string;
  readonly title: string;
  readonly fields: readonly string[];
  readonly entities: readonly Entity[];
}

/** The entities that refer to a file, as far as the actor may see them. */
export async function fileUsers(
  services: Reader,
  access: QueryAccess,
  file: FileLocation,
): Promise<readonly FileUser[]> {
  const users = new Map<string, FileUser & { readonly fields: string[]; readonly entities: Entity[] }>();
  const { own } = await referrersOf(services, uriOf(file));
  for await (const { referrer, entity } of visibleReferrers(services, access, own)) {
    const { type, id, field } = referrer;
    const name = `${type.name} ${id}`;
    const title = visibleTitle(access, type, entity) ?? id;
    const user = users.get(name) ?? { type, id, title, fields: [], entities: [] };
    if (!user.fields.includes(field)) user.fields.push(field);
    if (!user.entities.includes(entity)) user.entities.push(entity);
    users.set(name, user);
  }
  return [...users.values()];
}
