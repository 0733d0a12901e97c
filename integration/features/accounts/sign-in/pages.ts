import { ADMIN_PATH } from '../../../core/api/paths.ts';
import { html, type SignInPage } from '../../../core/server/page.ts';
import { MAX_NAME_LENGTH } from '../account.ts';
import type { SignInRequest, SignInResponse } from './fields.ts';
import type { Texts } from './texts.ts';

/** The state of a form after an error. */
export interface FormState {
  readonly error?: string | undefined;
  readonly name?: string | undefined;
}

/** The sign-in form. */
export function signInPage(
  { text }: Texts,
  { action, forgotten }: SignInAddresses,
  state: FormState,
  destination?: string,
): SignInPage {
  const hidden =
    destination === undefined
      ? html``
      : html`<input type="hidden" name="destination" value="${destination}">\n`;
  return {
    title: text('Sign in'),
    error: state.error,
    body: html`<form method="post" action="${action}">
${nameField(text, state)}
${passwordField(text, state, 'current-password')}
${hidden}<button type="submit">${text('Sign in')}</button>
</form>
<p><a href="${forgotten}">${text('Forgot your password?')}</a></p>`,
  };
}

export interface SignInAddresses {
  readonly action: string;
  /** For people who forgot their password. */
  readonly forgotten: string;
}

/** The form of people who forgot their password. */
export function forgottenPage({ text }: Texts, action: string, signIn: string, state: FormState): SignInPage {
  return {
    title: text('Forgot your password?'),
    error: state.error,
    body: html`<p>${text('Enter the name or the e-mail address of your account. You get a mail with a link to choose a new password.')}</p>
<form method="post" action="${action}">
${nameField(text, state, 'Name or e-mail address', MAX_MAIL_LENGTH)}
<button type="submit">${text('Send the link')}</button>
</form>
<p><a href="${signIn}">${text('Sign in')}</a></p>`,
  };
}

/** The form of a link. */
export function choosePage(
  { text }: Texts,
  action: string,
  { token, name, isNew }: { readonly token: string; readonly name: string; readonly isNew: boolean },
  error?: string,
): SignInPage {
  return {
    title: text(isNew ? 'Welcome' : 'Choose a new password'),
    error,
    body: html`<p>${withName(text(isNew ? 'Choose a password for your account {name}. You sign in with both.' : 'The new password is for the account {name}. Its other sessions end.'), name)}</p>
<form method="post" action="${action}">
<input type="text" name="username" value="${name}" autocomplete="username" hidden>
${passwordField(text, { error, name: 'focus' }, 'new-password')}
<input type="hidden" name="token" value="${token}">
<button type="submit">${text(isNew ? 'Create the password' : 'Change the password')}</button>
</form>`,
  };
}

/** Source: RFC 5321, 4.5.3.1. */
const MAX_MAIL_LENGTH = 254;

/** The form that creates the first account. */
export function setupPage({ text }: Texts, action: string, token: string, state: FormState): SignInPage {
  return {
    title: text('Create the first account'),
    error: state.error,
    body: html`<p>${text('This site has no accounts yet. The account you create here is an administrator with all permissions.')}</p>
<form method="post" action="${action}">
${nameField(text, state)}
${passwordField(text, state, 'new-password')}
<input type="hidden" name="setup" value="${token}">
<button type="submit">${text('Create account')}</button>
</form>`,
  };
}

/** The signed-in account, with a form to sign out. */
export function signedInAnswer(
  { link, settings, texts: { text } }: SignInRequest,
  { name, logout }: { readonly name: string; readonly logout: string },
): SignInResponse {
  const page = {
    title: text('Signed in'),
    body: html`<p>${withName(text('You are signed in as {name}.'), name)}</p>
<form method="post" action="${link('/user/logout')}"><input type="hidden" name="token" value="${logout}"><button type="submit">${text('Sign out')}</button></form>
<p>${settings.admin === true ? html`<a href="${link(ADMIN_PATH)}">${text('Open the admin')}</a> · ` : html``}<a href="${settings.base}/">${text('Go to the site')}</a></p>`,
  };
  return { kind: 'page', page };
}

/** An error, with a link. */
export function faultPage(
  { text }: Texts,
  error: string,
  link: { readonly href: string; readonly text: string },
): SignInPage {
  return { title: text('Sign in'), error, body: html`<p><a href="${link.href}">${text(link.text)}</a></p>` };
}

/** A sentence with `{name}`, in bold. */
function withName(sentence: string, name: string) {
  const [before = '', after = ''] = sentence.split('{name}');
  return html`${before}<strong>${name}</strong>${after}`;
}

function nameField(
  text: Texts['text'],
  { error, name }: FormState,
  label = 'Name',
  length = MAX_NAME_LENGTH,
) {
  return html`<div class="field">
<label for="name">${text(label)}</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" required maxlength="${String(length)}" value="${name ?? ''}"${fault(error)}${name ? html`` : html` autofocus`}>
</div>`;
}

function passwordField(
  text: Texts['text'],
  { error, name }: FormState,
  purpose: 'current-password' | 'new-password',
) {
  const isNew = purpose === 'new-password';
  const hint = isNew ? html`\n<p class="hint" id="pass-hint">${text('At least 8 characters.')}</p>` : html``;
  return html`<div class="field">
<label for="pass">${text('Password')}</label>
<input id="pass" name="pass" type="password" autocomplete="${purpose}" required${fault(error, isNew ? 'pass-hint' : undefined)}${name ? html` autofocus` : html``}>${hint}
</div>`;
}

function fault(error: string | undefined, hint?: string) {
  const described = [error === undefined ? undefined : 'error', hint].filter((id) => id !== undefined);
  const invalid = error === undefined ? html`` : html` aria-invalid="true"`;
  return described.length === 0 ? html`` : html`${invalid} aria-describedby="${described.join(' ')}"`;
}
