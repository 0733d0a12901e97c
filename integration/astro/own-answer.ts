import { explorerPage, runtime, served } from 'astro-jsonapi:runtime';
import { isExplorerPage, isServedPath } from '../api/served-paths.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { adminResponse } from '../server/admin-response.ts';
import type { HandlerContext } from '../server/handler.ts';
import { printRequestLine, withRequestLog } from '../server/request-log.ts';

/** Answers a request that is the integration's; undefined for every other. `context` is what Astro knows of it. */
export async function answerOwn(request: Request, context: HandlerContext): Promise<Response | undefined> {
  const url = new URL(request.url);
  if (!isServedPath(served, url)) return undefined;
  if (isExplorerPage(served, url.pathname)) return answerExplorer(request);
  const content = await runtime().catch((error: unknown) => error);
  if (isRuntime(content)) return content.handle(request, context);
  // In dev, Vite would load and keep the whole handler once more for nothing: the runtime has its own.
  const { createFailedFront } = await import('../server/front.ts');
  return createFailedFront(content, served, served)(request);
}

// Runtimes come from another instance of their module.
function isRuntime(content: unknown): content is Runtime {
  return typeof content === 'object' && content !== null && 'handle' in content;
}

const answerExplorer = served.requestLog
  ? withRequestLog(explorerResponse, printRequestLine)
  : explorerResponse;

async function explorerResponse(request: Request): Promise<Response> {
  return adminResponse(request, await explorerPage());
}
