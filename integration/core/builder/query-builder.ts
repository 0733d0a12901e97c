import type { FilterNode, Operator, OperatorWith } from '../engine/ast.ts';
import type { SearchOptions } from './conditions.ts';
import type { BundleEntity, FieldName } from './entity-types.ts';
import type { CheckedFacets, FacetOptions, FacetsOf } from './facet-types.ts';
import type { PaginatedPage, PaginateOptions } from './paginate.ts';
import type { ComparableAt, FilterPath, IncludePath, SortPath } from './paths.ts';
import type { QueryPlan, SearchResults, Surroundings } from './run-query.ts';

/**
 * A query on bundle `B` of schema `S`. Immutable: every method returns a new builder, so that queries can share a part.
 * Nothing runs before `all`, `first`, `get`, `surroundings`, `results`, `count`, `facets`, `paginate`, `cacheKey` or `explain`.
 * `I` is the union of include paths, `F` of selected fields.
 */
export interface QueryBuilder<S, B extends string, I extends string = never, F extends string = string> {
  /**
   * Returns only entities that meet the condition; further calls add conditions. A path leads through references. For groups,
   * pass a function.
   *
   * ```ts
   * entities('article').where('field_author.title', 'STARTS_WITH', 'Ada');
   * entities('article').where(({ or, where }) => or(where('rating', '>=', 4), where('featured', '=', true)));
   * ```
   */
  where: WhereCondition<S, B, QueryBuilder<S, B, I, F>> & WhereExpression<S, B, QueryBuilder<S, B, I, F>>;
  /**
   * Entities whose text has every word, and none of the words after a minus sign: `tide -moon`. `{ tolerant: true }` finds parts
   * of words too, and words with a typo: `search('lighthose', { tolerant: true })`.
   */
  search(words: string, options?: SearchOptions): QueryBuilder<S, B, I, F>;
  /**
   * Other entities that have words, tags or references in common with an entity of the bundle, or the one with this id. Those
   * with most in common come first: `entities('article').relatedTo(article).limit(3)`.
   */
  relatedTo(entity: string | Pick<BundleEntity<S, B>, 'id' | 'type'>): QueryBuilder<S, B, I, F>;
  /**
   * Sorts by these paths, `-path` for descending; further calls add paths. Without any, entities are sorted by id, those
   * of a search by relevance: `sort('-created', 'title')`.
   */
  sort<P extends string>(...paths: SortPath<S, B, P>[]): QueryBuilder<S, B, I, F>;
  /**
   * Returns the entities at these reference paths instead of stubs; `a.b` includes `a` too. Further calls add paths:
   * `include('field_author', 'field_tags.parent')`.
   */
  include<P extends string>(...paths: IncludePath<S, B, P>[]): QueryBuilder<S, B, I | P, F>;
  /**
   * Returns only `id`, `type` and these fields; further calls add fields. Without `body`, no body is rendered:
   * `fields('title', 'created')`.
   */
  fields<N extends FieldName<S, B>>(...names: N[]): QueryBuilder<S, B, I, string extends F ? N : F | N>;
  /** Returns at most this number of entities: `limit(3)` is `page({ limit: 3 })`. */
  limit(limit: number): QueryBuilder<S, B, I, F>;
  /**
   * Returns at most `limit` entities (default: all) after the first `offset` (default: 0). A later call replaces both:
   * `page({ limit: 10, offset: 20 })`.
   */
  page(page: { readonly limit?: number; readonly offset?: number }): QueryBuilder<S, B, I, F>;
  /** All matching entities: `const articles = await entities('article').sort('-created').all()`. */
  all(): Promise<BundleEntity<S, B, I, F>[]>;
  /** The first matching entity; undefined without one: `await entities('article').sort('-created').first()`. */
  first(): Promise<BundleEntity<S, B, I, F> | undefined>;
  /** The first entity. Rejects with an Error that shows the query if no entity matches. */
  firstOrThrow(): Promise<BundleEntity<S, B, I, F>>;
  /** The entity with this id; undefined if it does not match the query: `await entities('article').get('moon')`. */
  get(id: string): Promise<BundleEntity<S, B, I, F> | undefined>;
  /**
   * The entities before and after the one with this id, in the order of the query and on all pages, for links between
   * neighbors: `const { previous, next } = await entities('article').sort('created').surroundings(article.id)`. Both are
   * undefined if the entity does not match the query.
   */
  surroundings(id: string): Promise<Surroundings<BundleEntity<S, B, I, F>>>;
  /**
   * The entities with their exact number on all pages, and what tolerant searches have found: which words were completed or
   * corrected, and where each entity has them: `await entities('article').search('lighthose', { tolerant: true }).limit(10).results()`.
   */
  results(): Promise<SearchResults<BundleEntity<S, B, I, F>>>;
  /** Number of matching entities on all pages: `await entities('article').where('rating', '=', 5).count()`. */
  count(): Promise<number>;
  /**
   * How many matching entities each value of a path has, on all pages: `facets({ field_tags: { limit: 20 } })`. Dates can be
   * counted by interval, numbers and dates by ranges.
   */
  facets<const Q extends { readonly [path: string]: FacetOptions }>(
    facets: Q & CheckedFacets<S, B, Q>,
  ): Promise<FacetsOf<S, B, Q>>;
  /**
   * All pages, at least one. Each is Astro's `Page`, with the `params` and `props` that `getStaticPaths` returns:
   * `getStaticPaths = ({ routePattern }) => entities('article').paginate({ size: 10, route: routePattern })`.
   */
  paginate<Params = unknown, Props = unknown>(
    options: PaginateOptions<Params, Props>,
  ): Promise<PaginatedPage<BundleEntity<S, B, I, F>, Params, Props>[]>;
  /**
   * A key for `getStaticPaths` that changes whenever the result does: entities, their order and number, included
   * entities, and titles of references. Renders no Markdown.
   */
  cacheKey(): Promise<string>;
  /** How the engine answers the query, and counts these facets, as `astro-jsonapi explain` prints it. */
  explain<const Q extends { readonly [path: string]: FacetOptions }>(
    facets?: Q & CheckedFacets<S, B, Q>,
  ): Promise<QueryPlan>;
  /**
   * The URL of the query without origin: `/jsonapi/node/article?filter[title]=x`. A server returns its first page unless
   * `page()` sets one. It never contains the actor.
   */
  toUrl(): string;
}

