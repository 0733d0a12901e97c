/** Public entry `astro-jsonapi/types`: the types of the generated declaration of `astro-jsonapi:content`. */
export type { Actor } from './core/access/actor.ts';
export type { As, AsOption } from './core/builder/as-option.ts';
export type { Heading } from './core/builder/body-headings.ts';
export type { EntityOf, FieldName, LooseEntity, ReferenceStub } from './core/builder/entity-types.ts';
export type { FacetOptions } from './core/builder/facet-types.ts';
export type { ContentApi } from './core/builder/index.ts';
export type { LanguageOption } from './core/builder/language-option.ts';
export type { Page, PaginatedPage, PaginateOptions } from './core/builder/paginate.ts';
export type { RuntimePath } from './core/builder/paths.ts';
export type { Expression, Expressions, QueryBuilder } from './core/builder/query-builder.ts';
export type { QueryPlan, Surroundings } from './core/builder/run-query.ts';
export type {
  BundleName,
  InferredBundle,
  Opaque,
  Ref,
  Renamed,
  StoredFile,
} from './core/builder/schema-types.ts';
export type {
  CountedRange,
  CountedTarget,
  CountedTerm,
  CountedValue,
  DataDocument,
  FacetCounts,
} from './core/read/document-types.ts';

declare global {
  namespace AstroJsonapi {
    /**
     * The site. Its generated types add `lang`, the languages of the site, `schema`, its bundles, and `bundles`, the names of
     * those that the schema does not describe.
     */
    interface Site {}
  }
}

type Site = AstroJsonapi.Site;

export type SiteLanguage = Site extends { readonly lang: infer L extends string } ? L : string;

export type SiteSchema = Site extends { readonly schema: infer S } ? S : Record<never, never>;

/** Bundles that `SiteSchema` does not describe. */
export type SiteBundle = Site extends { readonly bundles: infer B extends string }
  ? B
  : [keyof SiteSchema] extends [never]
    ? string
    : never;
