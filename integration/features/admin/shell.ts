import { html } from '../../core/server/page.ts';
import { PALETTE } from '../../core/server/palette.ts';
import type { Coding } from './content-coding.ts';
import type { Brand } from './options.ts';
import { SKELETON, SKELETON_STYLE } from './skeleton.ts';

/** The built files of the admin. */
export interface AdminApp {
  /** Name of the file that starts the app: a JavaScript module. */
  readonly script: string;
  /** The files of each screen, by the first segment of its address below `/admin`. The first screen has an empty one. */
  readonly screens: Readonly<Record<string, ScreenFiles>>;
  /** The compressed bytes of a file; undefined if the app has no file of this name. */
  read(name: string, coding: Coding): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Names of all files that a screen needs at once. */
export interface ScreenFiles {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/** The pages of the site as regular expressions, the first match first, and whether a build renders them. */
export type PageRoutes = readonly (readonly [pattern: string, isBuilt: boolean])[];

export interface ShellConfig {
  /** Astro's `base` without a trailing slash. */
  readonly base: string;
  /** Option `api.prefix`. */
  readonly prefix?: string | undefined;
  /** The app needs it for style elements that it creates. Base64. */
  readonly nonce: string;
  /** True if deleted entries go to the bin. */
  readonly bin: boolean;
  /** True if changed addresses leave redirects. */
  readonly redirects: boolean;
  /** True if the published site is built. */
  readonly deploy?: boolean;
  readonly pages?: PageRoutes;
  readonly brand?: Brand | undefined;
  /** Option `editing.widgets`. */
  readonly widgets?: Readonly<Record<string, string>> | undefined;
  /** Bundles with exactly one entry. */
  readonly single?: readonly string[];
}

/**
 * The HTML document that loads the app. The files of the screen at `path`, the address below `/admin`, are loaded at once, and
 * not one after the import of another. The skeleton comes before the style sheets, so browsers paint it without them.
 */
export function writeShell(
  { script, screens }: Pick<AdminApp, 'script' | 'screens'>,
  config: ShellConfig,
  path = '',
): string {
  const files = `${config.base}/admin/_assets/`;
  const [, first = ''] = path.split('/');
  const { scripts, styles } = (Object.hasOwn(screens, first) && screens[first]) || NO_FILES;
  const sheets = styles.map((name) => html`<link rel="stylesheet" href="${files + name}">`.markup);
  const modules = scripts.map((name) => html`<link rel="modulepreload" href="${files + name}">`.markup);
  // No string in it may end the element.
  const data = JSON.stringify(config).replaceAll('<', '\\u003c');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${config.brand?.name ?? 'Admin'}</title>
<link rel="icon" href="data:,">
<style nonce="${config.nonce}">${{ markup: PALETTE + SKELETON_STYLE }}</style>
<script type="application/json" id="config">${{ markup: data }}</script>
<script type="module" async src="${files + script}"></script>
${{ markup: modules.join('\n') }}
</head>
<body>
<noscript>The admin needs JavaScript.<style nonce="${config.nonce}">#skeleton { display: none; }</style></noscript>
${{ markup: SKELETON }}
${{ markup: sheets.join('\n') }}
</body>
</html>
`.markup;
}

const NO_FILES: ScreenFiles = { scripts: [], styles: [] };

/**
 * The content security policy of the shell: scripts are files of this site, so text of the content never runs. The app may
 * add style elements with the nonce, show images of other sites and those that are being uploaded, and show pages of this
 * site in frames.
 */
export function shellPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob: https:",
    "media-src 'self' blob: https:",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
