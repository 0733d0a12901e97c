import type { Access } from '../../core/access/access.ts';
import { ADDRESSES, type Operations } from '../../core/api/addresses.ts';
import {
  type DescribedOperation,
  type Operation,
  pathParameter,
  type RawOperation,
  type RouteDescription,
  type Texts,
} from '../../core/api/description.ts';
import type { JsonSchema } from '../../core/api/json-schema.ts';
import { withFileResources } from '../../core/api/jsonapi/file-resources.ts';
import type { Services } from '../../core/api/request.ts';
import { CHANGING_METHODS, type Method, type Route, servedRoutes } from '../../core/api/routes.ts';
import { BASE_FIELDS } from '../../core/content/base-fields.ts';
import { FILE_TYPE } from '../../core/content/file-resource.ts';
import type { ResourceType } from '../../core/content/model.ts';
import type { QueryAccess } from '../../core/engine/engine.ts';
import { JSON_MEDIA_TYPE } from '../../core/read/document-types.ts';
import { findType } from '../../core/read/find.ts';
import {
  apiRoot,
  createServerLinks,
  createStaticLinks,
  encode,
  entityFileEnd,
} from '../../core/read/links.ts';
import { allUsableDefaults } from '../../core/read/query-defaults.ts';
import type { SiteIdentity } from '../../core/read/settings.ts';
import { splitPath } from '../../core/read/url-path.ts';
import { usedComponents } from './components.ts';
import { ADDRESS_FIELDS, CONTENT_OPERATIONS, subjectOf } from './content-operations.ts';
import { describeContent } from './content-routes.ts';
import { componentResponses, describe, type ErrorStyle } from './operation.ts';
import { ID_PARAMETER, sharedParameters } from './parameters.ts';
import { componentSchemas } from './schemas.ts';
import { createSecurity, securitySchemes } from './security.ts';

/** The API of a server, as an actor sees it, as an OpenAPI 3.1 document. Source: OpenAPI Specification 3.1.1. */
export async function serverDescription(
  whole: Services,
  actorAccess: Access,
  origin: string,
): Promise<JsonSchema> {
  const site = withFileResources({ services: whole, access: actorAccess });
  const settings = { ...site.services.settings, queryDefaults: await allUsableDefaults(site) };
  const services = { ...site.services, settings };
  const { access } = site;
  const { writer, commits } = services;
  const paths = createPaths();
  const end = settings.trailingSlash === 'always' ? '/' : '';
  const isAcknowledged = commits !== undefined && commits.acknowledge !== 'file';
  const links = createServerLinks({ ...settings, base: '', trailingSlash: 'never' }, '', access);
  const descriptions = await describeRoutes(services);
  const shared = sharedParameters(settings);
  const security = createSecurity(whole);
  for (const route of servedRoutes(services.features.routes, settings)) {
    const style = ERROR_STYLES[route.errors];
    const add = (
      path: string,
      tag: string,
      method: Method,
      texts: Texts,
      operation: Operation | RawOperation,
      type?: ResourceType,
    ) => {
      const raw =
        'responses' in operation
          ? operation
          : describe(operation, route, style, shared, isAcknowledged && route.writes === true);
      const sent = { ...raw, security: security(method, operation, type) };
      paths.add(path + end, tag, method, texts, sent);
    };
    const isDescribed = !route.alias && (!route.name.endsWith('-job') || isAcknowledged);
    if (!isDescribed) continue;
    const description = descriptions[route.name] ?? NOT_DESCRIBED;
    const tag = description.tag?.name ?? route.name;
    const below = (route.below ?? '').replace(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}');
    const named = description.paths?.(services, links) ?? [{ path: route.path + below, name: '' }];
    for (const [method, { texts, ...operation }] of methodsOf(description)) {
      if (route.writes === true && writer === null && CHANGING_METHODS.includes(method)) continue;
      for (const { path, name, type = tag } of named)
        add(path, type, method, namedTexts(texts, name), operation);
    }
    const typeName = description.typeNames?.(whole);
    for (const { type, method, path, texts, operation } of addressOperations(services, access, route.name)) {
      if (writer === null && CHANGING_METHODS.includes(method)) continue;
      const collection =
        typeName === undefined ? links.collection(type) : `${route.path}/${encode(typeName(type))}`;
      add(collection + path, type.name, method, texts, operation, type);
    }
  }
  return openApiDocument(services, access, paths, descriptions, {
    server: origin + settings.base,
    description: 'Content as JSON:API 1.1 with the query language of Drupal, and as plain JSON.',
  });
}

