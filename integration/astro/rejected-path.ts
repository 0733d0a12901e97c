/** Astro rejects this path before routing and middleware, because it is encoded too often. Valid for any `trailingSlash`. */
export const REJECTED_PATH = `/%${'25'.repeat(12)}41.json`;
