/**
 * What the servers of a site share while they run, in a database or in files: accounts, counts of failures, a log. Keys are
 * strings of any length. All methods throw ServiceUnavailableError if it cannot be reached.
 */
export interface SharedState {
  /** Undefined if the key has no value, or it has expired. Returns `known` itself if the value is the same. */
  read(key: string, known?: SharedValue): Promise<SharedValue | undefined>;
  /** Changes the values of keys in one step: of several changes of a key, one is first. If `change` throws, all values stay. */
  change<T>(
    keys: readonly string[],
    change: (values: readonly (string | undefined)[]) => Changed<T>,
  ): Promise<T>;
  /** Adds a line to a log, which is as long as the store allows. */
  append(log: string, line: string): Promise<void>;
  /** Lines of a log that are older than a place in it, the newest first. An empty list is the end. */
  lines(log: string, before?: string): Promise<readonly LoggedLine[]>;
  close(): Promise<void>;
}

export interface SharedValue {
  readonly text: string;
  /** Differs between any two values of a key. */
  readonly version: string;
}

export interface Changed<T> {
  /** By the order of the keys; undefined removes a value. Absent if all values stay. */
  readonly values?: readonly (ExpiringValue | undefined)[];
  readonly result: T;
}

export interface ExpiringValue {
  readonly text: string;
  /** Default: the value does not expire. */
  readonly seconds?: number | undefined;
}

export interface LoggedLine {
  readonly line: string;
  /** For `before`. */
  readonly place: string;
}
