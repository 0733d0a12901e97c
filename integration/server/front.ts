import type { Auth } from '../accounts/open-auth.ts';
import type { Services } from '../api/services.ts';
import { writeJson } from '../read/compose.ts';
import { JSON_MEDIA_TYPE } from '../read/document-types.ts';
import type { ApiSettings } from '../read/settings.ts';
import { withAuthentication } from './authenticate.ts';
import type { CorsRules } from './cors.ts';
import { withCors } from './cors.ts';
import { answerOrError } from './error-response.ts';
import type { Handler } from './handler.ts';
import { createHandler } from './handler.ts';
import { HEALTH_HEADERS, healthDocument } from './health.ts';
import { printRequestLine, withRequestLog } from './request-log.ts';
import { respond } from './respond.ts';
import { isHealthPath, matchRoute } from './route.ts';
import { METHODS } from './route-answers.ts';
import { createSignIn, signInMethods } from './sign-in/endpoints.ts';

/** What the options say of every answer, whatever it is. */
export interface FrontSettings {
  readonly cors: CorsRules | false;
  /** Whether a line is printed for every request. */
  readonly requestLog: boolean;
  /** Paths of `SIGN_IN_PATHS` at which the site has pages of its own. */
  readonly ownPages?: readonly string[];
  /** Why nobody can sign in by a form, where there are no sessions; else what a site is to do about it is said. */
  readonly withoutSessions?: string;
}

/** The handler as a site's doors have it. Without `auth` nobody can sign in, and everybody is anonymous. */
export function createFront(services: Services, front: FrontSettings, auth?: Auth): Handler {
  const { settings } = services;
  const content = createHandler(services);
  const methodsOf = (pathname: string) => {
    const matched = matchRoute(pathname, settings);
    if (matched === undefined) return undefined;
    const { write, methods = METHODS } = matched.route;
    return write === undefined || services.writer === null ? methods : [...methods, ...CHANGING_METHODS];
  };
  if (auth === undefined) return inFront(content, front, ({ pathname }) => methodsOf(pathname));
  const { cors, ownPages = [], withoutSessions = SITE_WITHOUT_SESSIONS } = front;
  const deps = { auth, settings, cors, ownPages, withoutSessions };
  const signIn = createSignIn(deps);
  const known = withAuthentication(content, auth, settings);
  return inFront(
    async (request, context) => (await signIn(request, context)) ?? known(request, context),
    front,
    (url) => signInMethods(url, deps) ?? methodsOf(url.pathname),
  );
}

const SITE_WITHOUT_SESSIONS =
  'This site keeps no sessions, so nobody can sign in by a form: its adapter brings no storage for them, or option session is false. Set session.driver in astro.config. HTTP Basic and tokens work without.';

/** What a page of another origin may be told that it may send; the answer says what there is at an address. */
const CHANGING_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

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
  methodsOf: (url: URL) => readonly string[] | undefined,
): Handler {
  const shared = withCors(handle, cors, methodsOf);
  return requestLog ? withRequestLog(shared, printRequestLine) : shared;
}
