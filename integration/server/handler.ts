import { type Actor, ANONYMOUS } from '../access/actor.ts';
import type { Auth } from '../accounts/open-auth.ts';
import { checkMethod, type ReadRequest, type WriteAnswer } from '../api/request.ts';
import {
  CHANGING_METHODS,
  createRouteMatcher,
  methodsOf,
  READING_METHODS,
  type ServedSite,
  type Target,
} from '../api/routes.ts';
import type { Services } from '../api/services.ts';
import { checkQueryLength } from '../engine/limits.ts';
import { FALLBACK_PARAMETER } from '../engine/parse/parse-query.ts';
import { isStreamed, writeJson } from '../read/compose.ts';
import { prefixedSettings, type RequestLanguage, requestLanguage } from '../read/request-language.ts';
import { BadParameterError } from '../util/errors.ts';
import type { Connection } from './answer-stream.ts';
import { type ClientContext, checkMayChange, identify } from './authenticate.ts';
import { addCorsHeaders, type CorsRules, isPreflight, preflightResponse } from './cors.ts';
import { errorResponse } from './errors.ts';
import { HANDLERS, healthAnswer } from './handlers.ts';
import { withJob } from './jobs.ts';
import { readBody, readBytes } from './read-body.ts';
import { logRequest } from './request-log.ts';
import { type Answer, respond } from './respond.ts';

import { createResponseCache } from './response-cache.ts';
import { timeServices } from './server-timing.ts';
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
  /** Sign-in paths at which the site has its own pages. */
  readonly ownPages?: readonly string[];
  /** Shown instead of the sign-in form on a server without sessions. */
  readonly withoutSessions?: string;
}

export interface HandlerOptions extends Partial<HandlerSettings> {
  /** Without accounts, all requests are anonymous and sign-in paths are not served. */
  readonly auth?: Auth | undefined;
}

/** The request pipeline: match the route, answer preflights, authenticate, serve, add CORS headers, log. */
export function createHandler(services: Services, options: HandlerOptions = {}): Handler {
  const { auth, ownPages = [], withoutSessions = SITE_WITHOUT_SESSIONS, cors = false } = options;
  const { settings, writer } = services;
  const { base, explorer, health, languages } = settings;
  const match = createRouteMatcher(
    { base, explorer, health, signIn: auth !== undefined, ownPages, languages },
    'optional',
  );
  const serveContent = createContentServer(services, match);
  const signIn = auth && createSignIn({ auth, settings, withoutSessions, cors });

  /** The actor of a request with credentials. */
  async function authenticate(
    { authenticator }: Auth,
    request: Request,
    target: Target,
    context: HandlerContext,
    log: RequestLog,
  ): Promise<Actor> {
    const authenticated = await identify(request, context, authenticator);
    if (authenticated === null) return ANONYMOUS;
    log.actor = authenticated.actor.name;
    await checkMayChange(request, target, context, { authenticated, authenticator });
    return authenticated.actor;
  }

  return createPipeline(match, options, {
    methodsOf({ route }) {
      const methods = methodsOf(route);
      return route.writes === true && writer !== null ? [...methods, ...CHANGING_METHODS] : methods;
    },
    async serve(request, target, context, log) {
      if (target.route.option === 'signIn') return signIn?.(request, target, context);
      if (target.route.name === 'explorer') return explorerResponse(request, target, context);
      try {
        const { actor = ANONYMOUS, session } = context;
        const hasCredentials = session !== undefined || request.headers.has('authorization');
        return await serveContent(
          request,
          target,
          auth !== undefined && hasCredentials
            ? await authenticate(auth, request, target, context, log)
            : actor,
          context,
        );
      } catch (error) {
        return errorResponse(request, target.route.errors, error);
      }
    },
  });
}

const SITE_WITHOUT_SESSIONS =
  'Signing in with a form needs sessions, but this site does not store any: its adapter has no session storage, or option session is false. Set session.driver in astro.config. HTTP Basic and tokens work without sessions.';

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

type ContentServer = (
  request: Request,
  target: Target,
  actor: Actor,
  context: Pick<HandlerContext, 'connection'>,
) => Promise<Response>;

