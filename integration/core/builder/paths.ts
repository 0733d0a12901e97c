import type { Scalar } from '../engine/ast.ts';
import type { BodyField, Fields, Loose, NumericText, Opaque, Ref } from './schema-types.ts';

/**
 * Types of dotted paths. A path is checked segment by segment as it is typed. The paths of a bundle are never listed as
 * a whole, so twenty bundles full of references cost no more than two. `NoInfer` and `UnknownPath` keep the compiler from
 * computing suggestions for correct paths.
 */

/** `P` if it is a filter path of the bundle, else the valid paths. */
export type FilterPath<S, B extends string, P extends string> = P extends RuntimePath
  ? P
  : string extends P
    ? UnknownPath<S, B>
    : [FilterableValue<TypeAt<S, Ref<B>, P>>] extends [never]
      ? NoInfer<Suggestion<S, Ref<B>, P, 'filter'>>
      : P;

/** `P` if it is a sort path, `-path` for descending, else the valid paths. */
export type SortPath<S, B extends string, P extends string> = P extends RuntimePath
  ? P
  : P extends `-${infer Q}`
    ? `-${SortablePath<S, B, Q>}`
    : SortablePath<S, B, P>;

/** `P` if all of its segments are references, else the valid references. */
export type IncludePath<S, B extends string, P extends string> = P extends RuntimePath
  ? P
  : string extends P
    ? UnknownPath<S, B>
    : [ReferenceAt<S, Ref<B>, P>] extends [never]
      ? NoInfer<Suggestion<S, Ref<B>, P, 'include'>>
      : P;

/** `P` if a facet can count its values, which are comparable or references, else the valid paths. */
export type CountablePath<S, B extends string, P extends string> = P extends RuntimePath
  ? P
  : string extends P
    ? UnknownPath<S, B>
    : [ComparableAt<S, B, P> | ReferenceIn<TypeAt<S, Ref<B>, P>>] extends [never]
      ? NoInfer<Suggestion<S, Ref<B>, P, 'facet'>>
      : P;

/** The type of the values at a path. */
export type TypeOfPath<S, B extends string, P extends string> = TypeAt<S, Ref<B>, P>;

/** A path that `runtimePath()` marks: known at run time only, and checked when the query runs. */
export type RuntimePath = string & { readonly [RUNTIME]: true };
declare const RUNTIME: unique symbol;

/** Any string is a path of a bundle without a schema. */
type UnknownPath<S, B extends string> = B extends keyof S ? RuntimePath : string;

/** Type of the values that a filter path compares with; never for a reference, object or body itself. */
export type ComparableAt<S, B extends string, P extends string> = P extends RuntimePath
  ? Scalar
  : Comparable<TypeAt<S, Ref<B>, P>>;

/** The reference type of a value or of its items; never for other types. */
type ReferenceIn<V> = V extends readonly (infer I)[]
  ? ReferenceIn<I>
  : V extends Ref<string> | Loose
    ? V
    : never;

type SortablePath<S, B extends string, P extends string> = P extends RuntimePath
  ? P
  : string extends P
    ? UnknownPath<S, B>
    : [ComparableAt<S, B, P>] extends [never]
      ? NoInfer<Suggestion<S, Ref<B>, P, 'sort'>>
      : P;

/** Types that a condition may test. A body is tested by its properties, even for IS NULL. */
type FilterableValue<V> = Exclude<V, BodyField | null | undefined>;

/** The type at path `P` from a value of type `V`. */
type TypeAt<S, V, P extends string> = P extends `${infer Head}.${infer Rest}`
  ? TypeAt<S, Step<S, V, Head>, Rest>
  : Step<S, V, P>;

type ReferenceAt<S, V, P extends string> = P extends `${infer Head}.${infer Rest}`
  ? ReferenceAt<S, ReferenceIn<Step<S, V, Head>>, Rest>
  : ReferenceIn<Step<S, V, P>>;

/** The type one segment further. In a list: an index, or a segment of its items. */
type Step<S, V, H extends string> = V extends Loose
  ? Loose
  : V extends readonly (infer I)[]
    ? H extends `${number}`
      ? I
      : Step<S, I, H>
    : V extends Ref<infer T>
      ? FieldOf<S, T, H>
      : V extends BodyField
        ? H extends FilterableBody
          ? V[H]
          : never
        : V extends Leaf
          ? never
          : H extends keyof V
            ? V[H]
            : never;

/** Distributes over bundles: a polymorphic reference has the fields of all its targets. */
type FieldOf<S, T extends string, H extends string> = T extends keyof S
  ? H extends keyof Fields<S, T>
    ? Fields<S, T>[H]
    : never
  : Loose;

type Comparable<V> = V extends Loose
  ? Scalar
  : V extends readonly (infer I)[]
    ? Comparable<I>
    : V extends NumericText
      ? string | number
      : V extends Scalar
        ? V
        : never;

/** Types without members. */
type Leaf = Scalar | null | undefined | NumericText | Opaque<unknown>;

type FilterableBody = 'value' | 'format' | 'summary';

/** Names of the segments after a value. */
type Names<S, V> = V extends Loose
  ? string
  : V extends readonly (infer I)[]
    ? Names<S, I>
    : V extends Ref<infer T>
      ? FieldNames<S, T>
      : V extends BodyField
        ? FilterableBody
        : V extends Leaf
          ? never
          : V extends object
            ? keyof V & string
            : never;

type FieldNames<S, T extends string> = T extends keyof S ? keyof Fields<S, T> & string : string;

/** Valid paths for the first invalid segment: its siblings, and one segment after each. */
type Suggestion<
  S,
  V,
  P extends string,
  K extends Kind,
  Before extends string = '',
> = P extends `${infer Head}.${infer Rest}`
  ? [Step<S, V, Head>] extends [never]
    ? `${Before}${PathsOfTwoSegments<S, V, K>}`
    : Suggestion<S, Step<S, V, Head>, Rest, K, `${Before}${Head}.`>
  : `${Before}${PathsOfTwoSegments<S, V, K>}`;

type PathsOfTwoSegments<S, V, K extends Kind> =
  Names<S, V> extends infer N extends string
    ? N extends string
      ? ValidPath<Step<S, V, N>, N, K> | PathsBelow<S, Step<S, V, N>, N, K>
      : never
    : never;

type PathsBelow<S, V, Before extends string, K extends Kind> =
  Names<S, V> extends infer N extends string
    ? N extends string
      ? ValidPath<Step<S, V, N>, `${Before}.${N}`, K>
      : never
    : never;

/** `P` if a value of type `V` is valid there. */
type ValidPath<V, P, K extends Kind> = {
  filter: [FilterableValue<V>] extends [never] ? never : P;
  sort: [Comparable<V>] extends [never] ? never : P;
  include: [ReferenceIn<V>] extends [never] ? never : P;
  facet: [Comparable<V> | ReferenceIn<V>] extends [never] ? never : P;
}[K];

type Kind = 'filter' | 'sort' | 'include' | 'facet';
