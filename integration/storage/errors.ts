import { ApiError } from '../util/errors.ts';

/** 409: the stored bytes are others than the writer expected. Nothing was changed. */
export class RevisionConflictError extends ApiError {
  override readonly name = 'RevisionConflictError';
  readonly key: string;
  /** Digest of what is stored now, null where there is no file. */
  readonly revision: string | null;

  constructor(key: string, revision: string | null) {
    super({
      status: 409,
      title: 'Conflict',
      detail: `${key} was changed by somebody else meanwhile. Read it again, then repeat the change.`,
    });
    this.key = key;
    this.revision = revision;
  }
}

/** 503 with `Retry-After`: others were writing all the time. Nothing was changed. */
export class LockTimeoutError extends ApiError {
  override readonly name = 'LockTimeoutError';
  constructor(waitedMs: number) {
    super({
      status: 503,
      title: 'Service Unavailable',
      detail: `Others have been writing for ${waitedMs / 1000} seconds, and nothing was changed. Try again soon.`,
      headers: { 'retry-after': String(RETRY_AFTER_S) },
    });
  }
}

/** 503, or 507 where space has run out: the storage refuses. `cause` is what the system says. */
export class UnwritableStorageError extends ApiError {
  override readonly name = 'UnwritableStorageError';
  constructor(detail: string, cause?: unknown, status: 503 | 507 = 503) {
    super({ status, title: status === 507 ? 'Insufficient Storage' : 'Service Unavailable', detail, cause });
  }
}

/** 422: no file is written under this key. */
export class UnsafeKeyError extends ApiError {
  override readonly name = 'UnsafeKeyError';
  readonly key: string;
  constructor(key: string, reason: string) {
    super({ status: 422, title: 'Unprocessable Content', detail: `${JSON.stringify(key)} ${reason}` });
    this.key = key;
  }
}

/** 404: nobody keeps what was. */
export class PastUnavailableError extends ApiError {
  override readonly name = 'PastUnavailableError';
  constructor(reason: string) {
    super({ status: 404, title: 'Not Found', detail: `Past versions cannot be read here: ${reason}` });
  }
}

/** Seconds. */
const RETRY_AFTER_S = 2;
