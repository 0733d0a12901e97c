import { asksForJson } from '../../api/sign-in-paths.ts';
import { identify } from '../authenticate.ts';
import { checkCrossSite } from '../cross-site.ts';
import { readSession } from '../session.ts';
import type { SignInAnswer, SignInRequest } from './fields.ts';
import { readFields } from './fields.ts';
import { notePage, signedInPage } from './pages.ts';

/** `GET /user/logout`: the way out. Nobody is signed out by a link alone, which every page could have. */
export async function showLogout(asked: SignInRequest): Promise<SignInAnswer> {
  const { request, context, auth, place, settings } = asked;
  const who = await identify(request, context, auth.authenticator);
  const signedIn = context.session && (await readSession(context.session));
  if (who?.by !== 'session' || who.actor.name === null || !signedIn) return signedOut(asked);
  const page = signedInPage(who.actor.name, place('/user/logout'), signedIn.logout, `${settings.base}/`);
  return { kind: 'page', page };
}

/**
 * `POST /user/logout`: ends the session, with `?_format=json` as a 204. It has to come from a page of this site, or have
 * the `logout_token` of the session (`?token=`, or the form's) or its `X-CSRF-Token`.
 */
export async function answerLogout(asked: SignInRequest): Promise<SignInAnswer> {
  const { request, context, query, place, auth } = asked;
  const { session } = context;
  const form = asksForJson(query) ? 'json' : 'html';
  const signedIn = session && (await readSession(session));
  if (session !== undefined && signedIn !== undefined) {
    const sent = query.get('token') ?? (await readFields(request, form)).get('token') ?? null;
    const given = sent ?? request.headers.get('x-csrf-token');
    checkCrossSite(request, { given, right: [signedIn.logout, signedIn.csrf] });
    session.destroy();
    const { name: account } = signedIn.account;
    const { address } = context;
    void auth.audit.record({ event: 'sign-out', result: 'succeeded', account, address, by: 'session' });
  }
  return form === 'json' ? { kind: 'empty' } : { kind: 'redirect', to: place('/user/logout') };
}

function signedOut({ place }: SignInRequest): SignInAnswer {
  return {
    kind: 'page',
    page: notePage('You are signed out', 'Nobody is signed in here.', {
      href: place('/user/login'),
      text: 'Sign in',
    }),
  };
}
