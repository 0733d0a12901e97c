import { explorerPage, runtime, served } from 'astro-jsonapi:runtime';
import { printRequestLine, withRequestLog } from './http/request-log.ts';
import type { Runtime } from './runtime.ts';
import { isExplorerPage, isServedPath } from './served-paths.ts';

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
  const { pathname } = new URL(request.url);
  if (!isServedPath(served, pathname)) return undefined;
  if (isExplorerPage(served, pathname)) return answerExplorer(request);
  const content = await runtime().catch((error: unknown) => error);
  if (isRuntime(content)) return content.handle(request);
  // In dev, Vite would load and keep the whole handler once more for nothing: the runtime has its own.
  const { createFailedFront } = await import('./http/front.ts');
  return createFailedFront(content, served, served)(request);
}

// Runtimes come from another instance of their module.
function isRuntime(content: unknown): content is Runtime {
  return typeof content === 'object' && content !== null && 'handle' in content;
}

const answerExplorer = served.requestLog
  ? withRequestLog(explorerResponse, printRequestLine)
  : explorerResponse;

async function explorerResponse({ method }: Request): Promise<Response> {
  if (method !== 'GET' && method !== 'HEAD') {
    const status = method === 'OPTIONS' ? 204 : 405;
    return new Response(null, { status, headers: { allow: 'GET, HEAD, OPTIONS' } });
  }
  const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };
  return new Response(method === 'HEAD' ? null : await explorerPage(), { headers });
}
