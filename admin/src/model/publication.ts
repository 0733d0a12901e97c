import {
  PUBLISH_DATES,
  scheduleOf,
  UNPUBLISH_DATES,
} from '../../../integration/core/content/decode/publication.ts';
import type { Entity } from '../../../integration/core/content/model.ts';
import type { Resource } from '../api/document.ts';

/** Fields that publish or unpublish an entity at a point in time. */
export const SCHEDULE_FIELDS: readonly string[] = [...PUBLISH_DATES, ...UNPUBLISH_DATES];

type Publication = 'published' | 'draft' | 'scheduled' | 'expired';

/** The state of an entity by its flag and its dates, as far as the resource has them. `now` is in milliseconds. */
export function publicationOf({ attributes }: Pick<Resource, 'attributes'>, now: number): Publication {
  if (attributes.status !== true) return 'draft';
  const values = attributes as Entity['values'];
  const { from, until } = scheduleOf(values) ?? { from: null, until: null };
  if (from !== null && Date.parse(from) > now) return 'scheduled';
  return until !== null && Date.parse(until) <= now ? 'expired' : 'published';
}
