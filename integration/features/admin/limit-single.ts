import { ConflictError } from '../../core/util/errors.ts';
import type { FollowChange } from '../../core/write/writer.ts';

/** Refuses a second entity of these bundles, wherever it comes from. Translations of the first entity are allowed. */
export function limitSingle(bundles: readonly string[]): FollowChange {
  return async ({ change: { entity, change }, after }) => {
    const { bundle = '' } = after.types.get(entity.type) ?? {};
    if (change !== 'created' || !bundles.includes(bundle)) return [];
    if (after.entities(entity.type).every(({ id }) => id === entity.id)) return [];
    const detail = `The bundle '${bundle}' has one entity, which exists already. Change that one.`;
    throw new ConflictError(
      detail,
      { pointer: '/data' },
      { code: 'single-exists', meta: { type: entity.type } },
    );
  };
}
