import { ANONYMOUS } from '../access/actor.ts';
import { createRouteMatcher } from '../api/match-route.ts';
import type { ErrorForm } from '../api/routes.ts';
import type { Services } from '../api/services.ts';
import { writeJson } from '../read/compose.ts';
import { JSONAPI_MEDIA_TYPE, JSONAPI_MEMBER } from '../read/document-types.ts';
import { createContentServer, type RouteHandlers } from '../server/content-server.ts';
import { JSONAPI_HANDLERS } from '../server/read-handlers.ts';
import type { AnswerRequest } from '../server/respond.ts';
import { NotLoadedError } from '../util/errors.ts';
import { INCOMPLETE, loadCode } from '../util/lazy-code.ts';
import type { OpenSnapshot } from './open.ts';

/** Answers requests for content as a server would, for anonymous visitors; undefined for all other requests. */
export type SnapshotHandler = (request: Request) => Promise<Response | undefined>;

export function createSnapshotHandler(snapshot: OpenSnapshot): SnapshotHandler {
  const servers = new WeakMap<Services, Server>();
  return async (request) => {
    try {
      return await snapshot.use((services) => {
        const server = servers.get(services) ?? createServer(services);
        servers.set(services, server);
        return server(request);
      });
    } catch (error) {
      return errorResponse(request, 'jsonapi', error);
    }
  };
}

type Server = (request: Request) => Promise<Response> | undefined;

function createServer(services: Services): Server {
  const { base, api, prefix, drupal, languages } = services.settings;
  const match = createRouteMatcher({
    base,
    api,
    prefix,
    drupal,
    languages,
    explorer: false,
    signIn: false,
    admin: false,
    health: false,
  });
  const serve = createContentServer(services, match, HANDLERS, errorResponse);
  return (request) => {
    const target = match(request.url);
    if (target === undefined || HANDLERS[target.route.name] === undefined) return undefined;
    return serve(request, target, { actor: ANONYMOUS }, {});
  };
}

const loadRest = () => loadCode(() => import('../api/rest/document.ts'));

/** What few sites use is loaded at its first request. */
const HANDLERS: RouteHandlers = {
  ...JSONAPI_HANDLERS,
  'rest-entry': { answer: async (request) => (await loadRest()).readBundles(request) },
  rest: {
    answer: async (request) => (await loadRest()).readRest(request),
    options: async (request) => (await loadRest()).restOptions(request),
  },
  'translate-path': {
    async answer(request) {
      const { translatePath } = await loadCode(() => import('../api/drupal/translate-path.ts'));
      return writeJson(await translatePath(request, request.target.origin, request.target.query));
    },
  },
};

async function errorResponse(request: AnswerRequest, form: ErrorForm, error: unknown): Promise<Response> {
  if (error instanceof NotLoadedError) throw error;
  const errors = await import('../server/errors.ts').catch(() => undefined);
  return errors?.errorResponse(request, form, error) ?? incomplete();
}

/** The response to any failure if the code that describes failures cannot be loaded. */
function incomplete(): Response {
  const error = { status: '503', title: 'Service Unavailable', detail: INCOMPLETE };
  return Response.json(
    { jsonapi: JSONAPI_MEMBER, errors: [error] },
    { status: 503, headers: { 'content-type': JSONAPI_MEDIA_TYPE, 'cache-control': 'no-store' } },
  );
}
