import { ANONYMOUS } from '../../core/access/actor.ts';
import { actorOf } from '../../core/access/members.ts';
import type { QueriedServices } from '../../core/api/jsonapi/answer.ts';
import { createRouteMatcher, type Target } from '../../core/api/match-route.ts';
import { inTime, pageBytes, pageUrl } from '../../core/api/page.ts';
import {
  type ClientContext,
  PageError,
  type PageHandler,
  type PageRequest,
  type Services,
} from '../../core/api/request.ts';
import { CONTENT_FILES_PREFIX } from '../../core/content/model.ts';
import { createContentServer } from '../../core/server/content-server.ts';
import { errorResponse } from '../../core/server/errors.ts';
import { DomainError, ServiceUnavailableError, TooManyRequestsError } from '../../core/util/errors.ts';
import { SHARED_PATH } from './routes.ts';
import { accountOf, type ShareDeps, type ShareLink } from './share-store.ts';
import { readShare, type SharedEntry } from './share-token.ts';
import { openSharedContent, type SharedContent } from './shared-content.ts';
import { resizedFile, sharedBar, sharedHtml } from './shared-html.ts';
import { withSlash } from './shared-path.ts';

export interface SharedPageDeps extends ShareDeps {
  /** Runs `work`. Pages that it renders show the content. */
  show<T>(content: QueriedServices, work: () => Promise<T>): Promise<T>;
}

/**
 * Serves `GET /_shared/<token>/<path>`: a page of the site as visitors see it, with the entry of a link in addition. A link that
 * is not valid, expired or revoked is an address that the site does not have, and so is every other method.
 */
export function createSharedPages(deps: SharedPageDeps): PageHandler {
  return {
    async respond(call) {
      const { method } = call.request;
      if (method !== 'GET' && method !== 'HEAD') return undefined;
      return (await sharedPage(call)) ?? (await unknownPage(call));
    },
  };

  /** A file that visitors can see, or that the entry of the link refers to. Undefined for others. */
  async function sharedFile(served: Services, link: SharedLink, url: URL, request: Request) {
    const target = ownTarget(served, url);
    if (target?.route.path.startsWith(CONTENT_FILES_PREFIX) !== true) return undefined;
    const content = await contentOf(deps, served, link);
    if (content === undefined) return undefined;
    const shown = { ...served, ...content.reader, features: served.features };
    const serve = createContentServer(shown, () => undefined, errorResponse);
    const sent = new Request(url, {
      method: request.method,
      headers: request.headers,
      signal: request.signal,
    });
    const response = await serve(sent, target, { actor: ANONYMOUS }, {});
    if (response.status === 404) return undefined;
    for (const [name, value] of Object.entries(PRIVATE)) {
      if (name !== 'content-security-policy') response.headers.set(name, value);
    }
    return response;
  }

  /** Undefined without a valid link. */
  async function sharedPage({
    request,
    target,
    context,
    services,
  }: PageRequest): Promise<Response | undefined> {
    const [, token = '', rest = ''] = /^\/+([^/]+)(.*)$/s.exec(target.rest) ?? [];
    const link = await findLink(deps, token);
    const { openPage } = context;
    if (link === undefined || openPage === undefined) return undefined;
    if (services().writer === null) return plainText(503, 'This server cannot show drafts. Try again later.');
    const { base, siteBase = base, trailingSlash } = services().settings;
    const root = `${siteBase}${SHARED_PATH}/${token}`;
    // The first page of a site without a base is at `/`.
    if (rest === '' || (rest === '/' && siteBase !== '')) return redirect(root + link.path);
    const { origin } = target;
    const address = rest + (target.query === '' ? '' : `?${target.query}`);
    const url = pageUrl(address, origin);
    if (url === undefined) return undefined;
    const own = ownTarget(services(), url);
    if (own?.route.path.startsWith(CONTENT_FILES_PREFIX)) {
      return sharedFile(services(), link, url, request);
    }
    const files = `${siteBase}${CONTENT_FILES_PREFIX}/`;
    const picture = resizedFile(url, files);
    if (picture !== undefined) {
      const file = await sharedFile(services(), link, picture, request);
      await file?.body?.cancel();
      if (file === undefined) return undefined;
      // The endpoint of Astro requests the picture as a visitor of the link.
      url.searchParams.set('href', origin + root + picture.pathname);
      return render(() => resizedPicture(url, openPage), request.method);
    }
    // A link does not change other files and addresses of the integration.
    if (own !== undefined || /\.(?!html?$)\w+$/.test(url.pathname)) return redirect(url.href);
    const form = withSlash(url.pathname, trailingSlash);
    if (form !== url.pathname) return redirect(root + form + url.search);
    const content = await contentOf(deps, services(), link);
    if (content === undefined) return undefined;
    const { isHidden } = content;
    const shown = { ...content.reader, features: services().features };
    const bar = isHidden ? sharedBar(request.headers.get('accept-language'), link.expires * 1000) : '';
    const rendering = {
      url,
      root,
      files,
      bar,
      openPage,
      show: <T>(work: () => Promise<T>) => deps.show(shown, work),
    };
    return render(() => renderPage(rendering), request.method);
  }
}

