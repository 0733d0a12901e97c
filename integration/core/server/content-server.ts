import type { Actor } from '../access/actor.ts';
import type { Target } from '../api/match-route.ts';
import {
  type ClientContext,
  type ContentHandler,
  checkMethod,
  type ReadRequest,
  type Services,
  type Visitor,
  type WriteResponse,
} from '../api/request.ts';
import { type ErrorForm, methodsOf, READING_METHODS } from '../api/routes.ts';
import { checkQueryLength } from '../engine/limits.ts';
import { rejectWorkingCopy } from '../engine/parse/parse-query.ts';
import { isStreamed, writeJson } from '../read/compose.ts';
import { prefixedSettings } from '../read/language-paths.ts';
import { type RequestLanguage, requestLanguage, writtenLanguage } from '../read/request-language.ts';
import type { Connection } from './answer-stream.ts';
import { cachingHeaders } from './caching-headers.ts';
import { type Answer, respond } from './respond.ts';
import { createResponseCache } from './response-cache.ts';
import { timeServices } from './server-timing.ts';

/** Reading in a browser sends no bodies. */
const loadBodyReader = () => import('./read-body.ts');

export type ContentServer = (
  request: Request,
  target: Target,
  visitor: Visitor,
  context: ClientContext & { readonly connection?: Connection | undefined },
) => Promise<Response>;

/** Makes the response to a failure. */
type ErrorResponse = (request: Request, form: ErrorForm, error: unknown) => Response | Promise<Response>;

/** Serves the routes of the content that have a handler. */
export function createContentServer(
  services: Services,
  match: (url: string) => Target | undefined,
  errorResponse: ErrorResponse,
): ContentServer {
  const responses = createResponseCache(services);
  const { settings, writer } = services;
  const { serverTiming, pageSize, limits } = settings;
  // One request of several may not ask for everything.
  const serveForwarded: ContentServer = pageSize.unlimited
    ? createContentServer(
        { ...services, settings: { ...settings, pageSize: { ...pageSize, unlimited: false } } },
        match,
        errorResponse,
      )
    : (...args) => serve(...args);

  const serve: ContentServer = async (request, target, visitor, { connection, ...client }) => {
    const { route } = target;
    const { actor } = visitor;
    const handler = await contentHandler(services, route.name);
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
    const coding = route.cached === 'coded' ? request.headers.get('accept-encoding') : '';
    const key = isRead ? `${target.url} ${request.headers.get('accept') ?? ''} ${coding}` : undefined;
    const cached = key === undefined ? undefined : responses.get(access, key);
    if (cached !== undefined) return respond(request, complete(cached, actor, serverTiming && FROM_CACHE));
    const work = services.responseLimiter.begin(request.signal);
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
        ...visitor,
        client,
        access,
        language,
        target,
        headers,
        body: async (limit) => (await loadBodyReader()).readBody(request, limits, limit),
        work,
        async forward(other) {
          const next = match(other.url);
          if (next === undefined || (await contentHandler(services, next.route.name)) === undefined)
            return undefined;
          return serveForwarded(new Request(other, { signal: request.signal }), next, visitor, {});
        },
      };
      const { contentType } = route;
      if (isWrite) rejectWorkingCopy(target.query, limits);
      if (handler.change !== undefined && !isReading(method)) {
        const { outcome, ...reply } = await handler.change({
          ...apiRequest,
          method,
          hasBody: request.body !== null,
        });
        return complete({ status: STATUSES[outcome], contentType, ...reply }, actor);
      }
      if (isWrite && handler.write !== undefined) {
        const { outcome, ...reply } = await handler.write({
          ...apiRequest,
          writer,
          method,
          hasBody: request.body !== null,
          bytes: async (limit) =>
            (await loadBodyReader()).readBytes(request, limits[limit], `limits.${limit}`),
        });
        return complete({ status: STATUSES[outcome], contentType, ...reply }, actor);
      }
      if (method === 'OPTIONS') {
        const document = (await handler.options?.(apiRequest)) ?? { meta: { allow: methods } };
        const allow = document.meta.allow.join(', ');
        return { status: 200, contentType, written: writeJson(document), headers: { allow } };
      }
      const store = key === undefined ? undefined : responses.begin(access, key);
      const written = await handler.answer(apiRequest);
      const { status = 200, past = false, contentType: ownType = contentType } = written;
      const isCached = route.cached && (route.cached !== 'anonymous' || actor.name === null);
      if (store !== undefined && !past && isCached && !isStreamed(written)) {
        store({ status, contentType: ownType, written, headers: written.headers ?? {} });
      }
      return complete({ status, contentType: ownType, written }, actor, {
        ...written.headers,
        // Commits can be removed, and no schedule knows how the clock changes what a past version shows.
        ...(past && { 'cache-control': 'private, no-cache' }),
        ...(timed && { 'server-timing': timed.header() }),
      });
    }
  };

  /** Adds what caches may do with a response. */
  function complete(answer: Answer, actor: Actor, headers?: Answer['headers'] | false): Answer {
    return {
      ...answer,
      headers: { ...cachingHeaders(services, actor, answer.written), ...answer.headers, ...headers },
    };
  }

  return serve;
}

/** The handler of a route; undefined for a route of pages, and without one. */
async function contentHandler({ features }: Services, route: string): Promise<ContentHandler | undefined> {
  const handler = await features.handler(route);
  return handler !== undefined && 'answer' in handler ? handler : undefined;
}

const STATUSES: Readonly<Record<WriteResponse['outcome'], number>> = {
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
