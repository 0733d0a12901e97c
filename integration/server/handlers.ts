import { checkJsonAccept, checkJsonApiAccept } from '../api/accept.ts';
import { translatePath } from '../api/drupal/translate-path.ts';
import { explain, explorerSchema } from '../api/explorer.ts';
import {
  addAccount,
  addToken,
  changeAccount,
  listAccounts,
  listTokens,
  removeAccount,
  removeToken,
  showAccount,
} from '../api/jsonapi/accounts.ts';
import { readJsonApi } from '../api/jsonapi/answer.ts';
import { listConflicts, resolveConflict, showConflict } from '../api/jsonapi/conflicts.ts';
import { addFile, changeFile, listFiles, mayUseUnusedFile, showFile } from '../api/jsonapi/files.ts';
import { readMe } from '../api/jsonapi/me.ts';
import { performOperations } from '../api/jsonapi/operations.ts';
import { readStatus } from '../api/jsonapi/status.ts';
import { writeJsonApi } from '../api/jsonapi/write.ts';
import { serverDescription } from '../api/openapi/document.ts';
import type { ReadRequest, WriteAnswer, WriteRequest } from '../api/request.ts';
import { readBundles, readRest, restOptions } from '../api/rest/document.ts';
import { writeRest } from '../api/rest/write.ts';
import type { DatabaseHealth } from '../api/services.ts';
import { parseQuery } from '../engine/parse/parse-query.ts';
import { writeJson, writeWhole } from '../read/compose.ts';
import { type ContentFile, findContentFile } from '../read/content-files.ts';
import type { CommitHealth } from '../write/git-commits.ts';
import { contentFileBody } from './content-file.ts';
import type { RouteAnswer, RouteHandler, RouteHandlers } from './content-server.ts';
import { receiveGitHook } from './git-hook.ts';
import { findJob, jobDocument, pushedAnswer, withJob } from './jobs.ts';
import { JSONAPI_HANDLERS } from './read-handlers.ts';
import { answerSubrequests } from './subrequests.ts';

/** The handlers of all routes but the explorer's page and those of signing in. */
export const HANDLERS: RouteHandlers = {
  ...JSONAPI_HANDLERS,
  openapi: {
    async answer({ services, access, target }) {
      parseQuery(target.query, 'individual', services.settings);
      return writeJson(serverDescription(services, access, target.origin));
    },
  },
  jsonapi: { ...JSONAPI_HANDLERS.jsonapi, write: withJobs(writeJsonApi) },
  me: {
    async answer(request) {
      return { ...readMe(request), headers: { 'cache-control': 'no-store' } };
    },
  },
  operations: { answer: readJsonApi, write: withJobs(performOperations) },
  files: { answer: listFiles, write: withJobs(addFile) },
  file: { answer: showFile, write: withJobs(changeFile) },
  'git-hook': { answer: readJsonApi, change: receiveGitHook },
  status: { answer: readStatus },
  conflicts: { answer: listConflicts },
  conflict: { answer: showConflict, write: withJobs(resolveConflict) },
  accounts: { answer: listAccounts, change: addAccount },
  account: {
    answer: showAccount,
    change: (request) => (request.method === 'DELETE' ? removeAccount : changeAccount)(request),
  },
  'account-tokens': { answer: listTokens, change: addToken },
  'account-token': { answer: listTokens, change: removeToken },
  'jsonapi-job': {
    async answer(request) {
      checkJsonApiAccept(request.headers.get('accept'));
      return jobDocument(request, 'jsonapi');
    },
    options: jobOptions,
  },
  'rest-entry': { answer: readBundles },
  rest: { answer: readRest, options: restOptions, write: withJobs(writeRest) },
  'rest-job': {
    async answer(request) {
      checkJsonAccept(request.headers.get('accept'));
      return jobDocument(request, 'rest');
    },
    options: jobOptions,
  },
  'translate-path': {
    async answer(request) {
      return writeJson(await translatePath(request, request.target.origin, request.target.query));
    },
  },
  subrequests: {
    async answer({ services, target, body, forward, work }) {
      const { limits } = services.settings;
      const text = await body('subrequestsBytes');
      await work.takePlace();
      const { origin } = target;
      const written = await writeWhole(await answerSubrequests(text, { origin, limits, forward, work }));
      return { ...written, status: 207 };
    },
  },
  'content-file': {
    answer: async (request) => contentFileBody(await contentFileOf(request), request.work),
    async options(request) {
      await contentFileOf(request);
      return undefined;
    },
  },
  'explorer-schema': {
    answer: async ({ services, access }) => writeJson(await explorerSchema(services, access, 'server')),
  },
  'explorer-explain': {
    answer: async ({ services, actor, target }) => writeJson(await explain(services, actor, target.query)),
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
): RouteAnswer {
  const isHealthy = status === 'ok' && git?.commits !== 'behind' && database?.content !== 'stale';
  const document = {
    status: isHealthy ? 'ok' : 'error',
    /** Seconds since the process started. */
    uptime: Math.floor(performance.now() / 1000),
    ...(git && { git }),
    ...(database && { database }),
  };
  return {
    ...writeJson(document),
    status: isHealthy ? 200 : 503,
    headers: { 'cache-control': 'no-store' },
  };
}

function contentFileOf(request: ReadRequest): Promise<ContentFile> {
  const { services, access, target } = request;
  return findContentFile(services, access, target.rest, (key) => mayUseUnusedFile(request, key));
}

/** Reports the jobs of changes that are not committed yet. */
function withJobs(
  write: (request: WriteRequest) => Promise<WriteAnswer>,
): NonNullable<RouteHandler['write']> {
  return async (request) => {
    const answer = await pushedAnswer(await write(request), request);
    return withJob(answer, request, request.target.route.errors === 'rest' ? 'rest' : 'jsonapi');
  };
}

async function jobOptions(request: ReadRequest): Promise<undefined> {
  findJob(request);
}
