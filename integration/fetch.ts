import { explorerPage, runtime, served } from 'astro-jsonapi:runtime';
import { printRequestLine, withRequestLog } from './http/request-log.ts';
import type { Runtime } from './runtime.ts';
import { isExplorerPage, isServedPath } from './served-paths.ts';

/** What answers the requests that are not the integration's: Astro's pipeline. */
export type NextFetch = (request: Request) => Response | Promise<Response>;

/**
 * Answers a request for `/jsonapi`, `/api/content` or the query explorer, and has `next` answer every other; without `next`
 * the answer to those is undefined. A site with a `src/fetch.ts` of its own calls it first:
 *
 * ```ts
 * import { jsonapiFetch } from 'astro-jsonapi/fetch';
 * import { astro, FetchState } from 'astro/fetch';
 *
 * export default {
 *   fetch: (request: Request) => jsonapiFetch(request, (other) => astro(new FetchState(other))),
 * };
 * ```
 */
export function jsonapiFetch(request: Request, next: NextFetch): Promise<Response>;
export function jsonapiFetch(request: Request): Promise<Response | undefined>;
export async function jsonapiFetch(request: Request, next?: NextFetch): Promise<Response | undefined> {
  const response = await ownAnswer(request);
  if (response === undefined) return next?.(request);
  if (next !== undefined && !announced) {
    announced = true;
    await announcePipeline(request, next);
  }
  return response;
}

let announced = false;

/** Refused by Astro before any routing, because its encoding is nested too deeply. */
const REFUSED_PATH = `/%${'25'.repeat(12)}41`;

// After the first request Astro warns of sessions, actions and middleware that a fetch file does not call.
// When that request is ours the pipeline has not run yet, so it is called once here, at no cost.
async function announcePipeline(request: Request, next: NextFetch): Promise<void> {
  try {
    await next(new Request(new URL(REFUSED_PATH, request.url)));
  } catch {
    // A pipeline of the site's own that fails for such a path: then the warning is all there is to lose.
  }
}

async function ownAnswer(request: Request): Promise<Response | undefined> {
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
