import { readJsonApi } from '../api/jsonapi/answer.ts';
import type { RouteHandler } from './content-server.ts';

const JSONAPI: RouteHandler = {
  answer: readJsonApi,
  options: async (request) => (await import('../api/jsonapi/options.ts')).jsonApiOptions(request),
};

/** The handlers of JSON:API that only read content. They also run in a browser, which loads what few requests need later. */
export const JSONAPI_HANDLERS = {
  schema: {
    answer: async (request) => (await import('../api/jsonapi/read-schema.ts')).readSchema(request),
    options: async (request) => (await import('../api/jsonapi/read-schema.ts')).schemaOptions(request),
  },
  entry: JSONAPI,
  menu: JSONAPI,
  index: JSONAPI,
  view: JSONAPI,
  jsonapi: JSONAPI,
} as const satisfies Readonly<Record<string, RouteHandler>>;
