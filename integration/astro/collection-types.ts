import type { ImageMetadata } from 'astro';
import type { LooseEntity } from '../core/builder/entity-types.ts';
import type { Fields, ImageFieldName, PlainValue, Ref } from '../core/builder/schema-types.ts';
import type { JsonValue } from '../core/util/json.ts';
import type { ImageValue, PropsOfImage } from './image-props.ts';

/** Properties of Astro's `<Image>` for an image field. */
export type ImageProps = PropsOfImage<ImageMetadata>;

/** `imageOf` of `astro-jsonapi:images`. */
export interface ImageOf {
  (value: ImageValue): Promise<ImageProps>;
  (value: ImageValue | null | undefined): Promise<ImageProps | undefined>;
}

/**
 * `data` of an entry of bundle `B` of schema `S`: every field but `body`, and the body's `summary`. `C` has the names
 * of collections that differ from their bundle, by bundle.
 */
export type CollectionData<S, B extends string, C = unknown> = B extends keyof S
  ? {
      readonly [K in Exclude<keyof Fields<S, B>, 'body' | 'id'>]: K extends ImageFieldName<S, B>
        ? Image<Fields<S, B>[K]>
        : Value<Fields<S, B>[K], C>;
    } & Summary<Fields<S, B>>
  : Omit<LooseEntity<B>, 'id' | 'type' | 'body'> & { readonly [field: string]: JsonValue };

/** Missing for entities from `.json` and `.yaml` files. */
type Summary<F> = 'summary' extends keyof F ? unknown : { readonly summary?: string | null };

type Image<V> = V extends readonly unknown[] ? readonly ImageProps[] : ImageProps | Extract<V, null>;

type Value<V, C> =
  V extends Ref<infer T>
    ? Target<T, C> | null
    : V extends readonly (infer I)[]
      ? Exclude<Value<I, C>, null>[]
      : PlainValue<V>;

/** A reference for `getEntry`. Its `collection` distinguishes the bundles of a union. */
type Target<T extends string, C> = T extends string
  ? { readonly collection: CollectionName<T, C>; readonly id: string }
  : never;

type CollectionName<T extends string, C> = T extends keyof C
  ? C[T]
  : T extends `${string}--${infer B}`
    ? B extends keyof C
      ? C[B]
      : B
    : T;
