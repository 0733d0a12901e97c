import type { ResourceType } from '../../content/model.ts';
import { parseQuery } from '../../engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../read/compose.ts';
import { findType } from '../../read/find.ts';
import { createServerLinks } from '../../read/links.ts';
import { pathSegments } from '../../read/url-path.ts';
import type { ReadRequest } from '../request.ts';
import { withFileResources } from './file-resources.ts';
import { resourceSchemaDocument } from './resource-schema.ts';

/** The response to `GET` of `/{entity type}/{bundle}/resource/schema`. */
export async function readSchema(request: ReadRequest): Promise<SerializedBody> {
  const { services, access, target } = withFileResources(request);
  parseQuery(target.query, 'individual', services.settings);
  const links = createServerLinks(services.settings, target.origin, access);
  return writeJson(resourceSchemaDocument({ services, access, links }, describedType(request)));
}

/** The response to `OPTIONS` lists the methods of the route. Throws NotFoundError like `readSchema`. */
export async function schemaOptions(request: ReadRequest): Promise<undefined> {
  describedType(request);
}

function describedType(request: ReadRequest): ResourceType {
  const { services, target } = withFileResources(request);
  const [entityType = '', bundle = ''] = pathSegments(target.rest);
  return findType(services.store, entityType, bundle);
}
