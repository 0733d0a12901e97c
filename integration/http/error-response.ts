import { ApiError } from '../errors.ts';
import {
  type ErrorDocument,
  type ErrorObject,
  JSONAPI_MEDIA_TYPE,
  JSONAPI_MEMBER,
} from '../jsonapi/document-types.ts';
import { type Answer, respond } from './respond.ts';

/** How a surface writes errors. */
export type ErrorForm = 'jsonapi' | 'rest' | 'router';

export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/**
 * Runs a route; the only place where errors become responses. An ApiError says what the client did; anything else
 * is our fault: the client gets a random id, and the cause is logged under it.
 */
export async function answerOrError(
  method: string,
  form: ErrorForm,
  route: () => Promise<Answer>,
): Promise<Response> {
  try {
    return respond(method, await route());
  } catch (error) {
    if (error instanceof ApiError)
      return respond(method, { ...WRITERS[form](describe(error)), headers: error.headers });
    const id = crypto.randomUUID();
    console.error(`[astro-jsonapi] Error ${id}:`, error);
    return respond(method, WRITERS[form](internalError(id)));
  }
}

function describe({ status, title, detail, source }: ApiError): RequestError {
  return { status, title, detail, ...(source === undefined ? {} : { source }) };
}

function internalError(id: string): RequestError {
  return {
    id,
    status: 500,
    title: 'Internal Server Error',
    detail: `Something went wrong here, not in the request. The server's log has the cause under ${id}.`,
  };
}

function jsonApiError(error: RequestError): Answer {
  const body: ErrorDocument = {
    jsonapi: JSONAPI_MEMBER,
    errors: [{ ...error, status: String(error.status) }],
  };
  return { status: error.status, contentType: JSONAPI_MEDIA_TYPE, body };
}

function restError(error: RequestError): Answer {
  return { status: error.status, contentType: JSON_MEDIA_TYPE, body: { error } };
}

/** Source: Drupal's module decoupled_router. */
function routerError({ status, title, detail, id }: RequestError): Answer {
  const body = { message: title, details: detail, ...(id === undefined ? {} : { id }) };
  return { status, contentType: JSON_MEDIA_TYPE, body };
}

const WRITERS: Readonly<Record<ErrorForm, (error: RequestError) => Answer>> = {
  jsonapi: jsonApiError,
  rest: restError,
  router: routerError,
};

interface RequestError extends Omit<ErrorObject, 'status'> {
  readonly status: number;
}
