import type { JsonValue } from '../util/json.ts';
import type { BaseFields, Fields, NumericText, PlainValue, Ref } from './schema-types.ts';

/**
 * An entity that a query returns, `EntityOf<typeof query>`; or an entity of bundle `B` of a schema: `id`, `type` (its bundle)
 * and every field. `Include` is the union of include paths, `F` of selected fields. An entity of a bundle without schema is
 * a `LooseEntity`.
 */
export type EntityOf<
  S,
  B extends string = never,
  Include extends string = never,
  F extends string = string,
> = [B] extends [never] ? ResultOf<S> : BundleEntity<S, B, Include, F>;

/** The entity type of a query builder. */
type ResultOf<Query> = Query extends { firstOrThrow(): Promise<infer Entity> } ? Entity : never;

export type BundleEntity<
  S,
  B extends string,
  Include extends string = never,
  F extends string = string,
> = B extends keyof S
  ? { readonly [K in 'id' | 'type' | Selected<keyof Fields<S, B>, F>]: Member<S, B, K, Include> }
  : LooseEntity<BundleOf<B>, F>;

/** A reference that was not included. `title` is null if the target is missing or not visible. */
export interface ReferenceStub<T extends string = string> {
  readonly type: T;
  readonly id: string;
  readonly title: string | null;
}

/** An entity of a bundle whose fields are unknown, except for base fields. Its `status` may be a string. */
export type LooseEntity<B extends string = string, F extends string = string> = {
  readonly id: string;
  readonly type: B;
} & {
  readonly [K in Exclude<Selected<keyof BaseFields, F>, 'id' | 'status'>]: BaseFields[K] extends NumericText
    ? string
    : BaseFields[K];
} & { readonly [field: string]: JsonValue };

/** Field names of an entity of bundle `B`. */
export type FieldName<S, B extends string> = B extends keyof S ? keyof Fields<S, B> & string : string;

type Selected<K, F extends string> = string extends F ? K & string : K & F;

type Member<S, B extends keyof S, K extends string, Include extends string> = K extends 'type'
  ? BundleOf<B>
  : K extends keyof Fields<S, B>
    ? ValueOf<S, Fields<S, B>[K], K extends Heads<Include> ? true : false, Tails<Include, K>>
    : never;

/** A field's value: an entity for an included reference, null if it is not visible. */
type ValueOf<S, V, Included extends boolean, Include extends string> =
  V extends Ref<infer T>
    ? Included extends true
      ? BundleEntity<S, T, Include> | null
      : ReferenceStub<BundleOf<T>>
    : V extends readonly (infer I)[]
      ? readonly Exclude<ValueOf<S, I, Included, Include>, null>[]
      : PlainValue<V>;

/** `tags` of the schema key `taxonomy_term--tags`. */
type BundleOf<Key> = Key extends `${string}--${infer B}` ? B : Key;

type Heads<Path extends string> = Path extends `${infer Head}.${string}` ? Head : Path;

type Tails<Path extends string, Head extends string> = Path extends `${Head}.${infer Rest}` ? Rest : never;
