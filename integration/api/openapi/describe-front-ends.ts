import type { ApiSettings } from '../../read/settings.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import type { Operation, PathItem } from './parameters.ts';

/** The addresses outside `/jsonapi` and `/api/content`: what decoupled front ends ask, and what monitors do. */
export function frontEndOperations(
  { health, limits }: Pick<ApiSettings, 'health' | 'limits'>,
  end: string,
): Readonly<Record<string, PathItem>> {
  const json = { mediaType: 'application/json', errors: 'router' } as const;
  const translatePath: Operation = {
    ...json,
    tag: FRONT_END_TAG,
    id: 'translate-path',
    summary: 'What a path of the site leads to',
    parameters: [
      {
        name: 'path',
        in: 'query',
        required: true,
        description: 'An alias, or a path such as `/node/article/<id>`.',
        schema: { type: 'string', minLength: 1 },
      },
    ],
    schema: TRANSLATED_PATH,
  };
  const subrequests: Operation = {
    ...json,
    tag: FRONT_END_TAG,
    id: 'subrequests',
    summary: 'Many requests in one',
    status: 207,
    body: { ...SUBREQUESTS, maxItems: limits.subrequests },
    schema: SUBRESPONSES,
    otherErrors: {
      413: `The body has more than ${limits.subrequestsBytes} bytes, or the answers have more than ${limits.subrequestsAnswerBytes} together.`,
      503: BUSY,
    },
  };
  const paths = {
    [`/router/translate-path${end}`]: { get: translatePath },
    [`/subrequests${end}`]: { post: subrequests },
  };
  if (health === false) return paths;
  const monitor: Operation = {
    ...json,
    tag: HEALTH_TAG,
    id: 'health',
    summary: 'Whether the content is loaded and commits keep up: 200, else 503',
    schema: {
      type: 'object',
      required: ['status', 'uptime'],
      properties: {
        status: { enum: ['ok', 'error'] },
        uptime: { type: 'integer', minimum: 0, description: 'Seconds since the process began.' },
        git: {
          description: 'Present if changes are committed to git.',
          type: 'object',
          required: ['commits', 'backlog'],
          properties: {
            commits: {
              description:
                '`waiting` after a minute or an error; `behind` after five minutes, with status 503.',
              enum: ['ok', 'waiting', 'behind'],
            },
            backlog: {
              description: 'Changes that have no commit yet, and the age of the oldest one.',
              type: 'object',
              required: ['changes', 'oldestSeconds'],
              properties: {
                changes: { type: 'integer', minimum: 0 },
                oldestSeconds: { type: 'integer', minimum: 0 },
              },
            },
            waitsFor: {
              description:
                'What makes commits fail: a state of the repository, a lock, or another error of git.',
              enum: ['repository', 'lock', 'git'],
            },
            pushes: { enum: ['ok', 'waiting'] },
          },
        },
      },
    },
  };
  return { ...paths, [health + end]: { get: monitor } };
}

/** A 503 of a large answer. */
export const BUSY =
  'Too many clients read large answers at the moment. Try again after the seconds in `Retry-After`.';

const FRONT_END_TAG = 'decoupled front ends';
const HEALTH_TAG = 'health';

const TEXT: JsonSchema = { type: 'string' };
const URI: JsonSchema = { type: 'string', format: 'uri' };

/** All members are there. */
function record(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties };
}

const TRANSLATED_PATH = record({
  resolved: URI,
  isHomePath: { type: 'boolean' },
  entity: record({
    canonical: URI,
    type: TEXT,
    bundle: TEXT,
    id: TEXT,
    uuid: TEXT,
    langcode: TEXT,
    path: TEXT,
  }),
  label: TEXT,
  jsonapi: record({
    individual: URI,
    resourceName: TEXT,
    pathPrefix: TEXT,
    basePath: TEXT,
    entryPoint: URI,
  }),
});

const SUBREQUESTS: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    required: ['requestId', 'action', 'uri'],
    properties: {
      requestId: { type: 'string', minLength: 1 },
      action: { const: 'view' },
      uri: {
        type: 'string',
        minLength: 1,
        description: 'May hold parts of an earlier answer: `{{router.body@$.jsonapi.individual}}`.',
      },
      headers: { type: 'object', additionalProperties: TEXT },
    },
  },
};

const SUBRESPONSES: JsonSchema = {
  description:
    'By `requestId`; `<requestId>#uri{0}` where parts of an earlier answer were filled in. For a file the status is 406.',
  type: 'object',
  additionalProperties: record({
    body: TEXT,
    headers: {
      type: 'object',
      additionalProperties: { type: 'array', items: { type: ['string', 'integer'] } },
    },
  }),
};
