/** One stored file. `key` is its POSIX path relative to the content folder, without a leading slash. */
export interface StoredFile {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** Last modification, milliseconds since the Unix epoch. */
  readonly mtimeMs: number;
  /** The first known time, not after `mtimeMs`: when the file was created, as far as the file system knows. */
  readonly createdMs?: number | undefined;
}

/** A skipped file or folder, with the reason in one sentence. */
export interface SkippedFile {
  readonly key: string;
  readonly reason: string;
}

export interface Listing {
  /** Sorted by `key`, in code-unit order. */
  readonly files: readonly StoredFile[];
  readonly skipped: readonly SkippedFile[];
}

/** When a file was first and last committed, Unix seconds. */
export interface CommitDates {
  readonly created: number;
  readonly changed: number;
}

/** A commit that changed a file. */
export interface FileVersion {
  /** The full hash, in lower case. */
  readonly commit: string;
  /** Commit date, Unix seconds. */
  readonly at: number;
  /** Name of the author. */
  readonly author: string;
  /** First line of the message. */
  readonly message: string;
}

/** A file at a commit. `version` is the last commit up to then that changed it. */
export interface PastFile {
  readonly version: FileVersion;
  readonly bytes: Uint8Array;
}

/**
 * Past versions of files, from the history of the content's branch. Both methods throw PastUnavailableError if the
 * history cannot be read, and ServiceUnavailableError if too many reads are waiting.
 */
export interface PastFiles {
  /**
   * The file at a commit, which is given as a hash or at least seven digits of it. Undefined if the hash is invalid or
   * ambiguous, if only another branch has the commit, or if the commit does not have the file.
   */
  read(key: string, commit: string): Promise<PastFile | undefined>;
  /** The newest commits that created or changed the file, at most `most`. */
  list(key: string, most: number): Promise<readonly FileVersion[]>;
}

/** Commit dates that still apply to the working-tree file: `changed` is null if the file has uncommitted changes. */
export interface FileHistory {
  readonly created: number;
  readonly changed: number | null;
}

/** A file that differs from the last commit. */
export interface UncommittedFile {
  readonly key: string;
  readonly change: 'added' | 'modified' | 'deleted';
}

