import { served } from 'astro-jsonapi:runtime';
import { FetchState, sessions } from 'astro/fetch';
import { isServedPath, isSignInPath } from './api/served-paths.ts';
import { answerOwn } from './astro/own-answer.ts';
import { namesCookie } from './server/cookie.ts';
import type { RequestSession } from './server/session.ts';

/** What answers the requests that are not the integration's: Astro's pipeline. */
export type NextFetch = (request: Request) => Response | Promise<Response>;

/**
 * Answers a request for `/jsonapi`, `/api/content`, `/user/login` and whatever else is the integration's, and has `next`
 * answer every other; without `next` the answer to those is undefined. A site with a `src/fetch.ts` of its own calls it first:
 *
 * ```ts
 * import { jsonapiFetch } from 'astro-jsonapi/fetch';
 * import { astro, FetchState } from 'astro/fetch';
 *
 * export default {
 *   fetch: (request: Request) => jsonapiFetch(request, (other) => astro(new FetchState(other))),
 * };
 * ```
 */
export function jsonapiFetch(request: Request, next: NextFetch): Promise<Response>;
export function jsonapiFetch(request: Request): Promise<Response | undefined>;
export async function jsonapiFetch(request: Request, next?: NextFetch): Promise<Response | undefined> {
  const response = await ownAnswer(request);
  if (response === undefined) return next?.(request);
  if (next !== undefined && !announced) {
    announced = true;
    await announcePipeline(request, next);
  }
  return response;
}

let announced = false;

/** Refused by Astro before any routing, because its encoding is nested too deeply. */
const REFUSED_PATH = `/%${'25'.repeat(12)}41`;

// After the first request Astro warns of sessions, actions and middleware that a fetch file does not call.
// When that request is ours the pipeline has not run yet, so it is called once here, at no cost.
async function announcePipeline(request: Request, next: NextFetch): Promise<void> {
  try {
    await next(new Request(new URL(REFUSED_PATH, request.url)));
  } catch {
    // A pipeline of the site's own that fails for such a path: then the warning is all there is to lose.
  }
}

/** With the session where it may be of one, and the visitor's address where credentials are sent. Most requests need neither. */
async function ownAnswer(request: Request): Promise<Response | undefined> {
  const url = new URL(request.url);
  if (!isServedPath(served, url)) return undefined;
  const { sessionCookie, signIn, trustsProxy } = served;
  const mayBeOfSession =
    signIn && sessionCookie !== null && (namesCookie(request, sessionCookie) || isSignInPath(served, url));
  const isForwarded = trustsProxy && FORWARDED.some((name) => request.headers.has(name));
  if (!mayBeOfSession && !isForwarded && !request.headers.has('authorization')) return answerOwn(request, {});
  const state = new FetchState(request);
  if (mayBeOfSession) await sessions(state);
  const session = state.resolve<RequestSession>('session');
  const response = await answerOwn(asForwarded(request, state.url), {
    session,
    address: state.clientAddress,
  });
  await state.finalizeAll();
  for (const cookie of state.cookies.headers()) response?.headers.append('set-cookie', cookie);
  return response;
}

const FORWARDED = ['x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-port'] as const;

// Of the address only where it is: Astro has decoded and shortened the path, which may change what it names.
function asForwarded(request: Request, { origin, protocol, host }: URL): Request {
  const url = new URL(request.url);
  if (url.origin === origin) return request;
  url.protocol = protocol;
  url.host = host;
  if (!host.includes(':')) url.port = '';
  return new Request(url, request);
}