/** Serves the routes of the content. */
function createContentServer(services: Services, match: (url: string) => Target | undefined): ContentServer {
  const responses = createResponseCache(services);
  const { settings, writer } = services;
  const { serverTiming, pageSize, limits } = settings;
  // One request of several may not ask for everything.
  const serveForwarded: ContentServer = pageSize.unlimited
    ? createContentServer(
        { ...services, settings: { ...settings, pageSize: { ...pageSize, unlimited: false } } },
        match,
      )
    : (...args) => serve(...args);

  const serve: ContentServer = async (request, target, actor, { connection }) => {
    const { route } = target;
    const handler = HANDLERS[route.name];
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isWrite = handler?.write !== undefined && writer !== null && !isReading(request.method);
    let language: RequestLanguage | undefined;
    try {
      language = requestLanguage(settings.languages, target.query, target.language);
      if (isWrite && language !== undefined) language = writtenLanguage(language);
    } catch (error) {
      return errorResponse(request, route.errors, error);
    }
    const access = services.access(actor, language ?? (isWrite ? 'source' : undefined));
    const key = isRead ? `${target.url} ${request.headers.get('accept') ?? ''}` : undefined;
    const cached = key === undefined ? undefined : responses.get(access, key);
    if (cached !== undefined) return respond(request, complete(cached, actor, serverTiming && FROM_CACHE));
    const work = services.largeAnswers.begin(request.signal);
    try {
      return respond(request, await answer().finally(work.end), connection);
    } catch (error) {
      return errorResponse(request, route.errors, error);
    }

    async function answer(): Promise<Answer> {
      if (handler === undefined) throw new Error(`The route ${route.name} has no handler.`);
      const { method, headers } = request;
      const isReadOnly = route.writes === true && writer === null;
      const methods = isReadOnly ? methodsOf(route).filter(isReading) : methodsOf(route);
      if (!isWrite) checkMethod(method, methods);
      checkQueryLength(target.pathname.length + (target.query === '' ? 0 : target.query.length + 1), limits);
      const timed = serverTiming ? timeServices(services) : undefined;
      const timedServices = timed?.services ?? services;
      const apiRequest: ReadRequest = {
        services:
          target.language === undefined
            ? timedServices
            : { ...timedServices, settings: prefixedSettings(settings, target.language) },
        actor,
        access,
        language,
        target,
        headers,
        body: (limit) => readBody(request, limits, limit),
        work,
        async forward(other) {
          const next = match(other.url);
          if (next === undefined || HANDLERS[next.route.name] === undefined) return undefined;
          return serveForwarded(new Request(other, { signal: request.signal }), next, actor, {});
        },
      };
      const { contentType } = route;
      if (isWrite && handler.write !== undefined) {
        const result = await handler.write({
          ...apiRequest,
          writer,
          method,
          hasBody: request.body !== null,
          bytes: (limit) => readBytes(request, limits[limit], `limits.${limit}`),
        });
        const { outcome, ...reply } = withJob(
          result,
          apiRequest,
          route.errors === 'rest' ? 'rest' : 'jsonapi',
        );
        return complete({ status: STATUSES[outcome], contentType, ...reply }, actor);
      }
      if (method === 'OPTIONS') {
        const document = (await handler.options?.(apiRequest)) ?? { meta: { allow: methods } };
        const allow = document.meta.allow.join(', ');
        return { status: 200, contentType, written: writeJson(document), headers: { allow } };
      }
      const store = key === undefined ? undefined : responses.begin(access, key);
      const written = await handler.answer(apiRequest);
      const { status = 200, past = false } = written;
      const isCached = route.cached === true || (route.cached === 'anonymous' && actor.name === null);
      if (store !== undefined && !past && isCached && !isStreamed(written)) {
        store({ status, contentType, written });
      }
      return complete({ status, contentType, written }, actor, {
        ...written.headers,
        // Commits can be removed, and no schedule knows how the clock changes what a past version shows.
        ...(past && { 'cache-control': 'private, no-cache' }),
        ...(timed && { 'server-timing': timed.header() }),
      });
    }
  };

  /** Adds what caches may do with a response. */
  function complete(answer: Answer, actor: Actor, headers?: Answer['headers'] | false): Answer {
    const language = answer.written?.language;
    return {
      ...answer,
      headers: {
        ...cachingHeaders(services, actor),
        ...(language !== undefined && { 'content-language': language }),
        ...answer.headers,
        ...headers,
      },
    };
  }

  return serve;
}

/** A change never falls back to another language. */
function writtenLanguage(language: RequestLanguage): RequestLanguage {
  if (!language.inQuery || !language.fallback) return { ...language, fallback: false };
  throw new BadParameterError(
    FALLBACK_PARAMETER,
    'A request changes an entity in one language: leave out includeFallback.',
  );
}

const STATUSES: Readonly<Record<WriteAnswer['outcome'], number>> = {
  changed: 200,
  created: 201,
  pending: 202,
  empty: 204,
};

/** Nothing was computed. */
const FROM_CACHE = { 'server-timing': 'cache;desc="answered before"' };

function isReading(method: string): boolean {
  return READING_METHODS.some((each) => each === method);
}

/**
 * Responses to anonymous visitors may be cached for as long as option `cache.maxAge` says, but not beyond the next scheduled
 * change. All others are private. Without a lifetime, caches revalidate by `ETag`. Source: RFC 9111, section 5.2.2.
 */
function cachingHeaders({ settings, clock }: Services, actor: Actor): Readonly<Record<string, string>> {
  return {
    'cache-control': actor.name === null ? sharedCaching(settings.maxAge, clock) : 'private, no-cache',
    vary: settings.signIn === true ? 'Accept, Authorization, Cookie' : 'Accept',
  };
}

function sharedCaching(maxAge: number, clock: Services['clock']): string {
  const seconds = Math.min(maxAge, Math.floor((clock.nextScheduledChange() - clock.now()) / 1000));
  return seconds > 0 ? `public, max-age=${seconds}` : 'no-cache';
}
