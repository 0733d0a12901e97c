import type { ErrorForm } from '../api/routes.ts';
import { writeJson } from '../read/compose.ts';
import {
  type ErrorDocument,
  type ErrorObject,
  JSON_MEDIA_TYPE,
  JSONAPI_MEDIA_TYPE,
  JSONAPI_MEMBER,
} from '../read/document-types.ts';
import {
  BadParameterError,
  DomainError,
  type ErrorReason,
  InvalidEntityError,
  NotLoadedError,
} from '../util/errors.ts';
import { type AnswerRequest, respondWhole, type WholeAnswer } from './respond-whole.ts';

/** The HTTP response to each kind of failure. */
export const RESPONSES: Readonly<Record<ErrorReason, readonly [status: number, title: string]>> = {
  'bad-request': [400, 'Bad Request'],
  unauthenticated: [401, 'Unauthorized'],
  'invalid-token': [401, 'Unauthorized'],
  forbidden: [403, 'Forbidden'],
  'insufficient-scope': [403, 'Forbidden'],
  'not-found': [404, 'Not Found'],
  'method-not-allowed': [405, 'Method Not Allowed'],
  'not-acceptable': [406, 'Not Acceptable'],
  conflict: [409, 'Conflict'],
  gone: [410, 'Gone'],
  'precondition-failed': [412, 'Precondition Failed'],
  'too-large': [413, 'Content Too Large'],
  'query-too-long': [414, 'URI Too Long'],
  'unsupported-media-type': [415, 'Unsupported Media Type'],
  'unsupported-encoding': [415, 'Unsupported Media Type'],
  'range-not-satisfiable': [416, 'Range Not Satisfiable'],
  invalid: [422, 'Unprocessable Content'],
  'precondition-required': [428, 'Precondition Required'],
  'too-many-requests': [429, 'Too Many Requests'],
  'client-gone': [499, 'Client Closed Request'],
  internal: [500, 'Internal Server Error'],
  'not-supported': [501, 'Not Implemented'],
  unavailable: [503, 'Service Unavailable'],
  'out-of-space': [507, 'Insufficient Storage'],
};

/** Source: RFC 7617. */
export const BASIC_CHALLENGE = 'Basic realm="content", charset="UTF-8"';
/** Source: RFC 6750. */
const BEARER_CHALLENGE = 'Bearer realm="content"';
/** Both ways to sign in. Parameters that follow belong to the second. */
const CHALLENGE = `${BASIC_CHALLENGE}, ${BEARER_CHALLENGE}`;

/** `WWW-Authenticate` by reason. Source: RFC 9110, section 15.5.2; RFC 6750, section 3. */
const CHALLENGES: { readonly [R in ErrorReason]?: (error: DomainError) => string } = {
  unauthenticated: () => CHALLENGE,
  'invalid-token': ({ detail }) => `${CHALLENGE}, error="invalid_token", error_description="${detail}"`,
  'insufficient-scope': () => `${BEARER_CHALLENGE}, error="insufficient_scope", scope="write"`,
};

/** The HTTP status of a failure. */
export function statusOf({ reason }: DomainError): number {
  return RESPONSES[reason][0];
}

/** The headers that a failure adds to its response. */
export function headersOf(error: DomainError, request: AnswerRequest): Readonly<Record<string, string>> {
  const { retryAfterSeconds, allow, size } = error.details;
  const challenge = CHALLENGES[error.reason]?.(error);
  // When a script's request gets a `Basic` challenge, browsers show a password dialog over the page.
  const isFromScript = statusOf(error) === 401 && request.headers.get('sec-fetch-dest') === 'empty';
  return {
    ...(allow && { allow: allow.join(', ') }),
    ...(retryAfterSeconds !== undefined && {
      'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))),
    }),
    ...(size !== undefined && { 'content-range': `bytes */${size}` }),
    ...(challenge !== undefined && { 'www-authenticate': isFromScript ? BEARER_CHALLENGE : challenge }),
    ...(error.reason === 'unsupported-encoding' && { 'accept-encoding': 'identity' }),
  };
}

