import { PUBLISH_DATES, UNPUBLISH_DATES } from '../content/decode/publication.ts';
import type { Entity, ResourceType } from '../content/model.ts';
import type { Condition, FilterNode } from '../engine/ast.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import { PUBLISHED_FROM_PATH, PUBLISHED_PATH, PUBLISHED_UNTIL_PATH } from '../engine/store/slot.ts';

/** The published and the unpublished entities of a type, by flag and clock. Every entity matches exactly one. */
export interface PublicationFilters {
  readonly published: FilterNode;
  readonly unpublished: FilterNode;
}

/** Returns the same filters for a type until the clock passes the next scheduled change of one of its entities. */
export function createPublicationFilters(
  store: EntityStore,
  now: () => number,
): (type: ResourceType) => PublicationFilters {
  const cache = new WeakMap<ResourceType, CachedFilters>();
  return (type) => {
    const cached = cache.get(type);
    if (cached && (!cached.scheduled || (cached.version === store.version && now() < cached.until))) {
      return cached.filters;
    }
    const paths = scheduledPaths(type);
    const time = now();
    const instant = new Date(time).toISOString();
    const filters = {
      published: publishedFilter(paths, instant),
      unpublished: unpublishedFilter(paths, instant),
    };
    const until = nextChange(store, type, time);
    cache.set(type, { filters, scheduled: paths.length > 0, version: store.version, until });
    return filters;
  };
}

/** Filters of scheduled types are valid for one version of the content and until an instant (milliseconds). */
interface CachedFilters {
  readonly filters: PublicationFilters;
  readonly scheduled: boolean;
  readonly version: number;
  readonly until: number;
}

function publishedFilter(paths: readonly string[], instant: string): FilterNode {
  const dates = paths.map((path): FilterNode => {
    const operator = path === PUBLISHED_FROM_PATH ? '<=' : '>';
    return {
      kind: 'group',
      conjunction: 'OR',
      members: [
        { kind: 'condition', path, operator: 'IS NULL', value: null },
        { kind: 'condition', path, operator, value: instant },
      ],
    };
  });
  return { kind: 'group', conjunction: 'AND', members: [flagIs(true), ...dates] };
}

function unpublishedFilter(paths: readonly string[], instant: string): FilterNode {
  const dates = paths.map((path): Condition => {
    const operator = path === PUBLISHED_FROM_PATH ? '>' : '<=';
    return { kind: 'condition', path, operator, value: instant };
  });
  return { kind: 'group', conjunction: 'OR', members: [flagIs(false), ...dates] };
}

function flagIs(value: boolean): Condition {
  return { kind: 'condition', path: PUBLISHED_PATH, operator: '=', value };
}

/** The paths by which the clock publishes and unpublishes entities of a type. */
export function scheduledPaths(type: ResourceType): readonly string[] {
  const paths: string[] = [];
  if (PUBLISH_DATES.some((field) => type.fields.has(field))) paths.push(PUBLISHED_FROM_PATH);
  if (UNPUBLISH_DATES.some((field) => type.fields.has(field))) paths.push(PUBLISHED_UNTIL_PATH);
  return paths;
}

/**
 * When the clock next changes which entities of a type are visible: milliseconds since the Unix epoch, Infinity for
 * never. Entities that never become visible do not count, because caching headers reveal the instant.
 */
function nextChange(store: EntityStore, type: ResourceType, time: number): number {
  if (store.nextScheduledChange !== undefined) return store.nextScheduledChange(type.name, time);
  let next = Number.POSITIVE_INFINITY;
  for (const entity of scheduledPaths(type).length === 0 ? [] : store.entities(type.name)) {
    const { begins, ends } = scheduleOf(entity);
    if (!entity.published || begins >= ends) continue;
    for (const instant of [begins, ends]) if (instant > time && instant < next) next = instant;
  }
  return next;
}

/** True if flag and schedule publish an entity at `time` (milliseconds since the Unix epoch). */
export function isPublishedAt(entity: Entity, time: number): boolean {
  const { begins, ends } = scheduleOf(entity);
  return entity.published && begins <= time && time < ends;
}

/** Milliseconds since the Unix epoch; infinite without a date. */
function scheduleOf({ schedule }: Entity): { readonly begins: number; readonly ends: number } {
  const { from, until } = schedule ?? { from: null, until: null };
  return {
    begins: from === null ? Number.NEGATIVE_INFINITY : Date.parse(from),
    ends: until === null ? Number.POSITIVE_INFINITY : Date.parse(until),
  };
}

/** The clock that publishes and unpublishes. Milliseconds since the Unix epoch. */
export interface ScheduleClock {
  now(): number;
  /** When the schedule next changes what readers see; Infinity for never. */
  nextScheduledChange(): number;
}

/** Looks for the next change only after the content has changed or the clock has passed the last one. */
export function createScheduleClock(store: EntityStore, now: () => number): ScheduleClock {
  let version = -1;
  let next = Number.NEGATIVE_INFINITY;
  return {
    now,
    nextScheduledChange() {
      const time = now();
      if (version !== store.version || time >= next) {
        version = store.version;
        next = Math.min(...[...store.types.values()].map((type) => nextChange(store, type, time)));
      }
      return next;
    },
  };
}
