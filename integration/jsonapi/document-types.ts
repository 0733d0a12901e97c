import type { JsonValue } from '../entities/model.ts';
import type { ErrorSource } from '../errors.ts';

/** Always an object, never a bare text, as in Drupal. */
export interface Link {
  readonly href: string;
  readonly meta?: JsonObject;
}

type Links = Readonly<Record<string, Link>>;
type JsonObject = { readonly [key: string]: JsonValue };

export interface ResourceIdentifier {
  readonly type: string;
  /** `missing` where the target does not exist. */
  readonly id: string;
  readonly meta: IdentifierMeta;
}

export interface IdentifierMeta {
  /** The id of the target, under Drupal's name; absent from a missing one. */
  readonly drupal_internal__target_id?: string;
  /** Position among identifiers of the same target in one relationship. */
  readonly arity?: number;
  readonly links?: Links;
}

export interface Relationship {
  readonly data: ResourceIdentifier | readonly ResourceIdentifier[] | null;
}

export interface ResourceObject {
  readonly type: string;
  readonly id: string;
  readonly links: Links;
  readonly attributes?: JsonObject;
  readonly relationships?: Readonly<Record<string, Relationship>>;
}

/** What the actor may not see of what was asked to be included. */
export interface Omitted {
  readonly detail: string;
  readonly links: Links;
}

export interface DocumentMeta {
  /** How many entities match, whatever the page. */
  readonly count?: number;
  readonly omitted?: Omitted;
  /** Parameters sent in vain. */
  readonly ignored?: readonly string[];
}

export interface DataDocument {
  readonly jsonapi: typeof JSONAPI_MEMBER;
  readonly data: ResourceObject | readonly ResourceObject[];
  readonly included?: readonly ResourceObject[];
  readonly meta?: DocumentMeta;
  readonly links: Links;
}

/** Source: JSON:API 1.1, "Error Objects". */
export interface ErrorObject {
  readonly id?: string;
  readonly status: string;
  readonly title: string;
  readonly detail: string;
  readonly source?: ErrorSource;
}

export interface ErrorDocument {
  readonly jsonapi: typeof JSONAPI_MEMBER;
  readonly errors: readonly ErrorObject[];
}

/** The member `jsonapi` of every document. */
export const JSONAPI_MEMBER = {
  version: '1.1',
  meta: { links: { self: { href: 'https://jsonapi.org/format/1.1/' } } },
} as const;

export const JSONAPI_MEDIA_TYPE = 'application/vnd.api+json';
