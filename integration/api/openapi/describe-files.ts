import type { QueryAccess } from '../../engine/engine.ts';
import { findType } from '../../read/find.ts';
import { createStaticLinks, encode } from '../../read/links.ts';
import { splitPath } from '../../read/url-path.ts';
import { menuTypes } from '../drupal/menu.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import { createBundleNames } from '../rest/names.ts';
import { REST_PATH } from '../routes.ts';
import type { Services } from '../services.ts';
import { ENTRY_TAG, openApiDocument, readPaths, tagOf } from './document.ts';
import { type Operation, ID_PARAMETER } from './parameters.ts';

/** The files of a site without a server. */
export function filesDescription(services: Services, access: QueryAccess): JsonSchema {
  const { settings, store } = services;
  const names = createBundleNames(store.types.values(), settings.plurals);
  const links = createStaticLinks({ ...settings, base: '' });
  const file = { mediaType: 'application/json', errors: 'files' } as const;
  const paths: Record<string, Operation> = {
    [links.entry()]: {
      ...file,
      id: 'entry',
      summary: 'All collections',
      tag: ENTRY_TAG,
      schema: 'entry-document',
    },
  };
  /** A file and those of its further pages. */
  function addPages(stem: string, operation: Operation): void {
    paths[`${stem}.json`] = operation;
    paths[`${stem}.{page}.json`] = {
      ...operation,
      id: `${operation.id}-page`,
      summary: `${operation.summary}, further pages`,
      parameters: [PAGE_PARAMETER],
    };
  }
  for (const type of menuTypes(store)) {
    paths[links.menu(type.bundle)] = {
      ...file,
      id: `menu-${type.bundle}`,
      summary: `The menu ${type.bundle}`,
      tag: tagOf(type),
      schema: 'menu-document',
    };
  }
  for (const type of store.types.values()) {
    const common = { ...file, tag: tagOf(type) };
    const stem = links.collection(type).slice(0, -'.json'.length);
    const plain = `${REST_PATH}/${encode(names.plural(type))}`;
    addPages(stem, {
      ...common,
      id: `list-${type.name}`,
      summary: `All ${type.name}`,
      schema: `${type.name}.collection`,
    });
    paths[`${stem}/{id}.json`] = {
      ...common,
      id: `get-${type.name}`,
      summary: `One ${type.name}`,
      parameters: [ID_PARAMETER],
      schema: `${type.name}.document`,
    };
    paths[links.schema(type)] = {
      ...common,
      id: `describe-${type.name}`,
      summary: `The JSON Schema of ${type.name}`,
      schema: { type: 'object' },
    };
    addPages(plain, {
      ...common,
      id: `list-plain-${type.name}`,
      summary: `All ${type.name} as plain JSON`,
      schema: `${type.name}.plain-list`,
    });
    paths[`${plain}/{id}.json`] = {
      ...common,
      id: `get-plain-${type.name}`,
      summary: `One ${type.name} as plain JSON`,
      parameters: [ID_PARAMETER],
      schema: `${type.name}.plain-document`,
    };
  }
  for (const [name, query] of Object.entries(settings.staticQueries)) {
    const [entityType = '', bundle = '', ...id] = splitPath(query, settings.base).segments;
    const type = findType(store, entityType, bundle);
    const operation = { ...file, tag: tagOf(type), id: `query-${name}`, summary: `The query ${name}` };
    if (id.length === 0) {
      addPages(`/jsonapi/q/${name}`, { ...operation, schema: `${type.name}.collection` });
    } else paths[`/jsonapi/q/${name}.json`] = { ...operation, schema: `${type.name}.document` };
  }
  return openApiDocument(services, access, {
    server: settings.base === '' ? '/' : settings.base,
    description: 'Content as files: JSON:API 1.1, and plain JSON.',
    paths: readPaths(paths),
  });
}

const PAGE_PARAMETER: JsonSchema = {
  name: 'page',
  in: 'path',
  required: true,
  description: 'The page, from 2. `links.next` of the page before tells whether there is one.',
  schema: { type: 'integer', minimum: 2 },
};
