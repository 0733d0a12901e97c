import { type Actor, ANONYMOUS } from '../access/actor.ts';
import { checkMethod } from '../api/check-method.ts';
import type { Services } from '../api/services.ts';
import { checkQueryLength, type Limits } from '../engine/limits.ts';
import { isStreamed, writeJson } from '../read/compose.ts';
import { createAnswerCache } from './answer-cache.ts';
import type { Connection } from './answer-stream.ts';
import { cachingHeaders } from './caching-headers.ts';
import { answerOrError } from './error-response.ts';
import { acknowledged } from './jobs.ts';
import { readBody, readBytes } from './read-body.ts';
import { type Answer, respond } from './respond.ts';
import { matchRoute } from './route.ts';
import { METHODS } from './route-answers.ts';
import { timeServices } from './server-timing.ts';
import type { RequestSession } from './session.ts';

/** What is known of a request besides itself. */
export interface HandlerContext {
  /** Who asks; anonymous when absent. */
  readonly actor?: Actor;
  /** Of the browser, where the site keeps sessions and the request may be of one. */
  readonly session?: RequestSession | undefined;
  /** Of the client, as the adapter tells it. */
  readonly address?: string | undefined;
  /** Of the request, if the server that received it does not wait for slow clients by itself. */
  readonly connection?: Connection | undefined;
}

/** Answers requests of ours; undefined for a path that is not. Never throws. */
export type Handler = (request: Request, context?: HandlerContext) => Promise<Response | undefined>;

/** In `Server-Timing`, where nothing was to be done. */
const KEPT = 'cache;desc="answered before"';

/** The one handler behind every door. */
export function createHandler(services: Services): Handler {
  const answers = createAnswerCache(services);
  const { serverTiming: timing, pageSize } = services.settings;
  // One request of many may not ask for everything.
  const within: Handler = pageSize.unlimited
    ? createHandler({
        ...services,
        settings: { ...services.settings, pageSize: { ...pageSize, unlimited: false } },
      })
    : (request, context) => handle(request, context);

  const handle: Handler = async (request, context = {}) => {
    const { actor = ANONYMOUS } = context;
    const access = services.access(actor);
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const before = reads ? answers.get(access, request) : undefined;
    if (before !== undefined)
      return respond(request, finished(before, actor, timing && { 'server-timing': KEPT }));
    const { origin, pathname, search } = new URL(request.url);
    const matched = matchRoute(pathname, services.settings);
    if (matched === undefined) return undefined;
    const { route, rest } = matched;
    const work = services.largeAnswers.begin(request.signal);
    const answer = async (): Promise<Answer> => {
      const { write } = route;
      const { writer } = services;
      const writes = write !== undefined && writer !== null && !METHODS.includes(request.method);
      if (!writes) checkMethod(request.method, route.methods ?? METHODS);
      checkQueryLength(pathname.length + search.length, services.settings.limits);
      const timed = timing ? timeServices(services) : undefined;
      const asked = {
        services: timed?.services ?? services,
        actor,
        access,
        origin,
        prefix: route.prefix,
        rest,
        query: search.slice(1),
        accept: request.headers.get('accept'),
        body: (limit: keyof Limits) => readBody(request, services.settings.limits, limit),
        bytes: (limit: keyof Limits) => readBytes(request, services.settings.limits, limit),
        work,
        ask: (other: Request) =>
          within(new Request(other, { signal: request.signal }), { ...context, connection: undefined }),
      };
      const { contentType, kept } = route;
      const status = typeof route.status === 'function' ? route.status(services) : (route.status ?? 200);
      if (writes) {
        const changed = await write({
          ...asked,
          writer,
          method: request.method,
          headers: request.headers,
          hasBody: request.body !== null,
        });
        const form = route.errorForm === 'rest' ? 'rest' : 'jsonapi';
        const { status, written, headers } = acknowledged(changed, asked, form);
        return finished({ status, contentType, written, ...(headers && { headers }) }, actor);
      }
      if (request.method === 'OPTIONS') {
        const document = await route.options(asked);
        const { allow } = document.meta;
        return {
          status: 200,
          contentType,
          written: writeJson(document),
          headers: { allow: allow.join(', ') },
        };
      }
      const keep = answers.keeper(access, request);
      const written = await route.answer(asked);
      const answer = { status, contentType, written };
      const { past = false } = written;
      const isKept = kept === true || (kept === 'anonymous' && actor.name === null);
      if (reads && !past && isKept && !isStreamed(written)) keep({ ...answer, written });
      return finished(answer, actor, {
        ...route.headers,
        // Commits can be taken away, and what they say of the clock is in no schedule.
        ...(past && { 'cache-control': 'private, no-cache' }),
        ...(timed && { 'server-timing': timed.header() }),
      });
    };
    return answerOrError(request, route.errorForm, () => answer().finally(work.end), context.connection);
  };

  function finished(answer: Answer, actor: Actor, headers?: Answer['headers'] | false): Answer {
    return { ...answer, headers: { ...cachingHeaders(services, actor), ...answer.headers, ...headers } };
  }

  return handle;
}
