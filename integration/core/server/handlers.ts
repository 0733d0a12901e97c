import { writeJsonApi } from '../api/jsonapi/write.ts';
import type { DatabaseHealth, ReadRequest, RouteHandlers, RouteResponse } from '../api/request.ts';
import { mayUseUnusedFile } from '../api/unused-files.ts';
import { writeJson } from '../read/compose.ts';
import { type ContentFile, findContentFile } from '../read/content-files.ts';
import type { CommitHealth } from '../write/commits.ts';
import { contentFileBody } from './content-file.ts';
import { jobHandler, withJobs } from './jobs.ts';
import { JSONAPI_HANDLERS } from './read-handlers.ts';

/** The handlers of the core's routes. */
export const CORE_HANDLERS: RouteHandlers = {
  ...JSONAPI_HANDLERS,
  jsonapi: { ...JSONAPI_HANDLERS.jsonapi, write: withJobs(writeJsonApi) },
  'jsonapi-job': jobHandler(),
  'content-file': {
    answer: async (request) => contentFileBody(await contentFileOf(request), request.work),
    async options(request) {
      await contentFileOf(request);
      return undefined;
    },
  },
  health: {
    answer: async ({ services: { commits, database } }) =>
      healthAnswer('ok', commits?.health(), database?.health()),
  },
};

/**
 * The health document. It says nothing about the content, which could reveal unpublished entities, and names no paths.
 * The status is 503 if the content could not be loaded, if commits are behind, or if the
 * content may be out of date.
 */
export function healthAnswer(
  status: 'ok' | 'error',
  git?: CommitHealth,
  database?: DatabaseHealth,
): RouteResponse {
  const isHealthy = status === 'ok' && git?.commits !== 'behind' && database?.content !== 'stale';
  const document = {
    status: isHealthy ? 'ok' : 'error',
    /** Seconds since the process started. */
    uptime: Math.floor(performance.now() / 1000),
    ...(git && { git }),
    ...(database && { database }),
  };
  return { ...writeJson(document), status: isHealthy ? 200 : 503, headers: { 'cache-control': 'no-store' } };
}

function contentFileOf(request: ReadRequest): Promise<ContentFile> {
  const { services, access, target } = request;
  return findContentFile(services, access, target.rest, (key) => mayUseUnusedFile(request, key));
}
