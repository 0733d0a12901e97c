/** What is answered instead of Drupal's answer to a write, and why. */
export interface WriteDifference {
  /** The anchor of its line in docs/differences-from-drupal.md. */
  readonly reason: string;
  /** Drupal's unless given. */
  readonly status?: number;
  /** Pointers of errors; not looked at unless given. */
  readonly pointers?: readonly string[];
  /** The request, where its values have to be others. */
  readonly body?: (recorded: string) => string;
  /** False where the answer's data differs. */
  readonly data?: false;
}

export const WRITE_DIFFERENCES: Readonly<Record<string, WriteDifference>> = {};
