import type { Access } from '../access/access.ts';
import { ANONYMOUS } from '../access/actor.ts';
import type { Entity } from '../content/model.ts';
import { visibleFields } from '../read/sparse-fields.ts';
import { ForbiddenError } from '../util/errors.ts';
import type { ForkedContent } from './writer.ts';

/**
 * Publishes an entity in a fork, as visitors will see it. Throws ForbiddenError for fields that a page shows to visitors, but
 * the API not to the actor with this access.
 */
export function publish({ reader, store }: ForkedContent, access: Access, entity: Entity): void {
  const type = store.types.get(entity.type);
  const seen = new Set(type && visibleFields(type, access));
  const shown = type ? visibleFields(type, reader.access(ANONYMOUS, 'source')) : [];
  if (shown.some((field) => !seen.has(field))) {
    throw new ForbiddenError('You may not see all fields that the page shows.');
  }
  const { schedule: _, ...rest } = entity;
  const { values } = entity;
  const isFlag = typeof values.status === 'boolean';
  store.put({ ...rest, published: true, values: isFlag ? { ...values, status: true } : values });
}
