import { BASE, HAS_REDIRECTS } from './config.ts';
import { headingsOf, pageAt, readHeadings } from './pages.ts';

/** What visitors find at the address of a link. `unknown` if nothing can be said. */
export type LinkState =
  | { readonly kind: 'found' | 'missing' | 'no-anchor' | 'unknown' }
  | { readonly kind: 'moved'; readonly to: string };

const FOUND: LinkState = { kind: 'found' };
const UNKNOWN: LinkState = { kind: 'unknown' };
/** States by address. A page can come and go, so they are asked for again after a while. */
const states = new Map<string, { readonly at: number; readonly state: Promise<LinkState> }>();
const KEPT_MS = 60_000;

/** The state of a link to a path of the site. Each address is requested once in a minute. */
export function checkLink(address: string): Promise<LinkState> {
  const known = states.get(address);
  if (known !== undefined && Date.now() - known.at < KEPT_MS) return known.state;
  const state = find(address).catch(() => UNKNOWN);
  states.set(address, { at: Date.now(), state });
  return state;
}

async function find(address: string): Promise<LinkState> {
  const url = new URL(address, location.origin);
  if (url.origin !== location.origin || url.pathname.startsWith(`${BASE}/admin`)) return UNKNOWN;
  const anchor = decodeURIComponent(url.hash.slice(1));
  const hasPages = await sitePages();
  if (hasPages) {
    const response = await visit(url, anchor === '' ? 'HEAD' : 'GET');
    if (response.redirected) return movedTo(response, url);
    if (response.ok)
      return anchor === '' || hasId(await response.text(), anchor) ? FOUND : { kind: 'no-anchor' };
    if (response.status !== 404 && response.status !== 410) return UNKNOWN;
  }
  // The pages of a build know no entry that is newer, and those of a front end are elsewhere.
  const page = await pageAt(decodeURI(url.pathname.slice(BASE.length)));
  if (page !== undefined) {
    if (anchor === '' || hasPages) return FOUND;
    return (await readHeadings(page)).some(({ id }) => id === anchor) ? FOUND : { kind: 'no-anchor' };
  }
  if (hasPages) return { kind: 'missing' };
  if (!HAS_REDIRECTS) return UNKNOWN;
  const old = new URL(`${BASE}/_redirect?path=${encodeURIComponent(url.pathname)}`, location.origin);
  const response = await visit(old, 'HEAD');
  return response.redirected ? movedTo(response, url) : UNKNOWN;
}

/** False if the server has no pages, such as that of a decoupled front end. */
let home: Promise<boolean> | undefined;
function sitePages(): Promise<boolean> {
  home ??= visit(new URL(`${BASE}/`, location.origin), 'HEAD').then(({ status }) => status !== 404);
  return home;
}

/** Requests a page as visitors see it. */
function visit(url: URL, method: 'HEAD' | 'GET'): Promise<Response> {
  return fetch(url, { method, credentials: 'omit' });
}

function movedTo(response: Response, { pathname, search, hash }: URL): LinkState {
  const to = new URL(response.url);
  const isSame = withoutSlash(to.pathname) === withoutSlash(pathname);
  if (isSame || to.pathname.startsWith(`${BASE}/user/`)) return FOUND;
  const query = to.search === search ? '' : to.search;
  const own = to.origin === location.origin ? '' : to.origin;
  return { kind: 'moved', to: own + to.pathname + query + (to.hash || hash) };
}

function withoutSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}

function hasId(html: string, anchor: string): boolean {
  if (headingsOf(html).some(({ id }) => id === anchor)) return true;
  const page = new DOMParser().parseFromString(html, 'text/html');
  return page.getElementById(anchor) !== null || page.getElementsByName(anchor).length > 0;
}
