import { explorerPage, openPrerendered, pageQueries, runtime, served } from 'astro-jsonapi:runtime';
import type { APIContext, APIRoute, MiddlewareHandler } from 'astro';
import { type Actor, ANONYMOUS } from '../core/access/actor.ts';
import { routesOf, serveFeatures } from '../core/api/features.ts';
import { createRouteMatcher, type Target } from '../core/api/match-route.ts';
import type { ClientContext } from '../core/api/request.ts';
import type { ServedRuntime } from '../core/runtime/runtime.ts';
import type { HandlerContext } from '../core/server/handler.ts';
import { cookieOf } from '../core/util/cookie.ts';
import { FEATURES } from '../features.ts';

export const prerender = false;

/** The endpoint of the integration's routes, for sites with their own fetch file and for middleware mode. */
export const ALL: APIRoute = async (context) => {
  const target = matchRoute(context.request.url);
  const response =
    target &&
    (await serveRequest(context.request, {
      target,
      // Astro logs a warning when code reads the session of a site without sessions.
      session: served.sessionCookie === null ? undefined : context.session,
      address: addressOf(context),
      openPage: async (url) => (await openPrerendered?.(url)) ?? (() => context.rewrite(url)),
    }));
  return response ?? new Response(null, { status: 404 });
};

/** Undefined with adapters that do not have the address. */
function addressOf(context: APIContext): string | undefined {
  try {
    return context.clientAddress;
  } catch {
    return undefined;
  }
}

/**
 * The middleware of sites with option `editing`. Sets `Astro.locals.jsonapi.actor` to the account of the session, to the
 * local author of a dev server, and to the anonymous actor for prerendered pages. Ignores credentials in headers, because they can belong to another part of
 * the site.
 */
export const onRequest: MiddlewareHandler = async (context, next) => {
  const { isPrerendered, request, locals } = context;
  const session = !isPrerendered && mayHaveSession(request) ? context.session : undefined;
  const isKnown = session !== undefined || (!isPrerendered && served.localMode);
  const actor = isKnown ? await visitor(request, { session, address: addressOf(context) }) : ANONYMOUS;
  Object.assign(locals, { jsonapi: { actor } });
  if (pageQueries === undefined || isPrerendered || PREVIEWED.has(request) || request.method !== 'GET') {
    return next();
  }
  const url = context.url.pathname;
  const response = await pageQueries.track({ url, from: undefined }, next);
  if (response.status !== 200) pageQueries.forget(url);
  return response;
};

/** Requests for previews of pages. */
export const PREVIEWED = new WeakSet<Request>();

/** Anonymous if the account cannot be determined. */
async function visitor(request: Request, context: ClientContext): Promise<Actor> {
  try {
    return await (await runtime()).visitor(request, context);
  } catch (error) {
    console.error('[astro-jsonapi]', error);
    return ANONYMOUS;
  }
}

/** The route of a URL; undefined if it belongs to the site. */
export const matchRoute: (url: string) => Target | undefined = createRouteMatcher(routesOf(FEATURES), served);

/** Serves a matched request with the site's runtime. */
export async function serveRequest(
  request: Request,
  context: HandlerContext & { readonly target: Target },
): Promise<Response | undefined> {
  const content = await runtime().catch((error: unknown) => error);
  if (isRuntime(content)) return content.handle(request, { ...context, explorerPage });
  // In dev, Vite would load a second copy of the handler, which the runtime contains already.
  const [{ createFailedHandler }, { CORE_HANDLERS }] = await Promise.all([
    import('../core/server/handler.ts'),
    import('../core/server/handlers.ts'),
  ]);
  const features = serveFeatures(FEATURES, CORE_HANDLERS);
  return createFailedHandler(content, features, served, served)(request, { ...context, explorerPage });
}

/** True if the request has the cookie of the site's sessions. */
export function mayHaveSession({ headers }: Request): boolean {
  const { signIn, sessionCookie } = served;
  if (!signIn || sessionCookie === null) return false;
  return cookieOf(headers, sessionCookie) !== undefined;
}

// Runtimes come from another instance of their module.
function isRuntime(content: unknown): content is ServedRuntime {
  return typeof content === 'object' && content !== null && 'handle' in content;
}
