import { ANONYMOUS } from '../access/actor.ts';
import { createRouteMatcher } from '../api/match-route.ts';
import { createTimeSlices } from '../engine/time-slices.ts';
import { writeJson } from '../read/compose.ts';
import { createLargeAnswers } from '../read/production.ts';
import { createContentServer, type RouteHandlers } from '../server/content-server.ts';
import { JSONAPI_HANDLERS } from '../server/read-handlers.ts';
import { loadCode } from '../util/lazy-code.ts';
import {
  createAnswers,
  errorResponse,
  type RespondError,
  type SnapshotHandler,
  type SnapshotServer,
} from './answer.ts';
import type { OpenSnapshot } from './open.ts';
import type { SnapshotServices } from './services.ts';

export function createSnapshotHandler(snapshot: OpenSnapshot): SnapshotHandler {
  return createAnswers(snapshot, (services) => createServer(services, errorResponse), errorResponse);
}

/** A server of all routes that a snapshot answers. */
export function createServer(services: SnapshotServices, respondError: RespondError): SnapshotServer {
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
  const largeAnswers = createLargeAnswers(createTimeSlices());
  const serve = createContentServer({ ...services, largeAnswers }, match, HANDLERS, respondError);
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
