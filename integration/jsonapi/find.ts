import type { Entity, ResourceType } from '../entities/model.ts';
import { NotFoundError } from '../errors.ts';
import type { QueryAccess } from '../query/engine.ts';
import type { EntityStore } from '../store/store.ts';
import type { Services } from './services.ts';

/** The resource type of `/node/article`. Letter case counts only where two types differ in nothing else. */
export function findType(store: EntityStore, entityType: string, bundle: string): ResourceType {
  const name = `${entityType}--${bundle}`;
  const exact = store.types.get(name);
  if (exact !== undefined) return exact;
  const lower = name.toLowerCase();
  for (const type of store.types.values()) if (type.name.toLowerCase() === lower) return type;
  const paths = [...store.types.values()].map((type) => `${type.entityType}/${type.bundle}`);
  throw new NotFoundError(
    `There is no resource type '${name}'. ${paths.length === 0 ? 'There is no content.' : `Collections: ${paths.join(', ')}.`}`,
  );
}

/**
 * The entity whose id path segments spell; UUIDs match in any letter case.
 * What is absent and what the actor may not see give the same 404.
 */
export async function findEntity(
  services: Services,
  access: QueryAccess,
  type: ResourceType,
  segments: readonly string[],
): Promise<Entity> {
  const id = segments.join('/');
  const entity = spelled(services.store, type, id);
  if (entity !== undefined && (await services.engine.visible(type.name, entity.id, access))) return entity;
  throw new NotFoundError(`There is no resource '${id}' of type ${type.name}, or you may not see it.`);
}

function spelled(store: EntityStore, type: ResourceType, id: string): Entity | undefined {
  const spellings = UUID.test(id) ? [id, id.toLowerCase(), id.toUpperCase()] : [id];
  for (const spelling of spellings) {
    const entity = store.get(type.name, spelling);
    if (entity !== undefined) return entity;
  }
  return undefined;
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
