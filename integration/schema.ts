/** Public entry `astro-jsonapi/schema`: what `content/schema.ts` is written with. */
export { z } from 'zod';
export type {
  BundleSchema,
  DecimalField,
  FileField,
  ImageField,
  ReferenceField,
  SchemaDefinition,
} from './core/content/schema/schema.ts';
export { decimal, defineSchema, file, image, reference, untranslated } from './core/content/schema/schema.ts';
export type { Condition, FieldMeta, LocalText } from './features/admin/field-meta.ts';
