import type { Services } from '../api/request.ts';
import { CHANGING_METHODS } from '../api/routes.ts';
import { DomainError, ServiceUnavailableError } from '../util/errors.ts';
import { createFairPlaces } from '../util/fair-limiter.ts';
import type { ContentServer } from './content-server.ts';
import { errorResponse } from './errors.ts';

/** The commit that an answer was made from, or that contains the change of a request. */
export const COMMIT_HEADER = 'content-commit';
/** A request waits until the server has this commit or a later one. */
const DEMAND_HEADER = 'If-Commit-At-Least';

/** Requests that wait for a commit at the same time. Accounts share these places. */
export const MAX_WAITING = 100;
/** Seconds after which a client may try again. */
const RETRY_AFTER_S = 1;

/**
 * Serves content that follows a branch: for accounts, answers have their commit, and requests can demand one. An answer during
 * which the content has changed has no commit. Anonymous answers never have one, because it would reveal each change of
 * hidden content, and they never wait.
 */
export function createCommitAnswers({
  replica,
}: Pick<Services, 'replica'>): (serve: ContentServer) => ContentServer {
  if (replica === undefined) return (serve) => serve;
  const inFairPlace = createFairPlaces(
    MAX_WAITING,
    () => new ServiceUnavailableError('Too many requests wait for a commit. Try again soon.', RETRY_AFTER_S),
  );
  return (serve) => async (request, target, visitor, context) => {
    const account = visitor.actor.name;
    if (account === null) return serve(request, target, visitor, context);
    try {
      const demanded = request.headers.get(DEMAND_HEADER);
      const commit = demanded === null ? undefined : parseCommit(demanded);
      if (commit !== undefined && !(await replica.has(commit))) {
        await inFairPlace(account, (signal) => replica.reach(commit, signal));
      }
    } catch (error) {
      return errorResponse(request, target.route.errors, error);
    }
    const before = replica.state();
    const response = await serve(request, target, visitor, context);
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
