import type { Access } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import { CONTENT_FILES_PREFIX } from '../entities/file-place.ts';
import type { ResourceType } from '../entities/model.ts';
import { EXPLORER_PREFIX, explain, explorerSchema } from '../explorer/endpoints.ts';
import { pathSegments, readDocument, readOptions } from '../jsonapi/answer.ts';
import { type Written, writeDocument, writeJson } from '../jsonapi/compose.ts';
import { findContentFile } from '../jsonapi/content-files.ts';
import { JSONAPI_MEDIA_TYPE, SCHEMA_MEDIA_TYPE } from '../jsonapi/document-types.ts';
import { findType } from '../jsonapi/find.ts';
import { createServerLinks } from '../jsonapi/links.ts';
import { resourceSchemaDocument } from '../jsonapi/resource-schema.ts';
import type { ApiSettings, Services } from '../jsonapi/services.ts';
import { translatePath } from '../jsonapi/translate-path.ts';
import { serverDescription } from '../openapi/describe-server.ts';
import { OPENAPI_PATH } from '../openapi/document.ts';
import { parseQuery } from '../query/parse.ts';
import { readRest, restOptions } from '../rest/document.ts';
import { createBundleNames } from '../rest/names.ts';
import { createRestServerLinks, REST_PREFIX } from '../rest/rest-links.ts';
import { checkJsonAccept, checkJsonApiAccept } from './accept.ts';
import { contentFileBody } from './content-file.ts';
import { type ErrorForm, JSON_MEDIA_TYPE } from './error-response.ts';
import { HEALTH_HEADERS, healthDocument } from './health.ts';
import { findJob, JOBS_PLACE, jobDocument } from './jobs.ts';
import { answerSubrequests } from './subrequests.ts';
import { writeJsonApi } from './write.ts';
import type { WriteAnswer, WriteRequest } from './write-request.ts';
import { writeRest } from './write-rest.ts';

/** One request, taken apart. */
interface RouteRequest {
  readonly services: Services;
  readonly actor: Actor;
  readonly access: Access;
  readonly origin: string;
  /** The row's prefix, such as `/v1/api/content`. */
  readonly prefix: string;
  /** What follows the prefix, still encoded. */
  readonly rest: string;
  /** Without `?`. */
  readonly query: string;
  /** The header `Accept`. */
  readonly accept: string | null;
  /** The request's body as text. Throws a 413 where it is larger than this limit allows. */
  body(limit: 'subrequestsBytes' | 'bodyBytes'): Promise<string>;
  /** Answers another request for the same actor; undefined for a path that is not ours. */
  ask(request: Request): Promise<Response | undefined>;
}

/** One row of the route table: everything at a prefix and, unless it is one document, below it. */
interface Route {
  readonly prefix: string;
  /** Whether there is nothing below the prefix. */
  readonly alone?: true;
  /** METHODS unless said. */
  readonly methods?: readonly string[];
  /** Whether an answer stays right while the content does; where it tells who asks, only that to anonymous. */
  readonly kept: boolean | 'anonymous';
  /** Of what is answered; 200 unless said. */
  readonly status?: number;
  /** Of every answer that is no error. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What must follow the prefix, where that is not everything. */
  readonly below?: RegExp;
  readonly errorForm: ErrorForm;
  readonly contentType: string;
  /** Whether the row is there at all. */
  when?(settings: ApiSettings): boolean;
  answer(request: RouteRequest): Promise<Written>;
  /** Carries out methods that change content; those rows that have it. */
  write?(request: WriteRequest): Promise<WriteAnswer>;
  /** The answer to OPTIONS. Throws as `answer` does where there is nothing. */
  options(request: RouteRequest): Promise<OptionsAnswer>;
}

interface OptionsAnswer {
  readonly meta: { readonly allow: readonly string[] };
}

/** The methods of every address that reads. */
export const METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export interface MatchedRoute {
  readonly route: Route;
  readonly rest: string;
}

/** The row that answers a path, with or without the site's base; undefined for a path that is not ours. */
export function matchRoute(pathname: string, settings: ApiSettings): MatchedRoute | undefined {
  const path = pathname.startsWith(`${settings.base}/`) ? pathname.slice(settings.base.length) : pathname;
  for (const route of ROUTES) {
    const head = path.slice(0, route.prefix.length);
    const rest = path.slice(route.prefix.length);
    const below = route.below ?? (route.alone === true ? /^\/?$/ : /^(\/|$)/);
    const fits = head.toLowerCase() === route.prefix && below.test(rest);
    if (fits && (route.when?.(settings) ?? true)) return { route, rest };
  }
  return isHealthPath(pathname, settings) ? { route: HEALTH, rest: '' } : undefined;
}

