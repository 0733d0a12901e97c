/** What went wrong, for people. */
export function failureOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
