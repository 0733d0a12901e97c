import { ANONYMOUS } from '../access/actor.ts';
import type { ResourceType } from '../entities/model.ts';
import { EXPLORER_PREFIX, explorerSchema } from '../explorer/endpoints.ts';
import { type Written, writeDocument, writeJson } from '../jsonapi/compose.ts';
import { collectionDocument, entryDocument, individualDocument } from '../jsonapi/document.ts';
import { createStaticLinks, createStaticPager, encode, schemaFile, staticPage } from '../jsonapi/links.ts';
import { menuDocument, menuTypes } from '../jsonapi/menu.ts';
import { resourceSchemaDocument } from '../jsonapi/resource-schema.ts';
import type { DocumentContext } from '../jsonapi/serialize.ts';
import type { Services } from '../jsonapi/services.ts';
import { filesDescription } from '../openapi/describe-files.ts';
import { OPENAPI_PATH } from '../openapi/document.ts';
import { parseQuery } from '../query/parse.ts';
import { entityDocument, listDocument, type RestList } from '../rest/document.ts';
import { type BundleNames, createBundleNames } from '../rest/names.ts';
import { parseRestQuery } from '../rest/parse-rest.ts';
import { createRestStaticLinks, REST_PREFIX } from '../rest/rest-links.ts';
import { createPathRegister, filePath } from './file-path.ts';
import { listedQueries } from './listed-queries.ts';

/** One file of a static site. */
export interface StaticDocument {
  /** Below the site's root, decoded, without a leading slash: `jsonapi/node/article.json`. */
  readonly path: string;
  /** JSON in UTF-8, or a file of the content folder. */
  readonly body: Uint8Array;
}

/**
 * Every document of a site without a server, as anonymous visitors may see them: the entry point, every page of
 * every collection, every resource, `/api/content` likewise, every query of option `static.queries`, the descriptions of all that,
 * and what the query explorer needs. Throws an Error where two documents cannot both be files, and for a bad listed query.
 */
export async function* staticDocuments(services: Services): AsyncGenerator<StaticDocument, void, undefined> {
  const { settings, store } = services;
  const context = { services, access: services.access(ANONYMOUS), links: createStaticLinks(settings) };
  const names = createBundleNames(store.types.values(), settings.plurals);
  const register = createPathRegister();
  for await (const { path, written } of allDocuments(context, names)) {
    register(path);
    yield { path, body: written.bytes };
  }
}

async function* allDocuments(context: DocumentContext, names: BundleNames): Documents {
  const { services, access, links } = context;
  const { settings, store } = services;
  yield { path: 'jsonapi/index.json', written: writeDocument(entryDocument(context, links.entry(), [])) };
  for (const type of store.types.values()) {
    yield { path: schemaFile(type), written: writeJson(resourceSchemaDocument(context, type)) };
    yield* collectionFiles(context, type);
    yield* restFiles(context, type, names);
  }
  yield* menuFiles(context);
  yield* listedQueries(context);
  yield { path: OPENAPI_PATH.slice(1), written: writeJson(filesDescription(services, access)) };
  if (settings.explorer) {
    yield {
      path: `${EXPLORER_PREFIX.slice(1)}/schema.json`,
      written: writeJson(await explorerSchema(services, access, 'static')),
    };
  }
}

/** A collection page by page, each followed by its resources. */
async function* collectionFiles(context: DocumentContext, type: ResourceType): Documents {
  const { services, links } = context;
  const { settings, store } = services;
  const stem = `jsonapi/${type.entityType}/${type.bundle}`;
  const href = `${settings.base}/jsonapi/${encode(type.entityType)}/${encode(type.bundle)}`;
  const query = parseQuery('', 'collection', settings);
  const individual = parseQuery('', 'individual', settings);
  const { limit } = query.page;
  for (let offset = 0, count = 1; offset < count || offset === 0; offset += limit) {
    const page = { offset, limit };
    const pager = createStaticPager(href, query.page, page);
    const document = await collectionDocument(context, type, { ...query, page }, pager);
    count = document.meta?.count ?? 0;
    yield { path: staticPage(stem, offset / limit + 1), written: writeDocument(document) };
    for (const { id } of [document.data].flat()) {
      const entity = store.get(type.name, id);
      if (entity === undefined) continue;
      const self = links.individual(type, id);
      yield {
        path: filePath(stem, entity),
        written: writeDocument(await individualDocument(context, type, entity, individual, self)),
      };
    }
  }
}

async function* menuFiles(context: DocumentContext): Documents {
  for (const type of menuTypes(context.services.store)) {
    const path = `jsonapi/menu_items/${type.bundle}.json`;
    yield { path, written: writeDocument(await menuDocument(context, type, '')) };
  }
}

async function* restFiles(context: DocumentContext, type: ResourceType, names: BundleNames): Documents {
  const { services, access } = context;
  const { settings, store } = services;
  const stem = `${REST_PREFIX.slice(1)}/${names.plural(type)}`;
  const query = parseRestQuery('', 'list', settings);
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const rest = { services, access, links: createRestStaticLinks(settings, names, page) };
    const document: RestList = await listDocument(rest, type, { ...query, page });
    pages = document.meta.pages;
    yield { path: staticPage(stem, page), written: writeJson(document) };
    for (const { id } of document.data) {
      const entity = store.get(type.name, id);
      if (entity === undefined) continue;
      yield {
        path: filePath(stem, entity),
        written: writeJson(await entityDocument(rest, type, entity, query)),
      };
    }
  }
}

type Documents = AsyncGenerator<{ readonly path: string; readonly written: Written }, void, undefined>;
