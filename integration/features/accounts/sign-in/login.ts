import type { Actor } from '../../../core/access/actor.ts';
import { asksForJson } from '../../../core/api/match-route.ts';
import { ADMIN_PATH } from '../../../core/api/paths.ts';
import { foreignSender, senderOf } from '../../../core/server/cross-site.ts';
import { headersOf, statusOf } from '../../../core/server/errors.ts';
import { notePage } from '../../../core/server/page.ts';
import { DomainError, UnauthorizedError } from '../../../core/util/errors.ts';
import { type Account, AccountInputError } from '../account.ts';
import type { SessionAccount } from '../authenticator.ts';
import type { SignedIn } from '../session.ts';
import { startSession } from '../sessions.ts';
import {
  readFields,
  type SentFields,
  type SignInRequest,
  type SignInResponse,
  signedInAccount,
} from './fields.ts';
import { faultPage, setupPage, signedInAnswer, signInPage } from './pages.ts';
import { SETUP_EXPIRED, WITHOUT_SESSIONS } from './texts.ts';

/** `GET /user/login`: the sign-in form, the form for the first account, or the signed-in account. */
export async function showLogin(input: SignInRequest): Promise<SignInResponse> {
  const { auth, query, link, settings, context, texts } = input;
  if (asksForJson(query)) {
    throw new DomainError('bad-request', 'Send name and pass with POST: { "name": "…", "pass": "…" }.');
  }
  const token = query.get('setup');
  if (token !== null) {
    if (await auth.setup.isValid(token)) {
      return { kind: 'page', page: setupPage(texts, link('/user/login'), token, {}) };
    }
    const page = faultPage(texts, texts.text(SETUP_EXPIRED), { href: link('/user/login'), text: 'Sign in' });
    return { kind: 'page', status: 403, page };
  }
  const signedIn = await signedInAccount(input);
  if (context.session === undefined) {
    return { kind: 'page', status: 501, page: notePage(texts.text('Sign in'), texts.text(WITHOUT_SESSIONS)) };
  }
  if (signedIn !== undefined) return signedInAnswer(input, signedIn);
  const destination = safeDestination(query.get('destination'), settings.base);
  return {
    kind: 'page',
    page: signInPage(
      texts,
      { action: link('/user/login'), forgotten: link('/user/password') },
      {},
      destination,
    ),
  };
}

/**
 * `POST /user/login`: a form, or with `?_format=json` the object `{ name, pass }` with a response like Drupal's. Requests of
 * pages of other sites are rejected, so that no page can sign a visitor in to another account unnoticed.
 */
export async function answerLogin(input: SignInRequest): Promise<SignInResponse> {
  const { request, query } = input;
  const format = asksForJson(query) ? 'json' : 'html';
  checkSender(input, format);
  const fields = await readFields(request, format);
  if (format === 'json') return signInByJson(input, fields);
  const setup = fields.get('setup');
  return setup === undefined ? signInByForm(input, fields) : createFirstAccount(input, fields, setup);
}

async function signInByJson(input: SignInRequest, fields: SentFields): Promise<SignInResponse> {
  const [name, pass] = [fields.get('name'), fields.get('pass')];
  if (name === undefined || pass === undefined) {
    const missing = name === undefined ? 'name' : 'pass';
    throw new DomainError('bad-request', `Send name and pass as strings: ${missing} is missing.`);
  }
  try {
    const { actor, signedIn } = await signIn(input, name, pass);
    return {
      kind: 'json',
      data: {
        current_user: { uid: actor.name, name: actor.name, roles: actor.roles },
        csrf_token: signedIn.csrf,
        logout_token: signedIn.logout,
      },
    };
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    const data = { message: error.detail };
    return { kind: 'json', status: statusOf(error), headers: formChallenge(input), data };
  }
}

