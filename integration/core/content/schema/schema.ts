import { z } from 'zod';
import { wrappedType } from './schema-rules.ts';

/**
 * The fields of a bundle by their frontmatter keys: a record of zod types, or a `z.object()`, whose rules across fields
 * (`refine`, `superRefine`) are checked too. A base field such as `status` may be declared to narrow it.
 */
export type BundleSchema = BundleFields | z.ZodObject;
export type BundleFields = Readonly<Record<string, z.ZodType>>;

/** Bundles by name (`article`) or full resource type name (`taxonomy_term--tags`). */
export type SchemaDefinition = Readonly<Record<string, BundleSchema>>;

/**
 * The type of a schema for the compiler. Checking fields against `z.ZodType` takes an editor six times as long as against
 * `z.core.SomeType`, and reports nothing more.
 */
interface DeclaredSchema {
  readonly [bundle: string]:
    | Readonly<Record<string, z.core.SomeType>>
    | { readonly _zod: { readonly def: { readonly type: 'object' } } };
}

/**
 * Declares the content model; the default export of `content/schema.ts`. Keeps every type as precise as written.
 *
 * ```ts
 * export default defineSchema({
 *   article: { field_rating: z.int().max(5), field_author: reference('person') },
 *   event: z.object({ starts: z.iso.date(), ends: z.iso.date() }).refine(({ starts, ends }) => starts <= ends),
 * });
 * ```
 */
export function defineSchema<const Schema extends DeclaredSchema>(schema: Schema): Schema {
  return schema;
}

/** The fields of a bundle, and the zod object if it has rules across fields. */
export function bundleParts(schema: BundleSchema): {
  readonly fields: BundleFields;
  readonly rules: z.ZodObject | undefined;
} {
  if (!('_zod' in schema)) return { fields: schema, rules: undefined };
  const { shape, checks = [] } = (schema as z.ZodObject)._zod.def;
  return { fields: shape as BundleFields, rules: checks.length > 0 ? (schema as z.ZodObject) : undefined };
}

/** Points to an entity of one of the bundles. Written `jane`, `person/jane` or `{ type: person, id: jane }`. */
export function reference<const Target extends string>(
  target: Target | readonly Target[],
): ReferenceField<Target> {
  const targets: readonly string[] = typeof target === 'string' ? [target] : target;
  return branded<ReferenceField<Target>>(
    { kind: 'reference', targets },
    isWrittenReference,
    REFERENCE_MESSAGE,
  );
}

/** An image: a path relative to the entity's file or, with a leading slash, to `public/`; a URL; or `{ src, alt }`. */
export function image(): ImageField {
  return branded<ImageField>({ kind: 'image', targets: [] }, isWrittenFile, FILE_MESSAGE);
}

/** A file, written like an image. */
export function file(): FileField {
  return branded<FileField>({ kind: 'file', targets: [] }, isWrittenFile, FILE_MESSAGE);
}

/** An exact decimal number: returned as a string such as `9.26`, compared and sorted as a number. */
export function decimal(): DecimalField {
  return branded<DecimalField>({ kind: 'decimal', targets: [] }, isWrittenDecimal, DECIMAL_MESSAGE);
}

/**
 * A field whose value translations take from the source: a number, a date, a reference. Only the source file contains it.
 *
 * ```ts
 * event: { title: z.string(), starts: untranslated(z.iso.date()) }
 * ```
 */
export function untranslated<Field extends z.ZodType>(type: Field): Field {
  return type.meta({ [UNTRANSLATED]: true });
}

/** True for types from `untranslated`, and wrappers around them. */
export function isUntranslated(type: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(type)?.[UNTRANSLATED] === true) return true;
  const wrapped = wrappedType(type);
  return wrapped !== undefined && isUntranslated(wrapped);
}

const UNTRANSLATED = 'astro-jsonapi untranslated';

/** The brand of a reference, image, file or decimal; undefined for plain zod types. */
export function fieldBrandOf(type: z.core.$ZodType): FieldBrand | undefined {
  return brandSchema.safeParse(z.globalRegistry.get(type)?.[BRAND]).data;
}

/** A key in zod's registry, which all copies of zod share. `.describe()` and `.refine()` inherit its value. */
const BRAND = 'astro-jsonapi';
const brandSchema = z.object({
  kind: z.enum(['reference', 'image', 'file', 'decimal']),
  targets: z.array(z.string()).readonly(),
});
export type FieldBrand = z.infer<typeof brandSchema>;

function branded<Field extends z.ZodType>(
  brand: FieldBrand,
  accepts: (value: unknown) => boolean,
  message: string,
): Field {
  return z.custom(accepts, message).meta({ [BRAND]: brand }) as unknown as Field;
}

const writtenId = z.union([z.string().min(1), z.number()]);
/** The second form is that of Astro's collections. */
export const writtenReferenceSchema = z.union([
  z.strictObject({ type: z.string().min(1), id: writtenId }),
  z
    .strictObject({ collection: z.string().min(1), id: writtenId })
    .transform(({ collection, id }) => ({ type: collection, id })),
]);
export const writtenFileSchema = z.strictObject({ src: z.string().min(1), alt: z.string().nullish() });

const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const REFERENCE_MESSAGE = 'Expected the id of an entity, `bundle/id`, or `{ type, id }`';
const FILE_MESSAGE = 'Expected a path or `{ src, alt }`';
const DECIMAL_MESSAGE = 'Expected a decimal number such as "9.26"';

function isWrittenReference(value: unknown): boolean {
  return typeof value === 'number' || isText(value) || writtenReferenceSchema.safeParse(value).success;
}

function isWrittenFile(value: unknown): boolean {
  return isText(value) || writtenFileSchema.safeParse(value).success;
}

function isWrittenDecimal(value: unknown): boolean {
  return DECIMAL.test(String(value)) && (typeof value === 'string' || typeof value === 'number');
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

declare const FIELD: unique symbol;
/** Distinguishes these fields in types. Does not exist at run time. */
interface Branded<Kind extends FieldBrand['kind'], Target extends string = never> {
  readonly [FIELD]: { readonly kind: Kind; readonly target: Target };
}
export type WrittenReference = string | number | { readonly type: string; readonly id: string | number };
export type WrittenFile = string | { readonly src: string; readonly alt?: string | null | undefined };
export type ReferenceField<Target extends string> = z.ZodType<WrittenReference, WrittenReference> &
  Branded<'reference', Target>;
export type ImageField = z.ZodType<WrittenFile, WrittenFile> & Branded<'image'>;
export type FileField = z.ZodType<WrittenFile, WrittenFile> & Branded<'file'>;
export type DecimalField = z.ZodType<string | number, string | number> & Branded<'decimal'>;
