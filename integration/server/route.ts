import { EXPLORER_PREFIX } from '../api/explorer.ts';
import { writeJsonApi } from '../api/jsonapi/write.ts';
import { OPENAPI_PATH } from '../api/openapi/document.ts';
import { REST_PREFIX } from '../api/rest/rest-links.ts';
import { writeRest } from '../api/rest/write.ts';
import type { Services } from '../api/services.ts';
import type { WriteAnswer, WriteRequest } from '../api/write-request.ts';
import { CONTENT_FILES_PREFIX } from '../content/file-place.ts';
import type { Streamed, Written } from '../read/compose.ts';
import { writeJson } from '../read/compose.ts';
import { JSON_MEDIA_TYPE, JSONAPI_MEDIA_TYPE, SCHEMA_MEDIA_TYPE } from '../read/document-types.ts';
import type { ApiSettings } from '../read/settings.ts';
import type { ErrorForm } from './error-response.ts';
import { HEALTH_HEADERS, healthDocument, healthStatus } from './health.ts';
import { JOBS_PLACE } from './jobs.ts';
import type { OptionsAnswer, RouteRequest } from './route-answers.ts';
import {
  answerExplain,
  answerExplorerSchema,
  answerFile,
  answerJsonApi,
  answerJsonApiJob,
  answerMany,
  answerOpenApi,
  answerRest,
  answerRestJob,
  answerRouter,
  answerSchema,
  METHODS,
  optionsFile,
  optionsJob,
  optionsJsonApi,
  optionsRest,
  optionsSchema,
  PLAIN_OPTIONS,
} from './route-answers.ts';

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
  readonly status?: number | ((services: Services) => number);
  /** Of every answer that is no error. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What must follow the prefix, where that is not everything. */
  readonly below?: RegExp;
  readonly errorForm: ErrorForm;
  readonly contentType: string;
  /** Whether the row is there at all. */
  when?(settings: ApiSettings): boolean;
  answer(request: RouteRequest): Promise<Written | Streamed>;
  /** Carries out methods that change content; those rows that have it. */
  write?(request: WriteRequest): Promise<WriteAnswer>;
  /** The answer to OPTIONS. Throws as `answer` does where there is nothing. */
  options(request: RouteRequest): Promise<OptionsAnswer>;
}

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
  status: ({ commits }) => healthStatus(commits?.health()),
  async answer({ services: { commits } }) {
    const git = commits?.health();
    return writeJson(healthDocument(healthStatus(git) === 200 ? 'ok' : 'error', git));
  },
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
