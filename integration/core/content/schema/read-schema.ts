import { z } from 'zod';
import { isRecord } from '../../util/json.ts';
import { collectionsOf } from './collections.ts';
import type { BundleSchema, SchemaDefinition } from './schema.ts';

/** The default export of the schema module, checked as `defineSchema` would have, or the schema of collections. Throws an Error that lists the problems. */
export function readSchema(schema: unknown, folder: string): SchemaDefinition {
  if (collectionsOf(schema) !== undefined) return schema as SchemaDefinition;
  const result = schemaDefinition.safeParse(schema);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? `It ${message}.` : `\`${path.join('.')}\` ${message}.`,
  );
  throw new Error(
    [
      `The default export of ${folder}/schema is not a schema.`,
      ...problems,
      'Write `export default defineSchema({ article: { … } })`.',
    ].join(' '),
  );
}

const schemaDefinition = z.record(
  z.string(),
  z.unknown().transform((bundle, context): BundleSchema => {
    for (const { path, message } of bundleProblems(bundle)) {
      context.issues.push({ code: 'custom', path, message, input: bundle });
    }
    return bundle as BundleSchema;
  }),
  'needs an object of bundles by name',
);

function bundleProblems(bundle: unknown): readonly { readonly path: string[]; readonly message: string }[] {
  if (!isRecord(bundle)) return [{ path: [], message: 'needs an object of zod types by field name' }];
  if (isZodType(bundle)) {
    const { type } = bundle._zod.def;
    if (type === 'object') return [];
    return [{ path: [], message: `needs z.object({ … }), not z.${type}()` }];
  }
  if (isCollection(bundle)) return [{ path: [], message: COLLECTION }];
  return Object.entries(bundle).flatMap(([name, type]) => {
    if (isZodType(type)) return [];
    const message = isZod3Type(type)
      ? "is a type of zod 3. Import z from 'astro-jsonapi/schema', or from zod 4"
      : name === 'fields' && isRecord(type)
        ? 'is not a zod type. A bundle is the record of its fields: leave out the level `fields`'
        : 'is not a zod type';
    return [{ path: [name], message }];
  });
}

/** True for the result of Astro's `defineCollection()`, which is not a bundle with a field `schema`. */
function isCollection({ type, loader, schema, ...others }: Readonly<Record<string, unknown>>): boolean {
  if (Object.keys(others).length > 0 || isZodType(type) || isZodType(loader)) return false;
  const isSchema = isZodType(schema) && schema._zod.def.type === 'object';
  return loader !== undefined || isSchema || typeof schema === 'function';
}

const COLLECTION =
  'is a content collection, not a bundle. Write the object of its schema, or leave it in src/content.config.ts, which is read if this file does not exist';

// Not instanceof: the site may have its own copy of zod, or Astro's.
function isZodType(value: unknown): value is { readonly _zod: { readonly def: { readonly type: string } } } {
  return isRecord(value) && '_zod' in value;
}

function isZod3Type(value: unknown): boolean {
  return isRecord(value) && '_def' in value;
}
