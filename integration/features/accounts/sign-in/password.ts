import { statusOf } from '../../../core/server/errors.ts';
import { html, notePage } from '../../../core/server/page.ts';
import { ForbiddenError } from '../../../core/util/errors.ts';
import { AccountInputError } from '../account.ts';
import type { FoundLink } from '../accounts.ts';
import { readFields, type SignInRequest, type SignInResponse } from './fields.ts';
import { begin, checkSender, home, WITHOUT_SESSIONS } from './login.ts';
import { choosePage, faultPage, forgottenPage } from './pages.ts';

/** `GET /user/password`: the form for a forgotten password, or with `?token=` the one that sets a password. */
export async function showPassword(input: SignInRequest): Promise<SignInResponse> {
  const { auth, query, link } = input;
  const token = query.get('token');
  if (token === null) {
    const { sendsMail } = auth.recovery;
    const signIn = link('/user/login');
    const page = sendsMail
      ? forgottenPage(link('/user/password'), signIn, {})
      : notePage('Forgot your password?', adviceOf(input), { href: signIn, text: 'Sign in' });
    return { kind: 'page', page };
  }
  const found = await auth.accounts.findLink(token);
  if (found === undefined) return invalidLink(input);
  return { kind: 'page', page: choosePage(link('/user/password'), formOf(found, token)) };
}

/** `POST /user/password`: sends a link, or sets the password of a link and signs in. */
export async function answerPassword(input: SignInRequest): Promise<SignInResponse> {
  const { auth, request, context, link } = input;
  checkSender(input, 'html');
  const fields = await readFields(request, 'html');
  const token = fields.get('token');
  if (token !== undefined) return choosePassword(input, token, fields.get('pass') ?? '');
  if (!auth.recovery.sendsMail) throw new ForbiddenError(adviceOf(input));
  await auth.recovery.request(fields.get('name') ?? '', context.address);
  return {
    kind: 'page',
    page: {
      title: 'Look into your mail',
      body: html`<p role="status">If an account has this name or address, and an e-mail address, a mail with a link is on its way. The link works for one hour.</p>
<p>No mail? Look into the folder for spam, or ask an administrator for a link.</p>
<p><a href="${link('/user/login')}">Sign in</a></p>`,
    },
  };
}

async function choosePassword(
  input: SignInRequest,
  token: string,
  password: string,
): Promise<SignInResponse> {
  const { auth, context, link, settings } = input;
  const found = await auth.accounts.findLink(token);
  if (found === undefined) return invalidLink(input);
  let used: FoundLink;
  try {
    used = await auth.accounts.useLink(token, password);
  } catch (error) {
    if (error instanceof ForbiddenError) return invalidLink(input);
    if (!(error instanceof AccountInputError)) throw error;
    const page = choosePage(link('/user/password'), formOf(found, token), error.detail);
    return { kind: 'page', status: statusOf(error), page };
  }
  const { account, link: former } = used;
  const event = former.purpose === 'invitation' ? 'invitation accepted' : 'link used';
  const { address } = context;
  await auth.audit.record({ event, result: 'succeeded', account: account.name, address, by: 'link' });
  if (context.session === undefined) {
    return { kind: 'page', page: notePage('The password is set', WITHOUT_SESSIONS) };
  }
  await begin(input, account);
  return { kind: 'redirect', to: link(home(settings)) };
}

function formOf({ account, link }: FoundLink, token: string) {
  return { token, name: account.name, isNew: link.purpose === 'invitation' };
}

function invalidLink({ link, auth }: SignInRequest): SignInResponse {
  const advice = auth.recovery.sendsMail ? '' : ' Ask an administrator for another one.';
  const page = faultPage(
    `This link is no longer valid: it works once, and it expires.${advice}`,
    auth.recovery.sendsMail
      ? { href: link('/user/password'), text: 'Get another link' }
      : { href: link('/user/login'), text: 'Sign in' },
  );
  return { kind: 'page', status: 403, page };
}

function adviceOf({ auth }: SignInRequest): string {
  return auth.accounts.readOnly === undefined ? WITHOUT_MAIL : FIXED;
}

const FIXED =
  'The passwords of this site are part of the settings of its server. Ask the person who runs the server for a new one.';
const WITHOUT_MAIL =
  'This site sends no mail. Ask an administrator: on the page of your account in the admin, under People, they can create a link with which you choose a new password.';
