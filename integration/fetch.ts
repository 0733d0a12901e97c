import { ownsPath, runtime } from 'astro-jsonapi:runtime';

/**
 * Answers a request for `/jsonapi`, `/api/content` or the query explorer; undefined for every other path.
 * A site with a `src/fetch.ts` of its own calls it first:
 *
 * ```ts
 * import { jsonapiFetch } from 'astro-jsonapi/fetch';
 * import { astro, FetchState } from 'astro/fetch';
 *
 * export default {
 *   async fetch(request: Request) {
 *     return (await jsonapiFetch(request)) ?? astro(new FetchState(request));
 *   },
 * };
 * ```
 */
export async function jsonapiFetch(request: Request): Promise<Response | undefined> {
  if (!ownsPath(new URL(request.url).pathname)) return undefined;
  return (await runtime()).handle(request);
}
