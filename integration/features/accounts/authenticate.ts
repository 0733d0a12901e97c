import type { Target } from '../../core/api/match-route.ts';
import type { ClientContext } from '../../core/api/request.ts';
import { CHANGING_METHODS } from '../../core/api/routes.ts';
import type { Authenticated } from './authenticator.ts';
import { checkCrossSite } from './csrf.ts';
import type { Auth } from './open-auth.ts';
import { forgetAccount, readSession } from './session.ts';

/**
 * The account that a request comes from: by the `Authorization` header, else by the session. Null for anonymous. A session
 * that is no longer valid is cleared. Throws like the authenticator, for wrong credentials on any route.
 */
export async function identify(
  { headers }: Pick<Request, 'headers'>,
  { session, address }: ClientContext,
  authenticator: Auth['authenticator'],
): Promise<Authenticated | null> {
  const authorization = headers.get('authorization');
  const account = authorization === null && session ? (await readSession(session))?.account : undefined;
  const authenticated = await authenticator.authenticate({ authorization, session: account, address });
  if (authenticated === null && account !== undefined && session) forgetAccount(session);
  return authenticated;
}

/**
 * Throws if an identified request may not change anything here: a page of another site that sends the session's cookie, or
 * a token that may only read.
 */
export async function checkMayChange(
  request: Request,
  { route, origin }: Target,
  { session }: ClientContext,
  { authenticated, authenticator }: { authenticated: Authenticated; authenticator: Auth['authenticator'] },
): Promise<void> {
  if (!CHANGING_METHODS.some((method) => method === request.method)) return;
  if (authenticated.by === 'session' && session !== undefined) {
    const csrf = (await readSession(session))?.csrf;
    checkCrossSite(
      { url: origin, headers: request.headers },
      { token: request.headers.get('x-csrf-token'), valid: csrf === undefined ? [] : [csrf] },
    );
  }
  const refusal = route.writes !== undefined ? authenticator.writeRefusal(authenticated) : undefined;
  if (refusal !== undefined) throw refusal;
}
