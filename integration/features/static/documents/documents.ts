import { ANONYMOUS } from '../../../core/access/actor.ts';
import { collectionDocument } from '../../../core/api/jsonapi/document.ts';
import { entryDocument } from '../../../core/api/jsonapi/entry.ts';
import { individualDocument } from '../../../core/api/jsonapi/resource.ts';
import { resourceSchemaDocument } from '../../../core/api/jsonapi/resource-schema.ts';
import { EXPLORER_PATH } from '../../../core/api/paths.ts';
import { publishedServices } from '../../../core/api/published.ts';
import type { Services } from '../../../core/api/request.ts';
import { type Route, servedRoutes } from '../../../core/api/routes.ts';
import { CONTENT_FILES_PREFIX, type Entity, type ResourceType } from '../../../core/content/model.ts';
import { EMPTY_FILTER, type Query } from '../../../core/engine/ast.ts';
import { parseQuery } from '../../../core/engine/parse/parse-query.ts';
import { type Written, writeDocument, writeJson, writeWhole } from '../../../core/read/compose.ts';
import { visibleContentFiles } from '../../../core/read/content-files.ts';
import { prefixedSettings } from '../../../core/read/language-paths.ts';
import {
  apiRoot,
  createStaticLinks,
  createStaticPager,
  encode,
  entityFileEnd,
  schemaFile,
  staticPage,
} from '../../../core/read/links.ts';
import type { DocumentContext, Reader } from '../../../core/read/reader.ts';
import type { ApiSettings } from '../../../core/read/settings.ts';
import { visibleFields } from '../../../core/read/sparse-fields.ts';
import { explorerSchema } from '../../admin/explorer.ts';
import { menuDocument, menuTypes } from '../../drupal/menu.ts';
import { filesDescription } from '../../openapi/document.ts';
import { OPENAPI_PATH } from '../../openapi/routes.ts';
import { bundlesDocument, entityDocument, listDocument } from '../../rest/document.ts';
import { type BundleNames, createBundleNames } from '../../rest/names.ts';
import { parseRestQuery } from '../../rest/parse-rest.ts';
import { createRestStaticLinks } from '../../rest/rest-links.ts';
import { REST_PATH } from '../../rest/routes.ts';
import { listedQueries, listedQueryProblems } from './listed-queries.ts';

/** One file of a static site. */
export interface StaticDocument {
  /** Below the site's root, decoded, without a leading slash: `jsonapi/node/article.json`. */
  readonly path: string;
  /** Returns JSON in UTF-8, or the bytes of a file. */
  write(): Promise<Uint8Array>;
}

/**
 * The documents of a site without a server, as anonymous visitors see them: those of all prebuilt routes, and the queries
 * of option `prebuild`. Listing documents does not write them; the content must not change before they are written.
 * Throws an Error if two documents cannot both be files, and for an invalid query.
 */
export async function* staticDocuments(services: Services): StaticDocuments {
  const register = createPathRegister();
  for await (const document of documentsInAllLanguages(services)) {
    register(document.path);
    yield document;
  }
}

/** Those of other languages than the default one are in a folder of the language: `fr/jsonapi/node/article.json`. */
async function* documentsInAllLanguages(whole: Services): StaticDocuments {
  const services = await withEntityFiles(whole);
  yield* prefixedDocuments(staticSite(services), () => true);
  const { all, default: own } = services.settings.languages ?? { all: [] };
  for (const { code, path } of all.filter(({ code }) => code !== own)) {
    for await (const document of prefixedDocuments(
      staticSite(services, code),
      ({ localized }) => localized === true,
    )) {
      yield { ...document, path: `${path}/${document.path}` };
    }
  }
}

/** The queries of option `prebuild` that `staticDocuments` would reject, each as a sentence that names the option. */
export function prebuildProblems(services: Services): Promise<readonly string[]> {
  return listedQueryProblems(staticSite(services), services.settings.staticQueries);
}

/** True if entities have no files of their own, because there are more than option `static.documents` says. */
export async function hasManyEntities(services: Services): Promise<boolean> {
  const { store, engine, settings, access } = publishedServices(services);
  const { static: files } = settings;
  // Without a snapshot, nothing else answers.
  if (!files || typeof files.documents !== 'number' || !files.queries) return false;
  let count = 0;
  for (const type of store.types.values()) count += (await engine.run(type, NONE, access(ANONYMOUS))).count;
  return count > files.documents;
}

