import type { Entity } from '../../core/content/model.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';

type Load = (
  type: string,
  ids: readonly string[],
  access: QueryAccess,
) => Promise<ReadonlyMap<string, readonly Entity[]>>;

/** Ids of one statement. */
const MAX_IDS = 1000;

/** Finds the entities of one id. Calls in one turn of the event loop for the same actor and type share a statement. */
export function createBatch(
  load: Load,
): (type: string, id: string, access: QueryAccess) => Promise<readonly Entity[]> {
  const waiting = new Map<QueryAccess, Map<string, Batch>>();

  return async (type, id, access) => {
    const byType = waiting.get(access) ?? new Map<string, Batch>();
    waiting.set(access, byType);
    let batch = byType.get(type);
    if (batch === undefined || batch.ids.size >= MAX_IDS) {
      const ids = new Set<string>();
      const loading = Promise.resolve().then(() => {
        if (byType.get(type)?.ids === ids) byType.delete(type);
        if (byType.size === 0) waiting.delete(access);
        return load(type, [...ids], access);
      });
      batch = { ids, loading };
      byType.set(type, batch);
    }
    batch.ids.add(id);
    return (await batch.loading).get(id) ?? [];
  };
}

interface Batch {
  readonly ids: Set<string>;
  readonly loading: ReturnType<Load>;
}
