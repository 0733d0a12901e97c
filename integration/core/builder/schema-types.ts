import type { z } from 'zod';
import type { ReferenceField } from '../content/schema/schema.ts';
import type { JsonValue } from '../util/json.ts';
import type { Heading } from './body-headings.ts';

/**
 * The types of a schema for the build-time API: every field of every bundle, with marks for types that plain values
 * cannot express. Only this file reads zod's types, and only single members of them: comparing whole zod types takes the
 * compiler seconds per bundle.
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

/** JSON of any shape, which only IS NULL and IS NOT NULL test. */
export interface Opaque<T> {
  readonly [OPAQUE]: T;
}

/** A string that also compares with numbers: a decimal, or `created` and `changed` in Unix seconds. */
export interface NumericText {
  readonly [NUMERIC]: true;
}

/** A value of unknown type: any path continues from it, any scalar compares with it. */
export interface Loose {
  readonly [LOOSE]: true;
}

/** A value without its mark, unless it is a reference or a list. */
export type PlainValue<V> = V extends Loose
  ? JsonValue
  : V extends NumericText
    ? string
    : V extends Opaque<infer T>
      ? unknown extends T
        ? JsonValue
        : T
      : V;

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

/** A schema with the public names that option `bundles.<bundle>.fields` gives its keys. */
export type Renamed<S, Names> = {
  readonly [B in keyof S]: B extends keyof Names ? RenamedFields<Shape<S[B]>, Names[B]> : S[B];
};

type RenamedFields<F, Names> = {
  readonly [K in keyof F as PublicName<K & string> extends infer N extends keyof Names
    ? Names[N] & string
    : K]: F[K];
};

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
  /** Hidden from anonymous visitors. */
  readonly uid: string | null | undefined;
  /** Null for entities from `.json` and `.yaml` files. */
  readonly body: BodyField | null;
}

export interface BodyField {
  readonly value: string;
  readonly format: string;
  /** HTML, rendered with the site's Markdown settings. */
  readonly processed: string;
  readonly summary: string | null;
  /** The headings of the HTML that have an id, for a table of contents. */
  readonly headings: readonly Heading[];
}

/** A schema narrows only two base fields, `title` and `status`. */
type OwnName<K> = K extends Exclude<keyof BaseFields, 'title' | 'status'> ? never : PublicName<K & string>;

/** The rule of `content/field-name.ts`, for common characters. */
type PublicName<K extends string> = K extends 'type' | 'links' | 'relationships'
  ? `field_${K}`
  : K extends `${string}${Forbidden}${string}`
    ? `field_${Underscored<K>}`
    : K;

type Underscored<K extends string> = K extends `${infer Before}${Forbidden}${infer After}`
  ? `${Before}_${Underscored<After>}`
  : K;

type Forbidden = ' ' | '.' | '/' | ':' | '(' | ')';

/** A field's type from its zod type: null if it may be missing, except for lists. */
type Marked<Z> =
  Unwrapped<Z> extends Zod<infer D, unknown>
    ? D extends { readonly type: 'array'; readonly element: infer E } | ListOrItem<infer E>
      ? readonly Item<Unwrapped<E>>[]
      : Item<Unwrapped<Z>> | MissingOf<Z>
    : Loose;

/** `z.union([z.array(item), item])`: a single item is a list of one. */
interface ListOrItem<E> {
  readonly type: 'union';
  readonly options: readonly [Zod<{ readonly type: 'array'; readonly element: E }, unknown>, E];
}

/** Public names of the fields with images or lists of images. */
export type ImageFieldName<S, B extends keyof S> =
  S[B] extends InferredBundle<infer F> ? StoredFileName<F> : ImageName<Shape<S[B]>>;

type StoredFileName<F> = {
  [K in keyof F]: [Extract<F[K], StoredFile | readonly StoredFile[]>] extends [never] ? never : K;
}[keyof F];

type ImageName<F> = { [K in keyof F]: HoldsImage<F[K]> extends true ? OwnName<K> : never }[keyof F];

type HoldsImage<Z> =
  Unwrapped<Z> extends Zod<infer D, unknown>
    ? D extends { readonly type: 'array'; readonly element: infer E } | ListOrItem<infer E>
      ? IsImage<Unwrapped<E>>
      : IsImage<Unwrapped<Z>>
    : false;

type IsImage<Z> = Z extends Branded<infer Kind, unknown> ? (Kind extends 'image' ? true : false) : false;

/** Without `optional`, `nullable`, `default` and the like. The result of a transform has the kind of its input. */
type Unwrapped<Z> =
  Z extends Zod<infer D, unknown>
    ? D extends { readonly innerType: infer Inner }
      ? Unwrapped<Inner>
      : D extends { readonly type: 'pipe'; readonly in: infer In; readonly out: infer Out }
        ? Unwrapped<Out extends Zod<{ readonly type: 'transform' }, unknown> ? In : Out>
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

/** A missing optional property is not in the object. */
type AbsentOf<Z> = Z extends Zod<unknown, infer O> ? (undefined extends O ? undefined : never) : never;

/** Inside an object, references are not resolved and decimals are strings. */
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
export interface StoredFile {
  /** `value`: `public://images/x.jpg`, `content://article/a/x.jpg` or a URL; `url`: its URL, with `base`. */
  readonly uri: { readonly value: string; readonly url: string };
  readonly filename: string;
  readonly filemime: string;
  /** Bytes; null for a file of another site. */
  readonly filesize: number | null;
  /** Pixels; null for other files and unreadable images. */
  readonly width: number | null;
  readonly height: number | null;
  readonly alt: string | null;
}

/** A zod type by its definition and output type. */
interface Zod<D, O> {
  readonly _zod: { readonly def: D; readonly output: O };
}

/** The brand of `reference()`, `decimal()`, `image()` and `file()`. */
type Branded<Kind, Target> = Readonly<Record<BrandKey, { readonly kind: Kind; readonly target: Target }>>;
type BrandKey = Exclude<keyof ReferenceField<string>, keyof z.ZodType>;
