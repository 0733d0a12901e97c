import type { FieldInfo, FieldInfoOf } from '../entities/schema-types.ts';

/**
 * What the build-time API knows of a schema at type level: the type of every field of every bundle, with
 * marks where a plain value type would not say enough. Only this file looks at the schema's own types.
 */

declare const REF: unique symbol;
declare const OPAQUE: unique symbol;
declare const NUMERIC: unique symbol;
declare const LOOSE: unique symbol;

/** A reference to an entity of one of the bundles `T`, as the schema writes them. */
export interface Ref<T extends string> {
  readonly [REF]: T;
}

/** JSON of mixed shape, which can only be asked whether it is there. */
export interface Opaque<T> {
  readonly [OPAQUE]: T;
}

/** A text that also compares with numbers: a decimal, or `created` and `changed` in Unix seconds. */
export interface NumericText {
  readonly [NUMERIC]: true;
}

/** A value nothing is known of: any path leads on from it, any scalar compares with it. */
export interface Loose {
  readonly [LOOSE]: true;
}

export type BundleName<S> = keyof S & string;

/** Every field of a bundle by public name, marks in place. */
export type Fields<S, B extends keyof S> = S[B] extends { readonly fields: infer F }
  ? { readonly [K in keyof F as OwnName<K>]: Marked<FieldInfoOf<F[K]>> } & {
      readonly [K in Exclude<keyof BaseFields, OwnName<keyof F>>]: BaseFields[K];
    }
  : never;

/** Fields every entity has. */
export interface BaseFields {
  readonly id: string;
  readonly title: string;
  readonly status: boolean;
  readonly created: NumericText;
  readonly changed: NumericText;
  readonly langcode: string;
  readonly path: { readonly alias: string | null };
  /** Absent from what anonymous visitors see. */
  readonly uid: string | null | undefined;
  /** Null for entities from `.json` and `.yaml` files. */
  readonly body: BodyField | null;
}

export interface BodyField {
  readonly value: string;
  readonly format: string;
  /** HTML by the site's own markdown settings. */
  readonly processed: string;
  readonly summary: string | null;
}

/** Of the base fields, a schema narrows only `title` and `status`; the others stay what they are. */
type OwnName<K> = K extends Exclude<keyof BaseFields, 'title' | 'status'> ? never : PublicName<K & string>;

/** As `entities/field-name.ts` has it, for the characters that keys are likely to hold. */
type PublicName<K extends string> = K extends 'type' | 'links' | 'relationships'
  ? `field_${K}`
  : K extends `${string}${Forbidden}${string}`
    ? `field_${Underscored<K>}`
    : K;

type Underscored<K extends string> = K extends `${infer Before}${Forbidden}${infer After}`
  ? `${Before}_${Underscored<After>}`
  : K;

type Forbidden = ' ' | '.' | '/' | ':' | '(' | ')';

type Marked<I> = I extends FieldInfo
  ? I['list'] extends true
    ? readonly MarkedItem<I>[]
    : I['nullable'] extends true
      ? MarkedItem<I> | null
      : MarkedItem<I>
  : Loose;

type MarkedItem<I extends FieldInfo> = I['kind'] extends 'reference'
  ? Ref<I['target']>
  : I['kind'] extends 'decimal'
    ? NumericText
    : I['kind'] extends 'json'
      ? Opaque<I['item']>
      : I['item'];
