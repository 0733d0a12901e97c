import type { ErrorForm } from '../../core/api/routes.ts';
import { JSONAPI_MEDIA_TYPE, JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { NotLoadedError } from '../../core/util/errors.ts';
import { INCOMPLETE } from '../../core/util/lazy-code.ts';
import type { OpenSnapshot } from './open.ts';
import type { SnapshotServices } from './services.ts';

/** Answers requests for content as a server would, for anonymous visitors; undefined for all other requests. */
export type SnapshotHandler = (request: Request) => Promise<Response | undefined>;

/** The same over loaded services. Throws NotLoadedError. */
export type SnapshotServer = (request: Request) => Promise<Response | undefined> | undefined;

/** Makes the response to a failure. */
export type RespondError = (request: Request, form: ErrorForm, error: unknown) => Promise<Response>;

/** Answers requests with a server for each version of the snapshot. */
export function createAnswers(
  snapshot: OpenSnapshot,
  createServer: (services: SnapshotServices) => SnapshotServer,
  respondError: RespondError,
): SnapshotHandler {
  const servers = new WeakMap<SnapshotServices, SnapshotServer>();
  return async (request) => {
    try {
      return await snapshot.use((services) => {
        const server = servers.get(services) ?? createServer(services);
        servers.set(services, server);
        return server(request);
      });
    } catch (error) {
      return respondError(request, 'jsonapi', error);
    }
  };
}

export async function errorResponse(request: Request, form: ErrorForm, error: unknown): Promise<Response> {
  if (error instanceof NotLoadedError) throw error;
  const errors = await import('../../core/server/errors.ts').catch(() => undefined);
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
