import { runtime, served } from 'astro-jsonapi:runtime';
import type { MiddlewareHandler } from 'astro';
import type { Actor } from '../../access/actor.ts';
import { ANONYMOUS } from '../../access/actor.ts';
import { namesCookie } from '../../server/cookie.ts';
import type { RequestSession } from '../../server/session.ts';

/**
 * Gives pages `Astro.locals.jsonapi.actor`: who has signed in by the session. Nobody in pages that are prerendered. Other
 * credentials are for the API, and may be meant for somebody else on pages of the site.
 */
export const onRequest: MiddlewareHandler = async (context, next) => {
  const { isPrerendered, request, locals } = context;
  const { signIn, sessionCookie } = served;
  const mayBe = !isPrerendered && signIn && sessionCookie !== null && namesCookie(request, sessionCookie);
  const session = mayBe ? context.session : undefined;
  const actor = session === undefined ? ANONYMOUS : await visitor(session);
  Object.assign(locals, { jsonapi: { actor } });
  return next();
};

/** Where that cannot be found out, the page is shown as to everybody. */
async function visitor(session: RequestSession): Promise<Actor> {
  try {
    return await (await runtime()).visitor(session);
  } catch (error) {
    console.error('[astro-jsonapi]', error);
    return ANONYMOUS;
  }
}
