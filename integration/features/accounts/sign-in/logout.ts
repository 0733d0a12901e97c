import { asksForJson } from '../../../core/api/match-route.ts';
import { notePage } from '../../../core/server/page.ts';
import { checkCrossSite } from '../csrf.ts';
import { readSession } from '../session.ts';
import { unlistSession } from '../sessions.ts';
import { readFields, type SignInRequest, type SignInResponse, signedInAccount } from './fields.ts';
import { signedInAnswer } from './pages.ts';

/** `GET /user/logout`: the form to sign out. A link alone signs no one out, because any page could contain it. */
export async function showLogout(input: SignInRequest): Promise<SignInResponse> {
  const signedIn = await signedInAccount(input);
  if (signedIn !== undefined) return signedInAnswer(input, signedIn);
  const { texts } = input;
  const page = notePage(texts.text('You are signed out'), texts.text('No account is signed in here.'), {
    href: input.link('/user/login'),
    text: texts.text('Sign in'),
  });
  return { kind: 'page', page };
}

/**
 * `POST /user/logout`: ends the session; with `?_format=json` the response is a 204. The request must come from a page of
 * this site, or contain the session's `logout_token` (in `?token=` or the form) or its `X-CSRF-Token`.
 */
export async function answerLogout(input: SignInRequest): Promise<SignInResponse> {
  const { request, target, context, query, link, auth } = input;
  const { session } = context;
  const format = asksForJson(query) ? 'json' : 'html';
  const signedIn = session && (await readSession(session));
  if (session !== undefined && signedIn !== undefined) {
    const sent = query.get('token') ?? (await readFields(request, format)).get('token') ?? null;
    const token = sent ?? request.headers.get('x-csrf-token');
    const valid = [signedIn.logout, signedIn.csrf];
    checkCrossSite({ url: target.origin, headers: request.headers }, { token, valid });
    session.destroy();
    await unlistSession(auth.shared, signedIn);
    const { name: account } = signedIn.account;
    const { address } = context;
    void auth.audit.record({ event: 'sign-out', result: 'succeeded', account, address, by: 'session' });
  }
  return format === 'json' ? { kind: 'empty' } : { kind: 'redirect', to: link('/user/logout') };
}