/** Whether a path is that of option `health`, whose letter case counts; the site's base may be before it. */
export function isHealthPath(
  pathname: string,
  { base, health }: Pick<ApiSettings, 'base' | 'health'>,
): boolean {
  if (health === false) return false;
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return path === health || path === base + health;
}

async function answerJsonApi({
  services,
  actor,
  access,
  origin,
  rest,
  query,
  accept,
}: RouteRequest): Promise<Written> {
  checkJsonApiAccept(accept);
  const links = createServerLinks(services.settings, origin);
  return writeDocument(await readDocument({ services, actor, access, links }, pathSegments(rest), query));
}

async function optionsJsonApi({ services, access, rest, accept }: RouteRequest): Promise<OptionsAnswer> {
  checkJsonApiAccept(accept);
  return readOptions({ services, access }, pathSegments(rest), METHODS);
}

async function answerSchema({ services, access, origin, rest, query }: RouteRequest): Promise<Written> {
  parseQuery(query, 'individual', services.settings);
  const links = createServerLinks(services.settings, origin);
  return writeJson(resourceSchemaDocument({ services, access, links }, describedType(services, rest)));
}

async function optionsSchema({ services, rest }: RouteRequest): Promise<OptionsAnswer> {
  describedType(services, rest);
  return PLAIN_OPTIONS;
}

function describedType({ store }: Services, rest: string): ResourceType {
  const [entityType = '', bundle = ''] = pathSegments(rest);
  return findType(store, entityType, bundle);
}

async function answerOpenApi({ services, access, origin, query }: RouteRequest): Promise<Written> {
  parseQuery(query, 'individual', services.settings);
  return writeJson(serverDescription(services, access, origin));
}

async function answerRest({
  services,
  actor,
  access,
  origin,
  prefix,
  rest,
  query,
  accept,
}: RouteRequest): Promise<Written> {
  checkJsonAccept(accept);
  const { settings, store } = services;
  const names = createBundleNames(store.types.values(), settings.plurals);
  const links = createRestServerLinks(settings, names, { origin, prefix, query });
  const [name = '', ...below] = pathSegments(rest);
  return readRest({ services, actor, access, links }, names.find(name), below, query);
}

async function optionsRest({ services, access, rest, accept }: RouteRequest): Promise<OptionsAnswer> {
  checkJsonAccept(accept);
  const names = createBundleNames(services.store.types.values(), services.settings.plurals);
  const [name = '', ...below] = pathSegments(rest);
  return restOptions({ services, access }, names.find(name), below, METHODS);
}

async function answerRouter({ services, access, origin, query }: RouteRequest): Promise<Written> {
  const links = createServerLinks(services.settings, origin);
  return writeJson(await translatePath({ services, access, links }, origin, query));
}

async function answerMany({ services, origin, body, ask }: RouteRequest): Promise<Written> {
  const { limits } = services.settings;
  return writeJson(await answerSubrequests(await body('subrequestsBytes'), origin, ask, limits));
}

async function answerFile({ services, access, rest }: RouteRequest): Promise<Written> {
  return contentFileBody(await findContentFile(services, access, rest));
}

async function optionsFile({ services, access, rest }: RouteRequest): Promise<OptionsAnswer> {
  await findContentFile(services, access, rest);
  return PLAIN_OPTIONS;
}

async function answerExplorerSchema({ services, access }: RouteRequest): Promise<Written> {
  return writeJson(await explorerSchema(services, access, 'server'));
}

async function answerExplain({ services, access, query }: RouteRequest): Promise<Written> {
  return writeJson(await explain(services, access, query));
}

async function answerJsonApiJob(request: RouteRequest): Promise<Written> {
  checkJsonApiAccept(request.accept);
  return jobDocument(request, jobIn(request), request.query, 'jsonapi');
}

async function answerRestJob(request: RouteRequest): Promise<Written> {
  checkJsonAccept(request.accept);
  return jobDocument(request, jobIn(request), request.query, 'rest');
}

