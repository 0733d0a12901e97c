import type { ErrorSource } from '../util/errors.ts';
import type { JsonValue } from '../util/json.ts';

/** Always an object, never a bare text, as in Drupal. */
export interface Link {
  readonly href: string;
  /** Media type of what is there. */
  readonly type?: string;
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

/** What a relationship points to: one, none, or a list. */
export type Linkage = ResourceIdentifier | readonly ResourceIdentifier[] | null;

export interface Relationship {
  readonly data: Linkage;
  /** `related` and `self`; absent where there are no such documents. */
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
  /** Tag of what this actor may see of the entity; its plain GET has it as `ETag`. */
  readonly revision: string;
  /** Of a past version: whole hash of the commit that made it so. */
  readonly version?: string;
}

/** An item of a menu: it has no address, as in Drupal. */
export interface MenuItemObject {
  readonly type: string;
  readonly id: string;
  readonly attributes?: JsonObject;
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
  /** Of the entry point: `me`, where somebody is signed in. */
  readonly links?: Links;
}

/** Resources, what a relationship points to, or the items of a menu. */
export type PrimaryData = ResourceObject | readonly ResourceObject[] | Linkage | readonly MenuItemObject[];

export interface DataDocument<Data extends PrimaryData = PrimaryData> {
  readonly jsonapi: typeof JSONAPI_MEMBER;
  readonly data: Data;
  readonly included?: readonly ResourceObject[];
  readonly meta?: DocumentMeta;
  readonly links: Links;
}

/** What an address takes. */
export interface OptionsDocument {
  readonly jsonapi: typeof JSONAPI_MEMBER;
  readonly meta: {
    readonly allow: readonly string[];
    /** Names of fields that the actor may change; absent where the address is not of resources. */
    readonly attributes?: readonly string[];
    readonly relationships?: readonly string[];
    /** What `resourceVersion` may name, the newest first; absent where the actor might not see all of them. */
    readonly versions?: readonly OfferedVersion[];
  };
}

export interface OfferedVersion {
  /** `id:<commit>`. */
  readonly version: string;
  /** When it was committed: RFC 3339, UTC. */
  readonly changed: string;
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
/** Of the bytes of a file that is uploaded. Source: Drupal, "File uploads" of JSON:API. */
export const FILE_MEDIA_TYPE = 'application/octet-stream';
export const SCHEMA_MEDIA_TYPE = 'application/schema+json';

/** Without a parameter: next-drupal reads errors of exactly this type. */
export const JSON_MEDIA_TYPE = 'application/json';