/**
 * The response to a failure; the only place where errors become responses. A DomainError explains what the client can do.
 * Any other error is a fault of the server: the client gets a random id, and the cause is logged with it.
 */
export function errorResponse(request: AnswerRequest, form: ErrorForm, error: unknown): Response {
  if (error instanceof NotLoadedError) throw error;
  if (error instanceof DomainError) {
    if (statusOf(error) >= 500 && error.cause !== undefined) console.error('[astro-jsonapi]', error);
    return respondWhole(request, writeErrors(form, describe(error), headersOf(error, request)));
  }
  const id = crypto.randomUUID();
  console.error(`[astro-jsonapi] Error ${id}:`, error);
  const response = respondWhole(request, writeErrors(form, [internalError(id)]));
  errorIds.set(response, id);
  return response;
}

/** The id with which the cause of a server error was logged; undefined for all other responses. */
export function errorIdOf(response: Response): string | undefined {
  return errorIds.get(response);
}

const errorIds = new WeakMap<Response, string>();

function describe(error: DomainError): HttpErrors {
  const [status, usual] = RESPONSES[error.reason];
  const common = { status, title: error.details.title ?? usual };
  if (!(error instanceof InvalidEntityError)) {
    const others = error instanceof BadParameterError ? error.others : [];
    const describeOne = ({ detail, source, details: { code, type, meta } }: DomainError) => ({
      ...common,
      detail,
      ...(source && { source }),
      ...(code !== undefined && { code }),
      ...(type !== undefined && { links: { type: { href: type } } }),
      ...(meta && { meta }),
    });
    return [describeOne(error), ...others.map(describeOne)];
  }
  const [first, ...others] = error.violations;
  return [{ ...common, ...first }, ...others.map((each) => ({ ...common, ...each }))];
}

function internalError(id: string): HttpError {
  const [status, title] = RESPONSES.internal;
  const detail = `An error occurred on the server. The server log has its cause under the id ${id}.`;
  return { id, status, title, detail };
}

function writeErrors(form: ErrorForm, errors: HttpErrors, headers?: WholeAnswer['headers']): WholeAnswer {
  const { contentType, body } = FORMS[form];
  return {
    status: errors[0].status,
    contentType,
    written: writeJson(body(errors)),
    headers: { ...headers, 'cache-control': 'no-store' },
  };
}

function jsonApiErrors(errors: HttpErrors): ErrorDocument {
  return {
    jsonapi: JSONAPI_MEMBER,
    errors: errors.map((error) => ({ ...error, status: String(error.status) })),
  };
}

/** `error` is the first one; `errors` lists all if there are several. */
function restErrors(errors: HttpErrors): unknown {
  return { error: errors[0], ...(errors.length > 1 && { errors }) };
}

/** Source: Drupal's module decoupled_router. */
function routerError([{ title, detail, id }]: HttpErrors): unknown {
  return { message: title, details: detail, ...(id !== undefined && { id }) };
}

/** Source: Drupal's module user. */
function accountError([{ detail, id }]: HttpErrors): unknown {
  return { message: detail, ...(id !== undefined && { id }) };
}

/** Source: JSON-RPC 2.0, section 5.1. */
function rpcError([{ detail, id }]: HttpErrors): unknown {
  const error = { code: -32_000, message: detail, ...(id !== undefined && { data: { id } }) };
  return { jsonrpc: '2.0', error, id: null };
}

const FORMS: Readonly<Record<ErrorForm, { contentType: string; body(errors: HttpErrors): unknown }>> = {
  jsonapi: { contentType: JSONAPI_MEDIA_TYPE, body: jsonApiErrors },
  rest: { contentType: JSON_MEDIA_TYPE, body: restErrors },
  router: { contentType: JSON_MEDIA_TYPE, body: routerError },
  account: { contentType: JSON_MEDIA_TYPE, body: accountError },
  rpc: { contentType: JSON_MEDIA_TYPE, body: rpcError },
};

interface HttpError extends Omit<ErrorObject, 'status'> {
  readonly status: number;
}

type HttpErrors = readonly [HttpError, ...HttpError[]];
