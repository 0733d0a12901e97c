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
export interface CommitDates {
  readonly created: number;
  readonly changed: number;
}

/** A commit that changed a file. */
export interface FileVersion {
  /** The whole hash, in lower case. */
  readonly commit: string;
  /** When it was made, Unix seconds. */
  readonly at: number;
}

/** A file as a commit left it. `version` is the last one that had changed it by then. */
export interface PastFile {
  readonly version: FileVersion;
  readonly bytes: Uint8Array;
}

/**
 * Files as they were committed on the way to what is checked out now, or to the end of a named branch. Both throw PastUnavailableError where nothing can be
 * read, and ServiceUnavailableError while too many ask.
 */
export interface PastFiles {
  /**
   * The file at a commit, named by its hash or seven digits of it at least. Undefined for all else alike: a name that
   * is none or fits several, a commit of another branch only, one that has no such file.
   */
  read(key: string, commit: string): Promise<PastFile | undefined>;
  /** The commits that left a file under this key, the newest first; `most` at most. */
  list(key: string, most: number): Promise<readonly FileVersion[]>;
}

/** As much of it as holds for the file as it is: one that has changed since was changed at no commit. */
export interface FileHistory {
  readonly created: number;
  readonly changed: number | null;
}

/** What version control knows about the files of a folder. */
export interface VersionControl {
  /** Commit dates by key; the same map until something changes. */
  history(): Promise<ReadonlyMap<string, FileHistory>>;
  past(branch?: string): PastFiles;
  /** Undefined outside a repository. */
  activity(): Promise<VersionControlActivity | undefined>;
  /** Complete sentences about the repository; available after `history`. */
  warnings(): readonly string[];
}

/** Files that show what version control is doing. Absolute paths. */
export interface VersionControlActivity {
  /** Grows with every move of HEAD. */
  readonly headLog: string;
  /** Exists while files are being changed. */
  readonly lock: string;
}

/** The bytes of a file, part by part. A caller that does not read all of it calls `return`. */
export type FileParts = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

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
   * The bytes of a file in parts of this length, each of which is read when it is asked for. Throws a 503 if the
   * file is not as `stat` returned it, or does not stay the same until its last part is read.
   */
  readParts?(file: StoredFile, length: number): FileParts;
  /**
   * Calls back with the keys changed since the last call, in bursts; with none where only the history has. After a move of the
   * history more files may have changed than are told of yet: `list` has them all. Resolves to the function that ends it.
   */
  watch?(
    onChange: (keys: readonly string[], moved?: 'moved' | undefined) => void,
  ): Promise<() => Promise<void>>;
  /** Commit dates by key; a file that never was committed, or is ignored, is absent. */
  history?(): Promise<ReadonlyMap<string, FileHistory>>;
  /** Undefined where the storage never knows. The branch need not be there yet. */
  past?(branch?: string): PastFiles;
  /** What the author of the content should know of the storage as a whole, in sentences; known after `history`. */
  warnings?(): readonly string[];
}

/**
 * A driver that can be changed. What is written or removed has reached the disk when the promise resolves; a process
 * that dies at any moment leaves each file as it was or as it is to be. Throws UnsafeKeyError for keys that no file is
 * written under (see `file-name.ts`), UnwritableStorageError where the storage refuses.
 *
 * `ifRevision` is `digestBytes` of what the writer expects there now; where it is otherwise, nothing changes and
 * RevisionConflictError says what is there. It holds against everybody within `exclusively`; outside of it, against
 * callers in the same process.
 */
export interface WritableDriver extends StorageDriver {
  /** Replaces the file as a whole; makes it and folders to it where there is none. `ifRevision` null: there must be none. */
  write(key: string, bytes: Uint8Array, when?: { readonly ifRevision: string | null }): Promise<void>;
  /** Removes the file, and folders left empty but for the bundle's. Without `ifRevision` it need not be there. */
  remove(key: string, when?: { readonly ifRevision: string }): Promise<void>;
  /**
   * Runs `work` while nobody else who calls this for the same folder does, in this process or another. Works run in
   * the order of the calls; one that waits too long is never run: LockTimeoutError. A holder that dies lets go at once,
   * one that sleeps does not. A call from within `work`, awaited there, waits for itself until then.
   * `changed` are the keys that others have written or removed through such a driver and that no work was told of yet,
   * each once: watchers may not have reported them by now.
   */
  exclusively<T>(work: (changed: readonly string[]) => Promise<T>): Promise<T>;
  /** Why nothing can be written as things are, as a sentence for whoever runs the server; undefined where it can. */
  obstacle(): Promise<string | undefined>;
}

export function isWritable(driver: StorageDriver): driver is WritableDriver {
  return 'write' in driver && 'remove' in driver && 'exclusively' in driver;
}
