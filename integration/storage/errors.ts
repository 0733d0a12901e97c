import { ApiError } from '../util/errors.ts';

/** 409: the stored bytes differ from what the writer expected. Nothing was changed. */
export class RevisionConflictError extends ApiError {
  override readonly name = 'RevisionConflictError';
  readonly key: string;
  /** Digest of the stored bytes; null if there is no file. */
  readonly revision: string | null;

  constructor(key: string, revision: string | null) {
    super({
      status: 409,
      title: 'Conflict',
      detail: `${key} was changed by someone else in the meantime. Read it again, then repeat the change.`,
    });
    this.key = key;
    this.revision = revision;
  }
}

/** 503 with `Retry-After`: other writers held the lock for too long. Nothing was changed. */
export class LockTimeoutError extends ApiError {
  override readonly name = 'LockTimeoutError';
  constructor(waitedMs: number) {
    super({
      status: 503,
      title: 'Service Unavailable',
      detail: `Other changes have been in progress for ${waitedMs / 1000} seconds. Nothing was changed. Try again soon.`,
      headers: { 'retry-after': String(RETRY_AFTER_S) },
    });
  }
}

/** 503, or 507 if the disk is full: the storage refuses. `cause` is the error of the system. */
export class UnwritableStorageError extends ApiError {
  override readonly name = 'UnwritableStorageError';
  constructor(detail: string, cause?: unknown, status: 503 | 507 = 503) {
    super({ status, title: status === 507 ? 'Insufficient Storage' : 'Service Unavailable', detail, cause });
  }
}

/** 422: files cannot be written under this key. */
export class UnsafeKeyError extends ApiError {
  override readonly name = 'UnsafeKeyError';
  readonly key: string;
  constructor(key: string, reason: string) {
    super({ status: 422, title: 'Unprocessable Content', detail: `${JSON.stringify(key)} ${reason}` });
    this.key = key;
  }
}

/** 404: the storage has no past versions. */
export class PastUnavailableError extends ApiError {
  override readonly name = 'PastUnavailableError';
  constructor(reason: string) {
    super({ status: 404, title: 'Not Found', detail: `Past versions cannot be read here: ${reason}` });
  }
}

/** Seconds. */
const RETRY_AFTER_S = 2;
