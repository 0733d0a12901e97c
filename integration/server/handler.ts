import { type Actor, ANONYMOUS } from '../access/actor.ts';
import type { Auth } from '../accounts/open-auth.ts';
import { createRouteMatcher, type Target } from '../api/match-route.ts';
import { publishedServices } from '../api/published.ts';
import { type AccountsContext, checkMethod } from '../api/request.ts';
import {
  CHANGING_METHODS,
  methodsOf,
  READING_METHODS,
  type RouteName,
  type ServedSite,
} from '../api/routes.ts';
import type { Services } from '../api/services.ts';
import { NotFoundError, UnauthorizedError } from '../util/errors.ts';
import { accountsContext } from './accounts-context.ts';
import { createAdmin, isAdminFile, type OpenAdminApp } from './admin/admin.ts';
import type { LocalMode } from './admin/local-mode.ts';
import type { Connection } from './answer-stream.ts';
import { type ClientContext, checkMayChange, identify } from './authenticate.ts';
import { createContentServer, type Visitor } from './content-server.ts';
import { addCorsHeaders, type CorsRules, isPreflight, preflightResponse } from './cors.ts';
import { errorResponse } from './errors.ts';
import { HANDLERS, healthAnswer } from './handlers.ts';
import { credentialsOf, serveMcp } from './mcp/mcp.ts';
import type { McpSdk, SendToApi } from './mcp/tools.ts';
import { createCommitAnswers } from './replica.ts';
import { logRequest } from './request-log.ts';
import { respond } from './respond.ts';
import { readSession } from './session.ts';
import { createSignIn } from './sign-in/endpoints.ts';

/** What the server knows about a request in addition to the request itself. */
export interface HandlerContext extends ClientContext {
  /** Anonymous by default; credentials take precedence. */
  readonly actor?: Actor;
  /** The matched route, if the caller has matched the request already. */
  readonly target?: Target;
  /** Given if the server that received the request does not wait for slow clients by itself. */
  readonly connection?: Connection | undefined;
  /** The HTML of the query explorer. Without it, the explorer's page is not served. */
  readonly explorerPage?: (() => string | Promise<string>) | undefined;
}

/** Serves the requests of the integration; returns undefined for all others. Never throws. */
export type Handler = (request: Request, context?: HandlerContext) => Promise<Response | undefined>;

/** Options about all responses. */
export interface HandlerSettings {
  readonly cors: CorsRules | false;
  /** True to log a line for every request. */
  readonly requestLog: boolean;
  /** Sign-in paths, and paths of the admin, at which the site has its own pages. */
  readonly ownPages?: readonly string[];
}

export interface HandlerOptions extends Partial<HandlerSettings> {
  /** Without accounts, all requests are anonymous and sign-in paths are not served. */
  readonly auth?: Auth | undefined;
  /** Without it, the admin is not served. */
  readonly adminApp?: OpenAdminApp | undefined;
  /** Set on a dev server. */
  readonly localMode?: LocalMode | undefined;
  /** Loads the optional package for agents. Throws if it is not installed. */
  readonly loadMcpSdk?: (() => Promise<McpSdk>) | undefined;
}

