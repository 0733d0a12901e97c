/** One stored file. `key` is its POSIX path relative to the content folder, without a leading slash. */
export interface StoredFile {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Last modification, milliseconds since the Unix epoch. */
  readonly mtimeMs: number;
}

/** A file or folder that was passed over, with the reason in one sentence. */
export interface SkippedFile {
  readonly key: string;
  readonly reason: string;
}

export interface Listing {
  /** In code-unit order of `key`. */
  readonly files: readonly StoredFile[];
  readonly skipped: readonly SkippedFile[];
}

/** First and last time a file was committed, Unix seconds. */
export interface FileHistory {
  readonly created: number;
  readonly changed: number;
}

/** Where content bytes live. Every key passes `storage/key.ts`, which alone rejects traversal. */
export interface StorageDriver {
  /** For messages: `content/`, `memory`, `snapshot`. */
  readonly name: string;
  list(): Promise<Listing>;
  /** The file as it is now, or undefined where there is none. */
  stat(key: string): Promise<StoredFile | undefined>;
  /** The bytes, or undefined where there is no such file. */
  read(key: string): Promise<Uint8Array | undefined>;
  /** As `read`, of no more than so many bytes at the start. Where that costs less than the whole. */
  readStart?(key: string, length: number): Promise<Uint8Array | undefined>;
  /**
   * Calls back with the keys changed since the last call, in bursts; with none where only the history has. After a move of the
   * history more files may have changed than are told of yet: `list` has them all. Resolves to the function that ends it.
   */
  watch?(
    onChange: (keys: readonly string[], moved?: 'moved' | undefined) => void,
  ): Promise<() => Promise<void>>;
  /** Commit dates by key; a file that differs from HEAD or is not committed is absent. */
  history?(): Promise<ReadonlyMap<string, FileHistory>>;
  /** What the author of the content should know of the storage as a whole, in sentences; known after `history`. */
  warnings?(): readonly string[];
}

/** A driver that can be changed. */
export interface WritableDriver extends StorageDriver {
  write(key: string, bytes: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
}
