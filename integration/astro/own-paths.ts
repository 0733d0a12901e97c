/** The address at which the site's middleware runs for MDX in a language. Nothing is served there. */
export function mdxPath(language = 'default'): string {
  return `/_astro-jsonapi/mdx/${language}`;
}

/**
 * Astro rejects this path before middleware, because it is encoded too often. It matches a route of the integration, so
 * Astro's dev server does not try it in the catch-all pages of the site. Valid for any `trailingSlash`.
 */
export const REJECTED_PATH = mdxPath(`%${'25'.repeat(12)}41.json`);