/** The request pipeline: match the route, answer preflights, authenticate, serve, add CORS headers, log. */
export function createHandler(services: Services, options: HandlerOptions = {}): Handler {
  const { auth, adminApp, localMode, loadMcpSdk, ownPages = [], cors = false } = options;
  const { settings, writer } = services;
  const { base, api, prefix, drupal, explorer, health, languages, gitHook } = settings;
  const match = createRouteMatcher(
    {
      ...{ base, api, prefix, drupal, explorer, health, ownPages, languages, gitHook },
      signIn: auth !== undefined,
      admin: adminApp !== undefined,
    },
    'optional',
  );
  const withCommit = createCommitAnswers(services);
  const serverOf = (served: Services) =>
    withCommit(createContentServer(served, match, HANDLERS, errorResponse));
  const serveContent = serverOf(services);
  const published = publishedServices(services);
  const serveApi = published === services ? serveContent : serverOf(published);
  const signIn = auth && createSignIn({ auth, settings, cors });
  const serveAdmin =
    adminApp && createAdmin({ services: published, openApp: adminApp, hasSignIn: auth !== undefined });

  /** The sender of a request: by its credentials, else the local author, else the actor in the context. */
  async function visitorOf(
    request: Request,
    target: Target,
    context: HandlerContext,
    log: RequestLog,
  ): Promise<Visitor & { readonly setCookie?: string | undefined }> {
    const { session, address, actor = ANONYMOUS } = context;
    const hasCredentials = session !== undefined || request.headers.has('authorization');
    const authenticator = hasCredentials ? auth?.authenticator : undefined;
    const authenticated = authenticator && (await identify(request, context, authenticator));
    if (authenticator && authenticated) {
      log.actor = authenticated.actor.name;
      await checkMayChange(request, target, context, { authenticated, authenticator });
      const { by } = authenticated;
      const csrf = by === 'session' && session ? (await readSession(session))?.csrf : undefined;
      return { actor: authenticated.actor, signIn: { by, csrf: csrf ?? null } };
    }
    const begins = localMode !== undefined && beginsLocalMode(target) && localMode.admits(request, address);
    const author = begins ? localMode.author : localMode?.authorOf(request, address);
    if (author === undefined) return { actor: authenticator ? ANONYMOUS : actor };
    log.actor = author.name;
    const setCookie = begins ? localMode.cookie : undefined;
    return { actor: author, signIn: { by: 'local', csrf: null }, setCookie };
  }

  /** The accounts, for routes that are about them. */
  function accountsOf(
    { route }: Target,
    { actor, signIn }: Visitor,
    context: ClientContext,
  ): AccountsContext | undefined {
    if (route.writes !== 'accounts' || auth === undefined || signIn === undefined) return undefined;
    return accountsContext(auth, actor, signIn, context, settings.roles ?? []);
  }

  const handle = createPipeline(match, options, {
    methodsOf({ route }) {
      const methods = methodsOf(route);
      return route.writes === true && writer !== null ? [...methods, ...CHANGING_METHODS] : methods;
    },
    async serve(request, target, context, log) {
      if (target.route.option === 'signIn') return signIn?.(request, target, context);
      if (target.route.name === 'explorer') return explorerResponse(request, target, context);
      try {
        const { setCookie, ...visitor } = await visitorOf(request, target, context, log);
        const { actor } = visitor;
        if (target.route.forAdmin && !explorer && actor.name === null) {
          throw new UnauthorizedError('Sign in to see the schema of the content and plans of queries.');
        }
        if (target.route.name === 'mcp') return await serveTools(request, target, actor.name, context);
        const accounts = accountsOf(target, visitor, context);
        const response =
          serveAdmin && ADMIN_PAGES.has(target.route.name)
            ? await serveAdmin({ request, target, actor })
            : await (target.route.part === undefined ? serveContent : serveApi)(
                request,
                target,
                { ...visitor, accounts },
                context,
              );
        if (setCookie !== undefined) response.headers.append('set-cookie', setCookie);
        return response;
      } catch (error) {
        return errorResponse(request, target.route.errors, error);
      }
    },
  });

  /** Serves tools, which send requests to this handler with the credentials of this one. */
  async function serveTools(
    request: Request,
    target: Target,
    account: string | null,
    context: HandlerContext,
  ): Promise<Response> {
    const methods = methodsOf(target.route);
    checkMethod(request.method, methods);
    if (request.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { allow: methods.join(', ') } });
    if (loadMcpSdk === undefined) throw new NotFoundError('This server has no tools for agents.');
    const { target: _, connection: __, ...sender } = context;
    const root = base + (prefix ?? '');
    const send: SendToApi = async (path, { headers, ...init } = {}) => {
      const all = credentialsOf(request);
      for (const [name, value] of new Headers(headers)) all.set(name, value);
      const sent = new Request(target.origin + root + path, {
        ...init,
        headers: all,
        signal: request.signal,
      });
      const response = await handle(sent, sender);
      if (response === undefined) throw new Error(`No route serves ${path}.`);
      return response;
    };
    return serveMcp({ services: published, loadSdk: loadMcpSdk }, { request, target, account, send });
  }
  return handle;
}

const ADMIN_PAGES: ReadonlySet<RouteName> = new Set(['admin', 'add-link', 'edit-link']);

/** Pages, and the request with which an open app finds out that the dev server was restarted. */
function beginsLocalMode(target: Target): boolean {
  const { name } = target.route;
  return (ADMIN_PAGES.has(name) || name === 'me') && !isAdminFile(target);
}

/** Serves a site whose content could not be loaded: 503 on the health route, 500 on all others. */
export function createFailedHandler(
  cause: unknown,
  site: ServedSite,
  options: Pick<HandlerSettings, 'cors' | 'requestLog'>,
): Handler {
  return createPipeline(createRouteMatcher(site, 'optional'), options, {
    methodsOf: () => READING_METHODS,
    async serve(request, target, context) {
      const { name, contentType } = target.route;
      if (name === 'explorer') return explorerResponse(request, target, context);
      if (name !== 'health') return errorResponse(request, 'jsonapi', cause);
      const { status = 503, headers, ...written } = healthAnswer('error');
      return respond(request, { status, contentType, written, ...(headers && { headers }) });
    },
  });
}

interface Steps {
  /** The methods that a preflight lists. */
  methodsOf(target: Target): readonly string[];
  serve(
    request: Request,
    target: Target,
    context: HandlerContext,
    log: RequestLog,
  ): Promise<Response | undefined>;
}

/** What the log needs in addition to the response. */
interface RequestLog {
  actor: string | null;
  readonly started: number;
}

function createPipeline(
  match: (url: string) => Target | undefined,
  { cors = false, requestLog = false }: Partial<Pick<HandlerSettings, 'cors' | 'requestLog'>>,
  { methodsOf, serve }: Steps,
): Handler {
  return async (request, context = {}) => {
    const target = context.target ?? match(request.url);
    if (target === undefined) return undefined;
    const log: RequestLog = { actor: context.actor?.name ?? null, started: performance.now() };
    const preflight = isPreflight(request);
    const response = preflight
      ? preflightResponse(request, methodsOf(target), cors)
      : await serve(request, target, context, log);
    if (response === undefined) return undefined;
    if (!preflight && cors !== false) addCorsHeaders(request, response, cors);
    if (requestLog) logRequest(request, target, response, log);
    return response;
  };
}

async function explorerResponse(
  request: Request,
  { route }: Target,
  { explorerPage }: HandlerContext,
): Promise<Response | undefined> {
  if (explorerPage === undefined) return undefined;
  try {
    const methods = methodsOf(route);
    checkMethod(request.method, methods);
    if (request.method === 'OPTIONS') {
      return new Response(null, { status: 204, headers: { ...PAGE_POLICY, allow: methods.join(', ') } });
    }
    const headers = {
      ...PAGE_POLICY,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    };
    return new Response(request.method === 'HEAD' ? null : await explorerPage(), { headers });
  } catch (error) {
    return errorResponse(request, route.errors, error);
  }
}

const PAGE_POLICY = {
  // The page contains the rest of the policy. Browsers ignore this part there.
  'content-security-policy': "frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};