/** The 404 page of the site; undefined on a server without pages. */
async function unknownPage({
  request,
  target,
  context,
  services,
}: PageRequest): Promise<Response | undefined> {
  const { base, siteBase = base } = services().settings;
  try {
    const page = await (await context.openPage?.(`${target.origin}${siteBase}/404`))?.();
    if (page?.status !== 404 || !page.headers.get('content-type')?.startsWith('text/html')) return undefined;
    const headers = { ...PRIVATE, 'content-type': 'text/html; charset=utf-8' };
    return new Response(request.method === 'HEAD' ? null : await pageBytes(page.body), {
      status: 404,
      headers,
    });
  } catch (error) {
    if (error instanceof PageError) return undefined;
    throw error;
  }
}

/** The entry of a valid link. */
async function findLink({ store, now }: SharedPageDeps, token: string): Promise<SharedLink | undefined> {
  if (!token.includes('~')) return undefined;
  const data = await store.read();
  const shared = data && readShare(token, data.key);
  const stored = shared && data.links.find(({ id }) => id === shared.id);
  if (shared === undefined || stored === undefined || shared.expires * 1000 <= now()) return undefined;
  return { ...shared, maker: stored.maker, account: stored.account };
}

type SharedLink = SharedEntry & Pick<ShareLink, 'maker' | 'account'>;

/** Undefined if the maker of the link can no longer show the entry. */
async function contentOf(
  { members }: SharedPageDeps,
  services: Services,
  { maker, account, ...state }: SharedLink,
): Promise<SharedContent | undefined> {
  const member = await members().find(maker);
  if (member === undefined || member.blocked === true || accountOf(member) !== account) return undefined;
  try {
    return await openSharedContent({ ...state, services, maker: actorOf(member) });
  } catch (error) {
    const isBusy = error instanceof ServiceUnavailableError || error instanceof TooManyRequestsError;
    if (!(error instanceof DomainError) || isBusy) throw error;
    return undefined;
  }
}

/** By the settings of a site. */
const matchers = new WeakMap<object, ReturnType<typeof createRouteMatcher>>();

/** The route of the integration at an address. */
function ownTarget({ features, settings }: Services, { href }: URL): Target | undefined {
  const site = { ...settings, signIn: true, admin: true };
  const match = matchers.get(settings) ?? createRouteMatcher(features.routes, site, 'required');
  matchers.set(settings, match);
  return match(href);
}

interface Rendering {
  readonly url: URL;
  readonly root: string;
  readonly files: string;
  readonly bar: string;
  readonly openPage: NonNullable<ClientContext['openPage']>;
  show<T>(work: () => Promise<T>): Promise<T>;
}

/** A page that cannot be rendered is a 500. */
async function render<T extends Response | undefined>(
  work: () => Promise<T>,
  method: string,
): Promise<T | Response> {
  try {
    const page = await inTime(work);
    return page && method === 'HEAD' ? new Response(null, page) : page;
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    return plainText(500, 'This page cannot be shown now.');
  }
}

function plainText(status: number, text: string): Response {
  const headers = { ...PRIVATE, 'content-type': 'text/plain; charset=utf-8' };
  return new Response(text, { status, headers });
}

async function renderPage({ url, root, files, bar, openPage, show }: Rendering): Promise<Response> {
  // Modules of pages run outside, because all visitors share their state.
  const page = await show(await openPage(url.href));
  const { status, headers } = page;
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null && URL.canParse(location, url)) {
    const to = new URL(location, url);
    return redirect(to.origin === url.origin ? root + to.pathname + to.search + to.hash : to.href);
  }
  if (page.body !== null && !headers.get('content-type')?.startsWith('text/html')) {
    await page.body.cancel();
    return redirect(url.href);
  }
  const text = await (await show(() => pageBytes(page.body))).text();
  const policy = headers.get('content-security-policy');
  const all = new Headers({ ...PRIVATE, 'content-type': 'text/html; charset=utf-8' });
  if (policy !== null) all.append('content-security-policy', policy);
  return new Response(sharedHtml(text, { url, root, files, bar }), { status, headers: all });
}

/** Undefined for a file that cannot be resized. */
async function resizedPicture(url: URL, openPage: Rendering['openPage']): Promise<Response | undefined> {
  const { ok, headers, body } = await (await openPage(url.href))();
  const type = headers.get('content-type') ?? '';
  if (ok && type.startsWith('image/')) {
    return new Response(await pageBytes(body), { headers: { ...PRIVATE, 'content-type': type } });
  }
  await body?.cancel();
  return undefined;
}

/** The address is a secret: no cache, search engine, frame or other site may have it. */
const PRIVATE = {
  'cache-control': 'private, no-store',
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
};

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { ...PRIVATE, location } });
}
