import {
  type ChangeError,
  header,
  type Operation,
  OTHER_ERROR,
  type RawOperation,
  ref,
  type SharedParameter,
} from '../../core/api/description.ts';
import { type JsonSchema, object, TEXT, URI } from '../../core/api/json-schema.ts';
import type { Route } from '../../core/api/routes.ts';
import { FILE_MEDIA_TYPE, JSON_MEDIA_TYPE, JSONAPI_MEDIA_TYPE } from '../../core/read/document-types.ts';

/** How the errors of a surface are described. Files have no errors of their own. */
export type ErrorStyle = 'jsonapi' | 'plain-' | 'router' | 'files';

/** The errors of a change, by status. */
const CHANGE_ERRORS = {
  401: 'Sign in, or correct the credentials.',
  403: 'You do not have permission.',
  404: 'The resource or a referenced one does not exist, or you may not see it.',
  409: 'Conflicts with an existing resource or with the URL.',
  410: 'The resource was deleted.',
  412: 'The resource has changed since it was read, or a precondition header does not match.',
  413: 'The body is too large.',
  415: 'The media type of the body is not supported.',
  422: 'The values are not valid. `source.pointer` of each error says where.',
  428: 'Changes need the header `If-Match` here.',
  429: 'The account has changed or uploaded too much. Try again after the seconds in `Retry-After`.',
  503: 'Other writers take too long. Try again after the seconds in `Retry-After`.',
} satisfies Readonly<Record<ChangeError, string>>;

const BAD_REQUEST = 'The query is not valid. `source.parameter` names the parameter.';
const NOT_FOUND = 'Nothing exists here, or you may not see it.';

/** Media type and schema of error documents. */
const ERROR_DOCUMENTS: Readonly<Record<ErrorStyle, readonly [string, string]>> = {
  jsonapi: [JSONAPI_MEDIA_TYPE, 'error-document'],
  'plain-': [JSON_MEDIA_TYPE, 'plain-error-document'],
  router: [JSON_MEDIA_TYPE, 'router-error-document'],
  files: [JSON_MEDIA_TYPE, 'plain-error-document'],
};

/** The component responses. Names of those of `/api/content` start with `plain-`. */
export function componentResponses(): JsonSchema {
  const changes = Object.entries(CHANGE_ERRORS);
  const styles = (['jsonapi', 'plain-'] as const).flatMap((style) => [
    [nameOf(style, 'bad-request'), errorResponse(BAD_REQUEST, style)],
    [nameOf(style, 'not-found'), errorResponse(NOT_FOUND, style)],
    [nameOf(style, 'error'), errorResponse(OTHER_ERROR, style)],
    ...changes.map(([status, text]) => [nameOf(style, `refused-${status}`), errorResponse(text, style)]),
  ]);
  return { ...Object.fromEntries(styles), 'router-error': errorResponse(OTHER_ERROR, 'router') };
}

function errorResponse(description: string, style: ErrorStyle): JsonSchema {
  const [mediaType, schema] = ERROR_DOCUMENTS[style];
  return { description, content: { [mediaType]: { schema: ref(schema) } } };
}

function nameOf(style: ErrorStyle, name: string): string {
  return style === 'plain-' ? style + name : name;
}

/** The error responses of every operation of a surface. */
function usualErrors(style: ErrorStyle): JsonSchema {
  const response = (name: string) => ({ $ref: `#/components/responses/${nameOf(style, name)}` });
  if (style === 'files') return { 404: { description: 'The file does not exist; the host responds.' } };
  if (style === 'router') return { '4XX': response('router-error'), default: response('router-error') };
  return { 400: response('bad-request'), 404: response('not-found'), default: response('error') };
}

/** Headers with which a change is sent. */
export const MATCH_HEADERS: readonly JsonSchema[] = [
  header(
    'If-Match',
    'Changes the resource only if it is unchanged: `meta.revision` in quotation marks, or the `ETag` of `GET`.',
  ),
];
export const CREATE_HEADERS: readonly JsonSchema[] = [
  ...MATCH_HEADERS,
  header('If-None-Match', '`*` creates the resource only if it does not exist.'),
];

const DESCRIPTIONS: Readonly<Record<number, string>> = { 200: 'OK.', 201: 'Created.', 204: 'Done.' };

/** An operation as OpenAPI has it. `isAcknowledged` adds the response to a change that is not committed yet. */
export function describe(
  operation: Operation,
  { contentType }: Pick<Route, 'contentType'>,
  style: ErrorStyle,
  shared: Readonly<Record<SharedParameter, readonly JsonSchema[]>>,
  isAcknowledged: boolean,
): RawOperation {
  const { body, schema, status = 200, errors = {}, refusals, file } = operation;
  const parameters = (operation.parameters ?? []).flatMap((each) =>
    typeof each === 'string' ? shared[each] : each,
  );
  const responseSchema = typeof schema === 'string' ? ref(schema) : schema;
  const bodies = {
    ...(body && { [contentType]: { schema: body } }),
    // Bytes have no schema. Source: OpenAPI Specification 3.1.1, "Considerations for File Uploads".
    ...(file && { [FILE_MEDIA_TYPE]: {} }),
  };
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(Object.keys(bodies).length > 0 && { requestBody: { required: true, content: bodies } }),
    responses: {
      [status]: {
        description: DESCRIPTIONS[status] ?? 'The responses, in one document.',
        ...(status === 201 && { headers: { Location: { description: 'The new URL.', schema: URI } } }),
        ...(responseSchema && { content: { [contentType]: { schema: responseSchema } } }),
      },
      ...(refusals && isAcknowledged && { 202: accepted(responseSchema, contentType, style) }),
      ...usualErrors(style),
      ...Object.fromEntries(
        Object.entries(errors).map(([other, text]) => [other, errorResponse(text, style)]),
      ),
      ...Object.fromEntries(
        (refusals ?? []).map((other) => [
          other,
          { $ref: `#/components/responses/${nameOf(style, `refused-${other}`)}` },
        ]),
      ),
    },
  };
}

/** The response to a change that is not committed yet. */
function accepted(usual: JsonSchema | null, mediaType: string, style: ErrorStyle): JsonSchema {
  const self = style === 'jsonapi' ? ref('link') : TEXT;
  const job = object({ id: TEXT, status: { const: 'pending' }, links: object({ self }) });
  const withJob = object({ meta: object({ job }) });
  return {
    description: 'Stored, but not committed yet. `meta.job` links to the state of the change.',
    headers: { 'Content-Location': { description: 'The URL of the job.', schema: URI } },
    content: { [mediaType]: { schema: usual === null ? withJob : { allOf: [usual, withJob] } } },
  };
}
