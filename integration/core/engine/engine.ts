import type { Entity, ResourceType } from '../content/model.ts';
import type { Facet, FilterNode, Query, Scalar } from './ast.ts';

/** The read permissions of an actor; created by `access/policy.ts`. */
export interface QueryAccess {
  /** The filter of visible entities; null if all are visible. The same object while the filter is valid. */
  visibility(type: ResourceType): FilterNode | null;
  /** True if the field may be returned, filtered and sorted by. */
  fieldVisible(type: ResourceType, field: string): boolean;
  /**
   * True if the content has users: owners that are visible users are shown then, also to actors without permission for the names of
   * accounts. False by default.
   */
  readonly ownersShown?: (type: ResourceType) => boolean;
  /**
   * Each entity exists in the first of these languages that it has a visible translation in, else in that of its source.
   * None by default.
   */
  readonly languages?: readonly string[];
  /** True if queries return only entities in the first language. Targets of references can still be in another one. */
  readonly strict?: boolean;
}

export interface QueryResult {
  /** The entities of the page in order, each in the language for the actor. */
  readonly entities: readonly Entity[];
  /** The exact number of matching entities. */
  readonly count: number;
  /** The counts of the query's facets, in their order; absent without facets. */
  readonly facets?: readonly FacetResult[];
  /** Present if the page is between cursors. */
  readonly cursors?: PageCursors;
}

export interface PageCursors {
  /** The cursor of each entity of the page. */
  readonly items: readonly string[];
  /** The number of matching entities after, before or between the cursors of the query. */
  readonly inRange: number;
}

/** The counts of one facet, over all pages. */
export interface FacetResult {
  readonly terms: readonly FacetTerm[];
  /** The number of terms without the facet's limit. */
  readonly total: number;
  /** Matching entities without a value. A target that the actor may not see is not a value. */
  readonly missing: number;
}

export type FacetTerm =
  /** A value, or a day, month or year such as `2026-03`. */
  | { readonly value: Scalar; readonly count: number }
  /** A target of a reference: its id and its resource type. */
  | { readonly value: string; readonly type: string; readonly count: number }
  /** Values from one boundary to the next, which is not included; null for an open end. */
  | { readonly from: Scalar | null; readonly to: Scalar | null; readonly count: number };

export interface EngineQuery extends Pick<Query, 'filter' | 'sort' | 'page'> {
  /** None by default. */
  readonly facets?: readonly Facet[];
}

/** Times in milliseconds. */
export interface Explanation {
  readonly ast: EngineQuery;
  /** Indented text, one line per step and facet, with estimated and exact counts. */
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
  /** With several types, a path must apply to one of them, and is null in the others. */
  run(
    type: ResourceType | readonly ResourceType[],
    query: EngineQuery,
    access: QueryAccess,
  ): QueryResult | Promise<QueryResult>;
  explain(type: ResourceType, query: EngineQuery, access: QueryAccess): Explanation | Promise<Explanation>;
  /** The entity in the language for the actor. Undefined if it does not exist or the actor may not see it. */
  find(type: string, id: string, access: QueryAccess): Entity | undefined | Promise<Entity | undefined>;
  /** The source of an entity and its translations that the actor may see, the source first. */
  translations(type: string, id: string, access: QueryAccess): readonly Entity[] | Promise<readonly Entity[]>;
}
