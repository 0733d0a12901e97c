import { writeJson } from '../read/compose.ts';
import type { ErrorDocument, ErrorObject } from '../read/document-types.ts';
import { JSON_MEDIA_TYPE, JSONAPI_MEDIA_TYPE, JSONAPI_MEMBER } from '../read/document-types.ts';
import { ApiError, InvalidEntityError } from '../util/errors.ts';
import type { Connection } from './answer-stream.ts';
import type { Answer, AnswerRequest } from './respond.ts';
import { respond } from './respond.ts';

/** How a surface writes errors. */
export type ErrorForm = 'jsonapi' | 'rest' | 'router' | 'account';

/**
 * Runs a route; the only place where errors become responses. An ApiError says what the client did; anything else
 * is our fault: the client gets a random id, and the cause is logged under it.
 */
export async function answerOrError(
  request: AnswerRequest,
  form: ErrorForm,
  route: () => Promise<Answer>,
  connection?: Connection,
): Promise<Response> {
  try {
    return respond(request, await route(), connection);
  } catch (error) {
    if (error instanceof ApiError) {
      if (error.status >= 500 && error.cause !== undefined) console.error('[astro-jsonapi]', error);
      return respond(request, writeError(form, describe(error), error.headers));
    }
    const id = crypto.randomUUID();
    console.error(`[astro-jsonapi] Error ${id}:`, error);
    const response = respond(request, writeError(form, [internalError(id)]));
    errorIds.set(response, id);
    return response;
  }
}

/** The id under which the cause of a fault of ours was logged; undefined for every other answer. */
export function errorIdOf(response: Response): string | undefined {
  return errorIds.get(response);
}

const errorIds = new WeakMap<Response, string>();

function describe(error: ApiError): RequestErrors {
  const { status, title, detail, source } = error;
  if (!(error instanceof InvalidEntityError)) return [{ status, title, detail, ...(source && { source }) }];
  const [first, ...others] = error.violations;
  return [{ status, title, ...first }, ...others.map((each) => ({ status, title, ...each }))];
}

function internalError(id: string): RequestError {
  return {
    id,
    status: 500,
    title: 'Internal Server Error',
    detail: `Something went wrong here, not in the request. The server's log has the cause under ${id}.`,
  };
}

function writeError(form: ErrorForm, errors: RequestErrors, headers?: ApiError['headers']): Answer {
  const { contentType, body } = FORMS[form];
  return {
    status: errors[0].status,
    contentType,
    written: writeJson(body(errors)),
    headers: { ...headers, 'cache-control': 'no-store' },
  };
}

function jsonApiErrors(errors: RequestErrors): ErrorDocument {
  return {
    jsonapi: JSONAPI_MEMBER,
    errors: errors.map((error) => ({ ...error, status: String(error.status) })),
  };
}

/** Of several, the first is `error`, and all of them are `errors`. */
function restErrors(errors: RequestErrors): unknown {
  return { error: errors[0], ...(errors.length > 1 && { errors }) };
}

/** Source: Drupal's module decoupled_router. */
function routerError([{ title, detail, id }]: RequestErrors): unknown {
  return { message: title, details: detail, ...(id === undefined ? {} : { id }) };
}

/** Source: Drupal's module user. */
function accountError([{ detail, id }]: RequestErrors): unknown {
  return { message: detail, ...(id === undefined ? {} : { id }) };
}

const FORMS: Readonly<Record<ErrorForm, { contentType: string; body(errors: RequestErrors): unknown }>> = {
  jsonapi: { contentType: JSONAPI_MEDIA_TYPE, body: jsonApiErrors },
  rest: { contentType: JSON_MEDIA_TYPE, body: restErrors },
  router: { contentType: JSON_MEDIA_TYPE, body: routerError },
  account: { contentType: JSON_MEDIA_TYPE, body: accountError },
};

interface RequestError extends Omit<ErrorObject, 'status'> {
  readonly status: number;
}

type RequestErrors = readonly [RequestError, ...RequestError[]];
