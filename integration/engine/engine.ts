import type { ResourceType } from '../content/model.ts';
import type { FilterNode, Query } from './ast.ts';

/** The read permissions of an actor; created by `access/policy.ts`. */
export interface QueryAccess {
  /** The filter of visible entities; null if all are visible. The same object while the filter is valid. */
  visibility(type: ResourceType): FilterNode | null;
  /** True if the field may be returned, filtered and sorted by. */
  fieldVisible(type: ResourceType, field: string): boolean;
}

export interface QueryResult {
  /** Ids of the page, in order. */
  readonly ids: readonly string[];
  /** The exact number of matching entities. */
  readonly count: number;
}

export type EngineQuery = Pick<Query, 'filter' | 'sort' | 'page'>;

/** Times in milliseconds. */
export interface Explanation {
  readonly ast: EngineQuery;
  /** Indented text, one line per step, with estimated and exact counts. */
  readonly plan: string;
  readonly resolveMs: number;
  readonly executeMs: number;
  readonly result: QueryResult;
}

/**
 * Runs queries. Implementations may be asynchronous (a database), so callers await. Every method applies `access`. `run`
 * and `explain` throw BadParameterError for a query that does not apply to the type.
 */
export interface QueryEngine {
  run(type: ResourceType, query: EngineQuery, access: QueryAccess): QueryResult | Promise<QueryResult>;
  explain(type: ResourceType, query: EngineQuery, access: QueryAccess): Explanation | Promise<Explanation>;
  /** True if an entity exists and the actor may see it. */
  visible(type: string, id: string, access: QueryAccess): boolean | Promise<boolean>;
}
