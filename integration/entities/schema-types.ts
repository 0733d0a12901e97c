import type { z } from 'zod';
import type { FieldKind, JsonValue } from './model.ts';
import type { DecimalField, FileField, ImageField, ReferenceField, SchemaDefinition } from './schema.ts';

/** Full resource type name of a bundle as a schema names it: `article` → `node--article`. */
export type ResourceTypeName<Name extends string> = Name extends `${string}--${string}`
  ? Name
  : `node--${Name}`;

/** Names of the fields that a schema declares for a bundle. */
export type FieldNames<
  Schema extends SchemaDefinition,
  Bundle extends keyof Schema,
> = keyof Schema[Bundle]['fields'] & string;

/** A field of a schema, as types see it: the same as `FieldDefinition` says at run time. */
export interface FieldInfo {
  readonly kind: FieldKind;
  readonly list: boolean;
  readonly nullable: boolean;
  /** Bundles as written in `reference()`; never for other kinds. */
  readonly target: string;
  /** One item in canonical form, as an entity holds it. */
  readonly item: unknown;
}

/** Looks through `optional`, `nullable`, `default` and the like, and through one array. */
export type FieldInfoOf<Type> = Describe<Unwrap<Type>, IsNullable<Type>>;

/** A field's canonical value. A single field without a value is null; a list is never null. */
export type FieldValueOf<Type> =
  FieldInfoOf<Type> extends infer Info extends FieldInfo
    ? Info['list'] extends true
      ? readonly Info['item'][]
      : Info['nullable'] extends true
        ? Info['item'] | null
        : Info['item']
    : never;

type Wrapper<Inner> =
  | z.ZodOptional<Inner & z.core.SomeType>
  | z.ZodNullable<Inner & z.core.SomeType>
  | z.ZodDefault<Inner & z.core.SomeType>
  | z.ZodPrefault<Inner & z.core.SomeType>
  | z.ZodNonOptional<Inner & z.core.SomeType>
  | z.ZodReadonly<Inner & z.core.SomeType>
  | z.ZodCatch<Inner & z.core.SomeType>;

type Unwrap<Type> = Type extends Wrapper<infer Inner> ? Unwrap<Inner> : Type;

type IsNullable<Type> =
  Type extends z.ZodType<infer Output>
    ? null extends Output
      ? true
      : undefined extends Output
        ? true
        : false
    : true;

type Describe<Type, Nullable extends boolean> =
  Type extends z.ZodArray<infer Item>
    ? Unwrap<Item> extends z.ZodArray
      ? Field<'json', JsonValue, Nullable>
      : Describe<Unwrap<Item>, Nullable> extends infer Info extends FieldInfo
        ? Omit<Info, 'list'> & { readonly list: true }
        : never
    : Type extends ReferenceField<infer Target>
      ? Field<'reference', { readonly type: ResourceTypeName<Target>; readonly id: string }, Nullable, Target>
      : Type extends ImageField
        ? Field<'image', StoredFileValue, Nullable>
        : Type extends FileField
          ? Field<'file', StoredFileValue, Nullable>
          : Type extends DecimalField
            ? Field<'decimal', string, Nullable>
            : DescribePlain<Type, Nullable>;

type DescribePlain<Type, Nullable extends boolean> = Type extends z.ZodISODate
  ? Field<'date', string, Nullable>
  : Type extends z.ZodISODateTime | z.ZodDate
    ? Field<'datetime', string, Nullable>
    : Type extends z.ZodNumberFormat
      ? Field<'integer', number, Nullable>
      : Type extends z.ZodNumber
        ? Field<'number', number, Nullable>
        : Type extends z.ZodBoolean
          ? Field<'boolean', boolean, Nullable>
          : Type extends z.ZodObject<infer Shape>
            ? Field<'object', { readonly [Key in keyof Shape]: FieldValueOf<Shape[Key]> }, Nullable>
            : Type extends z.ZodType<infer Output>
              ? DescribeOutput<Output, Nullable>
              : never;

/** Enumerations, literals, formats such as e-mail, and whatever else comes out as text or a number. */
type DescribeOutput<Output, Nullable extends boolean> = [Output] extends [string]
  ? Field<'string', Output, Nullable>
  : [Output] extends [number]
    ? Field<'number', Output, Nullable>
    : [Output] extends [boolean]
      ? Field<'boolean', Output, Nullable>
      : Field<'json', Output, Nullable>;

interface Field<Kind extends FieldKind, Item, Nullable extends boolean, Target extends string = never> {
  readonly kind: Kind;
  readonly list: false;
  readonly nullable: Nullable;
  readonly target: Target;
  readonly item: Item;
}

interface StoredFileValue {
  /** Storage key, path below `public/` with its leading slash, or URL. */
  readonly src: string;
  readonly alt: string | null;
}
