import { jsonApiOptions, readJsonApi } from '../api/jsonapi/answer.ts';
import { resourceSchemaDocument } from '../api/jsonapi/resource-schema.ts';
import type { ReadRequest } from '../api/request.ts';
import type { ResourceType } from '../content/model.ts';
import { parseQuery } from '../engine/parse/parse-query.ts';
import { writeJson } from '../read/compose.ts';
import { findType } from '../read/find.ts';
import { createServerLinks } from '../read/links.ts';
import { pathSegments } from '../read/url-path.ts';
import type { RouteHandler } from './content-server.ts';

const JSONAPI: RouteHandler = { answer: readJsonApi, options: jsonApiOptions };

/** The handlers of JSON:API that only read content. They also run in a browser. */
export const JSONAPI_HANDLERS = {
  schema: {
    async answer(request) {
      const { services, access, target } = request;
      parseQuery(target.query, 'individual', services.settings);
      const links = createServerLinks(services.settings, target.origin, access);
      return writeJson(resourceSchemaDocument({ services, access, links }, describedType(request)));
    },
    async options(request) {
      describedType(request);
      return undefined;
    },
  },
  entry: JSONAPI,
  menu: JSONAPI,
  index: JSONAPI,
  view: JSONAPI,
  jsonapi: JSONAPI,
} as const satisfies Readonly<Record<string, RouteHandler>>;

/** The type of `/{entity type}/{bundle}/resource/schema`. */
function describedType({ services, target }: ReadRequest): ResourceType {
  const [entityType = '', bundle = ''] = pathSegments(target.rest);
  return findType(services.store, entityType, bundle);
}
