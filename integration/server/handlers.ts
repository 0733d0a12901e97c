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
import { jsonApiOptions, readJsonApi } from '../api/jsonapi/answer.ts';
import { addFile, changeFile, listFiles, mayUseUnusedFile, showFile } from '../api/jsonapi/files.ts';
import { readMe } from '../api/jsonapi/me.ts';
import { performOperations } from '../api/jsonapi/operations.ts';
import { resourceSchemaDocument } from '../api/jsonapi/resource-schema.ts';
import { readStatus } from '../api/jsonapi/status.ts';
import { writeJsonApi } from '../api/jsonapi/write.ts';
import { serverDescription } from '../api/openapi/document.ts';
import type { ChangeRequest, ReadRequest, WriteAnswer, WriteRequest } from '../api/request.ts';
import { readRest, restOptions } from '../api/rest/document.ts';
import { writeRest } from '../api/rest/write.ts';
import type { RouteName } from '../api/routes.ts';
import type { ResourceType } from '../content/model.ts';
import { parseQuery } from '../engine/parse/parse-query.ts';
import { type Streamed, type Written, writeJson, writeWhole } from '../read/compose.ts';
import { type ContentFile, findContentFile } from '../read/content-files.ts';
import { findType } from '../read/find.ts';
import { createServerLinks, type ServerLinks } from '../read/links.ts';
import { pathSegments } from '../read/url-path.ts';
import type { CommitHealth } from '../write/git-commits.ts';
import { contentFileBody } from './content-file.ts';
import { findJob, jobDocument } from './jobs.ts';
import { answerSubrequests } from './subrequests.ts';

/** What serves a route. */
interface RouteHandler {
  /** The response to the methods of the route but OPTIONS. */
  answer(request: ReadRequest): Promise<RouteAnswer>;
  /** The document about OPTIONS; undefined to list the methods of the route. Throws like `answer`. */
  options?(request: ReadRequest): Promise<OptionsDocument | undefined>;
  /** Carries out methods that change content. */
  write?(request: WriteRequest): Promise<WriteAnswer>;
  /** Carries out methods that change something else, on a server that cannot write too. */
  change?(request: ChangeRequest): Promise<WriteAnswer>;
}

export type RouteAnswer = (Written | Streamed) & {
  /** 200 by default. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

interface OptionsDocument {
  readonly meta: { readonly allow: readonly string[] };
}

const JSONAPI: RouteHandler = { answer: readJsonApi, options: jsonApiOptions, write: writeJsonApi };
const REST: RouteHandler = { answer: readRest, options: restOptions, write: writeRest };

/** The handlers of all routes but the explorer's page and those of signing in. */
export const HANDLERS: { readonly [name in RouteName]?: RouteHandler } = {
  schema: {
    async answer(request) {
      const { services, access, target } = request;
      parseQuery(target.query, 'individual', services.settings);
      const context = { services, access, links: linksOf(request) };
      return writeJson(resourceSchemaDocument(context, describedType(request)));
    },
    async options(request) {
      describedType(request);
      return undefined;
    },
  },
  openapi: {
    async answer({ services, access, target }) {
      parseQuery(target.query, 'individual', services.settings);
      return writeJson(serverDescription(services, access, target.origin));
    },
  },
  entry: JSONAPI,
  menu: JSONAPI,
  index: JSONAPI,
  view: JSONAPI,
  jsonapi: JSONAPI,
  me: {
    async answer(request) {
      return { ...readMe(request), headers: { 'cache-control': 'no-store' } };
    },
  },
  operations: { answer: readJsonApi, write: performOperations },
  files: { answer: listFiles, write: addFile },
  file: { answer: showFile, write: changeFile },
  status: { answer: readStatus },
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
  rest: REST,
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
    answer: async ({ services: { commits } }) => healthAnswer('ok', commits?.health()),
  },
};

/**
 * The health document. It says nothing about the content, which could reveal unpublished entities, and names no paths.
 * The status is 503 if the content could not be loaded, or if commits are behind.
 */
export function healthAnswer(status: 'ok' | 'error', git?: CommitHealth): RouteAnswer {
  const isHealthy = status === 'ok' && git?.commits !== 'behind';
  const document = {
    status: isHealthy ? 'ok' : 'error',
    /** Seconds since the process started. */
    uptime: Math.floor(performance.now() / 1000),
    ...(git && { git }),
  };
  return {
    ...writeJson(document),
    status: isHealthy ? 200 : 503,
    headers: { 'cache-control': 'no-store' },
  };
}

function linksOf({ services, access, target }: ReadRequest): ServerLinks {
  return createServerLinks(services.settings, target.origin, access);
}

function contentFileOf(request: ReadRequest): Promise<ContentFile> {
  const { services, access, target } = request;
  return findContentFile(services, access, target.rest, (key) => mayUseUnusedFile(request, key));
}

/** The type of `/{entity type}/{bundle}/resource/schema`. */
function describedType({ services, target }: ReadRequest): ResourceType {
  const [entityType = '', bundle = ''] = pathSegments(target.rest);
  return findType(services.store, entityType, bundle);
}

async function jobOptions(request: ReadRequest): Promise<undefined> {
  findJob(request);
}
