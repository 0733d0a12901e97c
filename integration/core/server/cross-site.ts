import { ForbiddenError } from '../util/errors.ts';

/** `own`: a page of this site, or the user's address bar; `foreign`: a page of another origin; `unknown`: not a current browser. */
export type Sender = 'own' | 'foreign' | 'unknown';

/**
 * The sender of a request, by headers that pages cannot set. Browsers compute `Sec-Fetch-Site`, so it is right behind any
 * proxy; `Origin` is compared with the server's own origin. Source: Fetch Metadata Request Headers, section 2.4; RFC 6454,
 * section 7.
 */
export function senderOf({ url, headers }: Pick<Request, 'url' | 'headers'>): Sender {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' || site === 'none' ? 'own' : 'foreign';
  const origin = headers.get('origin');
  if (origin === null) return 'unknown';
  return isOwnOrigin(origin, url, headers.get('host')) ? 'own' : 'foreign';
}

/** The error for a request of a page of another origin. */
export function foreignSender({ url, headers }: Pick<Request, 'url' | 'headers'>): ForbiddenError {
  const origin = headers.get('origin');
  const page = origin === null || origin === 'null' ? 'another site' : origin;
  return new ForbiddenError(
    `A page of ${page} sent this request, and this server is ${new URL(url).origin}. If both are the same site behind a proxy, make the proxy forward the header Host, or set security.allowedDomains in astro.config. Pages of other sites must send the header X-CSRF-Token.`,
    { header: origin === null ? 'Sec-Fetch-Site' : 'Origin' },
  );
}

// Behind a proxy that terminates TLS, the server's own origin is http, and a page of https at the same host belongs to the
// site. The reverse is not accepted, because an attacker on the network could send an http page.
function isOwnOrigin(origin: string, url: string, host: string | null): boolean {
  const own = new URL(url);
  if (origin === own.origin) return true;
  if (host === null || !HOST.test(host) || !URL.canParse(origin)) return false;
  const { protocol } = new URL(origin);
  if (protocol !== 'https:' && protocol !== own.protocol) return false;
  const requested = `${protocol}//${host}`;
  return URL.canParse(requested) && new URL(requested).origin === origin;
}

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/** Compares in constant time. */
export function isSame(one: string, other: string): boolean {
  let different = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) different |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return different === 0;
}
