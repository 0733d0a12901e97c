/** A problem of one content file, for its author. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning' | 'info';
  /** Stable name for tests and tools, such as `reference/dangling`. */
  readonly code: string;
  /** Storage key of the file (or folder) at fault. */
  readonly key: string;
  /** Both from 1; the start of the file where the place is not known better. */
  readonly line: number;
  readonly column: number;
  /** One sentence: what is wrong. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}
