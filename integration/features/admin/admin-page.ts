import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { EXPLORER_PATH } from '../../core/api/paths.ts';
import { PALETTE } from '../../core/server/palette.ts';
import { escapeHtml } from '../../core/util/text.ts';

export interface AdminPageOptions {
  /** Astro's `base` without a trailing slash. */
  readonly base: string;
  /** Option `api.prefix`. */
  readonly prefix?: string | undefined;
  /** `snapshot`: the page answers queries from the files of a static site. `files`: only the listed queries can be run. */
  readonly mode: 'server' | 'snapshot' | 'files';
}

/**
 * The explorer as one HTML page with its scripts and style inside. The content security policy in the page allows
 * these by their hashes, and requests to the site itself. Reads files of the package, so it must not be called from a
 * bundled server.
 */
export function adminPage(options: AdminPageOptions): string {
  const scripts = scriptsOf(options).map((name) => inScript(readAsset(name)));
  const style = readStyle();
  return pageOf(options, {
    sources: [scripts.map(quotedDigest).join(' '), quotedDigest(style)],
    // Browsers ask for no icon of their own.
    head: `<link rel="icon" href="data:,">\n<style>${style}</style>`,
    body: scripts.map((script) => `<script type="module">${script}</script>`).join('\n'),
  });
}

/**
 * The explorer as a page with its scripts and style in files beside it, by name. It also works on hosts that send a
 * content security policy without inline scripts.
 */
export function adminFiles(options: AdminPageOptions): ReadonlyMap<string, string> {
  const { base, prefix = '' } = options;
  const files = new Map<string, string>();
  const addressOf = (name: string, text: string): string => {
    const file = name.replace('.', `.${createHash('sha256').update(text).digest('hex').slice(0, 16)}.`);
    files.set(file, text);
    return escapeHtml(`${base}${prefix}${EXPLORER_PATH}/${file}`);
  };
  const style = addressOf(STYLE, readStyle());
  const scripts = scriptsOf(options).map((name) => addressOf(name, readAsset(name)));
  const page = pageOf(options, {
    sources: ["'self'", "'self'"],
    head: `<link rel="stylesheet" href="${style}">`,
    body: scripts.map((script) => `<script type="module" src="${script}"></script>`).join('\n'),
  });
  return files.set('index.html', page);
}

const STYLE = 'app.css';

const readStyle = () => PALETTE + readAsset(STYLE);

/** The first one puts the engine in front of the page's `fetch`. */
const scriptsOf = ({ mode }: AdminPageOptions) =>
  mode === 'snapshot' ? ['snapshot.js', 'app.js'] : ['app.js'];

interface PageParts {
  /** What the policy of the page allows as scripts and as styles. */
  readonly sources: readonly [string, string];
  readonly head: string;
  readonly body: string;
}

function pageOf({ base, prefix, mode }: AdminPageOptions, { sources, head, body }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src ${sources[0]}`,
    `style-src ${sources[1]}`,
    "connect-src 'self'",
    // Blobs are images that were uploaded and that no entity has yet.
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Query explorer</title>
${head}
</head>
<body>
<noscript>The explorer needs JavaScript. The API does not.</noscript>
<script type="application/json" id="config">${inScript(JSON.stringify({ base, prefix, mode }))}</script>
${body}
</body>
</html>
`;
}

/** The build puts the files into `dist/admin/explorer`, next to the compiled folders of the package. */
function readAsset(name: string): string {
  const folder = import.meta.url.endsWith('.ts') ? '../../../dist/admin/explorer/' : '../../admin/explorer/';
  return readFileSync(new URL(folder + name, import.meta.url), 'utf8');
}

/** Keeps a `<` in a string of a script from ending the script element or hiding its end. */
function inScript(text: string): string {
  return text.replace(/<(?=\/?script|!--)/gi, '\\u003c');
}

function quotedDigest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
