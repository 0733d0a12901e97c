/** Where in a request an error lies: exactly one of the three is set. Source: JSON:API 1.1, "Error Objects". */
export interface ErrorSource {
  readonly parameter?: string;
  readonly pointer?: string;
  readonly header?: string;
}

export interface ApiErrorInit {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly source?: ErrorSource;
  /** Response headers the error demands, for instance `Allow` with a 405. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * A request that cannot be answered as asked. Thrown anywhere below the handler, converted to a document
 * in one place (`server/error-response.ts`). `detail` is a sentence that says what happened and what to do.
 */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly source: ErrorSource | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(init: ApiErrorInit) {
    super(init.detail, { cause: init.cause });
    this.status = init.status;
    this.title = init.title;
    this.detail = init.detail;
    this.source = init.source;
    this.headers = init.headers ?? {};
  }
}

/** 400 for one query parameter; `parameter` is its full name as sent, such as `filter[x][condition][path]`. */
export class BadParameterError extends ApiError {
  override readonly name = 'BadParameterError';
  constructor(parameter: string, detail: string, cause?: unknown) {
    super({ status: 400, title: 'Bad Request', detail, source: { parameter }, cause });
  }
}

/** 404: nothing here that this actor may see. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
  constructor(detail: string, source?: ErrorSource) {
    super({ status: 404, title: 'Not Found', detail, ...(source && { source }) });
  }
}

/** 405 with the `Allow` header. */
export class MethodNotAllowedError extends ApiError {
  override readonly name = 'MethodNotAllowedError';
  constructor(method: string, allow: readonly string[]) {
    super({
      status: 405,
      title: 'Method Not Allowed',
      detail: `${method} is not allowed here. Allowed: ${allow.join(', ')}.`,
      headers: { allow: allow.join(', ') },
    });
  }
}

/** 406: no representation that the client accepts. */
export class NotAcceptableError extends ApiError {
  override readonly name = 'NotAcceptableError';
  constructor(detail: string, source: ErrorSource) {
    super({ status: 406, title: 'Not Acceptable', detail, source });
  }
}

/** One of several things that are wrong with what was sent: a sentence, and where it stands. */
export interface Violation {
  readonly detail: string;
  readonly source: ErrorSource;
}

/** An answer tells so many at most: who sent them would be sent back many times as much. */
export const MAX_VIOLATIONS = 100;

/**
 * 422: the entity cannot be as it was sent; 404 where nothing is wrong but that targets of references are not there.
 * All that is wrong, each with its place. Source: JSON:API 1.1, "Processing Errors".
 */
export class InvalidEntityError extends ApiError {
  override readonly name = 'InvalidEntityError';
  readonly violations: readonly [Violation, ...Violation[]];
  constructor(violations: readonly [Violation, ...Violation[]], status: 422 | 404 = 422) {
    const [first, ...others] = violations;
    super({ status, title: status === 422 ? 'Unprocessable Content' : 'Not Found', ...first });
    this.violations = [first, ...others.slice(0, MAX_VIOLATIONS - 1)];
  }
}

/** 409: it stands against what is there. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
  constructor(detail: string, source?: ErrorSource) {
    super({ status: 409, title: 'Conflict', detail, ...(source && { source }) });
  }
}

/** 403: known, and not allowed. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError';
  constructor(detail: string, source?: ErrorSource, challenge?: string) {
    const headers = challenge === undefined ? undefined : { 'www-authenticate': challenge };
    super({
      status: 403,
      title: 'Forbidden',
      detail,
      ...(source && { source }),
      ...(headers && { headers }),
    });
  }
}

/** 401: whoever asks has to sign in first, or has done so wrongly. Source: RFC 9110, section 15.5.2. */
export class UnauthorizedError extends ApiError {
  override readonly name = 'UnauthorizedError';
  constructor(detail: string, challenge: string = CHALLENGE, source?: ErrorSource) {
    const headers = { 'www-authenticate': challenge };
    super({ status: 401, title: 'Unauthorized', detail, headers, ...(source && { source }) });
  }
}

/** Source: RFC 7617. */
export const BASIC_CHALLENGE = 'Basic realm="content", charset="UTF-8"';
/** Source: RFC 6750. */
export const BEARER_CHALLENGE = 'Bearer realm="content"';
/** Both ways to say who asks; parameters that follow are those of the second. */
export const CHALLENGE = `${BASIC_CHALLENGE}, ${BEARER_CHALLENGE}`;

/** 410: it was here, and will not be again. */
export class GoneError extends ApiError {
  override readonly name = 'GoneError';
  constructor(detail: string) {
    super({ status: 410, title: 'Gone', detail });
  }
}

/** 429: too often; `seconds` from now it may be tried again. */
export class TooManyRequestsError extends ApiError {
  override readonly name = 'TooManyRequestsError';
  constructor(detail: string, seconds: number) {
    super({
      status: 429,
      title: 'Too Many Requests',
      detail,
      headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) },
    });
  }
}

/** 503: too much is under way here; `seconds` from now it may be tried again. */
export class ServiceUnavailableError extends ApiError {
  override readonly name = 'ServiceUnavailableError';
  constructor(detail: string, seconds: number, cause?: unknown) {
    super({
      status: 503,
      title: 'Service Unavailable',
      detail,
      cause,
      headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) },
    });
  }
}