async function optionsJob(request: RouteRequest): Promise<OptionsAnswer> {
  findJob(request, jobIn(request));
  return PLAIN_OPTIONS;
}

/** The segment after `_jobs`. */
function jobIn({ rest }: RouteRequest): string {
  return pathSegments(rest)[1] ?? '';
}

const PLAIN_OPTIONS = { meta: { allow: METHODS } };

/** Nothing below `_jobs` is content. */
const JOB_PATH = new RegExp(`^/+${JOBS_PLACE}/+[^/]+/*$`);

const JSONAPI = {
  kept: true,
  errorForm: 'jsonapi',
  contentType: JSONAPI_MEDIA_TYPE,
  answer: answerJsonApi,
  options: optionsJsonApi,
  write: writeJsonApi,
} as const;
const REST = {
  kept: true,
  errorForm: 'rest',
  contentType: JSON_MEDIA_TYPE,
  answer: answerRest,
  options: optionsRest,
  write: writeRest,
} as const;
const EXPLORER = {
  alone: true,
  errorForm: 'jsonapi',
  contentType: JSON_MEDIA_TYPE,
  when: (settings: ApiSettings) => settings.explorer,
  options: async () => PLAIN_OPTIONS,
} as const;

const JSONAPI_JOB = {
  below: JOB_PATH,
  kept: false,
  errorForm: 'jsonapi',
  contentType: JSONAPI_MEDIA_TYPE,
  answer: answerJsonApiJob,
  options: optionsJob,
} as const;
const REST_JOB = {
  below: JOB_PATH,
  kept: false,
  errorForm: 'rest',
  contentType: JSON_MEDIA_TYPE,
  answer: answerRestJob,
  options: optionsJob,
} as const;

/** Its address is an option. */
const HEALTH: Route = {
  prefix: '',
  alone: true,
  errorForm: 'router',
  contentType: JSON_MEDIA_TYPE,
  headers: HEALTH_HEADERS,
  kept: false,
  answer: async ({ services }) => writeJson(healthDocument('ok', services.commits?.health())),
  options: async () => PLAIN_OPTIONS,
};

const MANY_METHODS: readonly string[] = ['POST', 'OPTIONS'];

const ROUTES: readonly Route[] = [
  {
    prefix: '/jsonapi',
    below: /^\/+[^/]+\/+[^/]+\/+resource\/+schema\/*$/,
    kept: true,
    errorForm: 'jsonapi',
    contentType: SCHEMA_MEDIA_TYPE,
    answer: answerSchema,
    options: optionsSchema,
  },
  {
    prefix: OPENAPI_PATH,
    alone: true,
    kept: true,
    errorForm: 'jsonapi',
    contentType: JSON_MEDIA_TYPE,
    answer: answerOpenApi,
    options: async () => PLAIN_OPTIONS,
  },
  { prefix: '/jsonapi', below: /^\/*$/, ...JSONAPI, kept: 'anonymous' },
  { prefix: '/jsonapi', ...JSONAPI_JOB },
  { prefix: '/jsonapi', ...JSONAPI },
  { prefix: REST_PREFIX, ...REST_JOB },
  { prefix: `/v1${REST_PREFIX}`, ...REST_JOB },
  { prefix: REST_PREFIX, ...REST },
  { prefix: `/v1${REST_PREFIX}`, ...REST },
  {
    prefix: '/router/translate-path',
    alone: true,
    kept: true,
    errorForm: 'router',
    contentType: JSON_MEDIA_TYPE,
    answer: answerRouter,
    options: async () => ({ meta: { allow: METHODS } }),
  },
  {
    prefix: '/subrequests',
    alone: true,
    methods: MANY_METHODS,
    kept: false,
    status: 207,
    errorForm: 'router',
    contentType: JSON_MEDIA_TYPE,
    answer: answerMany,
    options: async () => ({ meta: { allow: MANY_METHODS } }),
  },
  {
    prefix: CONTENT_FILES_PREFIX,
    errorForm: 'jsonapi',
    // Of errors and of OPTIONS; a file has its own.
    contentType: JSONAPI_MEDIA_TYPE,
    kept: false,
    answer: answerFile,
    options: optionsFile,
  },
  { prefix: `${EXPLORER_PREFIX}/schema.json`, ...EXPLORER, kept: true, answer: answerExplorerSchema },
  { prefix: `${EXPLORER_PREFIX}/explain.json`, ...EXPLORER, kept: false, answer: answerExplain },
];
