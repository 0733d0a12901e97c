import { z } from 'zod';
import { FACET_OPERATORS, FACET_SORTS } from '../../core/engine/ast.ts';
import { DEFAULT_LIMITS } from '../../core/engine/limits.ts';
import { BOOLEAN, BUNDLE_NAME, QUERY_NAME, wholeNumber } from '../../core/options/fields.ts';
import type { OptionFields } from '../../core/options/options.ts';
import type { IndexFacetOptions } from '../../core/read/settings.ts';

declare module '../../core/options/options.ts' {
  interface JsonapiOptions {
    /**
     * What only Drupal's clients use: `/router`, `/subrequests`, `/session/token`, `/oauth/token`, `menu_items`, Drupal's
     * addresses of edit forms, and `drupal_internal__target_id`. Default: `true`.
     */
    readonly drupal?: boolean | undefined;
    /** Search indexes by name, at `/jsonapi/index/{name}`: bundles, searched fields and facets. Default: `{}`. */
    readonly indexes?: Readonly<Record<string, IndexOptions>> | undefined;
  }
  interface Options {
    drupal: boolean;
    indexes: Readonly<Record<string, z.output<typeof indexSchema>>>;
  }
}

export interface IndexOptions {
  /** Bundles whose entities are in the index. */
  readonly bundles: readonly string[];
  /** Fields that a search reads, such as `['title', 'body']`. Default: all searchable fields. */
  readonly search?: readonly string[] | undefined;
  /** Facets by path, such as `{ field_tags: { label: 'Subject' } }`. Default: `{}`. */
  readonly facets?: Readonly<Record<string, IndexFacetOptions>> | undefined;
}

const indexSchema = z
  .strictObject({
    bundles: z.array(z.string().regex(BUNDLE_NAME)).min(1).describe("a list of bundles, such as ['article']"),
    search: z
      .array(z.string().min(1))
      .min(1)
      .describe("a list of fields, such as ['title', 'body']")
      .optional(),
    facets: z
      .record(
        z.string().min(1),
        z
          .strictObject({
            label: z.string().min(1).describe('a text').optional(),
            limit: wholeNumber(1, DEFAULT_LIMITS.facetTerms).optional(),
            min: wholeNumber(1, 1_000_000).optional(),
            sort: z.enum(FACET_SORTS).describe("'count' or 'value'").optional(),
            operator: z.enum(FACET_OPERATORS).describe("'and' or 'or'").optional(),
          })
          .describe('{ label, limit, min, sort, operator }'),
      )
      .describe("facets by path, such as { field_tags: { label: 'Subject' } }")
      .default({}),
  })
  .describe('{ bundles, search, facets }');

export const DRUPAL_OPTIONS = {
  drupal: BOOLEAN.default(true),
  indexes: z
    .record(z.string().regex(QUERY_NAME), indexSchema)
    .describe("search indexes by name, such as { articles: { bundles: ['article'] } }")
    .default({}),
} satisfies OptionFields<'drupal' | 'indexes'>;