/** What version control knows about the files of a folder. */
export interface VersionControl {
  /** Commit dates by key; the same map until something changes. */
  history(): Promise<ReadonlyMap<string, FileHistory>>;
  past(): PastFiles;
  /** The files that differ from HEAD, by key in code-unit order; undefined outside a repository. */
  uncommitted(): Promise<readonly UncommittedFile[] | undefined>;
  /**
   * Reads the rules about files to ignore, for a folder with files of these `keys`. Returns a test for these and other keys. Rules
   * about the content folder or one of `folders` itself do not count.
   */
  ignored(keys: readonly string[], folders: readonly string[]): Promise<(key: string) => boolean>;
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

/** Bytes of a file: those from offset `start` up to, but without, offset `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The bytes of a file in parts. A caller that stops early has to call `return`. */
export type FileParts = AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;

/** A branch of a remote repository whose files a driver has. */
export interface FollowedBranch {
  /** Undefined until the remote has named its default branch. */
  name(): string | undefined;
  /** The commit of the files; undefined as long as they also have changes that the remote does not have. */
  commit(): string | undefined;
  /** The newest commit whose files are here, and the keys that changed since the last call. */
  takeChanges(): { readonly commit: string | undefined; readonly keys: readonly string[] };
  /** Looks at the branch, and takes over the files of its newest commit. Rejects if the remote does not respond. */
  look(): Promise<void>;
  /** True if the files have a commit: it is the present one, or among the 100 before it. */
  has(commit: string): Promise<boolean>;
  /** A commit on the branch with all changes that were made here so far; undefined if they are committed later. */
  written(): Promise<string | undefined>;
  /** Has to be called when the content changes other than by `takeChanges`. */
  touch?(): void;
  /** Called when `commit` or `takeChanges` may have changed. */
  onMove(listener: () => void): void;
}

/** Reads content files. Every key is checked by `storage/key.ts`, which rejects path traversal. */
export interface StorageDriver {
  /** For messages: `content/`, `memory`, `snapshot`. */
  readonly name: string;
  list(): Promise<Listing>;
  /** Undefined if there is no such file. */
  stat(key: string): Promise<StoredFile | undefined>;
  /** Undefined if there is no such file. */
  read(key: string): Promise<Uint8Array | undefined>;
  /** Reads at most `length` bytes from the start of a file. Absent if that is not cheaper than `read`. */
  readStart?(key: string, length: number): Promise<Uint8Array | undefined>;
  /**
   * Reads bytes of a file lazily, in parts of this length. Throws ServiceUnavailableError if the file differs from what `stat`
   * returned, or changes before its last part is read.
   */
  readParts?(file: StoredFile, length: number, range: ByteRange): FileParts;
  /**
   * Calls back with the keys that changed since the last call, in bursts, and with no keys if only the history changed.
   * `moved` means that HEAD moved, for example by a checkout: more files may have changed, and `list` has them all. A new
   * commit alone is not such a move. Resolves to a function that stops watching.
   */
  watch?(
    onChange: (keys: readonly string[], moved?: 'moved' | undefined) => void,
  ): Promise<() => Promise<void>>;
  /** Commit dates by key, without files that are ignored or were never committed. */
  history?(): Promise<ReadonlyMap<string, FileHistory>>;
  /** Absent if the storage has no past versions. The branch need not exist yet. */
  past?(): PastFiles;
  /** See `VersionControl`. */
  uncommitted?(): Promise<readonly UncommittedFile[] | undefined>;
  /** Set if the files follow a branch of a remote repository. */
  readonly followed?: FollowedBranch | undefined;
  /** Adds the files that appear or disappear with a change of others. */
  expand?(keys: readonly string[]): Promise<readonly string[]>;
  /** See `VersionControl`. Absent if the storage has committed files only. */
  ignored?: VersionControl['ignored'];
  /** Sentences about problems of the storage as a whole; complete after `history`. */
  warnings?(): readonly string[];
}

/** A change of one file. */
export interface FileChange {
  readonly key: string;
  /** Null removes the file. */
  readonly bytes: Uint8Array | null;
  /** `digestBytes` of the present bytes; null if the file does not exist. */
  readonly ifRevision: string | null;
}

/** The message and the author of a commit. */
export interface CommitDescription {
  readonly message: string;
  /** Undefined for the identity of the server. */
  readonly author: { readonly name: string; readonly mail: string } | undefined;
}

/**
 * Reads and writes content files. When `write` or `remove` resolves, the change is on disk. If the process dies, each
 * file is in its old or its new state. Throws UnsafeKeyError for keys that cannot be written (see `file-name.ts`), and
 * UnwritableStorageError if the storage refuses.
 *
 * `ifRevision` is the `digestBytes` of the bytes that the caller expects. If the file has others, nothing changes, and
 * RevisionConflictError reports the present ones. Within `exclusively` this is safe against all writers, otherwise only
 * against writers in the same process.
 */
export interface WritableDriver extends StorageDriver {
  /** Replaces or creates the file and its folders. `ifRevision: null` requires that the file does not exist. */
  write(key: string, bytes: Uint8Array, when?: { readonly ifRevision: string | null }): Promise<void>;
  /** Removes the file and folders that become empty, except the bundle's. Without `ifRevision`, the file may be missing. */
  remove(key: string, when?: { readonly ifRevision: string }): Promise<void>;
  /**
   * Changes several files: all of them or none, even if the process dies meanwhile. Then the next process that lists the
   * files or gets the lock completes the changes. Requires the lock.
   */
  writeAll(changes: readonly FileChange[]): Promise<void>;
  /**
   * Runs `work` while no other work for the same folder runs, in this process or another. Work runs in the order of the
   * calls. Work that waits too long is rejected with LockTimeoutError and never runs. The lock is released when its
   * process dies. Do not await a nested call: it would wait for its own lock.
   *
   * `changed` has the keys that other processes wrote or removed since the last work: watchers may not have reported
   * them yet.
   */
  exclusively<T>(work: (changed: readonly string[]) => Promise<T>): Promise<T>;
  /** Describes the next changes of the same exclusive work. Absent unless every change is a commit. */
  describe?(commit: CommitDescription): void;
  /** Why files cannot be written, as a sentence for the log; undefined if they can. */
  obstacle(): Promise<string | undefined>;
}

export function isWritable(driver: StorageDriver): driver is WritableDriver {
  return 'write' in driver && 'remove' in driver && 'exclusively' in driver;
}
