import { readJsonApi } from '../api/jsonapi/answer.ts';
import { loadCode } from '../util/lazy-code.ts';
import type { RouteHandler } from './content-server.ts';

const loadSchema = () => loadCode(() => import('../api/jsonapi/read-schema.ts'));

const JSONAPI: RouteHandler = {
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
  menu: JSONAPI,
  index: JSONAPI,
  view: JSONAPI,
  jsonapi: JSONAPI,
} as const satisfies Readonly<Record<string, RouteHandler>>;
