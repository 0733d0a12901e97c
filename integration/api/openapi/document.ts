import type { ResourceType } from '../../content/model.ts';
import type { QueryAccess } from '../../engine/engine.ts';
import { FILE_MEDIA_TYPE, JSONAPI_MEDIA_TYPE } from '../../read/document-types.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import type { Services } from '../services.ts';
import { componentSchemas } from './component-schemas.ts';
import { acceptedResponse } from './describe-jobs.ts';
import { errorResponse, responseRef } from './error-response.ts';
import type { Operation, PathItem } from './parameters.ts';
import { CREATED_HEADERS, REFUSALS, refusalResponses, SECURITY, SECURITY_SCHEMES } from './refusals.ts';
import { writeSchemas } from './write-schemas.ts';

/** Paths that are only read. */
export function readPaths(
  operations: Readonly<Record<string, Operation>>,
): Readonly<Record<string, PathItem>> {
  return Object.fromEntries(Object.entries(operations).map(([path, get]) => [path, { get }]));
}

/** An OpenAPI 3.1 document. Source: OpenAPI Specification 3.1.1. */
export function openApiDocument(
  services: Services,
  access: QueryAccess,
  api: {
    readonly server: string;
    readonly description: string;
    readonly paths: Readonly<Record<string, PathItem>>;
    /** Path items that are written already, and what they belong to. */
    readonly written?: WrittenPaths | undefined;
  },
): JsonSchema {
  const operations = Object.values(api.paths).flatMap((item) => Object.values(item));
  const isAcknowledged = services.commits?.acknowledge === 'commit';
  const changes = operations.some(({ refusals }) => refusals !== undefined);
  const { written } = api;
  const tags = [...operations.map(({ tag }) => tag), ...(written === undefined ? [] : [written.tag])];
  const { site = { name: 'site', version: '0.0.0' } } = services.settings;
  return {
    openapi: '3.1.1',
    info: { title: `Content of ${site.name}`, version: site.version, description: api.description },
    servers: [{ url: api.server }],
    tags: [...new Set(tags)].map((name) => ({ name })),
    paths: {
      ...Object.fromEntries(
        Object.entries(api.paths).map(([path, item]) => [
          path,
          Object.fromEntries(
            Object.entries(item).map(([method, operation]) => [method, describe(operation, isAcknowledged)]),
          ),
        ]),
      ),
      ...written?.paths,
    },
    components: {
      schemas: {
        ...componentSchemas(services, access),
        ...(changes && writeSchemas(services, access)),
        ...written?.schemas,
      },
      responses: { ...RESPONSES, ...(changes && REFUSALS) },
      ...((changes || written !== undefined) && { securitySchemes: SECURITY_SCHEMES }),
    },
  };
}

/** Path items as OpenAPI has them, with the schemas that they refer to. */
export interface WrittenPaths {
  readonly tag: string;
  readonly paths: Readonly<Record<string, JsonSchema>>;
  readonly schemas: JsonSchema;
}

export const ENTRY_TAG = 'entry point';

/** What is said of a type in the document: all its names begin so. */
export function tagOf(type: ResourceType): string {
  return type.name;
}

function describe(operation: Operation, isAcknowledged: boolean): JsonSchema {
  const { id, summary, tag, parameters = [], body, mediaType, schema, status = 200 } = operation;
  const { errors, otherErrors = {}, refusals, takesFile } = operation;
  const content = {
    ...(body && { [mediaType]: { schema: body } }),
    // Bytes have no schema. Source: OpenAPI Specification 3.1.1, "Considerations for File Uploads".
    ...(takesFile && { [FILE_MEDIA_TYPE]: {} }),
  };
  return {
    operationId: id,
    summary,
    tags: [tag],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(Object.keys(content).length > 0 && { requestBody: { required: true, content } }),
    ...(refusals && { security: SECURITY }),
    responses: {
      [status]: {
        description: DESCRIPTIONS[status] ?? 'What was asked for.',
        ...(status === 201 && { headers: CREATED_HEADERS }),
        ...(schema !== null && {
          content: {
            [mediaType]: {
              schema: typeof schema === 'string' ? { $ref: `#/components/schemas/${schema}` } : schema,
            },
          },
        }),
      },
      ...(refusals && isAcknowledged && { 202: acceptedResponse(operation) }),
      ...ERRORS[errors],
      ...Object.fromEntries(
        Object.entries(otherErrors).map(([other, meaning]) => [
          other,
          errorResponse(meaning, ...ERROR_DOCUMENTS[errors]),
        ]),
      ),
      ...(refusals && refusalResponses(errors === 'plain' ? 'plain-' : '', refusals)),
    },
  };
}

const DESCRIPTIONS: Readonly<Record<number, string>> = {
  201: 'It is as was asked for, and stored.',
  204: 'It is done.',
};

const BAD_REQUEST = 'The query cannot be answered: `source.parameter` names the parameter.';
const NOT_FOUND = 'There is nothing here, or you may not see it.';
const OTHER = 'Any other error.';

const ERRORS: Readonly<Record<Operation['errors'], JsonSchema>> = {
  jsonapi: { 400: responseRef('bad-request'), 404: responseRef('not-found'), default: responseRef('error') },
  plain: {
    400: responseRef('plain-bad-request'),
    404: responseRef('plain-not-found'),
    default: responseRef('plain-error'),
  },
  router: { default: responseRef('router-error') },
  files: { 404: { description: 'There is no such file; the host answers.' } },
};

/** Media type and schema of an error. Files have no errors of ours. */
const ERROR_DOCUMENTS: Readonly<Record<Operation['errors'], readonly [string, string]>> = {
  jsonapi: [JSONAPI_MEDIA_TYPE, 'error-document'],
  plain: ['application/json', 'plain-error-document'],
  router: ['application/json', 'router-error-document'],
  files: ['application/json', 'plain-error-document'],
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
