import { MAX_NAME_LENGTH } from '../../accounts/account.ts';
import { type SignInPage, html } from './page.ts';

/** What of a form is there again when it could not be taken. */
export interface SentAgain {
  readonly error?: string | undefined;
  readonly name?: string | undefined;
}

/** Asks for name and password. */
export function signInPage(action: string, sent: SentAgain, destination?: string): SignInPage {
  const hidden =
    destination === undefined
      ? html``
      : html`<input type="hidden" name="destination" value="${destination}">\n`;
  return {
    title: 'Sign in',
    error: sent.error,
    body: html`<form method="post" action="${action}">
${nameField(sent)}
${passwordField(sent, 'current-password')}
${hidden}<button type="submit">Sign in</button>
</form>`,
  };
}

/** Asks for the name and password that the site's first account is to have. */
export function setupPage(action: string, token: string, sent: SentAgain): SignInPage {
  return {
    title: 'Make the first account',
    error: sent.error,
    body: html`<p>This site has no account yet. The one you make here is an administrator and may do everything.</p>
<form method="post" action="${action}">
${nameField(sent)}
${passwordField(sent, 'new-password')}
<input type="hidden" name="setup" value="${token}">
<button type="submit">Make the account</button>
</form>`,
  };
}

/** Who is signed in, and the way out. */
export function signedInPage(name: string, logout: string, token: string, home: string): SignInPage {
  return {
    title: 'You are signed in',
    body: html`<p>as <strong>${name}</strong>.</p>
<form method="post" action="${logout}"><p><input type="hidden" name="token" value="${token}"><button type="submit">Sign out</button></p></form>
<p><a href="${home}">To the site</a></p>`,
  };
}

/** Something to read, and a way on. */
export function notePage(
  title: string,
  text: string,
  link?: { readonly href: string; readonly text: string },
): SignInPage {
  return {
    title,
    body: html`<p>${text}</p>${link === undefined ? html`` : html`\n<p><a href="${link.href}">${link.text}</a></p>`}`,
  };
}

/** Something that went wrong, and a way on. */
export function faultPage(error: string, link: { readonly href: string; readonly text: string }): SignInPage {
  return { title: 'Sign in', error, body: html`<p><a href="${link.href}">${link.text}</a></p>` };
}

function nameField({ error, name }: SentAgain) {
  return html`<div class="field">
<label for="name">Name</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" required maxlength="${String(MAX_NAME_LENGTH)}" value="${name ?? ''}"${fault(error)}${name ? html`` : html` autofocus`}>
</div>`;
}

function passwordField({ error, name }: SentAgain, purpose: 'current-password' | 'new-password') {
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
