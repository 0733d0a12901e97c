import { ANONYMOUS } from '../../core/access/actor.ts';
import { serveFeatures } from '../../core/api/features.ts';
import { createRouteMatcher } from '../../core/api/match-route.ts';
import type { ContentFeature } from '../../core/api/request.ts';
import { createTimeSlices } from '../../core/engine/time-slices.ts';
import { createResponseLimiter } from '../../core/read/response-limiter.ts';
import { createContentServer } from '../../core/server/content-server.ts';
import { JSONAPI_HANDLERS } from '../../core/server/read-handlers.ts';
import {
  createAnswers,
  errorResponse,
  type RespondError,
  type SnapshotHandler,
  type SnapshotServer,
} from './answer.ts';
import type { OpenSnapshot } from './open.ts';
import type { SnapshotServices } from './services.ts';

export function createSnapshotHandler(
  snapshot: OpenSnapshot,
  features: readonly ContentFeature[],
): SnapshotHandler {
  return createAnswers(
    snapshot,
    (services) => createServer(services, features, errorResponse),
    errorResponse,
  );
}

/** A server of all routes that a snapshot answers. */
export function createServer(
  services: SnapshotServices,
  features: readonly ContentFeature[],
  respondError: RespondError,
): SnapshotServer {
  const served = serveFeatures(features, JSONAPI_HANDLERS);
  const { base, api, prefix, drupal, languages } = services.settings;
  const match = createRouteMatcher(served.routes, {
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
  const responseLimiter = createResponseLimiter(createTimeSlices());
  const serve = createContentServer({ ...services, features: served, responseLimiter }, match, respondError);
  return (request) => {
    const target = match(request.url);
    const handler = target && served.handler(target.route.name);
    return target && handler && serve(request, target, { actor: ANONYMOUS }, {});
  };
}
