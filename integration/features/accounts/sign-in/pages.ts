import { ADMIN_PATH } from '../../../core/api/paths.ts';
import { html, type SignInPage } from '../../../core/server/page.ts';
import { MAX_NAME_LENGTH } from '../account.ts';
import type { SignInRequest, SignInResponse } from './fields.ts';

/** The state of a form after an error. */
export interface FormState {
  readonly error?: string | undefined;
  readonly name?: string | undefined;
}

/** The sign-in form. */
export function signInPage(action: string, state: FormState, destination?: string): SignInPage {
  const hidden =
    destination === undefined
      ? html``
      : html`<input type="hidden" name="destination" value="${destination}">\n`;
  return {
    title: 'Sign in',
    error: state.error,
    body: html`<form method="post" action="${action}">
${nameField(state)}
${passwordField(state, 'current-password')}
${hidden}<button type="submit">Sign in</button>
</form>`,
  };
}

/** The form that creates the first account. */
export function setupPage(action: string, token: string, state: FormState): SignInPage {
  return {
    title: 'Create the first account',
    error: state.error,
    body: html`<p>This site has no accounts yet. The account you create here is an administrator with all permissions.</p>
<form method="post" action="${action}">
${nameField(state)}
${passwordField(state, 'new-password')}
<input type="hidden" name="setup" value="${token}">
<button type="submit">Create account</button>
</form>`,
  };
}

/** The signed-in account, with a form to sign out. */
export function signedInAnswer(
  { link, settings }: SignInRequest,
  { name, logout }: { readonly name: string; readonly logout: string },
): SignInResponse {
  const page = {
    title: 'Signed in',
    body: html`<p>You are signed in as <strong>${name}</strong>.</p>
<form method="post" action="${link('/user/logout')}"><input type="hidden" name="token" value="${logout}"><button type="submit">Sign out</button></form>
<p>${settings.admin === true ? html`<a href="${link(ADMIN_PATH)}">Open the admin</a> · ` : html``}<a href="${settings.base}/">Go to the site</a></p>`,
  };
  return { kind: 'page', page };
}

/** An error, with a link. */
export function faultPage(error: string, link: { readonly href: string; readonly text: string }): SignInPage {
  return { title: 'Sign in', error, body: html`<p><a href="${link.href}">${link.text}</a></p>` };
}

function nameField({ error, name }: FormState) {
  return html`<div class="field">
<label for="name">Name</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" required maxlength="${String(MAX_NAME_LENGTH)}" value="${name ?? ''}"${fault(error)}${name ? html`` : html` autofocus`}>
</div>`;
}

function passwordField({ error, name }: FormState, purpose: 'current-password' | 'new-password') {
  const isNew = purpose === 'new-password';
  const hint = isNew ? html`\n<p class="hint" id="pass-hint">At least 8 characters.</p>` : html``;
  return html`<div class="field">
<label for="pass">Password</label>
<input id="pass" name="pass" type="password" autocomplete="${purpose}" required${fault(error, isNew ? 'pass-hint' : undefined)}${name ? html` autofocus` : html``}>${hint}
</div>`;
}

function fault(error: string | undefined, hint?: string) {
  const described = [error === undefined ? undefined : 'error', hint].filter((id) => id !== undefined);
  const invalid = error === undefined ? html`` : html` aria-invalid="true"`;
  return described.length === 0 ? html`` : html`${invalid} aria-describedby="${described.join(' ')}"`;
}
