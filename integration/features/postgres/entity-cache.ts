import type { Entity } from '../../core/content/model.ts';

/** Returns one object for a row, for as long as it is in use: a changed entity has another row. */
export function createEntityCache(): (row: number, decoded: Entity) => Entity {
  const entities = new Map<number, WeakRef<Entity>>();
  const unused = new FinalizationRegistry<number>((row) => {
    if (entities.get(row)?.deref() === undefined) entities.delete(row);
  });
  return (row, decoded) => {
    const cached = entities.get(row)?.deref();
    if (cached !== undefined && isSame(cached, decoded)) return cached;
    entities.set(row, new WeakRef(decoded));
    unused.register(decoded, row);
    return decoded;
  };
}

/** False if the tables were made from the beginning, with other rows. */
function isSame(a: Entity, b: Entity): boolean {
  return a.type === b.type && a.id === b.id && a.translation === b.translation && a.revision === b.revision;
}
