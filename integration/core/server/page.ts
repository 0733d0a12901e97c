import { escapeHtml } from '../util/text.ts';
import { PALETTE } from './palette.ts';

/** The content of a page. `html` escapes all text in it. */
export interface SignInPage {
  readonly title: string;
  /** An error message. Screen readers announce it, and the title starts with `Error:`. */
  readonly error?: string | undefined;
  readonly body: Html;
  /** The name of the site, and the markup of its name and its logo. */
  readonly brand?: { readonly name: string; readonly markup: Html } | undefined;
  readonly language?: PageLanguage;
}

/** `error` is what the title of a page with an error starts with. */
export type PageLanguage = Readonly<Record<'code' | 'direction' | 'error', string>>;
const ENGLISH: PageLanguage = { code: 'en', direction: 'ltr', error: 'Error: ' };

/** A complete document without scripts or external resources. */
export function writePage({ title, error, body, brand, language = ENGLISH }: SignInPage): string {
  const alert =
    error === undefined
      ? html``
      : html`<p class="error" id="error" role="alert" tabindex="-1">${error}</p>\n`;
  return html`<!doctype html>
<html lang="${language.code}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${error === undefined ? '' : language.error}${title}${brand ? ` · ${brand.name}` : ''}</title>
<link rel="icon" href="data:,">
<style>${{ markup: STYLES }}</style>
</head>
<body>
<main>
${brand?.markup ?? html``}<h1>${title}</h1>
${alert}${body}
</main>
</body>
</html>
`.markup;
}

/** The content security policy of the pages: one inline style sheet, and forms to the site itself. */
export async function pagePolicy(): Promise<string> {
  policy ??= crypto.subtle
    .digest('SHA-256', new TextEncoder().encode(STYLES))
    .then((digest) =>
      [
        "default-src 'none'",
        `style-src 'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`,
        "img-src 'self' data:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    );
  return policy;
}

let policy: Promise<string> | undefined;

/** HTML that needs no escaping. */
export interface Html {
  readonly markup: string;
}

/** Creates HTML and escapes the strings in it. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const parts = values.map((value) => (typeof value === 'string' ? escapeHtml(value) : value.markup));
  return { markup: strings.map((string, index) => string + (parts[index] ?? '')).join('') };
}

const STYLES = `${PALETTE}
*, ::before, ::after { box-sizing: border-box; } body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--page); color: var(--ink); font: 15px/1.5 var(--sans); }
main { width: 100%; max-width: 400px; background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 24px; }
h1 { margin: 0 0 16px; font-size: 20px; font-weight: 650; letter-spacing: -.01em; }
p { margin: 0 0 16px; overflow-wrap: anywhere; }
p:last-child { margin-bottom: 0; } .brand { display: flex; gap: 10px; align-items: center; font-weight: 650; } .brand img { display: block; max-width: 160px; height: 32px; object-fit: contain; }
form { margin-bottom: 16px; } form:last-child { margin-bottom: 0; }
a { color: var(--accent); }
label { display: block; margin-bottom: 4px; font-weight: 600; } .field { margin-bottom: 16px; }
.hint { margin: 4px 0 0; color: var(--muted); font-size: 13px; } input { width: 100%; height: 40px; padding: 0 10px; border: 1px solid var(--edge); border-radius: 6px; background: var(--panel); color: inherit; font: inherit; }
input[aria-invalid=true] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
button { height: 40px; padding: 0 20px; border: 1px solid var(--accent); border-radius: 6px; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button:hover { filter: brightness(1.08); } :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.error { padding: 10px 12px; border-inline-start: 3px solid var(--bad); border-radius: 6px; background: var(--bad-soft); color: var(--bad); }
`;

/** A message, with a link. */
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
