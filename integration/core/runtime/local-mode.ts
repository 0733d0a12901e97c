import { type Actor, ADMINISTRATOR } from '../access/actor.ts';
import { isSame, senderOf } from '../server/cross-site.ts';
import { cookieOf } from '../util/cookie.ts';

/** Lets the person at the keyboard of a dev server use the admin without an account. */
export interface LocalMode {
  /** True for a request from this machine that no other site sent. */
  admits(request: LocalRequest, address: string | undefined): boolean;
  /** The local author, if the request is admitted and has the cookie. */
  authorOf(request: LocalRequest, address: string | undefined): Actor | undefined;
  /** An administrator with the permission to write MDX: it runs on their own machine, and their editor can write any code. */
  readonly author: Actor;
  /** The author's mail address. */
  readonly mail: string | undefined;
  /** `Set-Cookie` of a response that lets the browser act as the local author. */
  readonly cookie: string;
}

type LocalRequest = Pick<Request, 'url' | 'headers'>;

export interface LocalModeOptions {
  /** Value of the cookie. A process creates it, so a cookie of an earlier process is not valid. */
  readonly secret: string;
  /** Name of the author; empty if it is not known. */
  readonly name: string;
  /** The author's mail address, for commits. */
  readonly mail?: string | undefined;
  /** Astro's `base`. */
  readonly base: string;
  /** Distinguishes sites, because the cookies of a host are sent to all its ports. */
  readonly site: string;
}

/**
 * The client's address keeps out other machines. The host keeps out pages whose own name resolves to this machine (DNS
 * rebinding). The sender keeps out pages of other sites, and those of other ports. A proxy on this machine would make all
 * its clients local, so forwarded requests are not admitted.
 */
export function createLocalMode({ secret, name, mail, base, site }: LocalModeOptions): LocalMode {
  const cookieName = `astro-jsonapi-local-${site}`;
  const author: Actor = {
    ...ADMINISTRATOR,
    name: name === '' ? 'local author' : name,
    also: ['write mdx'],
  };

  function admits(request: LocalRequest, address: string | undefined): boolean {
    const { url, headers } = request;
    return (
      isLoopbackAddress(address) &&
      isLoopbackHost(new URL(url).host) &&
      isLoopbackHost(headers.get('host') ?? 'localhost') &&
      !FORWARDED.some((header) => headers.has(header)) &&
      senderOf(request) !== 'foreign'
    );
  }

  return {
    admits,
    authorOf(request, address) {
      const sent = cookieOf(request.headers, cookieName);
      const isOwn = sent !== undefined && isSame(secret, sent);
      return isOwn && admits(request, address) ? author : undefined;
    },
    author,
    mail,
    cookie: `${cookieName}=${secret}; Path=${base}/; HttpOnly; SameSite=Strict`,
  };
}

const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

/** 127.0.0.0/8 or `::1`, also as an IPv4-mapped address. */
function isLoopbackAddress(address = ''): boolean {
  return address === '::1' || /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/i.test(address);
}

function isLoopbackHost(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i.test(host);
}
