import {
  PUBLISH_DATES,
  scheduleOf,
  UNPUBLISH_DATES,
} from '../../../integration/core/content/decode/publication.ts';
import type { Entity } from '../../../integration/core/content/model.ts';
import type { Resource } from '../api/document.ts';

/** Fields that publish or unpublish an entity at a point in time. */
export const SCHEDULE_FIELDS: readonly string[] = [...PUBLISH_DATES, ...UNPUBLISH_DATES];

/** What a form says about the future: the dates that are still to come, and if the end is before the beginning. */
export function scheduleAhead(
  values: Readonly<Record<string, unknown>>,
  now: number,
): { readonly from: string | undefined; readonly until: string | undefined; readonly isEmpty: boolean } {
  const { from, until } = scheduleOf(values as Entity['values']) ?? { from: null, until: null };
  const ahead = (date: string | null) => (date !== null && Date.parse(date) > now ? date : undefined);
  const isEmpty = from !== null && until !== null && Date.parse(until) <= Date.parse(from);
  return { from: ahead(from), until: ahead(until), isEmpty };
}

/** The fields of a bundle that begin a publication. */
export function startFields<Item extends { readonly name: string }>(
  fields: readonly Item[],
): readonly Item[] {
  const names: readonly string[] = PUBLISH_DATES;
  return fields.filter(({ name }) => names.includes(name));
}

/** The fields of a bundle that end a publication. */
export function endFields<Item extends { readonly name: string }>(fields: readonly Item[]): readonly Item[] {
  const names: readonly string[] = UNPUBLISH_DATES;
  return fields.filter(({ name }) => names.includes(name));
}

type Publication = 'published' | 'draft' | 'scheduled' | 'expired';

/** The state of an entity by its flag and its dates, as far as the resource has them. `now` is in milliseconds. */
export function publicationOf({ attributes }: Pick<Resource, 'attributes'>, now: number): Publication {
  if (attributes.status !== true) return 'draft';
  const values = attributes as Entity['values'];
  const { from, until } = scheduleOf(values) ?? { from: null, until: null };
  if (from !== null && Date.parse(from) > now) return 'scheduled';
  return until !== null && Date.parse(until) <= now ? 'expired' : 'published';
}
