import { explorerPage, runtime, served } from 'astro-jsonapi:runtime';
import { createRouteMatcher, type Target } from '../api/routes.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { HandlerContext } from '../server/handler.ts';

/** The route of a URL; undefined if it belongs to the site. */
export const matchRoute: (url: string) => Target | undefined = createRouteMatcher(served);

/** Serves a matched request with the site's runtime. */
export async function serveRequest(
  request: Request,
  context: HandlerContext & { readonly target: Target },
): Promise<Response | undefined> {
  const content = await runtime().catch((error: unknown) => error);
  if (isRuntime(content)) return content.handle(request, { ...context, explorerPage });
  // In dev, Vite would load a second copy of the handler, which the runtime contains already.
  const { createFailedHandler } = await import('../server/handler.ts');
  return createFailedHandler(content, served, served)(request, { ...context, explorerPage });
}

/** True if the request has the cookie of the site's sessions. */
export function mayHaveSession({ headers }: Request): boolean {
  const { signIn, sessionCookie } = served;
  if (!signIn || sessionCookie === null) return false;
  const cookies = headers.get('cookie')?.split(';') ?? [];
  return cookies.some((cookie) => cookie.split('=', 1)[0]?.trim() === sessionCookie);
}

// Runtimes come from another instance of their module.
function isRuntime(content: unknown): content is Runtime {
  return typeof content === 'object' && content !== null && 'handle' in content;
}
