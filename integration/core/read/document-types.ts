import type { Scalar } from '../engine/ast.ts';
import type { ErrorSource } from '../util/errors.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** Always an object, never a string, as in Drupal. */
export interface Link {
  readonly href: string;
  /** Media type of the target. */
  readonly type?: string;
  readonly meta?: JsonObject;
}

type Links = Readonly<Record<string, Link>>;

export interface ResourceIdentifier {
  readonly type: string;
  /** `missing` if the target does not exist. */
  readonly id: string;
  readonly meta?: IdentifierMeta;
}

export interface IdentifierMeta {
  /** The id of the target, under Drupal's name; absent if it is missing. */
  readonly drupal_internal__target_id?: string;
  /** Of an image. */
  readonly alt?: JsonValue;
  readonly title?: null;
  readonly width?: JsonValue;
  readonly height?: JsonValue;
  /** Of another file. */
  readonly display?: true;
  readonly description?: JsonValue;
  /** The position among identifiers of the same target. */
  readonly arity?: number;
  readonly links?: Links;
}

/** The targets of a relationship: a list, or a single one or null. */
export type Linkage = ResourceIdentifier | readonly ResourceIdentifier[] | null;

export interface Relationship {
  readonly data: Linkage;
  /** `related` and `self`; absent if these documents do not exist. */
  readonly links?: Links;
}

export interface ResourceObject {
  readonly type: string;
  readonly id: string;
  readonly links: Links;
  readonly meta: ResourceMeta;
  readonly attributes?: JsonObject;
  readonly relationships?: Readonly<Record<string, Relationship>>;
}

export interface ResourceMeta {
  /** A tag of the fields that this actor may see: the `ETag` of a GET without a query. */
  readonly revision: string;
  /** The commit of a past version. */
  readonly version?: string | undefined;
  /** Present if the actor may see the entity in several languages. */
  readonly translations?: TranslationLinks | undefined;
}

/** By langcode. */
export type TranslationLinks = Readonly<
  Record<string, { readonly href: string; readonly status: boolean; readonly outdated?: true }>
>;

/** A menu item. It has no URL, as in Drupal. */
export interface MenuItemObject {
  readonly type: string;
  readonly id: string;
  readonly attributes?: JsonObject;
}

/** Requested resources that the actor may not see. */
export interface Omitted {
  readonly detail: string;
  readonly links: Links;
}

export interface DocumentMeta {
  /** The number of matching entities on all pages. */
  readonly count?: number;
  /** By path; a list in a search index. */
  readonly facets?: Readonly<Record<string, FacetCounts>> | readonly IndexFacet[];
  readonly omitted?: Omitted;
  /** Of a list with a tolerant search that asks for it. */
  readonly search?: readonly SearchedWord[];
  readonly highlights?: readonly Highlight[];
  readonly completions?: readonly string[];
  /** Ignored parameters. */
  readonly ignored?: readonly string[];
  /** `me`, in the entry point for a signed-in actor. */
  readonly links?: Links;
  /** Of pages between cursors. `rangeTruncated` if the range between two cursors has more resources. */
  readonly page?: { readonly total: number; readonly rangeTruncated?: true };
}

/** What a tolerant search has found in the entities of a page. */
export interface SearchMeta {
  readonly search: readonly SearchedWord[];
  /** One for each entity, in the order of the page. */
  readonly highlights: readonly Highlight[];
}

/**
 * A searched word in lower case, and its matches on the page: the word in any form, or up to three other words. Stop words are
 * ignored.
 */
export interface SearchedWord {
  readonly word: string;
  readonly match: 'exact' | 'replaced' | 'completed' | 'corrected' | 'none' | 'ignored';
  /** The most frequent words that are shown for it. Present if it was replaced, completed or corrected. */
  readonly as?: readonly string[];
}

/** A text that readers see, never HTML, and its matches: start and end in UTF-16 code units. */
export interface Passage {
  readonly text: string;
  readonly ranges: readonly (readonly [start: number, end: number])[];
}

/** The passages of an entity with the searched words. */
export interface Highlight {
  readonly type: string;
  readonly id: string;
  /** The best passage of each field with a match. */
  readonly fields: Readonly<Record<string, Passage>>;
  /** The best passage outside of the title, and the heading above it. */
  readonly excerpt?: Passage & { readonly field: string; readonly heading?: MatchedHeading };
  /** The best passages below headings of the body. */
  readonly sections: readonly (Passage & { readonly heading: MatchedHeading })[];
}

