import { writeJson } from '../jsonapi/compose.ts';
import type { ApiSettings, Services } from '../jsonapi/services.ts';
import { type CorsRules, withCors } from './cors.ts';
import { answerOrError, JSON_MEDIA_TYPE } from './error-response.ts';
import { createHandler, type Handler } from './handler.ts';
import { HEALTH_HEADERS, healthDocument } from './health.ts';
import { printRequestLine, withRequestLog } from './request-log.ts';
import { respond } from './respond.ts';
import { isHealthPath, METHODS, matchRoute } from './route.ts';

/** What the options say of every answer, whatever it is. */
export interface FrontSettings {
  readonly cors: CorsRules | false;
  /** Whether a line is printed for every request. */
  readonly requestLog: boolean;
}

/** The handler as a site's doors have it. */
export function createFront(services: Services, front: FrontSettings): Handler {
  return inFront(createHandler(services), front, (pathname) => {
    const matched = matchRoute(pathname, services.settings);
    return matched && (matched.route.methods ?? METHODS);
  });
}

/** Stands in for the handler where the content could not be loaded: 503 on the health route, else a 500. */
export function createFailedFront(
  cause: unknown,
  settings: Pick<ApiSettings, 'base' | 'health'>,
  front: FrontSettings,
): Handler {
  const handle: Handler = async (request) =>
    isHealthPath(new URL(request.url).pathname, settings)
      ? respond(request, {
          status: 503,
          contentType: JSON_MEDIA_TYPE,
          written: writeJson(healthDocument('error')),
          headers: HEALTH_HEADERS,
        })
      : answerOrError(request, 'jsonapi', () => Promise.reject(cause));
  return inFront(handle, front, () => METHODS);
}

function inFront(
  handle: Handler,
  { cors, requestLog }: FrontSettings,
  methodsOf: (pathname: string) => readonly string[] | undefined,
): Handler {
  const shared = withCors(handle, cors, methodsOf);
  return requestLog ? withRequestLog(shared, printRequestLine) : shared;
}
