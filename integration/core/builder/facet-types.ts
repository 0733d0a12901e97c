import type { Scalar } from '../engine/ast.ts';
import type { CountedRange, CountedTarget, CountedValue, FacetCounts } from '../read/document-types.ts';
import type { CountablePath, TypeOfPath } from './paths.ts';
import type { Loose, NumericText, Ref } from './schema-types.ts';

/** What a facet counts. All options are optional. */
export interface FacetOptions {
  /** Maximum number of terms, up to 1000. Default: 50. */
  readonly limit?: number | undefined;
  /** The smallest count of a term. Default: 1. */
  readonly min?: number | undefined;
  /** By descending count, or by ascending value. Default: `count`; `value` with `interval` and `ranges`. */
  readonly sort?: 'count' | 'value' | undefined;
  /** `or` leaves the query's own conditions on the path out of the counts. Default: `and`. */
  readonly operator?: 'and' | 'or' | undefined;
  /** Groups dates and date-times, in UTC. */
  readonly interval?: 'year' | 'month' | 'day' | undefined;
  /** Boundaries between groups of numbers, dates or date-times. A boundary belongs to the group above it. */
  readonly ranges?: readonly (string | number)[] | undefined;
}

/** `Q` if each of its keys is a path whose values can be counted, else the valid paths. */
export type CheckedFacets<S, B extends string, Q> = {
  readonly [P in keyof Q]: CountablePath<S, B, P & string> extends P
    ? FacetOptions
    : CountablePath<S, B, P & string>;
};

/** The counts by path. */
export type FacetsOf<S, B extends string, Q> = {
  readonly [P in keyof Q]: FacetCounts<TermOf<ItemOf<TypeOfPath<S, B, P & string>>, Q[P]>>;
};

type TermOf<V, Options> = Options extends { readonly ranges: readonly unknown[] }
  ? CountedRange<ValueOf<V>>
  : Options extends { readonly interval: string }
    ? CountedValue<string>
    : [Extract<V, Loose>] extends [never]
      ? [V] extends [Ref<string>]
        ? CountedTarget
        : CountedValue<ValueOf<V>>
      : CountedValue | CountedTarget;

type ValueOf<V> = V extends Loose ? Scalar : V extends NumericText ? string : V extends Scalar ? V : never;

type ItemOf<V> = V extends readonly (infer I)[] ? ItemOf<I> : Exclude<V, null | undefined>;
