import { served } from 'astro-jsonapi:runtime';
import type { APIContext, APIRoute } from 'astro';
import { matchRoute, serveRequest } from '../serve-request.ts';

export const prerender = false;

/** Serves the integration's routes on sites with their own fetch file and in middleware mode. */
export const ALL: APIRoute = async (context) => {
  const target = matchRoute(context.request.url);
  const response =
    target &&
    (await serveRequest(context.request, {
      target,
      // Astro logs a warning when code reads the session of a site without sessions.
      session: served.sessionCookie === null ? undefined : context.session,
      address: addressOf(context),
    }));
  return response ?? new Response(null, { status: 404 });
};

/** Some adapters do not know it. */
function addressOf(context: APIContext): string | undefined {
  try {
    return context.clientAddress;
  } catch {
    return undefined;
  }
}
