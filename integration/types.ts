/** Public entry `astro-jsonapi/types`: the types of the generated declaration of `astro-jsonapi:content`. */
export type { Actor } from './access/actor.ts';
export type { As, AsOption } from './builder/as-option.ts';
export type { Heading } from './builder/body-headings.ts';
export type { EntityOf, FieldName, LooseEntity, ReferenceStub } from './builder/entity-types.ts';
export type { FacetOptions } from './builder/facet-types.ts';
export type { ContentApi } from './builder/index.ts';
export type { LanguageOption } from './builder/language-option.ts';
export type { Page, PaginatedPage, PaginateOptions } from './builder/paginate.ts';
export type { RuntimePath } from './builder/paths.ts';
export type { Expression, Expressions, QueryBuilder } from './builder/query-builder.ts';
export type { QueryPlan, Surroundings } from './builder/run-query.ts';
export type { BundleName, InferredBundle, Opaque, Ref, StoredFile } from './builder/schema-types.ts';
export type {
  CountedRange,
  CountedTarget,
  CountedTerm,
  CountedValue,
  DataDocument,
  FacetCounts,
} from './read/document-types.ts';
