import { z } from 'zod';
import type { SchemaDefinition } from './schema.ts';

/** The schema module's default export, checked as far as `defineSchema` would have. */
export function readSchema(schema: unknown, folder: string): SchemaDefinition {
  const result = schemaDefinition.safeParse(schema);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message }) => `  ${path.join('.') || 'export default'}: ${message}`,
  );
  throw new Error(
    [
      `The default export of ${folder}/schema is not a schema:`,
      ...problems,
      'Write `export default defineSchema({ article: { fields: { … } } })`.',
    ].join('\n'),
  );
}

const schemaDefinition = z.record(
  z.string(),
  z.object(
    {
      fields: z.record(
        z.string(),
        z.custom<z.ZodType>((value) => isZodType(value), 'is not a zod type'),
        'needs an object of zod types by field name',
      ),
    },
    'needs { fields: { … } }',
  ),
  'needs an object of bundles by name',
);

// Zod may be there twice, so that instanceof would not do.
function isZodType(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}
