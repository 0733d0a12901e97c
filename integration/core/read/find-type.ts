import type { ResourceType } from '../content/model.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { closestName, didYouMean } from '../util/closest-name.ts';
import { NotFoundError } from '../util/errors.ts';

/** The resource type of `/node/article`. Case-insensitive, unless two types differ only in case. Throws NotFoundError. */
export function findType(store: EntityStore, entityType: string, bundle: string): ResourceType {
  const name = `${entityType}--${bundle}`;
  const exact = store.types.get(name);
  if (exact !== undefined) return exact;
  const lower = name.toLowerCase();
  for (const type of store.types.values()) if (type.name.toLowerCase() === lower) return type;
  const paths = [...store.types.values()].map((type) => `${type.entityType}/${type.bundle}`);
  throw new NotFoundError(
    `The resource type '${name}' does not exist.${didYouMean(closestName(`${entityType}/${bundle}`, paths))} ${paths.length === 0 ? 'The site has no content.' : `Collections: ${paths.join(', ')}.`}`,
  );
}

/** True if collections have this name as their first path segment. */
export function hasEntityType({ types }: EntityStore, name: string): boolean {
  return [...types.values()].some(({ entityType }) => entityType === name);
}
