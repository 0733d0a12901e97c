import type { Actor } from '../access/actor.ts';
import { ANONYMOUS } from '../access/actor.ts';
import type { Authenticated } from '../accounts/authenticator.ts';
import type { Auth } from '../accounts/open-auth.ts';
import type { ApiSettings } from '../read/settings.ts';
import { BEARER_CHALLENGE } from '../util/errors.ts';
import { checkCrossSite } from './cross-site.ts';
import { answerOrError } from './error-response.ts';
import type { Handler, HandlerContext } from './handler.ts';
import { tellActor } from './request-log.ts';
import { matchRoute } from './route.ts';
import type { RequestSession } from './session.ts';
import { forgetAccount, readSession } from './session.ts';

/**
 * Finds out who asks before the handler does anything: the `Authorization` header, else the session. Wrong credentials
 * are a 401 on every route; a token that may only read, and a page of another site that has a cookie sent along, change
 * nothing (403). A request with neither is handed on as it is.
 */
export function withAuthentication(
  handle: Handler,
  { authenticator }: Pick<Auth, 'authenticator'>,
  settings: ApiSettings,
): Handler {
  return async (request, context = {}) => {
    const { session } = context;
    if (session === undefined && !request.headers.has('authorization')) {
      return forScripts(request, await handle(request, context));
    }
    const matched = matchRoute(new URL(request.url).pathname, settings);
    if (matched === undefined) return handle(request, context);
    const { route } = matched;
    let actor: Actor = ANONYMOUS;
    const found = await identify(request, context, authenticator)
      .then(async (who) => {
        if (who === null) return undefined;
        actor = who.actor;
        if (!CHANGING.has(request.method)) return undefined;
        if (who.by === 'session' && session !== undefined) await checkSender(request, session);
        const refusal = route.write === undefined ? undefined : authenticator.writeRefusal(who);
        if (refusal !== undefined) throw refusal;
        return undefined;
      })
      .catch((error: unknown) => answerOrError(request, route.errorForm, () => Promise.reject(error)));
    const response = found ?? (await handle(request, { ...context, actor }));
    if (response !== undefined && actor.name !== null) tellActor(response, actor.name);
    return forScripts(request, response);
  };
}

/** Whom a request comes from; null for anonymous. Throws as the authenticator does. A session that has ended is forgotten. */
export async function identify(
  { headers }: Pick<Request, 'headers'>,
  { session, address }: HandlerContext,
  authenticator: Auth['authenticator'],
): Promise<Authenticated | null> {
  const authorization = headers.get('authorization');
  const account = authorization === null && session ? (await readSession(session))?.account : undefined;
  const who = await authenticator.authenticate({ authorization, session: account, address });
  if (who === null && account !== undefined && session) forgetAccount(session);
  return who;
}

const CHANGING: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

async function checkSender(request: Request, session: RequestSession): Promise<void> {
  const right = (await readSession(session))?.csrf;
  checkCrossSite(request, {
    given: request.headers.get('x-csrf-token'),
    right: right === undefined ? [] : [right],
  });
}

// A browser that reads `Basic` asks its user for a password in a window of its own, over the page whose script had asked.
function forScripts(request: Request, response: Response | undefined): Response | undefined {
  if (response?.status === 401 && request.headers.get('sec-fetch-dest') === 'empty') {
    response.headers.set('www-authenticate', BEARER_CHALLENGE);
  }
  return response;
}
