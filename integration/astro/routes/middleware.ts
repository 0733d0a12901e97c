import { runtime } from 'astro-jsonapi:runtime';
import type { MiddlewareHandler } from 'astro';
import { type Actor, ANONYMOUS } from '../../access/actor.ts';

import type { RequestSession } from '../../server/session.ts';
import { mayHaveSession } from '../serve-request.ts';

/**
 * Sets `Astro.locals.jsonapi.actor` to the account of the session. Prerendered pages get the anonymous actor. Credentials in
 * headers are for the API only, because they may belong to another part of the site.
 */
export const onRequest: MiddlewareHandler = async (context, next) => {
  const { isPrerendered, request, locals } = context;
  const session = !isPrerendered && mayHaveSession(request) ? context.session : undefined;
  const actor = session === undefined ? ANONYMOUS : await visitor(session);
  Object.assign(locals, { jsonapi: { actor } });
  return next();
};

/** Anonymous if the account cannot be determined. */
async function visitor(session: RequestSession): Promise<Actor> {
  try {
    return await (await runtime()).visitor(session);
  } catch (error) {
    console.error('[astro-jsonapi]', error);
    return ANONYMOUS;
  }
}
