import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ANONYMOUS } from '../../../core/access/actor.ts';
import type { Services } from '../../../core/api/request.ts';
import type { RuntimeLog } from '../../../core/runtime/site.ts';
import { nameProblem } from '../../../core/storage/file-name.ts';
import { counted, escapeHtml } from '../../../core/util/text.ts';
import { createFindRedirect } from '../find-redirect.ts';
import { readRedirects } from '../redirect-file.ts';

/** The file that Netlify, Cloudflare Pages and others read. */
const HOST_FILE = '_redirects';

/**
 * Writes the redirects of a site without a server: a page at each old address, and the file of hosts that redirect themselves.
 * A page of the site takes precedence.
 */
export async function writeRedirects(
  services: Services,
  {
    dir,
    site,
    isNetlify,
  }: { readonly dir: string; readonly site: string | undefined; readonly isNetlify: boolean },
  log: Pick<RuntimeLog, 'info' | 'warn'>,
): Promise<void> {
  const file = await readRedirects(services.fileSources.content);
  const find = createFindRedirect();
  const { base, trailingSlash } = services.settings;
  const context = { services, access: services.access(ANONYMOUS), actor: ANONYMOUS };
  // Without the mark, Netlify serves the page at the old address.
  const status = isNetlify ? '301!' : '301';
  const lines: string[] = [];
  for (const from of file.redirects.keys()) {
    const to = await find(context, from);
    if (to === undefined) continue;
    if (await hasPage(dir, from)) {
      log.warn(`The redirect from ${from} is not used, because a page has this address.`);
      continue;
    }
    lines.push(`${base}${encodeURI(from)} ${to} ${status}`);
    const name = pageFile(from, trailingSlash === 'never');
    if (name === undefined) continue;
    const target = path.join(dir, name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, redirectPage(to, site));
  }
  if (lines.length === 0) return;
  const target = path.join(dir, HOST_FILE);
  const present = (await isFile(target)) ? await readFile(target, 'utf8') : '';
  const gap = present === '' || present.endsWith('\n') ? '' : '\n';
  await appendFile(target, `${gap}${lines.join('\n')}\n`);
  log.info(`${counted(lines.length, 'redirect')} written.`);
}

/** True if the build has a file that hosts serve at an address. */
async function hasPage(dir: string, from: string): Promise<boolean> {
  for (const name of [from, `${from}.html`, `${from}/index.html`]) {
    if (await isFile(path.join(dir, name))) return true;
  }
  return false;
}

async function isFile(name: string): Promise<boolean> {
  const found = await stat(name).catch((error: NodeJS.ErrnoException) => {
    // Part of the address is a file, or too long for a name.
    if (NOT_THERE.has(error.code)) return undefined;
    throw error;
  });
  return found?.isFile() === true;
}

const NOT_THERE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** The page at an old address; undefined if no file can have this name, or if hosts would not serve it as HTML. */
function pageFile(from: string, isFlat: boolean): string | undefined {
  const names = from.split('/').slice(1);
  const last = names.at(-1) ?? '';
  if (last === '' || names.some((name) => name === '' || nameProblem(`${name}.html`) !== undefined))
    return undefined;
  if (/\.html?$/i.test(last)) return from;
  return path.extname(last) !== '' ? undefined : isFlat ? `${from}.html` : `${from}/index.html`;
}

function redirectPage(to: string, site: string | undefined): string {
  const href = escapeHtml(to);
  const canonical = escapeHtml(site === undefined ? to : new URL(to, site).href);
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>${href}</title>
<meta name="robots" content="noindex">
<link rel="canonical" href="${canonical}">
<meta http-equiv="refresh" content="0;url=${href}">
</head>
<body>
<a href="${href}">${href}</a>
</body>
</html>
`;
}