/** A heading of a body. `slug` is its `id`, for a link. */
export type MatchedHeading = Passage & { readonly slug: string };

/** The counts of a facet: `meta.facets` has one by path, and so has the result of `facets()` at build time. */
export interface FacetCounts<Term = CountedTerm> {
  readonly terms: readonly Term[];
  /** The number of terms without the limit. */
  readonly total: number;
  /** Matching entities without a value. */
  readonly missing: number;
}

/** A facet of a search index. Source: Drupal's module jsonapi_search_api_facets. */
export interface IndexFacet {
  readonly id: string;
  readonly label: string;
  readonly path: string;
  readonly terms: readonly {
    /** The query with this term added or removed. */
    readonly url: string;
    readonly values: {
      readonly value: string;
      readonly label: string;
      readonly active: boolean;
      readonly count: number;
    };
  }[];
}

export type CountedTerm = CountedValue | CountedTarget | CountedRange;

export interface CountedValue<V = Scalar> {
  readonly value: V;
  readonly count: number;
}

/** A target of a reference. */
export interface CountedTarget {
  /** Its id. */
  readonly value: string;
  /** Its resource type. */
  readonly type: string;
  /** Its title, or its id if the actor may not see a title. */
  readonly label: string;
  readonly count: number;
}

/** Values from one boundary to the next, which is not included; null for an open end. */
export interface CountedRange<V = Scalar> {
  readonly from: V | null;
  readonly to: V | null;
  readonly count: number;
}

/** Resources, the targets of a relationship, or menu items. */
export type PrimaryData = ResourceObject | readonly ResourceObject[] | Linkage | readonly MenuItemObject[];

export interface DataDocument<Data extends PrimaryData = PrimaryData> {
  readonly jsonapi: JsonApiMember;
  readonly data: Data;
  readonly included?: readonly ResourceObject[];
  readonly meta?: DocumentMeta;
  /** In pages between cursors, `prev` and `next` are null at the ends of the list. */
  readonly links: Links;
}

/** The methods and fields that a URL accepts. */
export interface OptionsDocument {
  readonly jsonapi: typeof JSONAPI_MEMBER;
  readonly meta: {
    readonly allow: readonly string[];
    /** Fields that the actor may change; absent unless the URL is one of resources. */
    readonly attributes?: readonly string[];
    readonly relationships?: readonly string[];
    /** Languages into which the actor may translate the resource; absent on sites with one language. */
    readonly translatable?: readonly string[];
    /** Values for `resourceVersion`, the newest first; absent if the actor might not see all of them. */
    readonly versions?: readonly OfferedVersion[];
  };
}

export interface OfferedVersion {
  /** `id:<commit>`. */
  readonly version: string;
  /** The time of the commit: RFC 3339, UTC. */
  readonly changed: string;
  /** The name of the commit's author. */
  readonly author: string;
  /** The first line of the commit's message. */
  readonly message: string;
}

/** Source: JSON:API 1.1, "Error Objects". */
export interface ErrorObject {
  readonly id?: string;
  readonly status: string;
  readonly title: string;
  readonly detail: string;
  readonly source?: ErrorSource;
  readonly code?: string;
  readonly links?: { readonly type: Link };
  readonly meta?: JsonObject;
}

export interface ErrorDocument {
  readonly jsonapi: typeof JSONAPI_MEMBER;
  readonly errors: readonly ErrorObject[];
}

/** The member `jsonapi` of each document. */
export const JSONAPI_MEMBER = {
  version: '1.1',
  meta: { links: { self: { href: 'https://jsonapi.org/format/1.1/' } } },
} as const;

export interface JsonApiMember {
  readonly version: '1.1';
  /** The URIs of the profiles that are applied. */
  readonly profile?: readonly string[];
  readonly meta: JsonObject;
}

export const JSONAPI_MEDIA_TYPE = 'application/vnd.api+json';
/** The URI of the extension of JSON:API for several changes in one request. */
export const ATOMIC_EXTENSION = 'https://jsonapi.org/ext/atomic';
export const ATOMIC_MEDIA_TYPE = `${JSONAPI_MEDIA_TYPE};ext="${ATOMIC_EXTENSION}"`;
/** The media type of an uploaded file. Source: Drupal, "File uploads" of JSON:API. */
export const FILE_MEDIA_TYPE = 'application/octet-stream';
export const SCHEMA_MEDIA_TYPE = 'application/schema+json';

/** Without a parameter, because next-drupal reads only errors of exactly this type. */
export const JSON_MEDIA_TYPE = 'application/json';
