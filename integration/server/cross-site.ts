import { ForbiddenError } from '../util/errors.ts';

/**
 * Where a request comes from. `own`: a page of this site, or the user's own doing in the browser; `foreign`: a page of
 * another origin; `unknown`: no browser of these days.
 */
export type Sender = 'own' | 'foreign' | 'unknown';

/**
 * What the browser says of the page that sent a request: no page can write these headers. `Sec-Fetch-Site` is decided by
 * the browser itself, so it holds behind every proxy; `Origin` is compared with the address the server is asked at.
 * Source: Fetch Metadata Request Headers, section 2.4; RFC 6454, section 7.
 */
export function senderOf({ url, headers }: Pick<Request, 'url' | 'headers'>): Sender {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' || site === 'none' ? 'own' : 'foreign';
  const origin = headers.get('origin');
  if (origin === null) return 'unknown';
  return isOwnOrigin(origin, url, headers.get('host')) ? 'own' : 'foreign';
}

/**
 * Throws a 403 unless a page of this site sent the request, or it has the token that only such a page can know. A token
 * that is wrong counts, whoever sent it.
 */
export function checkCrossSite(
  request: Pick<Request, 'url' | 'headers'>,
  { given, right }: { readonly given: string | null; readonly right: readonly string[] },
): void {
  if (given !== null && given !== '') {
    if (right.some((token) => isSame(token, given))) return;
    throw new ForbiddenError(
      'The token is not the one of this session. Ask /session/token for it again.',
      CSRF_SOURCE,
    );
  }
  const sender = senderOf(request);
  if (sender === 'foreign') throw foreignSender(request);
  if (sender === 'unknown') {
    throw new ForbiddenError(
      'A cookie alone changes nothing, since every page can have it sent. Send the header X-CSRF-Token with what /session/token answers, or identify yourself by HTTP Basic or by a token.',
      CSRF_SOURCE,
    );
  }
}

/** 403 for what a page of another origin sent. */
export function foreignSender({ url, headers }: Pick<Request, 'url' | 'headers'>): ForbiddenError {
  const origin = headers.get('origin');
  const page = origin === null || origin === 'null' ? 'another site' : origin;
  return new ForbiddenError(
    `A page of ${page} sent this, and this server is ${new URL(url).origin}. Where both are the same site, behind a proxy, have the proxy pass the header Host on, or set security.allowedDomains in astro.config. Pages elsewhere send the header X-CSRF-Token.`,
    { header: origin === null ? 'Sec-Fetch-Site' : 'Origin' },
  );
}

const CSRF_SOURCE = { header: 'X-CSRF-Token' } as const;

// A proxy that ends TLS speaks plain HTTP with the server, which then takes its own address for http: a page of https
// at the same host is the site's all the same. The other way round whoever is on the wire could be the page.
function isOwnOrigin(origin: string, url: string, host: string | null): boolean {
  const own = new URL(url);
  if (origin === own.origin) return true;
  if (host === null || !HOST.test(host) || !URL.canParse(origin)) return false;
  const { protocol } = new URL(origin);
  if (protocol !== 'https:' && protocol !== own.protocol) return false;
  const asked = `${protocol}//${host}`;
  return URL.canParse(asked) && new URL(asked).origin === origin;
}

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/** In a time that does not tell how much of it was right. */
function isSame(right: string, given: string): boolean {
  let different = right.length ^ given.length;
  for (let at = 0; at < right.length; at++) different |= right.charCodeAt(at) ^ given.charCodeAt(at);
  return different === 0;
}
