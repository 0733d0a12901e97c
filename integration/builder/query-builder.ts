import type { EntityOf, FieldName } from './entity-types.ts';
import type { Expression, Expressions, WhereCondition } from './expression.ts';
import type { IncludePath, SortPath } from './paths.ts';
import type { Window } from './window.ts';

/**
 * A query on bundle `B` of schema `S`. Immutable: every method answers a new builder, so that a common part
 * can be kept and continued in several ways. Nothing runs before `all`, `first`, `get`, `count` or `paginate`.
 * `I` is the union of include paths asked for, `F` of fields.
 */
export interface QueryBuilder<S, B extends string, I extends string = never, F extends string = string> {
  where: WhereCondition<S, B, QueryBuilder<S, B, I, F>> & WhereExpression<S, B, QueryBuilder<S, B, I, F>>;
  /** Entities in whose text every word occurs, none of the words behind a minus sign: `tide -moon`. */
  search(words: string): QueryBuilder<S, B, I, F>;
  /**
   * By these paths in turn, `-path` for descending; further calls add. Without any, entities come by id, those of a
   * search by relevance.
   */
  sort<P extends string>(...paths: SortPath<S, B, P>[]): QueryBuilder<S, B, I, F>;
  /** Gives the entities at these reference paths in place of stubs; `a.b` gives `a` too. Further calls add. */
  include<P extends string>(...paths: IncludePath<S, B, P>[]): QueryBuilder<S, B, I | P, F>;
  /** Restricts the answer to `id`, `type` and these fields; further calls add. Without `body`, none is rendered. */
  fields<N extends FieldName<S, B>>(...names: N[]): QueryBuilder<S, B, I, string extends F ? N : F | N>;
  /** `limit` entities at most (all by default) after passing over `offset` (0). A later call wins. */
  page(page: { readonly limit?: number; readonly offset?: number }): QueryBuilder<S, B, I, F>;
  all(): Promise<EntityOf<S, B, I, F>[]>;
  first(): Promise<EntityOf<S, B, I, F> | undefined>;
  /** The entity of this id, if it fits the query. */
  get(id: string): Promise<EntityOf<S, B, I, F> | undefined>;
  /** How many entities match, whatever the page. */
  count(): Promise<number>;
  /** All pages at once, at least one, for `getStaticPaths`. */
  paginate(options: { readonly size: number }): Promise<Window<EntityOf<S, B, I, F>>[]>;
  /**
   * A key for `getStaticPaths` that is another one whenever the answer is: entities, their order and number, what is
   * included, and the titles of what is referred to. Renders no markdown.
   */
  cacheKey(): Promise<string>;
}

type WhereExpression<S, B extends string, Result> = (
  build: (expressions: Expressions<S, B>) => Expression,
) => Result;
