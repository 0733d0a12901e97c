import { DomainError } from '../util/errors.ts';

/** The storage refused an operation. Nothing was changed. */
export class StorageError extends DomainError {
  override readonly name: string = 'StorageError';
}

/** The stored bytes are not the ones that the writer expected. */
export class RevisionConflictError extends StorageError {
  override readonly name = 'RevisionConflictError';
  readonly key: string;
  /** Digest of the stored bytes; null if the file does not exist. */
  readonly revision: string | null;

  constructor(key: string, revision: string | null) {
    super('conflict', `${key} was changed by another writer. Read it again, then repeat the change.`);
    this.key = key;
    this.revision = revision;
  }
}

/** Other writers held the lock for too long. */
export class LockTimeoutError extends StorageError {
  override readonly name = 'LockTimeoutError';
  constructor(waitedMs: number) {
    super(
      'unavailable',
      `Other writers have held the lock for ${waitedMs / 1000} seconds, and nothing was changed. Try again soon.`,
      { retryAfterSeconds: RETRY_AFTER_S },
    );
  }
}

/** The system refuses to write. `cause` is the system's error. */
export class UnwritableStorageError extends StorageError {
  override readonly name = 'UnwritableStorageError';
  constructor(detail: string, cause?: unknown, reason: 'unavailable' | 'out-of-space' = 'unavailable') {
    super(reason, detail, { cause });
  }
}

/** No file can have this key. */
export class UnsafeKeyError extends StorageError {
  override readonly name = 'UnsafeKeyError';
  readonly key: string;
  constructor(key: string, reason: string) {
    super('invalid', `${JSON.stringify(key)} ${reason}`);
    this.key = key;
  }
}

/** The storage keeps no past versions. */
export class PastUnavailableError extends StorageError {
  override readonly name = 'PastUnavailableError';
  constructor(reason: string) {
    super('not-found', `Past versions cannot be read here: ${reason}`);
  }
}

/** Seconds. */
const RETRY_AFTER_S = 2;
