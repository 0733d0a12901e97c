import { type Actor, ANONYMOUS } from '../access/actor.ts';
import { ApiError, MethodNotAllowedError } from '../errors.ts';
import type { Services } from '../jsonapi/services.ts';
import { answerOrError } from './error-response.ts';
import { MAX_TARGET_LENGTH } from './limits.ts';
import { readBody } from './read-body.ts';
import { METHODS, matchRoute } from './route.ts';

/** What is known of a request besides itself. */
export interface HandlerContext {
  /** Who asks; anonymous when absent. */
  readonly actor?: Actor;
}

/** Answers requests of ours; undefined for a path that is not. Never throws. */
export type Handler = (request: Request, context?: HandlerContext) => Promise<Response | undefined>;

/** The one handler behind every door. */
export function createHandler(services: Services): Handler {
  const handle: Handler = async (request, context = {}) => {
    const { actor = ANONYMOUS } = context;
    const { origin, pathname, search } = new URL(request.url);
    const matched = matchRoute(pathname, services.settings);
    if (matched === undefined) return undefined;
    const { route, rest } = matched;
    return answerOrError(request.method, route.errorForm, async () => {
      const allowed = route.methods ?? METHODS;
      checkMethod(request.method, allowed);
      checkLength(pathname.length + search.length);
      const asked = {
        services,
        access: services.access(actor),
        origin,
        prefix: route.prefix,
        rest,
        query: search.slice(1),
        accept: request.headers.get('accept'),
        body: (maxBytes: number) => readBody(request, maxBytes),
        ask: (other: Request) => handle(other, context),
      };
      const { contentType, status = 200 } = route;
      if (request.method !== 'OPTIONS') return { status, contentType, body: await route.answer(asked) };
      const body = await route.options(asked);
      return { status: 200, contentType, body, headers: { allow: allowed.join(', ') } };
    });
  };
  return handle;
}

function checkMethod(method: string, allowed: readonly string[]): void {
  if (!allowed.includes(method)) throw new MethodNotAllowedError(method, allowed);
}

function checkLength(length: number): void {
  if (length <= MAX_TARGET_LENGTH) return;
  throw new ApiError({
    status: 414,
    title: 'URI Too Long',
    detail: `Path and query may have ${MAX_TARGET_LENGTH} characters together, not ${length}.`,
  });
}
