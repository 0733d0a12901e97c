import { type Actor, ANONYMOUS } from '../access/actor.ts';
import { ApiError, MethodNotAllowedError } from '../errors.ts';
import type { Services } from '../jsonapi/services.ts';
import { answerOrError } from './error-response.ts';
import { MAX_TARGET_LENGTH } from './limits.ts';
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
  return async (request, { actor = ANONYMOUS } = {}) => {
    const { origin, pathname, search } = new URL(request.url);
    const matched = matchRoute(pathname, services.settings);
    if (matched === undefined) return undefined;
    const { route, rest } = matched;
    return answerOrError(request.method, route.errorForm, async () => {
      checkMethod(request.method);
      checkLength(pathname.length + search.length);
      const asked = {
        services,
        access: services.access(actor),
        origin,
        prefix: route.prefix,
        rest,
        query: search.slice(1),
        accept: request.headers.get('accept'),
      };
      const { contentType } = route;
      if (request.method !== 'OPTIONS') return { status: 200, contentType, body: await route.answer(asked) };
      const body = await route.options(asked);
      return { status: 200, contentType, body, headers: { allow: METHODS.join(', ') } };
    });
  };
}

function checkMethod(method: string): void {
  if (!METHODS.includes(method)) throw new MethodNotAllowedError(method, METHODS);
}

function checkLength(length: number): void {
  if (length <= MAX_TARGET_LENGTH) return;
  throw new ApiError({
    status: 414,
    title: 'URI Too Long',
    detail: `Path and query may have ${MAX_TARGET_LENGTH} characters together, not ${length}.`,
  });
}
