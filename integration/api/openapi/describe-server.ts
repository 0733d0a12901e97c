import type { QueryAccess } from '../../engine/engine.ts';
import { JSONAPI_MEDIA_TYPE, SCHEMA_MEDIA_TYPE } from '../../read/document-types.ts';
import { createServerLinks, encode } from '../../read/links.ts';
import { menuTypes } from '../drupal/menu.ts';
import type { JsonSchema } from '../jsonapi/resource-schema.ts';
import { listFields } from '../rest/find-listed.ts';
import { createBundleNames } from '../rest/names.ts';
import { REST_PATH } from '../routes.ts';
import type { Services } from '../services.ts';
import { plainListSchema } from './component-schemas.ts';
import { BUSY, frontEndOperations } from './describe-front-ends.ts';
import { jobOperations } from './describe-jobs.ts';
import { relatedOperations } from './describe-related.ts';
import { SIGN_IN_SCHEMAS, SIGN_IN_TAG, signInPaths } from './describe-sign-in.ts';
import { uploadOperations } from './describe-uploads.ts';
import { writeOperations } from './describe-writes.ts';
import { ENTRY_TAG, openApiDocument, readPaths, tagOf } from './document.ts';
import { type Operation, type PathItem, collectionParameters, ID_PARAMETER, individualParameters, MENU_PARAMETERS, plainFields, plainListParameters, versionParameters } from './parameters.ts';

/** The API of a server, as this actor sees it. */
export function serverDescription(services: Services, access: QueryAccess, origin: string): JsonSchema {
  const { settings, store } = services;
  const names = createBundleNames(store.types.values(), settings.plurals);
  const links = createServerLinks({ ...settings, base: '' }, '');
  const end = settings.trailingSlash === 'always' ? '/' : '';
  const paths: Record<string, Operation> = {
    [links.entry()]: {
      id: 'entry',
      summary: 'All collections',
      tag: ENTRY_TAG,
      mediaType: JSONAPI_MEDIA_TYPE,
      schema: 'entry-document',
      errors: 'jsonapi',
    },
  };
  for (const type of menuTypes(store)) {
    paths[links.menu(type.bundle)] = {
      mediaType: JSONAPI_MEDIA_TYPE,
      errors: 'jsonapi',
      id: `menu-${type.bundle}`,
      summary: `The menu ${type.bundle}`,
      tag: tagOf(type),
      parameters: MENU_PARAMETERS,
      schema: 'menu-document',
    };
  }
  const writes: Record<string, PathItem> = {};
  const versions = versionParameters(services);
  const largeAnswers = settings.pageSize.unlimited ? { otherErrors: { 503: BUSY } } : {};
  for (const type of store.types.values()) {
    const collection = links.collection(type);
    const plain = `${REST_PATH}/${encode(names.plural(type))}`;
    const common = { tag: tagOf(type) };
    const jsonApi = { ...common, mediaType: JSONAPI_MEDIA_TYPE, errors: 'jsonapi' } as const;
    const json = { ...common, mediaType: 'application/json', errors: 'plain' } as const;
    const individual = individualParameters(services, access, type);
    paths[collection] = {
      ...jsonApi,
      id: `list-${type.name}`,
      summary: `A page of ${type.name}`,
      parameters: collectionParameters(services, access, type),
      schema: `${type.name}.collection`,
      ...largeAnswers,
    };
    const resource = `${collection.replace(/\/$/, '')}/{id}`;
    Object.assign(paths, relatedOperations(services, access, type, { resource, end }));
    paths[resource + end] = {
      ...jsonApi,
      id: `get-${type.name}`,
      summary: `One ${type.name}`,
      parameters: [ID_PARAMETER, ...individual, ...versions],
      schema: `${type.name}.document`,
    };
    paths[links.schema(type)] = {
      ...jsonApi,
      id: `describe-${type.name}`,
      summary: `The JSON Schema of ${type.name}`,
      mediaType: SCHEMA_MEDIA_TYPE,
      schema: { type: 'object' },
    };
    paths[plain + end] = {
      ...json,
      id: `list-plain-${type.name}`,
      summary: `A page of ${type.name} as plain JSON`,
      parameters: plainListParameters(settings, access, type),
      schema: `${type.name}.plain-list`,
      ...largeAnswers,
    };
    const addresses = { collection, resource, plain, end };
    for (const field of listFields(access, type)) {
      paths[`${plain}/{id}/${encode(field.name)}${end}`] = {
        ...json,
        id: `list-plain-${type.name}-${field.name}`,
        summary: `What ${field.name} of one ${type.name} lists, as plain JSON`,
        parameters: [ID_PARAMETER, ...versions],
        schema: plainListSchema(field),
      };
    }
    if (services.writer !== null) {
      Object.assign(
        writes,
        writeOperations(services, access, type, addresses),
        uploadOperations(access, type, addresses),
      );
    }
    paths[`${plain}/{id}${end}`] = {
      ...json,
      id: `get-plain-${type.name}`,
      summary: `One ${type.name} as plain JSON`,
      parameters: [ID_PARAMETER, plainFields(access, type), ...versions],
      schema: `${type.name}.plain-document`,
    };
  }
  const jobs = services.commits?.acknowledge === 'commit' ? jobOperations(end) : {};
  return openApiDocument(services, access, {
    server: origin + settings.base,
    description: 'Content as JSON:API 1.1 with the query language of Drupal, and as plain JSON.',
    paths: merged(readPaths(paths), frontEndOperations(settings, end), writes, jobs),
    ...(settings.signIn === true && {
      written: { tag: SIGN_IN_TAG, paths: signInPaths(end), schemas: SIGN_IN_SCHEMAS },
    }),
  });
}

function merged(...parts: readonly Readonly<Record<string, PathItem>>[]): Readonly<Record<string, PathItem>> {
  const all: Record<string, PathItem> = {};
  for (const part of parts) {
    for (const [path, item] of Object.entries(part)) all[path] = { ...all[path], ...item };
  }
  return all;
}
