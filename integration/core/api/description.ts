import type { Action } from '../access/role.ts';
import type { ResourceType } from '../content/model.ts';
import type { LinkBuilder, ServerLinks } from '../read/links.ts';
import type { Reader } from '../read/reader.ts';
import type { ApiSettings } from '../read/settings.ts';
import { array, type JsonSchema, object, TEXT } from './json-schema.ts';
import type { Method } from './routes.ts';

/** What OpenAPI says about routes, by name of the route. */
export type DescribeRoutes = (settings: ApiSettings) => Readonly<Record<string, RouteDescription>>;

export interface RouteDescription {
  /** For a route that is not about a resource type. One route of a tag describes it. */
  readonly tag?: { readonly name: string; readonly description?: string };
  readonly operations: { readonly [method in Method]?: DescribedOperation };
  /** The paths of a route that has several, such as one for each menu. */
  paths?(services: Reader, links: ServerLinks): readonly NamedPath[];
  /** The files of a site without a server. `path` is that of the route. */
  files?(services: Reader, links: LinkBuilder, path: string): readonly NamedPath[];
  /** The names of resource types in the addresses of a route that has its own. */
  typeNames?(services: Reader): (type: ResourceType) => string;
}

/** `operationId` and summary, in which the name of a path replaces `{…}`. */
export type Texts = readonly [id: string, summary: string];
export type DescribedOperation = { readonly texts: Texts } & (Operation | RawOperation);

export interface NamedPath {
  readonly path: string;
  readonly name: string;
  /** The tag, if it is a resource type. */
  readonly type?: string;
}

/** Parameters that many operations have. */
export type SharedParameter = 'facets' | 'filter' | 'if-match' | 'include' | 'language' | 'page' | 'sort';

/** What OpenAPI says about one method of an address. */
export interface Operation {
  readonly parameters?: readonly (JsonSchema | SharedParameter)[];
  /** Schema of the request body, which has the media type of the response. */
  readonly body?: JsonSchema;
  /** If the body is a file: `also` if it may be `body` instead. */
  readonly file?: 'only' | 'also';
  /** 200 by default. */
  readonly status?: number;
  /** Schema of the response, or the name of a component schema; null for a response without a body. */
  readonly schema: string | JsonSchema | null;
  /** Descriptions of errors other than 400, 404 and those of changes, by status. */
  readonly errors?: Readonly<Record<number, string>>;
  /** The errors of a change. Given for operations that need permission. */
  readonly refusals?: readonly ChangeError[];
  /** The permissions of which a change of content needs one. */
  readonly actions?: readonly Action[];
}

/** An operation with bodies or responses of several media types, as OpenAPI writes it. */
export interface RawOperation {
  readonly parameters?: readonly JsonSchema[];
  readonly requestBody?: JsonSchema;
  /** Default: that of an operation that visitors may use. */
  readonly security?: readonly JsonSchema[];
  readonly responses: JsonSchema;
}

export type ChangeError = 401 | 403 | 404 | 409 | 410 | 412 | 413 | 415 | 422 | 428 | 429 | 503;

/** Errors of all changes. */
export const ANY_CHANGE: readonly ChangeError[] = [401, 403, 409, 413, 415, 422, 429, 503];
/** Errors of changes to an existing resource. */
export const STORED: readonly ChangeError[] = [...ANY_CHANGE, 404, 410, 412, 428];
/** Errors of changes to an existing resource that have no body. */
export const REMOVAL: readonly ChangeError[] = STORED.filter((status) => ![413, 415, 422].includes(status));

export const READING_ERRORS = { 401: 'Sign in.', 403: 'The account does not have permission.' };
export const TOO_MANY_CLIENTS =
  'Too many clients read large responses. Try again after the seconds in `Retry-After`.';
export const OTHER_ERROR = 'Any other error.';
export const FACETS_DESCRIPTION =
  'Paths whose values are counted in `meta.facets`. With options: `facetBy[path][limit|min|sort|operator|interval|ranges]`.';

/** A reference to a component schema. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The conditions of several types. */
export const ANY_FILTER: JsonSchema = { type: 'object', additionalProperties: ref('filter-any') };

export function pathParameter(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'path', required: true, description, schema };
}

export function queryParameter(name: string, description: string, schema: JsonSchema): JsonSchema {
  return { name, in: 'query', description, schema };
}

/** A query parameter with comma-separated values. */
export function listParameter(
  name: string,
  description: string,
  schema: JsonSchema = array(TEXT),
): JsonSchema {
  return { ...queryParameter(name, description, schema), style: 'form', explode: false };
}

export function header(name: string, description: string): JsonSchema {
  return { name, in: 'header', description, schema: TEXT };
}

/** A document of JSON:API with one resource. */
export function documentOf(data: JsonSchema): JsonSchema {
  return object({ jsonapi: ref('jsonapi'), data, links: ref('links') });
}

/** A document of JSON:API with a list of resources. */
export function listOf(item: JsonSchema, meta: JsonSchema): JsonSchema {
  return object({ jsonapi: ref('jsonapi'), data: array(item), meta: object(meta), links: ref('links') });
}
