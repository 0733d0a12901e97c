import { html } from '../../core/server/page.ts';
import { PALETTE } from '../../core/server/palette.ts';
import type { Coding } from './content-coding.ts';

/** The built files of the admin. */
export interface AdminApp {
  /** Name of the file that starts the app: a JavaScript module. */
  readonly script: string;
  /** Names of the style sheets that it needs at once. */
  readonly styles: readonly string[];
  /** The compressed bytes of a file; undefined if the app has no file of this name. */
  read(name: string, coding: Coding): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

export interface ShellConfig {
  /** Astro's `base` without a trailing slash. */
  readonly base: string;
  /** Option `api.prefix`. */
  readonly prefix?: string | undefined;
  /** The app needs it for style elements that it creates. Base64. */
  readonly nonce: string;
}

/** The HTML document that loads the app. */
export function writeShell(
  { script, styles }: Pick<AdminApp, 'script' | 'styles'>,
  config: ShellConfig,
): string {
  const files = `${config.base}/admin/_assets/`;
  const sheets = styles.map((name) => html`<link rel="stylesheet" href="${files + name}">`.markup);
  // No string in it may end the element.
  const data = JSON.stringify(config).replaceAll('<', '\\u003c');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Admin</title>
<link rel="icon" href="data:,">
<style nonce="${config.nonce}">${{ markup: PALETTE }}</style>
${{ markup: sheets.join('\n') }}
<script type="application/json" id="config">${{ markup: data }}</script>
<script type="module" src="${files + script}"></script>
</head>
<body>
<noscript>The admin needs JavaScript.</noscript>
</body>
</html>
`.markup;
}

/**
 * The content security policy of the shell: scripts are files of this site, so text of the content never runs. The app may
 * add style elements with the nonce, and show images of other sites and those that are being uploaded.
 */
export function shellPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob: https:",
    "media-src 'self' blob: https:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
