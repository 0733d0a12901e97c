import type { ResourceType } from '../entities/model.ts';
import type { FilterNode } from '../query/ast.ts';
import type { QueryAccess } from '../query/engine.ts';
import { PUBLISHED_PATH } from '../store/slot.ts';
import type { EntityStore } from '../store/store.ts';
import type { Actor } from './actor.ts';
import { nextChange, PUBLISH_ON, scheduledFields } from './schedule.ts';

export interface PolicyOptions {
  /** The clock, milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * What an actor may see, as filters of the query language: they are ANDed into every query, so that nothing unseen
 * can be inferred from lists, counts, includes or paths. Whoever holds `administrator` sees all; everybody else sees
 * published entities, within `publish_on` and `unpublish_on` where a bundle has them.
 */
export function createPolicy(store: EntityStore, { now }: PolicyOptions): (actor: Actor) => QueryAccess {
  const published = createPublishedFilters(store, now);
  const everything: QueryAccess = { visibility: () => null, fieldVisible: () => true };
  const readers: QueryAccess = { visibility: published, fieldVisible: () => true };
  const anonymous: QueryAccess = {
    visibility: published,
    fieldVisible: (_, field) => !HIDDEN_FROM_ANONYMOUS.has(field),
  };
  return ({ name, roles }) => {
    if (roles.includes('administrator')) return everything;
    return name === null ? anonymous : readers;
  };
}

/** Account names are nobody's business but of those who have one. */
const HIDDEN_FROM_ANONYMOUS: ReadonlySet<string> = new Set(['uid']);

/** The filter of a type is the same object until the clock passes the next scheduled change of one of its entities. */
function createPublishedFilters(store: EntityStore, now: () => number): (type: ResourceType) => FilterNode {
  const kept = new WeakMap<ResourceType, PublishedFilter>();
  return (type) => {
    const known = kept.get(type);
    if (
      known !== undefined &&
      (!known.scheduled || (known.version === store.version && now() < known.until))
    ) {
      return known.filter;
    }
    const scheduled = scheduledFields(type);
    const at = now();
    const filter = publishedFilter(scheduled, new Date(at).toISOString());
    kept.set(type, {
      filter,
      scheduled: scheduled.length > 0,
      version: store.version,
      until: nextChange(store, type, at),
    });
    return filter;
  };
}

/** A filter and how long it holds: for ever, or for one version of the content until an instant (milliseconds). */
interface PublishedFilter {
  readonly filter: FilterNode;
  readonly scheduled: boolean;
  readonly version: number;
  readonly until: number;
}

function publishedFilter(scheduled: readonly string[], at: string): FilterNode {
  const members: FilterNode[] = [{ kind: 'condition', path: PUBLISHED_PATH, operator: '=', value: true }];
  for (const path of scheduled) {
    members.push({
      kind: 'group',
      conjunction: 'OR',
      members: [
        { kind: 'condition', path, operator: 'IS NULL', value: null },
        { kind: 'condition', path, operator: path === PUBLISH_ON ? '<=' : '>', value: at },
      ],
    });
  }
  return { kind: 'group', conjunction: 'AND', members };
}
