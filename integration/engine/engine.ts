import type { ResourceType } from '../content/model.ts';
import type { FilterNode, Query } from './ast.ts';

/** What an actor may ask of the content; made by `access/policy.ts`. */
export interface QueryAccess {
  /** What every entity of the type must match to be seen; null when all may be. The same object while it holds. */
  visibility(type: ResourceType): FilterNode | null;
  /** Whether the field may be answered, filtered and sorted by. */
  fieldVisible(type: ResourceType, field: string): boolean;
}

export interface QueryResult {
  /** Ids of the page, in order. */
  readonly ids: readonly string[];
  /** How many entities match, exactly. */
  readonly count: number;
}

export type EngineQuery = Pick<Query, 'filter' | 'sort' | 'page'>;

/** Times in milliseconds. */
export interface Explanation {
  readonly ast: EngineQuery;
  /** Indented text, a line a step, with estimated and exact counts. */
  readonly plan: string;
  readonly resolveMs: number;
  readonly executeMs: number;
  readonly result: QueryResult;
}

/**
 * Answers resolved queries. Implementations may be asynchronous (a database), so callers await.
 * Every method applies `access`. `run` and `explain` throw BadParameterError for a query that does not fit the type.
 */
export interface QueryEngine {
  run(type: ResourceType, query: EngineQuery, access: QueryAccess): QueryResult | Promise<QueryResult>;
  explain(type: ResourceType, query: EngineQuery, access: QueryAccess): Explanation | Promise<Explanation>;
  /** Whether an entity exists and the actor may see it. */
  visible(type: string, id: string, access: QueryAccess): boolean | Promise<boolean>;
}
