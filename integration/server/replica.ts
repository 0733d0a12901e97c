import { CHANGING_METHODS } from '../api/routes.ts';
import type { Services } from '../api/services.ts';
import { DomainError } from '../util/errors.ts';
import type { ContentServer } from './content-server.ts';
import { errorResponse } from './errors.ts';

/** The commit that an answer was made from, or that contains the change of a request. */
export const COMMIT_HEADER = 'content-commit';
/** A request waits until the server has this commit or a later one. */
const DEMAND_HEADER = 'If-Commit-At-Least';

/**
 * Serves content that follows a branch: answers have their commit, and requests can demand one. An answer during which the
 * content has changed has no commit.
 */
export function withCommit(serve: ContentServer, { replica }: Pick<Services, 'replica'>): ContentServer {
  if (replica === undefined) return serve;
  return async (request, target, ...others) => {
    try {
      const demanded = request.headers.get(DEMAND_HEADER);
      if (demanded !== null) await replica.reach(parseCommit(demanded));
    } catch (error) {
      return errorResponse(request, target.route.errors, error);
    }
    const before = replica.state();
    const response = await serve(request, target, ...others);
    const isChange = CHANGING_METHODS.some((method) => method === request.method) && response.ok;
    const after = isChange ? await replica.ownCommit() : replica.state() === before && before?.commit;
    if (after && !response.headers.has(COMMIT_HEADER)) response.headers.set(COMMIT_HEADER, after);
    // Otherwise, a cache could answer with an older commit.
    response.headers.append('vary', DEMAND_HEADER);
    return response;
  };
}

function parseCommit(text: string): string {
  if (/^(?:[\da-f]{40}|[\da-f]{64})$/i.test(text)) return text.toLowerCase();
  throw new DomainError(
    'bad-request',
    `${DEMAND_HEADER} must be the full hash of a commit, as in the header Content-Commit of a response.`,
    { source: { header: DEMAND_HEADER } },
  );
}
