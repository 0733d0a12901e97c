import type { ResourceType } from '../entities/model.ts';
import { JSONAPI_MEDIA_TYPE } from '../jsonapi/document-types.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import type { Services } from '../jsonapi/services.ts';
import type { QueryAccess } from '../query/engine.ts';
import { componentSchemas } from './component-schemas.ts';

/** Where the description is: on a server, and as a file below the site's root too. */
export const OPENAPI_PATH = '/jsonapi/openapi.json';

/** The one operation of a path. */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  /** `get` unless said. */
  readonly method?: 'post';
  /** Of the answer; 200 unless said. */
  readonly status?: number;
  readonly parameters?: readonly JsonSchema[];
  /** Of the request's body, which is JSON. */
  readonly body?: JsonSchema;
  readonly mediaType: string;
  /** Of the answer; a name is one of the component schemas. */
  readonly schema: string | JsonSchema;
  readonly errors: 'jsonapi' | 'plain' | 'router' | 'files';
}

/** An OpenAPI 3.1 document. Source: OpenAPI Specification 3.1.1. */
export function openApiDocument(
  services: Services,
  access: QueryAccess,
  api: {
    readonly server: string;
    readonly description: string;
    readonly paths: Readonly<Record<string, Operation>>;
  },
): JsonSchema {
  const { site = { name: 'site', version: '0.0.0' } } = services.settings;
  return {
    openapi: '3.1.1',
    info: { title: `Content of ${site.name}`, version: site.version, description: api.description },
    servers: [{ url: api.server }],
    tags: [...new Set(Object.values(api.paths).map(({ tag }) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(
      Object.entries(api.paths).map(([path, operation]) => [
        path,
        { [operation.method ?? 'get']: describe(operation) },
      ]),
    ),
    components: { schemas: componentSchemas(services, access), responses: RESPONSES },
  };
}

export const ENTRY_TAG = 'entry point';

/** What is said of a type in the document: all its names begin so. */
export function tagOf(type: ResourceType): string {
  return type.name;
}

function describe(operation: Operation): JsonSchema {
  const { id, summary, tag, parameters = [], body, mediaType, schema, status = 200, errors } = operation;
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      [status]: {
        description: 'What was asked for.',
        content: {
          [mediaType]: {
            schema: typeof schema === 'string' ? { $ref: `#/components/schemas/${schema}` } : schema,
          },
        },
      },
      ...ERRORS[errors],
    },
  };
}

function response(name: string): JsonSchema {
  return { $ref: `#/components/responses/${name}` };
}

function errorResponse(description: string, mediaType: string, schema: string): JsonSchema {
  return {
    description,
    content: { [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` } } },
  };
}

const BAD_REQUEST = 'The query cannot be answered: `source.parameter` names the parameter.';
const NOT_FOUND = 'There is nothing here, or you may not see it.';
const OTHER = 'Any other error.';

const ERRORS: Readonly<Record<Operation['errors'], JsonSchema>> = {
  jsonapi: { 400: response('bad-request'), 404: response('not-found'), default: response('error') },
  plain: {
    400: response('plain-bad-request'),
    404: response('plain-not-found'),
    default: response('plain-error'),
  },
  router: { default: response('router-error') },
  files: { 404: { description: 'There is no such file; the host answers.' } },
};

const RESPONSES: JsonSchema = {
  'bad-request': errorResponse(BAD_REQUEST, JSONAPI_MEDIA_TYPE, 'error-document'),
  'not-found': errorResponse(NOT_FOUND, JSONAPI_MEDIA_TYPE, 'error-document'),
  error: errorResponse(OTHER, JSONAPI_MEDIA_TYPE, 'error-document'),
  'router-error': errorResponse(OTHER, 'application/json', 'router-error-document'),
  'plain-bad-request': errorResponse(BAD_REQUEST, 'application/json', 'plain-error-document'),
  'plain-not-found': errorResponse(NOT_FOUND, 'application/json', 'plain-error-document'),
  'plain-error': errorResponse(OTHER, 'application/json', 'plain-error-document'),
};
