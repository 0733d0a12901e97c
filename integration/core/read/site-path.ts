import { aliasOf } from '../content/decode/alias.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import { encodeId } from './links.ts';

/** Alias of an entity, else `/<entity type>/<bundle>/<id>`; percent-encoded, without the base. */
export function sitePath(type: ResourceType, entity: Entity): string {
  return encodeId(aliasOf(entity) ?? `/${type.entityType}/${type.bundle}/${entity.id}`);
}
