import type { QueryResult } from '../../integration/core/engine/engine.ts';

/** The ids of a result, in order. */
export function idsOf({ entities }: QueryResult): string[] {
  return entities.map(({ id }) => id);
}
