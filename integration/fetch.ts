import { openPrerendered, served } from 'astro-jsonapi:runtime';
import { astro, FetchState, i18n, middleware, pages, redirects, sessions, trailingSlash } from 'astro/fetch';
import { REJECTED_PATH } from './astro/own-paths.ts';
import { matchRoute, mayHaveSession, PREVIEWED, serveRequest } from './astro/routes.ts';
import type { Target } from './core/api/match-route.ts';
import type { RequestSession } from './core/api/request.ts';

/** Serves the requests that are not for the integration: Astro's pipeline. */
export type NextFetch = (request: Request) => Response | Promise<Response>;

/**
 * Serves the routes of the integration, such as `/jsonapi`, and calls `next` for all other requests. Without `next` the
 * result for those is undefined. A site with its own `src/fetch.ts` calls it first:
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
  const target = matchRoute(request.url);
  const response = target && (await serve(request, target));
  if (response === undefined) return next && redirected(request, await next(request));
  if (next !== undefined) await announcePipeline(request);
  return response;
}

/** The fetch entry of sites without their own fetch file. */
export default {
  fetch: (request: Request): Promise<Response> =>
    jsonapiFetch(request, (other) => astro(new FetchState(other))),
};

/** Leads from an old address to the present one if the site has nothing there. A page of the site takes precedence. */
async function redirected(request: Request, response: Response): Promise<Response> {
  if (response.status !== 404 || (request.method !== 'GET' && request.method !== 'HEAD')) return response;
  const { origin, pathname, search } = new URL(request.url);
  // The path is that in `features/redirects/routes.ts`.
  const url = `${origin}${served.base}/_redirect?path=${encodeURIComponent(pathname + search)}`;
  const target = matchRoute(url);
  const redirect = target && (await serve(new Request(url, request), target));
  if (redirect?.status !== 301) return response;
  await response.body?.cancel();
  return redirect;
}

/** Opens the session and finds the client's address only if the request may need them. Most requests do not. */
async function serve(request: Request, target: Target): Promise<Response | undefined> {
  const { sessionCookie, trustsProxy, localMode } = served;
  const hasSession = sessionCookie !== null && (target.route.option === 'signIn' || mayHaveSession(request));
  const isForwarded = trustsProxy && FORWARDED.some((name) => request.headers.has(name));
  if (!hasSession && !isForwarded && !localMode && !request.headers.has('authorization')) {
    return serveRequest(request, { target, openPage });
  }
  const state = new FetchState(request);
  if (hasSession) await sessions(state);
  const { origin } = state.url;
  const response = await serveRequest(request, {
    session: state.resolve<RequestSession>('session'),
    address: state.clientAddress,
    openPage,
    // Only the origin comes from Astro, because Astro decodes and normalizes the path.
    target: { ...target, origin, url: origin + target.url.slice(target.origin.length) },
  });
  await state.finalizeAll();
  for (const cookie of state.cookies.headers()) response?.headers.append('set-cookie', cookie);
  return response;
}

async function openPage(url: string): Promise<() => Promise<Response>> {
  return (await openPrerendered?.(url)) ?? (await openUncached(url));
}

/**
 * Astro's pipeline without its route cache: the cache has other content, and must not store this page. Calls no fetch file of
 * the site, which may have a cache of its own.
 */
async function openUncached(url: string): Promise<() => Promise<Response>> {
  // Addresses of the integration are not pages.
  if (matchRoute(url) !== undefined) return async () => new Response(null, { status: 404 });
  const request = new Request(url);
  PREVIEWED.add(request);
  const state = new FetchState(request);
  state.clientAddress = '127.0.0.1';
  if (served.sessionCookie !== null) await sessions(state);
  state.provide('cache', { create: () => NO_CACHE });
  if (state.routeData !== undefined) await state.loadComponentInstance();
  return async () => {
    const other = trailingSlash(state) ?? (await redirects(state));
    if (other !== undefined) return other;
    if (state.routeData === undefined) return new Response(null, { status: 404 });
    return i18n(state, await middleware(state, () => pages(state)));
  };
}

/** `Astro.cache` of a site without a cache. */
const NO_CACHE = {
  enabled: false,
  options: { tags: [] },
  tags: [],
  set: () => undefined,
  invalidate: async () => undefined,
};

const FORWARDED = ['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port'] as const;

let announced = false;

// After the first request, Astro warns about features such as sessions that a fetch file has not called. If that request is
// ours, the site's pipeline has not run yet. Astro counts all features as called as soon as it sees a request, so it gets
// one here that it rejects. No code of the site runs for it.
async function announcePipeline({ url }: Request): Promise<void> {
  if (announced) return;
  announced = true;
  await astro(new FetchState(new Request(new URL(REJECTED_PATH, url)))).catch(() => undefined);
}