/** A condition, or conditions joined by `and` and `or`. */
export type Expression = FilterNode;

/** The functions for a callback of `where`. */
export interface Expressions<S, B extends string> {
  where: WhereCondition<S, B, Expression>;
  /** True if every word occurs. */
  search(words: string, options?: SearchOptions): Expression;
  /** True if there is something in common with the entity. */
  relatedTo(entity: string | Pick<BundleEntity<S, B>, 'id' | 'type'>): Expression;
  /** True if every member is. Conditions on one list in the same group must match the same item. */
  and(first: Expression, ...others: readonly Expression[]): Expression;
  /** True if at least one member is. */
  or(first: Expression, ...others: readonly Expression[]): Expression;
}

/** `(path, operator, value)`. The type of the value follows from both; IS NULL and IS NOT NULL take none. */
export type WhereCondition<S, B extends string, Result> = <P extends string, O extends Operator>(
  path: FilterPath<S, B, P>,
  operator: OperatorOn<ComparableAt<S, B, P>, O>,
  ...value: ValueOf<O, ComparableAt<S, B, P>>
) => Result;

/** A reference, an object or a body itself can only be tested for null. */
type OperatorOn<C, O> = [C] extends [never] ? NullOperator : O;

/** The values that an operator takes for a path of type `C`. */
type ValueOf<O, C> = O extends NullOperator
  ? []
  : O extends OperatorWith<'list'>
    ? [values: readonly C[]]
    : O extends OperatorWith<'range'>
      ? [bounds: readonly [min: C, max: C]]
      : O extends OperatorWith<'text'>
        ? [text: string]
        : [value: C];

type NullOperator = OperatorWith<'none'>;

type WhereExpression<S, B extends string, Result> = (
  build: (expressions: Expressions<S, B>) => Expression,
) => Result;