/** The files of a site without a server. */
export async function filesDescription(whole: Services, actorAccess: Access): Promise<JsonSchema> {
  const { services, access } = withFileResources({ services: whole, access: actorAccess });
  const { settings, store } = services;
  const paths = createPaths();
  const links = createStaticLinks({ ...settings, base: '' });
  const descriptions = await describeRoutes(services);
  const shared = sharedParameters(settings);
  const add = (path: string, tag: string, texts: Texts, schema: Operation['schema'], page = false) => {
    const parameters = [...(path.includes('{id}') ? [ID_PARAMETER] : []), ...(page ? [PAGE_PARAMETER] : [])];
    const operation = describe({ parameters, schema }, JSON_FILE, 'files', shared, false);
    paths.add(path, tag, 'GET', texts, { ...operation, security: [] });
  };
  const addPages = (stem: string, tag: string, [id, summary]: Texts, schema: Operation['schema']) => {
    add(`${stem}.json`, tag, [id, summary], schema);
    add(`${stem}.{page}.json`, tag, [`${id}-page`, `${summary}: further pages`], schema, true);
  };
  const prebuilt = servedRoutes(services.features.routes, settings).filter(({ prebuilt }) => prebuilt);
  for (const route of prebuilt) {
    const description = descriptions[route.name] ?? NOT_DESCRIBED;
    for (const { path, name, type } of description.files?.(services, links, route.path) ?? []) {
      const { GET } = description.operations;
      if (GET === undefined || !('schema' in GET)) continue;
      add(path, type ?? description.tag?.name ?? '', namedTexts(GET.texts, name), GET.schema);
    }
    const typeName = description.typeNames?.(whole);
    for (const each of addressOperations(services, access, route.name)) {
      const { type, files, method, path, texts, operation } = each;
      if (files === undefined || method !== 'GET') continue;
      if (path.endsWith('/{id}') && entityFileEnd(settings) === '') continue;
      const stem =
        typeName === undefined
          ? links.collection(type).slice(0, -'.json'.length)
          : `${route.path}/${encode(typeName(type))}`;
      const file = route.name === 'schema' ? links.schema(type) : `${stem}${path}.json`;
      if (files === 'pages') addPages(stem + path, type.name, texts, operation.schema);
      else add(file, type.name, texts, operation.schema);
    }
  }
  for (const [name, query] of Object.entries(settings.staticQueries)) {
    const [entityType = '', bundle = '', ...id] = splitPath(query, settings).segments;
    const type = findType(store, entityType, bundle);
    const texts = [`query-${name}`, `Get the results of the query ${name}`] as const;
    const stem = `${apiRoot({ ...settings, base: '' })}/q/${name}`;
    if (id.length === 0) addPages(stem, type.name, texts, `${type.name}.collection`);
    else add(`${stem}.json`, type.name, texts, `${type.name}.document`);
  }
  return openApiDocument(services, access, paths, descriptions, {
    server: settings.base === '' ? '/' : settings.base,
    description: 'Content as files: JSON:API 1.1, and plain JSON.',
  });
}

const JSON_FILE = { contentType: JSON_MEDIA_TYPE };
const ERROR_STYLES: Readonly<Record<Route['errors'], ErrorStyle>> = {
  jsonapi: 'jsonapi',
  rest: 'plain-',
  router: 'router',
  account: 'router',
  rpc: 'router',
};
const PAGE_PARAMETER = pathParameter(
  'page',
  'The page, from 2. The previous page has a link to it in `links.next`.',
  { type: 'integer', minimum: 2 },
);

