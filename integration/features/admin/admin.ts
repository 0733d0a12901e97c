import type { Actor } from '../../core/access/actor.ts';
import type { Target } from '../../core/api/match-route.ts';
import { ADMIN_PATH } from '../../core/api/paths.ts';
import { checkMethod, type Services } from '../../core/api/request.ts';
import { methodsOf } from '../../core/api/routes.ts';
import { encodeId } from '../../core/read/links.ts';
import { pathSegments } from '../../core/read/url-path.ts';
import { errorResponse } from '../../core/server/errors.ts';
import { notePage, pagePolicy, writePage } from '../../core/server/page.ts';
import { respond } from '../../core/server/respond.ts';
import { NotFoundError } from '../../core/util/errors.ts';
import { acceptedCoding, unzip } from './content-coding.ts';
import type { Brand } from './options.ts';
import { type AdminApp, type PageRoutes, shellPolicy, writeShell } from './shell.ts';

export interface AdminDeps {
  readonly services: Pick<Services, 'store' | 'engine' | 'access' | 'settings' | 'findRedirect'>;
  readonly openApp: OpenAdminApp;
  /** True if accounts can sign in. */
  readonly hasSignIn: boolean;
  /** True if deleted entries go to the bin. */
  readonly bin: boolean;
  /** True if the published site is built. */
  readonly deploy?: boolean;
  readonly pages?: PageRoutes | undefined;
  readonly brand?: Brand | undefined;
  /** Option `editing.widgets`. */
  readonly widgets?: Readonly<Record<string, string>> | undefined;
  /** Bundles with exactly one entry. */
  readonly single?: readonly string[] | undefined;
}

/** Opens the built app. */
export type OpenAdminApp = () => Promise<AdminApp>;

/** A request to a page of the admin, or for one of its files. */
export interface AdminRequest {
  readonly request: Request;
  readonly target: Target;
  /** Anonymous without a sign-in. */
  readonly actor: Actor;
}

/**
 * Serves the admin's shell at every path below `/admin`, so that the app can have its own routes, and the files of the app.
 * Drupal's addresses of forms redirect to the forms of the app. Anonymous visitors are redirected to the sign-in form.
 */
export function createAdmin({
  services,
  openApp,
  hasSignIn,
  bin,
  deploy = false,
  pages = [],
  brand,
  widgets = {},
  single = [],
}: AdminDeps) {
  const { base, prefix, trailingSlash } = services.settings;
  const link = (path: string) => `${base}${path}${trailingSlash === 'always' ? '/' : ''}`;

  /** The path of the app for an address. Throws NotFoundError. */
  const appPaths: Readonly<Record<string, (target: Target, actor: Actor) => Promise<string>>> = {
    async 'add-link'({ rest }) {
      const [, bundle = ''] = pathSegments(rest);
      return `/new/node/${encodeURIComponent(bundle)}`;
    },
    async 'edit-link'({ rest }, actor) {
      const [id = ''] = pathSegments(rest);
      const access = services.access(actor);
      for (const { name, entityType, bundle } of services.store.types.values()) {
        if (entityType !== 'node') continue;
        const entity = await services.engine.find(name, id, access);
        if (entity !== undefined) return `/edit/node/${bundle}/${encodeId(entity.id)}`;
      }
      throw new NotFoundError(`No content has the id '${id}', or you may not see it.`);
    },
  };

  async function serveFile(request: Request, name: string): Promise<Response> {
    if (name === FRAME) return new Response(EMPTY_PAGE, { headers: FRAME_HEADERS });
    const coding = acceptedCoding(request.headers.get('accept-encoding'));
    const bytes = await (await openApp()).read(name, coding ?? 'gzip');
    if (bytes === undefined) throw new NotFoundError(`The admin has no file '${name}'.`);
    const contentType = MEDIA_TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    // Few clients accept neither coding, so the package has no uncompressed files.
    const written = coding === undefined ? await unzip(bytes) : bytes;
    return respond(request, {
      status: 200,
      contentType,
      written: { bytes: written, tag: coding === undefined ? name : `${name}-${coding}` },
      headers: {
        // The name contains a digest of the content.
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        ...(coding && { 'content-encoding': coding }),
      },
    });
  }

  async function servePage({ request, target, actor }: AdminRequest): Promise<Response> {
    const pathOf = appPaths[target.route.name];
    if (pathOf !== undefined) return redirect(link(ADMIN_PATH + (await pathOf(target, actor))));
    const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18))));
    const addresses = Object.entries(widgets).map(([name, path]) => [name, base + path]);
    const config = {
      ...{ base, prefix, nonce, bin, redirects: services.findRedirect !== undefined, brand },
      ...(deploy && { deploy }),
      ...(!deploy && pages.length > 0 && { pages }),
      ...(single.length > 0 && { single }),
      ...(addresses.length > 0 && { widgets: Object.fromEntries(addresses) }),
    };
    const page = writeShell(await openApp(), config, target.rest);
    const response = pageResponse(request, 200, page, shellPolicy(nonce));
    response.headers.set('vary', 'Accept-Encoding');
    if (acceptedCoding(request.headers.get('accept-encoding'), ['gzip']) === undefined) return response;
    // Compressing is safe here: the page repeats nothing of the request, and its nonce is new each time.
    response.headers.set('content-encoding', 'gzip');
    const { body } = response;
    return new Response(body?.pipeThrough(new CompressionStream('gzip')), response);
  }

  /** For anonymous visitors. */
  async function refuse({ request, target }: AdminRequest): Promise<Response> {
    if (hasSignIn) {
      const { pathname, query } = target;
      const destination = encodeURIComponent(query === '' ? pathname : `${pathname}?${query}`);
      return redirect(`${link('/user/login')}?destination=${destination}`);
    }
    const page = notePage('Admin', ONLY_LOCAL, { href: link(ADMIN_PATH), text: 'Open the admin' });
    return pageResponse(request, 403, writePage(page), await pagePolicy());
  }

  return async (input: AdminRequest): Promise<Response> => {
    const { request, target, actor } = input;
    try {
      const methods = methodsOf(target.route);
      checkMethod(request.method, methods);
      if (request.method === 'OPTIONS') {
        return new Response(null, { status: 204, headers: { allow: methods.join(', ') } });
      }
      if (isAdminFile(target)) return await serveFile(request, target.rest.slice(FILES.length));
      return actor.name === null ? await refuse(input) : await servePage(input);
    } catch (error) {
      return errorResponse(request, target.route.errors, error);
    }
  };
}

/** True for a file of the app, which anyone may load. */
export function isAdminFile({ route, rest }: Target): boolean {
  return route.name === 'admin' && rest.startsWith(FILES);
}

/** Below `/admin`. */
const FILES = '/_assets/';

/** An empty page without a content security policy. The preview writes pages of the site into it. */
const FRAME = 'frame.html';
const EMPTY_PAGE = '<!doctype html><title>Preview</title>';
const FRAME_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
};

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

const ONLY_LOCAL =
  'Without accounts, the admin works on this machine only: open it in a browser here, at localhost, 127.0.0.1 or [::1], and not through a proxy or from a link on another site. To use it from other machines, add an adapter, so that people can sign in.';

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

function pageResponse({ method }: Request, status: number, page: string, policy: string): Response {
  return new Response(method === 'HEAD' ? null : page, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
    },
  });
}
