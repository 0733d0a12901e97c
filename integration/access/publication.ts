import type { ResourceType } from '../content/model.ts';
import type { Condition, FilterNode } from '../engine/ast.ts';
import { PUBLISHED_FROM_PATH, PUBLISHED_PATH } from '../engine/store/slot.ts';
import type { EntityStore } from '../engine/store/store.ts';
import { nextChange, scheduledPaths } from './schedule.ts';

/** What is published of a type, by flag and clock, and what is not: no entity is both or neither. */
export interface PublicationFilters {
  readonly published: FilterNode;
  readonly unpublished: FilterNode;
}

/** The filters of a type are the same objects until the clock passes the next scheduled change of one of its entities. */
export function createPublicationFilters(
  store: EntityStore,
  now: () => number,
): (type: ResourceType) => PublicationFilters {
  const kept = new WeakMap<ResourceType, KeptFilters>();
  return (type) => {
    const known = kept.get(type);
    if (
      known !== undefined &&
      (!known.scheduled || (known.version === store.version && now() < known.until))
    ) {
      return known.filters;
    }
    const scheduled = scheduledPaths(type);
    const at = now();
    const instant = new Date(at).toISOString();
    const filters = {
      published: publishedFilter(scheduled, instant),
      unpublished: unpublishedFilter(scheduled, instant),
    };
    kept.set(type, {
      filters,
      scheduled: scheduled.length > 0,
      version: store.version,
      until: nextChange(store, type, at),
    });
    return filters;
  };
}

/** Filters and how long they hold: for ever, or for one version of the content until an instant (milliseconds). */
interface KeptFilters {
  readonly filters: PublicationFilters;
  readonly scheduled: boolean;
  readonly version: number;
  readonly until: number;
}

function publishedFilter(scheduled: readonly string[], at: string): FilterNode {
  const members: FilterNode[] = [flag(true)];
  for (const path of scheduled) {
    members.push({
      kind: 'group',
      conjunction: 'OR',
      members: [
        { kind: 'condition', path, operator: 'IS NULL', value: null },
        { kind: 'condition', path, operator: path === PUBLISHED_FROM_PATH ? '<=' : '>', value: at },
      ],
    });
  }
  return { kind: 'group', conjunction: 'AND', members };
}

function unpublishedFilter(scheduled: readonly string[], at: string): FilterNode {
  const members: FilterNode[] = [flag(false)];
  for (const path of scheduled) {
    members.push({ kind: 'condition', path, operator: path === PUBLISHED_FROM_PATH ? '>' : '<=', value: at });
  }
  return { kind: 'group', conjunction: 'OR', members };
}

function flag(value: boolean): Condition {
  return { kind: 'condition', path: PUBLISHED_PATH, operator: '=', value };
}