/** The operations at the addresses of a route, type by type. */
function* addressOperations(services: Services, access: QueryAccess, name: string) {
  const addresses = ADDRESSES[name] ?? {};
  const types = Object.keys(addresses).length === 0 ? [] : services.store.types.values();
  for (const type of types) {
    const subject = subjectOf(services, access, type);
    for (const [key, address] of Object.entries(addresses)) {
      const { files } = address;
      const fields = address.fields === undefined ? [NO_FIELD] : ADDRESS_FIELDS[address.fields](access, type);
      for (const field of fields) {
        const path = address.path.replace('{field}', encode(field.name));
        for (const [method, texts] of operationsOf(address)) {
          if (type === FILE_TYPE && (name === 'rest' || method !== 'GET')) continue;
          const operation = CONTENT_OPERATIONS[name]?.[key]?.[method]?.(subject, field);
          if (operation === undefined) continue;
          yield { type, path, method, texts: named(texts, type, field.name), files, operation };
        }
      }
    }
  }
}

/** Stands in at addresses without `{field}`. */
const NO_FIELD = BASE_FIELDS.title;

function operationsOf({ operations }: { readonly operations: Operations }) {
  return Object.entries(operations) as (readonly [Method, Texts])[];
}

function methodsOf({ operations }: RouteDescription) {
  return Object.entries(operations) as (readonly [Method, DescribedOperation])[];
}

const NOT_DESCRIBED: RouteDescription = { operations: {} };

/** What the features and this one say about routes. */
async function describeRoutes({ features, settings }: Services): Promise<Descriptions> {
  const described = [describeContent, ...(await features.describe())];
  return Object.assign({}, ...described.map((describeEach) => describeEach(settings)));
}

type Descriptions = Readonly<Record<string, RouteDescription>>;

function namedTexts([id, summary]: Texts, name: string): Texts {
  const fill = (text: string) => text.replace(/\{\w+\}/, name);
  return [fill(id), fill(summary)];
}

function named([id, summary]: Texts, type: ResourceType, field = ''): Texts {
  const fill = (text: string) => text.replace('{type}', type.name).replace('{field}', field);
  return [fill(id), fill(summary)];
}

interface Paths {
  readonly items: Record<string, Record<string, JsonSchema>>;
  readonly tags: Set<string>;
  add(path: string, tag: string, method: Method, texts: Texts, operation: RawOperation): void;
}

function createPaths(): Paths {
  const items: Paths['items'] = {};
  const tags = new Set<string>();
  return {
    items,
    tags,
    add(path, tag, method, [operationId, summary], operation) {
      items[path] ??= {};
      items[path][method.toLowerCase()] = { operationId, summary, tags: [tag], ...operation };
      tags.add(tag);
    },
  };
}

function openApiDocument(
  services: Services,
  access: QueryAccess,
  { items, tags }: Paths,
  descriptions: Descriptions,
  { server, description }: { readonly server: string; readonly description: string },
): JsonSchema {
  const { settings } = services;
  const { name, version, license } = settings.site ?? NO_SITE;
  const schemas = componentSchemas(services, access);
  const texts = Object.values(descriptions).map(({ tag }) => [tag?.name, tag?.description] as const);
  const tagTexts = new Map(texts.filter(([, text]) => text !== undefined));
  const responses = componentResponses();
  const schemes = securitySchemes(settings);
  return {
    openapi: '3.1.1',
    info: { title: `Content of ${name}`, version, description, license: licenseOf(license) },
    servers: [{ url: server }],
    tags: [...tags].map((tag) => ({
      name: tag,
      description: tagTexts.get(tag) ?? `Content of the type \`${tag}\`.`,
    })),
    paths: items,
    components: {
      ...usedComponents(items, { schemas, responses }),
      ...(Object.keys(schemes).length > 0 && { securitySchemes: schemes }),
    },
  };
}

const NO_SITE: SiteIdentity = { name: 'site', version: '0.0.0' };

/** The license of a package.json. Source: SPDX Specification 2.3, "NOASSERTION"; npm, `license` of package.json. */
function licenseOf(license = 'Not stated'): JsonSchema {
  const isExpression = !/^(?:UNLICENSED|SEE LICENSE IN .*|Not stated)$/.test(license);
  return { name: license, identifier: isExpression ? license : 'NOASSERTION' };
}
