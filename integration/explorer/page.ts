import { createHash } from 'node:crypto';
import { readClient } from './read-client.ts';
import { STYLES } from './styles.ts';

export interface ExplorerPageOptions {
  /** Astro's `base`, without a slash at its end (`''` for the root). */
  readonly base: string;
  /** `server`: any query can be run. `static`: the site is files, and only the listed queries are there. */
  readonly mode: 'server' | 'static';
}

/**
 * The query explorer, one HTML document that needs nothing but the API: style and script are inside. Its content
 * policy allows these two by their digests and requests to its own origin, nothing else. To be called where the
 * package's files can be read (at config time), not from a bundled server.
 */
export function explorerPage({ base, mode }: ExplorerPageOptions): string {
  const script = safeIn('script', readClient());
  const config = JSON.stringify({ base, mode }).replaceAll('<', '\\u003c');
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(STYLES)}'`,
    "connect-src 'self'",
    'img-src data:',
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
<link rel="icon" href="data:,">
<style>${STYLES}</style>
</head>
<body>
<a class="skip" id="skip" href="#answer">Skip to the answer</a>
<header>
<h1>Query explorer</h1>
<p class="site"><a href="#/">${escaped(`${base}/jsonapi`)}</a><span class="chip">${MODE_NAMES[mode]}</span></p>
<p id="account" class="account"></p>
</header>
<form id="bar" aria-label="URL">
<div class="bar-line">
<span class="method" id="get" aria-hidden="true">GET</span>
<select id="method" class="method" aria-label="Method" hidden></select>
<textarea id="url" rows="1" spellcheck="false" autocomplete="off" autocapitalize="off" aria-label="URL of the query: paste one, or build it below" aria-describedby="url-problems"></textarea>
<button type="submit" class="primary" aria-keyshortcuts="Control+Enter Meta+Enter"><span id="run">Run</span> <kbd>Ctrl ⏎</kbd></button>
<button type="button" id="copy">Copy URL</button>
<a id="open" class="button" target="_blank" rel="noopener">Open</a>
</div>
<ul id="url-problems" class="problems" aria-live="polite"></ul>
</form>
<main>
<div class="side">
<form id="builder" aria-label="Query" aria-busy="true"><p class="empty">Asking what the content offers …</p></form>
<section id="call" aria-label="Code"></section>
</div>
<div class="answer-side">
<section id="draft" aria-label="Document" hidden></section>
<section id="answer" aria-label="Answer" tabindex="-1">
<div class="status">
<p id="count" class="count" role="status"></p>
<p id="facts" class="facts"></p>
</div>
<p id="stale" class="note" hidden>The query has changed since: run it to see its answer.</p>
<div id="errors" role="alert"></div>
<div id="steps" class="steps"></div>
<div id="notes"></div>
<div class="answer-bar"><div id="tabs" role="tablist" aria-label="Views of the answer"></div><nav id="pager" aria-label="Pages"></nav></div>
<div id="view-json" role="tabpanel" aria-labelledby="tab-json"></div>
<div id="view-table" role="tabpanel" aria-labelledby="tab-table" hidden></div>
<div id="view-plan" role="tabpanel" aria-labelledby="tab-plan" hidden></div>
</section>
</div>
</main>
<noscript><p class="note">The explorer needs JavaScript; the API itself does not: ${escaped(`${base}/jsonapi`)}</p></noscript>
<script type="application/json" id="config">${config}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

const MODE_NAMES = { server: 'server', static: 'static files' } as const;

/** Keeps a text from ending the element it is written into. */
function safeIn(tag: string, text: string): string {
  return text.replace(new RegExp(`</(${tag})`, 'gi'), '<\\/$1');
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
