import { type Actor, ANONYMOUS } from '../access/actor.ts';
import { createRouteMatcher, type Target } from '../api/match-route.ts';
import { publishedServices } from '../api/published.ts';
import type { ClientContext, PageRequest, ServedFeatures, Services, Visitor } from '../api/request.ts';
import { CHANGING_METHODS, methodsOf, READING_METHODS, type RoutedSite } from '../api/routes.ts';
import { UnauthorizedError } from '../util/errors.ts';
import type { Connection } from './answer-stream.ts';
import { createContentServer } from './content-server.ts';
import { addCorsHeaders, type CorsRules, isPreflight, preflightResponse } from './cors.ts';
import { errorResponse } from './errors.ts';
import { healthAnswer } from './handlers.ts';
import { createCommitAnswers } from './replica.ts';
import { logRequest } from './request-log.ts';
import { respond } from './respond.ts';

/** What the server knows about a request in addition to the request itself. */
export interface HandlerContext extends ClientContext {
  /** Anonymous by default; credentials take precedence. */
  readonly actor?: Actor;
  /** The matched route, if the caller has matched the request already. */
  readonly target?: Target;
  /** Given if the server that received the request does not wait for slow clients by itself. */
  readonly connection?: Connection | undefined;
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

/** The request pipeline: match the route, answer preflights, identify the sender, serve, add CORS headers, log. */
export function createHandler(
  services: Services,
  options: Partial<HandlerSettings> & Pick<RoutedSite, 'signIn' | 'admin'> = {},
): Handler {
  const { signIn, admin, ownPages = [] } = options;
  const { settings, writer, features } = services;
  const { base, prefix, explorer } = settings;
  const match = createRouteMatcher(features.routes, { ...settings, signIn, admin, ownPages }, 'optional');
  const withCommit = createCommitAnswers(services);
  const serverOf = (served: Services) => withCommit(createContentServer(served, match, errorResponse));
  const serveContent = serverOf(services);
  const published = publishedServices(services);
  const serveApi = published === services ? serveContent : serverOf(published);

  const handle = createPipeline(match, options, {
    methodsOf({ route }) {
      const methods = methodsOf(route);
      return route.writes === true && writer !== null ? [...methods, ...CHANGING_METHODS] : methods;
    },
    async serve(request, target, context, log) {
      const { target: _, connection, actor: given = ANONYMOUS, ...client } = context;
      const { route } = target;
      let setCookie: string | undefined;
      async function visitor(): Promise<Visitor> {
        const identified = await features.identify(request, client, target);
        setCookie = identified?.setCookie;
        const { actor, signIn } = identified ?? { actor: given };
        log.actor = actor.name;
        if (route.forAdmin && !explorer && actor.name === null) {
          throw new UnauthorizedError('Sign in to see the schema of the content and plans of queries.');
        }
        return { actor, signIn };
      }
      /** Serves a request of a page, with the credentials of the request for that page. */
      const send: PageRequest['send'] = async (path, { headers, ...init } = {}) => {
        const all = credentialsOf(request);
        for (const [name, value] of new Headers(headers)) all.set(name, value);
        const url = target.origin + base + (prefix ?? '') + path;
        const sent = new Request(url, { ...init, headers: all, signal: request.signal });
        const response = await handle(sent, { ...client, actor: given });
        if (response === undefined) throw new Error(`No route serves ${path}.`);
        return response;
      };
      try {
        const handler = await features.handler(route.name);
        const response =
          handler !== undefined && 'respond' in handler
            ? await handler.respond({
                request,
                target,
                context: client,
                services: () => published,
                visitor,
                send,
              })
            : await (route.part === undefined ? serveContent : serveApi)(request, target, await visitor(), {
                ...client,
                connection,
              });
        if (setCookie !== undefined) response?.headers.append('set-cookie', setCookie);
        return response;
      } catch (error) {
        return errorResponse(request, route.errors, error);
      }
    },
  });
  return handle;
}

/** The headers with which a page sends requests for the same sender. */
function credentialsOf({ headers }: Request): Headers {
  const sent = CREDENTIALS.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return new Headers(sent);
}

const CREDENTIALS = ['authorization', 'cookie', 'host', 'origin', 'sec-fetch-site', 'x-csrf-token'] as const;

/** Serves a site whose content could not be loaded: 503 on the health route, 500 on all others. */
export function createFailedHandler(
  cause: unknown,
  features: ServedFeatures,
  site: RoutedSite,
  options: Pick<HandlerSettings, 'cors' | 'requestLog'>,
): Handler {
  return createPipeline(createRouteMatcher(features.routes, site, 'optional'), options, {
    methodsOf: () => READING_METHODS,
    async serve(request, target, context) {
      const { name, contentType, errors } = target.route;
      const fail = () => Promise.reject(cause);
      const services = (): Services => {
        throw cause;
      };
      try {
        const handler = await features.handler(name);
        if (handler !== undefined && 'respond' in handler && handler.needsNoContent) {
          return await handler.respond({ request, target, context, services, visitor: fail, send: fail });
        }
      } catch (error) {
        return errorResponse(request, errors, error);
      }
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
