import type { z } from 'zod';
import type { ReferenceField } from '../content/schema/schema.ts';

/**
 * What the build-time API knows of a schema at type level: the type of every field of every bundle, with
 * marks where a plain value type would not say enough. Only this file looks at the schema's own types, and
 * only at single members of them: comparing whole zod types takes the compiler seconds a bundle.
 */

declare const REF: unique symbol;
declare const OPAQUE: unique symbol;
declare const NUMERIC: unique symbol;
declare const LOOSE: unique symbol;
declare const INFERRED: unique symbol;

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

/** Every field of a bundle by public name, with marks. */
export type Fields<S, B extends keyof S> =
  S[B] extends InferredBundle<infer F> ? F & Omit<BaseFields, keyof F> : DeclaredFields<Shape<S[B]>>;

type DeclaredFields<F> = { readonly [K in keyof F as OwnName<K>]: Marked<F[K]> } & {
  readonly [K in Exclude<keyof BaseFields, OwnName<keyof F>>]: BaseFields[K];
};

/** The zod types of a bundle by key: the bundle itself, or the shape of its zod object. */
type Shape<Bundle> = Bundle extends {
  readonly _zod: { readonly def: { readonly type: 'object'; readonly shape: infer F } };
}
  ? F
  : Bundle;

/** A bundle without a schema: its fields by public name, with marks, inferred from the files. */
export interface InferredBundle<F> {
  readonly [INFERRED]: F;
}

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

/** As `content/field-name.ts` has it, for the characters that keys are likely to hold. */
type PublicName<K extends string> = K extends 'type' | 'links' | 'relationships'
  ? `field_${K}`
  : K extends `${string}${Forbidden}${string}`
    ? `field_${Underscored<K>}`
    : K;

type Underscored<K extends string> = K extends `${infer Before}${Forbidden}${infer After}`
  ? `${Before}_${Underscored<After>}`
  : K;

type Forbidden = ' ' | '.' | '/' | ':' | '(' | ')';

/** A field's type from its zod type: null where it may be missing, though never for a list. */
type Marked<Z> =
  Unwrapped<Z> extends Zod<infer D, unknown>
    ? D extends { readonly type: 'array'; readonly element: infer E } | ListOrItem<infer E>
      ? readonly Item<Unwrapped<E>>[]
      : Item<Unwrapped<Z>> | MissingOf<Z>
    : Loose;

/** `z.union([z.array(item), item])`: what is written without brackets is a list of one. */
interface ListOrItem<E> {
  readonly type: 'union';
  readonly options: readonly [Zod<{ readonly type: 'array'; readonly element: E }, unknown>, E];
}

/** Public names of the fields that hold images, or lists of them. */
export type ImageFieldName<S, B extends keyof S> =
  S[B] extends InferredBundle<unknown> ? never : ImageName<Shape<S[B]>>;

type ImageName<F> = { [K in keyof F]: HoldsImage<F[K]> extends true ? OwnName<K> : never }[keyof F];

type HoldsImage<Z> =
  Unwrapped<Z> extends Zod<infer D, unknown>
    ? D extends { readonly type: 'array'; readonly element: infer E } | ListOrItem<infer E>
      ? IsImage<Unwrapped<E>>
      : IsImage<Unwrapped<Z>>
    : false;

type IsImage<Z> = Z extends Branded<infer Kind, unknown> ? (Kind extends 'image' ? true : false) : false;

/** Without `optional`, `nullable`, `default` and the like. A pipe is what goes in, as it is for the store. */
type Unwrapped<Z> =
  Z extends Zod<infer D, unknown>
    ? D extends { readonly innerType: infer Inner }
      ? Unwrapped<Inner>
      : D extends { readonly type: 'pipe'; readonly in: infer In }
        ? Unwrapped<In>
        : Z
    : Z;

type MissingOf<Z> =
  Z extends Zod<unknown, infer O> ? (null extends O ? null : undefined extends O ? null : never) : null;

type Item<Z> =
  Z extends Branded<infer Kind, infer Target extends string>
    ? Kind extends 'reference'
      ? Ref<Target>
      : Kind extends 'decimal'
        ? NumericText
        : StoredFile
    : Z extends Zod<infer D, infer O>
      ? D extends { readonly type: 'object'; readonly shape: infer Shape }
        ? { readonly [K in keyof Shape]: Property<Marked<Shape[K]>> | AbsentOf<Shape[K]> }
        : D extends { readonly type: 'date' }
          ? string
          : Plain<Exclude<O, null | undefined>>
      : Loose;

type Plain<V> = [V] extends [string] | [number] | [boolean] ? V : Opaque<V>;

/** An optional property that was not written is not in the object. */
type AbsentOf<Z> = Z extends Zod<unknown, infer O> ? (undefined extends O ? undefined : never) : never;

/** Inside an object, references are not followed and decimals are text. */
type Property<V> =
  V extends Ref<string>
    ? { readonly type: string; readonly id: string }
    : V extends NumericText
      ? string
      : V extends Opaque<infer T>
        ? T
        : V extends readonly (infer I)[]
          ? readonly Property<I>[]
          : V;

/** An image or a file. */
interface StoredFile {
  /** `value`: `public://images/x.jpg`, `content://article/a/x.jpg` or a URL; `url`: where it is, `base` included. */
  readonly uri: { readonly value: string; readonly url: string };
  readonly filename: string;
  readonly filemime: string;
  /** Bytes; null for a file of another site. */
  readonly filesize: number | null;
  /** Pixels; null for what is no image, or cannot be measured. */
  readonly width: number | null;
  readonly height: number | null;
  readonly alt: string | null;
}

/** A zod type by what it is defined with and what it puts out. */
interface Zod<D, O> {
  readonly _zod: { readonly def: D; readonly output: O };
}

/** What `reference()`, `decimal()`, `image()` and `file()` add to a zod type. */
type Branded<Kind, Target> = Readonly<Record<BrandKey, { readonly kind: Kind; readonly target: Target }>>;
type BrandKey = Exclude<keyof ReferenceField<string>, keyof z.ZodType>;