/** The services with the decision whether entities have files. */
async function withEntityFiles(services: Services): Promise<Services> {
  const { settings } = services;
  const { static: files } = settings;
  if (!files || typeof files.documents !== 'number') return services;
  const documents = !(await hasManyEntities(services));
  return { ...services, settings: { ...settings, static: { ...files, documents } } };
}

/** The files beside the content that entities visible to anonymous visitors refer to. */
export async function* staticContentFiles(services: Reader): StaticDocuments {
  for await (const { key, bytes } of visibleContentFiles(services, services.access(ANONYMOUS))) {
    yield { path: `${CONTENT_FILES_PREFIX.slice(1)}/${key}`, write: async () => bytes };
  }
}

async function* prefixedDocuments(site: Site, isIncluded: (route: Route) => boolean): StaticDocuments {
  const { prefix = '' } = site.services.settings;
  for await (const document of allDocuments(site, isIncluded)) {
    yield { ...document, path: `${prefix}/${document.path}`.slice(1) };
  }
}

async function* allDocuments(site: Site, isIncluded: (route: Route) => boolean): StaticDocuments {
  const { api, static: files } = site.services.settings;
  if (api === false || files === false) return;
  const { features, settings } = site.services;
  const routes = servedRoutes(features.routes, { ...settings, admin: false }).filter(
    (route) => route.prebuilt && isIncluded(route),
  );
  for (const { name } of routes) {
    if (name !== 'openapi') yield* FILES[name]?.(site) ?? [];
  }
  // Last, so that an invalid query leaves the other documents; before OpenAPI, whose errors do not name the option.
  for await (const { path, write } of listedQueries(site, site.listed)) yield document(path, write);
  if (routes.some(({ name }) => name === 'openapi')) yield* FILES.openapi?.(site) ?? [];
}

/** The files of prebuilt routes. The build copies content files and writes the explorer's page by itself. */
const FILES: Readonly<Record<string, (site: Site) => StaticDocuments>> = {
  async *entry({ services, access, links }) {
    const context = { services, access, links };
    yield document('jsonapi/index.json', () => writeDocument(entryDocument(context, links.entry(), [])));
  },
  async *schema(site) {
    for (const type of site.services.store.types.values()) {
      yield document(schemaFile(type), () => writeJson(resourceSchemaDocument(site, type)));
    }
  },
  async *menu(site) {
    for (const type of menuTypes(site.services.store)) {
      const path = `jsonapi/menu_items/${type.bundle}.json`;
      yield document(path, async () => writeDocument(await menuDocument(site, type, '')));
    }
  },
  async *jsonapi(site) {
    const { services, access } = site;
    for (const type of services.store.types.values()) {
      const { entities } = await services.engine.run(type, EVERYTHING, access);
      yield* collectionFiles(site, type, entities);
    }
  },
  async *'rest-entry'({ services, access }) {
    const { store, settings } = services;
    const names = createBundleNames(store.types.values(), settings.plurals);
    const links = createRestStaticLinks(settings, names);
    yield document(`${REST_PATH.slice(1)}.json`, () =>
      writeJson(bundlesDocument({ services, access, links }, names)),
    );
  },
  async *rest(site) {
    const { services, access } = site;
    const names = createBundleNames(services.store.types.values(), services.settings.plurals);
    for (const type of services.store.types.values()) {
      const { entities } = await services.engine.run(type, EVERYTHING, access);
      yield* restFiles(site, type, names, entities);
    }
  },
  async *'explorer-schema'({ services, access }) {
    const path = `${EXPLORER_PATH.slice(1)}/schema.json`;
    yield document(path, async () => writeJson(await explorerSchema(services, access, 'static')));
  },
  async *openapi({ services, access }) {
    yield document(OPENAPI_PATH.slice(1), () => writeJson(filesDescription(services, access)));
  },
};

type Site = DocumentContext & {
  readonly services: Services;
  /** Option `prebuild` with the queries of bundles that are not in the API, which are errors. */
  readonly listed: ApiSettings['staticQueries'];
};

/** The documents of the default language, or of another one. */
function staticSite(whole: Services, language?: string): Site {
  const services = publishedServices(whole);
  const settings = language === undefined ? services.settings : prefixedSettings(services.settings, language);
  const choice = language === undefined ? undefined : { langcode: language, fallback: true };
  return {
    services: { ...services, settings },
    listed: whole.settings.staticQueries,
    access: services.access(ANONYMOUS, choice),
    links: createStaticLinks(settings),
  };
}

