import { served } from 'astro-jsonapi:runtime';
import type { APIContext, APIRoute } from 'astro';
import { answerOwn } from '../own-answer.ts';

export const prerender = false;

/** The same answers as the fetch door, for sites with a fetch file of their own and for middleware mode. */
export const ALL: APIRoute = async (context) =>
  (await answerOwn(context.request, {
    // Astro warns of each look at a session where there is none.
    session: served.sessionCookie === null ? undefined : context.session,
    address: addressOf(context),
  })) ?? new Response(null, { status: 404 });

/** Not every adapter can tell. */
function addressOf(context: APIContext): string | undefined {
  try {
    return context.clientAddress;
  } catch {
    return undefined;
  }
}
