import type { Account, actorOf } from '../../accounts/account.ts';
import { AccountInputError } from '../../accounts/account.ts';
import { asksForJson } from '../../api/sign-in-paths.ts';
import { ApiError, UnauthorizedError } from '../../util/errors.ts';
import { identify } from '../authenticate.ts';
import { foreignSender, senderOf } from '../cross-site.ts';
import type { RequestSession, SignedIn } from '../session.ts';
import { beginSession, readSession } from '../session.ts';
import { safeDestination } from './destination.ts';
import type { SentFields, SignInAnswer, SignInRequest } from './fields.ts';
import { readFields } from './fields.ts';
import { faultPage, notePage, setupPage, signedInPage, signInPage } from './pages.ts';

/** `GET /user/login`: the form; the first account's where the link of a first start leads in; or who is signed in. */
export async function showLogin(asked: SignInRequest): Promise<SignInAnswer> {
  const { auth, query, place, settings, request, context } = asked;
  if (asksForJson(query)) throw badRequest('Send name and pass by POST: { "name": "…", "pass": "…" }.');
  const token = query.get('setup');
  if (token !== null) {
    if (await auth.setup.isValid(token)) {
      return { kind: 'page', page: setupPage(place('/user/login'), token, {}) };
    }
    const error =
      'This link does not lead in any more: it works once, and not for long. Restart the server for another, or add an account on the command line: npx astro-jsonapi account add <name> --role administrator';
    return {
      kind: 'page',
      status: 403,
      page: faultPage(error, { href: place('/user/login'), text: 'Sign in' }),
    };
  }
  const who = await identify(request, context, auth.authenticator);
  if (context.session === undefined) {
    return { kind: 'page', status: 501, page: notePage('Sign in', asked.withoutSessions) };
  }
  const signedIn = who?.by === 'session' ? await readSession(context.session) : undefined;
  if (who?.actor.name && signedIn) {
    const page = signedInPage(who.actor.name, place('/user/logout'), signedIn.logout, `${settings.base}/`);
    return { kind: 'page', page };
  }
  const destination = safeDestination(query.get('destination'), settings.base);
  return { kind: 'page', page: signInPage(place('/user/login'), {}, destination) };
}

/**
 * `POST /user/login`: a form, or with `?_format=json` the object `{ name, pass }`, which is answered as Drupal does.
 * What a page of another site sends is refused (403), so that nobody is signed in as somebody else without noticing.
 */
export async function answerLogin(asked: SignInRequest): Promise<SignInAnswer> {
  const { request, query } = asked;
  const form = asksForJson(query) ? 'json' : 'html';
  checkSender(asked, form);
  const fields = await readFields(request, form);
  if (form === 'json') return signInByJson(asked, fields);
  const setup = fields.get('setup');
  return setup === undefined ? signInByForm(asked, fields) : makeFirstAccount(asked, fields, setup);
}

async function signInByJson(asked: SignInRequest, fields: SentFields): Promise<SignInAnswer> {
  const [name, pass] = [fields.get('name'), fields.get('pass')];
  if (name === undefined || pass === undefined) {
    throw badRequest(`Send name and pass, both texts: ${name === undefined ? 'name' : 'pass'} is missing.`);
  }
  const { actor, signedIn } = await signIn(asked, name, pass).catch((error: unknown) => {
    throw withoutDialog(error, asked);
  });
  return {
    kind: 'json',
    data: {
      current_user: { uid: actor.name, name: actor.name, roles: actor.roles },
      csrf_token: signedIn.csrf,
      logout_token: signedIn.logout,
    },
  };
}

async function signInByForm(asked: SignInRequest, fields: SentFields): Promise<SignInAnswer> {
  const { place, query, settings } = asked;
  const name = fields.get('name') ?? '';
  const wanted = fields.get('destination') ?? query.get('destination');
  const destination = safeDestination(wanted, settings.base);
  try {
    await signIn(asked, name, fields.get('pass') ?? '');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, headers, detail } = withoutDialog(error, asked);
    const page = signInPage(place('/user/login'), { error: detail, name }, destination);
    return { kind: 'page', status, headers, page };
  }
  return { kind: 'redirect', to: destination ?? place('/user/login') };
}

async function makeFirstAccount(
  { auth, context, place, withoutSessions }: SignInRequest,
  fields: SentFields,
  token: string,
): Promise<SignInAnswer> {
  const name = fields.get('name') ?? '';
  let account: Account;
  try {
    account = await auth.setup.redeem(token, { name, password: fields.get('pass') ?? '' });
  } catch (error) {
    if (!(error instanceof AccountInputError)) throw error;
    const page = setupPage(place('/user/login'), token, { error: error.detail, name });
    return { kind: 'page', status: error.status, page };
  }
  const { name: added, roles } = account;
  const { address } = context;
  const entry = { event: 'account added', result: 'succeeded', by: 'setup link' } as const;
  await auth.audit.record({ ...entry, account: added, address, detail: roles.join(', ') });
  if (context.session === undefined) {
    return { kind: 'page', page: notePage('The account is made', withoutSessions) };
  }
  await beginSession(context.session, { name: account.name, epoch: account.epoch });
  return { kind: 'redirect', to: place('/user/login') };
}

async function signIn(
  asked: SignInRequest,
  name: string,
  password: string,
): Promise<{ readonly actor: ReturnType<typeof actorOf>; readonly signedIn: SignedIn }> {
  const { auth, context } = asked;
  const session = sessionOf(asked);
  const { actor, session: account } = await auth.authenticator.signIn({
    name,
    password,
    address: context.address,
  });
  return { actor, signedIn: await beginSession(session, account) };
}

function sessionOf({ context, withoutSessions }: SignInRequest): RequestSession {
  if (context.session !== undefined) return context.session;
  throw new ApiError({ status: 501, title: 'Not Implemented', detail: withoutSessions });
}

/** A program sends no `Origin` with its JSON; a browser does so with every form. */
function checkSender({ request, cors }: SignInRequest, form: 'json' | 'html'): void {
  const sender = senderOf(request);
  if (sender === 'own' || (sender === 'unknown' && form === 'json')) return;
  const origin = request.headers.get('origin');
  const isListed =
    cors !== false &&
    cors.credentials &&
    cors.origins !== '*' &&
    origin !== null &&
    cors.origins.includes(origin);
  if (form === 'json' && isListed) return;
  throw foreignSender(request);
}

/** A 401 asks for what the form asks for: with `Basic` a browser would open a window of its own before it shows the page. */
function withoutDialog<E>(error: E, { place }: Pick<SignInRequest, 'place'>): E | UnauthorizedError {
  if (!(error instanceof UnauthorizedError)) return error;
  return new UnauthorizedError(error.detail, `Cookie realm="content", form-action="${place('/user/login')}"`);
}

function badRequest(detail: string): ApiError {
  return new ApiError({ status: 400, title: 'Bad Request', detail });
}
