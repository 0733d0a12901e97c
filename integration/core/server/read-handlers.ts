import { readJsonApi } from '../api/jsonapi/answer.ts';
import type { ContentHandler, RouteHandlers } from '../api/request.ts';
import { loadCode } from '../util/lazy-code.ts';

const loadSchema = () => loadCode(() => import('../api/jsonapi/read-schema.ts'));

/** Reads any address below `/jsonapi`. */
export const JSONAPI: ContentHandler = {
  answer: readJsonApi,
  options: async (request) =>
    (await loadCode(() => import('../api/jsonapi/options.ts'))).jsonApiOptions(request),
};

/** The handlers of JSON:API that only read content. They also run in a browser, which loads what few requests need later. */
export const JSONAPI_HANDLERS = {
  schema: {
    answer: async (request) => (await loadSchema()).readSchema(request),
    options: async (request) => (await loadSchema()).schemaOptions(request),
  },
  entry: JSONAPI,
  jsonapi: JSONAPI,
} as const satisfies RouteHandlers;
