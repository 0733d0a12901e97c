import type { Scalar } from '../engine/ast.ts';
import type { BodyField, Fields, Loose, NumericText, Opaque, Ref } from './schema-types.ts';

/**
 * Types of dotted paths. A path is checked as it is typed, one segment at a time; the paths of a bundle are
 * never listed as a whole, so that twenty bundles full of references cost no more than two. `NoInfer` and
 * `Unwritten` keep the compiler from working out suggestions where nobody has made a mistake.
 */

/** `P` where it is a filter path of the bundle, else the paths that could stand there. */
export type FilterPath<S, B extends string, P extends string> = P extends string
  ? string extends P
    ? Unwritten<S, B>
    : [Askable<TypeAt<S, Ref<B>, P>>] extends [never]
      ? NoInfer<Suggestion<S, Ref<B>, P, 'filter'>>
      : P
  : never;

/** `P` where it is a sort path, `-path` for descending, else what could stand there. */
export type SortPath<S, B extends string, P extends string> = P extends `-${infer Q}`
  ? `-${SortablePath<S, B, Q>}`
  : SortablePath<S, B, P>;

/** `P` where it leads over references only, else the references that could stand there. */
export type IncludePath<S, B extends string, P extends string> = P extends string
  ? string extends P
    ? Unwritten<S, B>
    : [ReferenceAt<S, Ref<B>, P>] extends [never]
      ? NoInfer<Suggestion<S, Ref<B>, P, 'include'>>
      : P
  : never;

/** A path known at run time only: fine where nothing can be checked anyway. */
type Unwritten<S, B extends string> = B extends keyof S ? PathInTheCode : string;

// A text of a kind that no value has. A literal would do, but editors would offer it.
type PathInTheCode = string & { readonly [WRITTEN]: true };
declare const WRITTEN: unique symbol;

/** What the value at a filter path compares with; never for a bare reference, object or body. */
export type ComparableAt<S, B extends string, P extends string> = Comparable<TypeAt<S, Ref<B>, P>>;

/** The references a value is or holds; never where it is none. */
type ReferenceIn<V> = V extends readonly (infer I)[]
  ? ReferenceIn<I>
  : V extends Ref<string> | Loose
    ? V
    : never;

type SortablePath<S, B extends string, P extends string> = P extends string
  ? string extends P
    ? Unwritten<S, B>
    : [ComparableAt<S, B, P>] extends [never]
      ? NoInfer<Suggestion<S, Ref<B>, P, 'sort'>>
      : P
  : never;

/** A body is asked for by its properties, even for IS NULL. */
type Askable<V> = Exclude<V, BodyField | null | undefined>;

/** The type found by following `P` from a value of type `V`. */
type TypeAt<S, V, P extends string> = P extends `${infer Head}.${infer Rest}`
  ? TypeAt<S, Step<S, V, Head>, Rest>
  : Step<S, V, P>;

type ReferenceAt<S, V, P extends string> = P extends `${infer Head}.${infer Rest}`
  ? ReferenceAt<S, ReferenceIn<Step<S, V, Head>>, Rest>
  : ReferenceIn<Step<S, V, P>>;

/** One segment on. Over a list: a delta, or straight on to its items. */
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

/** Distributes over bundles: a field of any target of a polymorphic reference will do. */
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

/** What has no segments to lead on. */
type Leaf = Scalar | null | undefined | NumericText | Opaque<unknown>;

type FilterableBody = 'value' | 'format' | 'summary';

/** Segment names that lead on from a value. */
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

/** What could stand at the first segment that leads nowhere: its siblings, and one step behind each. */
type Suggestion<
  S,
  V,
  P extends string,
  K extends Kind,
  Before extends string = '',
> = P extends `${infer Head}.${infer Rest}`
  ? [Step<S, V, Head>] extends [never]
    ? `${Before}${TwoSteps<S, V, K>}`
    : Suggestion<S, Step<S, V, Head>, Rest, K, `${Before}${Head}.`>
  : `${Before}${TwoSteps<S, V, K>}`;

type TwoSteps<S, V, K extends Kind> =
  Names<S, V> extends infer N extends string
    ? N extends string
      ? Fitting<Step<S, V, N>, N, K> | Behind<S, Step<S, V, N>, N, K>
      : never
    : never;

type Behind<S, V, Before extends string, K extends Kind> =
  Names<S, V> extends infer N extends string
    ? N extends string
      ? Fitting<Step<S, V, N>, `${Before}.${N}`, K>
      : never
    : never;

/** `P` where a value of type `V` can be asked for in that way. */
type Fitting<V, P, K extends Kind> = {
  filter: [Askable<V>] extends [never] ? never : P;
  sort: [Comparable<V>] extends [never] ? never : P;
  include: [ReferenceIn<V>] extends [never] ? never : P;
}[K];

type Kind = 'filter' | 'sort' | 'include';
