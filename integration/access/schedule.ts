import type { Entity, ResourceType } from '../entities/model.ts';
import { parseInstant } from '../query/coerce.ts';
import type { EntityStore } from '../store/store.ts';

export const PUBLISH_ON = 'publish_on';
export const UNPUBLISH_ON = 'unpublish_on';

/** The fields of a type by which the clock publishes and unpublishes its entities. */
export function scheduledFields(type: ResourceType): readonly string[] {
  return [PUBLISH_ON, UNPUBLISH_ON].filter((field) => type.fields.get(field)?.kind === 'datetime');
}

/**
 * The first instant after `at` at which the clock changes who may see an entity of the type, both in milliseconds
 * since the Unix epoch; Infinity for none. What nobody is ever shown has none: caching headers tell the instant.
 */
export function nextChange(store: EntityStore, type: ResourceType, at: number): number {
  const fields = scheduledFields(type);
  let next = Number.POSITIVE_INFINITY;
  for (const entity of fields.length === 0 ? [] : store.entities(type.name)) {
    if (!entity.published) continue;
    const instants = fields.map((field) => instantOf(entity, field));
    // With both fields, in the order of `scheduledFields`: what ends before it begins is never seen.
    const [begins = Number.NaN, ends = Number.NaN] = instants;
    if (begins >= ends) continue;
    for (const instant of instants) if (instant > at && instant < next) next = instant;
  }
  return next;
}

/** Whether an entity is published at an instant (milliseconds since the Unix epoch), by its flag and by the clock. */
export function isPublishedAt(entity: Entity, type: ResourceType, at: number): boolean {
  const instants = new Map(scheduledFields(type).map((field) => [field, instantOf(entity, field)]));
  // A comparison with NaN, where there is none, is false.
  const isEarly = (instants.get(PUBLISH_ON) ?? Number.NaN) > at;
  const isLate = (instants.get(UNPUBLISH_ON) ?? Number.NaN) <= at;
  return entity.published && !isEarly && !isLate;
}

/** NaN where there is none. */
function instantOf({ values }: Entity, field: string): number {
  const value = values[field];
  return typeof value === 'string' ? Date.parse(parseInstant(value) ?? '') : Number.NaN;
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