/** A collection page by page, and its resources. */
function* collectionFiles(
  context: DocumentContext,
  type: ResourceType,
  entities: readonly Entity[],
): Generator<StaticDocument> {
  const { services, links } = context;
  const { settings } = services;
  const stem = `jsonapi/${type.entityType}/${type.bundle}`;
  const href = `${apiRoot(settings)}/${encode(type.entityType)}/${encode(type.bundle)}`;
  const all = parseQuery('', 'collection', settings);
  const query = { ...all, fields: collectionFields(context, type) };
  const individual = parseQuery('', 'individual', settings);
  const { limit } = query.page;
  for (let number = 1; number <= pageCount(entities, limit); number += 1) {
    const page = { offset: (number - 1) * limit, limit };
    const pager = createStaticPager(href, query.page, page);
    yield document(staticPage(stem, number), async () =>
      writeDocument(await collectionDocument(context, [type], { ...query, page }, pager)),
    );
  }
  for (const entity of entityFileEnd(settings) === '' ? [] : entities) {
    const self = links.individual(type, entity.id);
    yield document(filePath(stem, entity), async () =>
      writeDocument(await individualDocument(context, type, entity, individual, self)),
    );
  }
}

/** By type; without a member, documents have all fields. */
function collectionFields({ services, access }: DocumentContext, type: ResourceType): Query['fields'] {
  const { static: files } = services.settings;
  if (files === undefined || files === false || files.bodies) return {};
  const names = visibleFields(type, access).map(({ name }) => name);
  return { [type.name]: names.filter((name) => name !== 'body') };
}

function* restFiles(
  context: DocumentContext,
  type: ResourceType,
  names: BundleNames,
  entities: readonly Entity[],
): Generator<StaticDocument> {
  const { services, access } = context;
  const { settings } = services;
  const stem = `${REST_PATH.slice(1)}/${names.plural(type)}`;
  const query = parseRestQuery('', 'list', settings);
  const restAt = (page: number) => ({
    services,
    access,
    links: createRestStaticLinks(settings, names, page),
  });
  for (let page = 1; page <= pageCount(entities, query.limit); page += 1) {
    yield document(staticPage(stem, page), async () =>
      writeWhole({ members: { ...(await listDocument(restAt(page), type, { ...query, page })) } }),
    );
  }
  for (const entity of entityFileEnd(settings) === '' ? [] : entities) {
    yield document(filePath(stem, entity), async () =>
      writeJson(await entityDocument(restAt(1), type, entity, query)),
    );
  }
}

function document(path: string, write: () => Written | Promise<Written>): StaticDocument {
  return { path, write: async () => (await write()).bytes };
}

/** The file of an entity's document below `stem`. Throws if the id cannot be a file name. */
function filePath(stem: string, entity: Entity): string {
  const bad = entity.id.split('/').some((part) => part === '' || part === '.' || part === '..');
  if (bad || /[\\\0]/.test(entity.id)) {
    throw new Error(
      `The id '${entity.id}' of ${entity.key} cannot be a file name. Give the file another id in its frontmatter.`,
    );
  }
  return `${stem}/${entity.id}.json`;
}

/** Registers paths. The returned function throws for a path that is registered, or would be both a file and a folder. */
function createPathRegister(): (path: string) => void {
  const files = new Set<string>();
  const folders = new Set<string>();
  return (path) => {
    if (files.has(path)) throw clash(path, 'two documents have this path');
    if (folders.has(path)) throw clash(path, 'it would be a file and a folder');
    files.add(path);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      if (files.has(folder)) throw clash(folder, 'it would be a file and a folder');
      folders.add(folder);
    }
  };
}

function clash(path: string, reason: string): Error {
  return new Error(
    `'${path}' cannot be written: ${reason}. Change an id, a bundle name, a plural in option bundles or the name of a listed query.`,
  );
}

/** An empty list has one page. */
function pageCount(entities: readonly Entity[], limit: number): number {
  return Math.max(1, Math.ceil(entities.length / limit));
}

const NONE = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: 0 } };
const EVERYTHING = { filter: EMPTY_FILTER, sort: [], page: { offset: 0, limit: Number.POSITIVE_INFINITY } };

type StaticDocuments = AsyncGenerator<StaticDocument, void, undefined>;
