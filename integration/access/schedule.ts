import {
  PUBLISH_DATES,
  publishedFrom,
  publishedUntil,
  UNPUBLISH_DATES,
} from '../content/decode/publication.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import { PUBLISHED_FROM_PATH, PUBLISHED_UNTIL_PATH } from '../engine/store/slot.ts';
import type { EntityStore } from '../engine/store/store.ts';

/** The paths by which the clock publishes and unpublishes entities of a type. */
export function scheduledPaths(type: ResourceType): readonly string[] {
  const paths: string[] = [];
  if (PUBLISH_DATES.some((field) => type.fields.has(field))) paths.push(PUBLISHED_FROM_PATH);
  if (UNPUBLISH_DATES.some((field) => type.fields.has(field))) paths.push(PUBLISHED_UNTIL_PATH);
  return paths;
}

/**
 * The first instant after `at` at which the clock changes who may see an entity of the type, both in milliseconds
 * since the Unix epoch; Infinity for none. Entities that never become visible do not count: caching headers show the instant.
 */
export function nextChange(store: EntityStore, type: ResourceType, at: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const entity of scheduledPaths(type).length === 0 ? [] : store.entities(type.name)) {
    if (!entity.published) continue;
    const { begins, ends } = scheduleOf(entity);
    // What ends before it begins is never seen.
    if (begins >= ends) continue;
    for (const instant of [begins, ends]) if (instant > at && instant < next) next = instant;
  }
  return next;
}

/** Whether an entity is published at an instant (milliseconds since the Unix epoch), by its flag and by the clock. */
export function isPublishedAt(entity: Entity, at: number): boolean {
  const { begins, ends } = scheduleOf(entity);
  return entity.published && begins <= at && at < ends;
}

/** Milliseconds since the Unix epoch, infinite for an end that is open. */
function scheduleOf(entity: Entity): { readonly begins: number; readonly ends: number } {
  const [from, until] = [publishedFrom(entity), publishedUntil(entity)];
  return {
    begins: from === null ? Number.NEGATIVE_INFINITY : Date.parse(from),
    ends: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
  };
}

/** The clock that publishes and unpublishes. Milliseconds since the Unix epoch. */
export interface ScheduleClock {
  now(): number;
  /** When what readers may see next changes by the clock alone; Infinity for never. */
  nextScheduledChange(): number;
}

/** Looks for the next change again only when the content has changed or the clock has passed the last one. */
export function createScheduleClock(store: EntityStore, now: () => number): ScheduleClock {
  let version = -1;
  let next = Number.NEGATIVE_INFINITY;
  return {
    now,
    nextScheduledChange() {
      const at = now();
      if (version !== store.version || at >= next) {
        version = store.version;
        next = Math.min(...[...store.types.values()].map((type) => nextChange(store, type, at)));
      }
      return next;
    },
  };
}
