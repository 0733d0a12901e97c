import { JSONAPI_MEDIA_TYPE } from '../../read/document-types.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import { REST_PATH } from '../routes.ts';
import { ref } from './component-schemas.ts';
import type { Operation, PathItem } from './parameters.ts';

/** Where whoever made a change asks what has become of it, in both APIs. */
export function jobOperations(end: string): Readonly<Record<string, PathItem>> {
  const common = { tag: JOBS_TAG, parameters: [ID], summary: 'What has become of a change' } as const;
  const jsonApi: Operation = {
    ...common,
    id: 'get-job',
    mediaType: JSONAPI_MEDIA_TYPE,
    errors: 'jsonapi',
    schema: {
      type: 'object',
      required: ['jsonapi', 'data', 'links'],
      properties: {
        jsonapi: ref('jsonapi'),
        data: {
          type: 'object',
          required: ['type', 'id', 'attributes', 'links'],
          properties: {
            type: { const: 'job' },
            id: TEXT,
            attributes: { type: 'object', required: Object.keys(STATE), properties: STATE },
            links: ref('links'),
          },
        },
        links: ref('links'),
      },
    },
  };
  const plain: Operation = {
    ...common,
    id: 'get-plain-job',
    mediaType: 'application/json',
    errors: 'plain',
    schema: {
      type: 'object',
      required: ['data', 'links'],
      properties: {
        data: {
          type: 'object',
          required: ['id', 'type', ...Object.keys(STATE)],
          properties: { id: TEXT, type: { const: 'job' }, ...STATE },
        },
        links: { type: 'object', required: ['self'], properties: { self: TEXT, entity: TEXT } },
      },
    },
  };
  return {
    [`/jsonapi/_jobs/{id}${end}`]: { get: jsonApi },
    [`${REST_PATH}/_jobs/{id}${end}`]: { get: plain },
  };
}

/** The answer to a change that is being committed. */
export function acceptedResponse({ mediaType, errors, schema }: Operation): JsonSchema {
  const link = errors === 'jsonapi' ? ref('link') : TEXT;
  const meta = {
    type: 'object',
    required: ['job'],
    properties: {
      job: {
        type: 'object',
        required: ['id', 'status', 'links'],
        properties: {
          id: TEXT,
          status: { const: 'pending' },
          links: { type: 'object', required: ['self'], properties: { self: link } },
        },
      },
    },
  };
  const withJob = { type: 'object', required: ['meta'], properties: { meta } };
  const usual = typeof schema === 'string' ? ref(schema) : schema;
  return {
    description: 'It is stored, and being committed: `meta.job` says where to ask what has become of that.',
    headers: {
      'Content-Location': { description: 'Of the job.', schema: { type: 'string', format: 'uri' } },
    },
    content: { [mediaType]: { schema: usual === null ? withJob : { allOf: [usual, withJob] } } },
  };
}

const JOBS_TAG = 'jobs';
const TEXT: JsonSchema = { type: 'string' };
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
const ID: JsonSchema = {
  name: 'id',
  in: 'path',
  required: true,
  description: '`meta.job.id` of the answer to the change.',
  schema: TEXT,
};
const STATE = {
  status: { enum: ['pending', 'committed', 'failed'] },
  detail: { ...TEXT_OR_NULL, description: 'Why it waits, or what there is to say of it.' },
  created: { type: 'string', format: 'date-time' },
  commit: { ...TEXT_OR_NULL, description: 'The whole id of the commit.' },
  branch: TEXT_OR_NULL,
  pushed: { type: ['boolean', 'null'], description: 'Null where nothing is pushed by itself.' },
} as const;
