import { statusOf } from '../../../core/server/errors.ts';
import { html, notePage } from '../../../core/server/page.ts';
import { ForbiddenError } from '../../../core/util/errors.ts';
import { AccountInputError } from '../account.ts';
import type { FoundLink } from '../accounts.ts';
import { readFields, type SignInRequest, type SignInResponse } from './fields.ts';
import { begin, checkSender, home } from './login.ts';
import { choosePage, faultPage, forgottenPage } from './pages.ts';
import { FIXED_PASSWORDS, WITHOUT_MAIL, WITHOUT_SESSIONS } from './texts.ts';

/** `GET /user/password`: the form for a forgotten password, or with `?token=` the one that sets a password. */
export async function showPassword(input: SignInRequest): Promise<SignInResponse> {
  const { auth, query, link, texts } = input;
  const token = query.get('token');
  if (token === null) {
    const { sendsMail } = auth.recovery;
    const signIn = link('/user/login');
    const page = sendsMail
      ? forgottenPage(texts, link('/user/password'), signIn, {})
      : notePage(texts.text('Forgot your password?'), texts.text(adviceOf(input)), {
          href: signIn,
          text: texts.text('Sign in'),
        });
    return { kind: 'page', page };
  }
  const found = await auth.accounts.findLink(token);
  if (found === undefined) return invalidLink(input);
  return { kind: 'page', page: choosePage(texts, link('/user/password'), formOf(found, token)) };
}

/** `POST /user/password`: sends a link, or sets the password of a link and signs in. */
export async function answerPassword(input: SignInRequest): Promise<SignInResponse> {
  const { auth, request, context, link, texts } = input;
  const { text } = texts;
  checkSender(input, 'html');
  const fields = await readFields(request, 'html');
  const token = fields.get('token');
  if (token !== undefined) return choosePassword(input, token, fields.get('pass') ?? '');
  if (!auth.recovery.sendsMail) throw new ForbiddenError(adviceOf(input));
  await auth.recovery.request(fields.get('name') ?? '', context.address, texts);
  return {
    kind: 'page',
    page: {
      title: text('Look into your mail'),
      body: html`<p role="status">${text('If an account has this name or address, and an e-mail address, a mail with a link is on its way. The link works for one hour.')}</p>
<p>${text('No mail? Look into the folder for spam, or ask an administrator for a link.')}</p>
<p><a href="${link('/user/login')}">${text('Sign in')}</a></p>`,
    },
  };
}

async function choosePassword(
  input: SignInRequest,
  token: string,
  password: string,
): Promise<SignInResponse> {
  const { auth, context, link, settings, texts } = input;
  const found = await auth.accounts.findLink(token);
  if (found === undefined) return invalidLink(input);
  let used: FoundLink;
  try {
    used = await auth.accounts.useLink(token, password);
  } catch (error) {
    if (error instanceof ForbiddenError) return invalidLink(input);
    if (!(error instanceof AccountInputError)) throw error;
    const page = choosePage(texts, link('/user/password'), formOf(found, token), texts.failure(error));
    return { kind: 'page', status: statusOf(error), page };
  }
  const { account, link: former } = used;
  const event = former.purpose === 'invitation' ? 'invitation accepted' : 'link used';
  const { address } = context;
  await auth.audit.record({ event, result: 'succeeded', account: account.name, address, by: 'link' });
  if (context.session === undefined) {
    return { kind: 'page', page: notePage(texts.text('The password is set'), texts.text(WITHOUT_SESSIONS)) };
  }
  await begin(input, account);
  return { kind: 'redirect', to: link(home(settings)) };
}

function formOf({ account, link }: FoundLink, token: string) {
  return { token, name: account.name, isNew: link.purpose === 'invitation' };
}

function invalidLink({ link, auth, texts }: SignInRequest): SignInResponse {
  const { text } = texts;
  const advice = auth.recovery.sendsMail ? '' : ` ${text('Ask an administrator for another one.')}`;
  const page = faultPage(
    texts,
    text('This link is no longer valid: it works once, and it expires.') + advice,
    auth.recovery.sendsMail
      ? { href: link('/user/password'), text: 'Get another link' }
      : { href: link('/user/login'), text: 'Sign in' },
  );
  return { kind: 'page', status: 403, page };
}

function adviceOf({ auth }: SignInRequest): string {
  return auth.accounts.readOnly === undefined ? WITHOUT_MAIL : FIXED_PASSWORDS;
}
