import type { JsonObject } from './json.ts';

/** The part of a request that is wrong: exactly one of the three is set. Source: JSON:API 1.1, "Error Objects". */
export interface ErrorSource {
  readonly parameter?: string;
  readonly pointer?: string;
  readonly header?: string;
}

/** Why something fails. `server/errors.ts` maps each reason to an HTTP status. */
export type ErrorReason =
  | 'bad-request'
  | 'unauthenticated'
  | 'invalid-token'
  | 'insufficient-scope'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'gone'
  | 'precondition-failed'
  | 'precondition-required'
  | 'too-large'
  | 'query-too-long'
  | 'range-not-satisfiable'
  | 'unsupported-media-type'
  | 'unsupported-encoding'
  | 'invalid'
  | 'too-many-requests'
  | 'client-gone'
  | 'internal'
  | 'not-supported'
  | 'unavailable'
  | 'out-of-space';

export interface ErrorDetails {
  readonly source?: ErrorSource | undefined;
  readonly cause?: unknown;
  /** When the client may try again. */
  readonly retryAfterSeconds?: number;
  /** Bytes of the file of which a range was requested. */
  readonly size?: number;
  /** Methods that are allowed instead. */
  readonly allow?: readonly string[];
  /** A short text in place of the usual title of the reason. */
  readonly title?: string;
  /** What happened, for programs; stays the same. Source: JSON:API 1.1, "Error Objects". */
  readonly code?: string;
  /** The URI of the type of the error. Source: JSON:API 1.1, "Error Objects". */
  readonly type?: string;
  /** More about the error, for programs. */
  readonly meta?: JsonObject;
}

/** A failure that callers can handle and clients can read. `detail` is a sentence that says what happened and what to do. */
export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly reason: ErrorReason;
  readonly detail: string;
  readonly source: ErrorSource | undefined;
  readonly details: Omit<ErrorDetails, 'source' | 'cause'>;

  constructor(reason: ErrorReason, detail: string, { source, cause, ...details }: ErrorDetails = {}) {
    super(detail, { cause });
    this.reason = reason;
    this.detail = detail;
    this.source = source;
    this.details = details;
  }
}

/** A query parameter is wrong; `parameter` is its full name as sent, such as `filter[x][condition][path]`. */
export class BadParameterError extends DomainError {
  override readonly name = 'BadParameterError';
  /** Other mistakes of the same query. */
  readonly others: readonly BadParameterError[];
  constructor(
    parameter: string,
    detail: string,
    details: Omit<ErrorDetails, 'source'> = {},
    others: readonly BadParameterError[] = [],
  ) {
    super('bad-request', detail, { ...details, source: { parameter } });
    this.others = others.slice(0, MAX_MISTAKES - 1);
  }

  with(others: readonly BadParameterError[]): BadParameterError {
    return new BadParameterError(
      this.source?.parameter ?? '',
      this.detail,
      { ...this.details, cause: this.cause },
      others,
    );
  }
}

/** A query is beyond a limit. What follows is not checked. */
export class BeyondLimitError extends BadParameterError {}

/** At most this many mistakes of a query are reported. Each can list all fields of a type. */
export const MAX_MISTAKES = 20;

/** The same error with other sources. */
export function withSource(error: DomainError, change: (source: ErrorSource) => ErrorSource): DomainError {
  if (!(error instanceof InvalidEntityError)) {
    const { reason, detail, source = {}, cause, details } = error;
    return new DomainError(reason, detail, { ...details, cause, source: change(source) });
  }
  const [first, ...others] = error.violations;
  const changed = (violation: Violation) => ({ ...violation, source: change(violation.source) });
  return new InvalidEntityError([changed(first), ...others.map(changed)], error.reason);
}

/** Nothing exists here that the actor may see. */
export class NotFoundError extends DomainError {
  override readonly name = 'NotFoundError';
  constructor(detail: string, source?: ErrorSource) {
    super('not-found', detail, { source });
  }
}

export class MethodNotAllowedError extends DomainError {
  override readonly name = 'MethodNotAllowedError';
  constructor(method: string, allow: readonly string[]) {
    super('method-not-allowed', `${method} is not allowed here. Allowed: ${allow.join(', ')}.`, { allow });
  }
}

/** The client accepts none of the available representations. */
export class NotAcceptableError extends DomainError {
  override readonly name = 'NotAcceptableError';
  constructor(detail: string, source: ErrorSource) {
    super('not-acceptable', detail, { source });
  }
}

/** One of several errors in the data that a client sent. */
export interface Violation {
  readonly detail: string;
  readonly source: ErrorSource;
  readonly code?: string;
  /** More about the error, for programs. */
  readonly meta?: JsonObject;
}

/** At most this many violations are reported, so that the response is not much larger than the request. */
export const MAX_VIOLATIONS = 100;

type InvalidReason = Extract<ErrorReason, 'invalid' | 'not-found' | 'precondition-failed'>;

/**
 * The entity cannot be stored with these values; `not-found` if its only errors are references to missing targets, and
 * `precondition-failed` if others have changed it. Lists all errors with their sources. Source: JSON:API 1.1, "Processing Errors".
 */
export class InvalidEntityError extends DomainError {
  override readonly name = 'InvalidEntityError';
  declare readonly reason: InvalidReason;
  readonly violations: readonly [Violation, ...Violation[]];
  constructor(violations: readonly [Violation, ...Violation[]], reason: InvalidReason = 'invalid') {
    const [first, ...others] = violations;
    super(reason, first.detail, { source: first.source });
    this.violations = [first, ...others.slice(0, MAX_VIOLATIONS - 1)];
  }
}

/** The change conflicts with stored content or with the address. */
export class ConflictError extends DomainError {
  override readonly name = 'ConflictError';
  constructor(detail: string, source?: ErrorSource, details: Pick<ErrorDetails, 'code' | 'meta'> = {}) {
    super('conflict', detail, { ...details, source });
  }
}

/** The actor is identified and has no permission. */
export class ForbiddenError extends DomainError {
  override readonly name = 'ForbiddenError';
  constructor(detail: string, source?: ErrorSource) {
    super('forbidden', detail, { source });
  }
}

/** The client has to sign in first, or its credentials are wrong. */
export class UnauthorizedError extends DomainError {
  override readonly name = 'UnauthorizedError';
  constructor(detail: string, source?: ErrorSource) {
    super('unauthenticated', detail, { source });
  }
}

/** The entity was deleted. */
export class GoneError extends DomainError {
  override readonly name = 'GoneError';
  constructor(detail: string) {
    super('gone', detail, { code: 'deleted' });
  }
}

export class TooManyRequestsError extends DomainError {
  override readonly name = 'TooManyRequestsError';
  constructor(detail: string, retryAfterSeconds: number) {
    super('too-many-requests', detail, { retryAfterSeconds });
  }
}

/** The server is too busy at the moment. */
export class ServiceUnavailableError extends DomainError {
  override readonly name = 'ServiceUnavailableError';
  constructor(detail: string, retryAfterSeconds: number, cause?: unknown) {
    super('unavailable', detail, { retryAfterSeconds, cause });
  }
}

/**
 * Thrown where content or code is used that is not in memory yet, because it is loaded on demand. The caller loads the files
 * or the code, and starts again.
 */
export class NotLoadedError extends Error {
  override readonly name: string = 'NotLoadedError';
  readonly files: readonly string[];
  readonly loadCode: (() => Promise<void>) | undefined;

  constructor(files: readonly string[], loadCode?: () => Promise<void>) {
    super(`Not loaded yet: ${files.join(', ')}`);
    this.files = files;
    this.loadCode = loadCode;
  }
}
