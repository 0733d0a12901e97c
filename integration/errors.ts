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
 * in one place (`http/error-response.ts`). `detail` is a sentence that says what happened and what to do.
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
  constructor(detail: string) {
    super({ status: 404, title: 'Not Found', detail });
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
