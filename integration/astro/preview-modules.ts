/** What a `src/content.config.ts` imports when a preview reads it: as for its schema, but references are those of Astro. */

import { z } from 'zod';
import { OWN_LOADER } from './collection-config.ts';
import type { CollectionOptions } from './collection-entities.ts';

export * from './collection-modules.ts';

/** Source: `createReference` of Astro. */
export function reference(collection: string): z.ZodType {
  return z.union([
    z.coerce.string<string | number>().transform((id) => ({ collection, id })),
    z.object({ collection: z.literal(collection), id: z.string() }),
    z.object({ collection: z.literal(collection), slug: z.string() }),
  ]);
}

/** The loader of `astro-jsonapi/loader`. */
export function jsonapiLoader(bundle: string, options: CollectionOptions = {}): EntityLoader {
  return { name: OWN_LOADER, bundle, options };
}

export interface EntityLoader {
  readonly name: typeof OWN_LOADER;
  readonly bundle: string;
  readonly options: CollectionOptions;
}