async function signInByForm(input: SignInRequest, fields: SentFields): Promise<SignInResponse> {
  const { request, link, query, settings, texts } = input;
  const name = fields.get('name') ?? '';
  const requested = fields.get('destination') ?? query.get('destination');
  const destination = safeDestination(requested, settings.base);
  try {
    await signIn(input, name, fields.get('pass') ?? '');
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const headers = error instanceof UnauthorizedError ? formChallenge(input) : headersOf(error, request);
    const page = signInPage(
      texts,
      { action: link('/user/login'), forgotten: link('/user/password') },
      { error: texts.failure(error), name },
      destination,
    );
    return { kind: 'page', status: statusOf(error), headers, page };
  }
  return { kind: 'redirect', to: destination ?? link(home(settings)) };
}

async function createFirstAccount(
  input: SignInRequest,
  fields: SentFields,
  token: string,
): Promise<SignInResponse> {
  const { auth, context, link, settings, texts } = input;
  const name = fields.get('name') ?? '';
  let account: Account;
  try {
    account = await auth.setup.redeem(token, { name, password: fields.get('pass') ?? '' });
  } catch (error) {
    if (!(error instanceof AccountInputError)) throw error;
    const page = setupPage(texts, link('/user/login'), token, { error: texts.failure(error), name });
    return { kind: 'page', status: statusOf(error), page };
  }
  const { name: added, roles } = account;
  const { address } = context;
  const entry = { event: 'account added', result: 'succeeded', by: 'setup link' } as const;
  await auth.audit.record({ ...entry, account: added, address, detail: roles.join(', ') });
  if (context.session === undefined) {
    return {
      kind: 'page',
      page: notePage(texts.text('The account was created'), texts.text(WITHOUT_SESSIONS)),
    };
  }
  await begin(input, account);
  return { kind: 'redirect', to: link(home(settings)) };
}

/** Where people are after signing in. */
export function home({ admin }: SignInRequest['settings']): string {
  return admin === true ? ADMIN_PATH : '/user/login';
}

/** Signs an account in with the session of a request. */
export function begin(
  { auth, context, request }: SignInRequest,
  { name, epoch }: SessionAccount,
): Promise<SignedIn> {
  const { session, address } = context;
  if (session === undefined) throw new DomainError('not-supported', WITHOUT_SESSIONS);
  return startSession(session, { name, epoch }, auth.shared, { headers: request.headers, address });
}

async function signIn(
  input: SignInRequest,
  name: string,
  password: string,
): Promise<{ readonly actor: Actor; readonly signedIn: SignedIn }> {
  const { auth, context } = input;
  if (context.session === undefined) throw new DomainError('not-supported', WITHOUT_SESSIONS);
  const { address } = context;
  const { actor, session: account } = await auth.authenticator.signIn({ name, password, address });
  return { actor, signedIn: await begin(input, account) };
}

/** Programs send no `Origin` with JSON; browsers send it with every form. */
export function checkSender({ request, target, cors }: SignInRequest, format: 'json' | 'html'): void {
  const { headers } = request;
  const sent = { url: target.origin, headers };
  const sender = senderOf(sent);
  if (sender === 'own' || (sender === 'unknown' && format === 'json')) return;
  const origin = headers.get('origin');
  const isListed =
    cors !== false &&
    cors.credentials &&
    cors.origins !== '*' &&
    origin !== null &&
    cors.origins.includes(origin);
  if (format === 'json' && isListed) return;
  throw foreignSender(sent);
}

/** A 401 needs a challenge. With `Basic`, browsers would show a dialog before the page with the form. */
function formChallenge({ link }: SignInRequest): Readonly<Record<string, string>> {
  return { 'www-authenticate': `Cookie realm="content", form-action="${link('/user/login')}"` };
}

/**
 * The path, query and fragment of an address below the site's base, to redirect to after signing in. Undefined for all other
 * strings, including those that browsers read as another host.
 */
export function safeDestination(destination: string | null, base: string): string | undefined {
  if (destination === null || destination === '' || !URL.canParse(destination, `${ORIGIN}${base}/`))
    return undefined;
  const { origin, username, pathname, search, hash } = new URL(destination, `${ORIGIN}${base}/`);
  if (origin !== ORIGIN || username !== '' || pathname.startsWith('//')) return undefined;
  return pathname === base || pathname.startsWith(`${base}/`) ? pathname + search + hash : undefined;
}

/** Not a real host. An address at this origin keeps its path only. */
const ORIGIN = 'http://site.invalid';
