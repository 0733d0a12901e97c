import { ANONYMOUS } from '../../../core/access/actor.ts';
import { collectionDocument, parseList } from '../../../core/api/jsonapi/document.ts';
import { entryDocument } from '../../../core/api/jsonapi/entry.ts';
import { withFileResources } from '../../../core/api/jsonapi/file-resources.ts';
import { individualDocument } from '../../../core/api/jsonapi/resource.ts';
import { resourceSchemaDocument } from '../../../core/api/jsonapi/resource-schema.ts';
import { publishedServices } from '../../../core/api/published.ts';
import type {
  Services,
  StaticDocument,
  StaticDocuments,
  StaticFiles,
  StaticSite,
} from '../../../core/api/request.ts';
import { type Route, servedRoutes } from '../../../core/api/routes.ts';
import {
  EVERYTHING,
  entitiesWithFiles,
  entityFilePath,
  pageCount,
  staticDocument,
} from '../../../core/api/static-files.ts';
import { FILE_TYPE } from '../../../core/content/file-resource.ts';
import { type Entity, languageOf, type ResourceType } from '../../../core/content/model.ts';
import { EMPTY_FILTER, type Query } from '../../../core/engine/ast.ts';
import { parseQuery } from '../../../core/engine/parse/parse-query.ts';
import { writeDocument, writeJson } from '../../../core/read/compose.ts';
import { prefixedSettings } from '../../../core/read/language-paths.ts';
import {
  apiRoot,
  createStaticLinks,
  createStaticPager,
  encode,
  schemaFile,
  staticPage,
} from '../../../core/read/links.ts';
import type { DocumentContext } from '../../../core/read/reader.ts';
import type { ApiSettings, FileBounds } from '../../../core/read/settings.ts';
import { documentFields } from '../../../core/read/sparse-fields.ts';
import { listedQueries, listedQueryProblems } from './listed-queries.ts';

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

/**
 * The services whose documents stay within the bounds of option `static.documents`, and the parts they leave out for that.
 * If all parts together are not enough, they leave out each part that makes a difference.
 */
export async function withinBounds(services: Services): Promise<BoundedServices> {
  const { static: files, languages } = services.settings;
  if (!files || typeof files.documents !== 'object') return { services };
  const bounds = files.documents;
  const left: Omission[] = ['documents', 'bodies'];
  // Bodies that were asked for go first, because the files of entities have them too.
  if (files.bodies === true) left.reverse();
  if ((languages?.all.length ?? 0) > 1) left.push('languages');
  const omitted: Omission[] = [];
  let most: Excess | undefined;
  for (;;) {
    const reduced = {
      ...files,
      documents: true,
      ...Object.fromEntries(omitted.map((name) => [name, false])),
    };
    const bounded = { ...services, settings: { ...services.settings, static: reduced } };
    const excess = await excessOf(documentsInAllLanguages(bounded), bounds);
    most ??= excess;
    // Bodies are in files that are there anyway.
    const next = excess && left.find((each) => each !== 'bodies' || excess.files === undefined);
    if (next === undefined) {
      return {
        services: bounded,
        ...(most && { reduction: { omitted, most, isEnough: excess === undefined } }),
      };
    }
    left.splice(left.indexOf(next), 1);
    omitted.push(next);
  }
}

export interface BoundedServices {
  readonly services: Services;
  /** Undefined if all documents fit. */
  readonly reduction?: Reduction;
}

export interface Reduction {
  readonly omitted: readonly Omission[];
  /** What all documents have more than the bounds allow. */
  readonly most: Excess;
  /** Whether the others fit. */
  readonly isEnough: boolean;
}

/** Bodies in collections, files of single entities, and documents in other languages than the default one. */
export type Omission = 'bodies' | 'documents' | 'languages';

/** The number of files if it is too large; otherwise, the bytes are too many. */
interface Excess {
  readonly files?: number;
}

/** Documents of a folder that are written to estimate the size of all. */
const SAMPLE = 64;

async function excessOf(
  documents: StaticDocuments,
  { files, megabytes }: FileBounds,
): Promise<Excess | undefined> {
  const folders = new Map<string, StaticDocument[]>();
  let count = 0;
  for await (const document of documents) {
    count += 1;
    const folder = document.path.slice(0, document.path.lastIndexOf('/'));
    const others = folders.get(folder);
    if (others === undefined) folders.set(folder, [document]);
    else others.push(document);
  }
  if (count > files) return { files: count };
  let bytes = 0;
  for (const listed of folders.values()) {
    const step = Math.max(1, listed.length / SAMPLE);
    for (let at = 0; at < listed.length; at += step) {
      const written = await listed[Math.floor(at)]?.write();
      bytes += (written?.byteLength ?? 0) * step;
      if (bytes > megabytes * 1e6) return {};
    }
  }
  return undefined;
}

/** Those of other languages than the default one are in a folder of the language: `fr/jsonapi/node/article.json`. */
async function* documentsInAllLanguages(services: Services): StaticDocuments {
  yield* prefixedDocuments(staticSite(services), () => true);
  const { languages, static: files } = services.settings;
  const { all, default: own } = languages ?? { all: [] };
  if (files && files.languages === false) return;
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
  const list = async function* (included: typeof routes) {
    for (const { name } of included) {
      const files = CORE_FILES[name] ?? (await features.files(name));
      if (files !== undefined) yield* files(site);
    }
  };
  yield* list(routes.filter(({ prebuilt }) => prebuilt !== 'last'));
  // An invalid query leaves the other documents. Errors of the last files do not name the option.
  for await (const { path, write } of listedQueries(site, site.listed)) yield staticDocument(path, write);
  yield* list(routes.filter(({ prebuilt }) => prebuilt === 'last'));
}

/** The files of the core's routes. The build copies content files and writes the explorer's page by itself. */
const CORE_FILES: StaticFiles = {
  async *entry(site) {
    const { links } = site;
    const context = withFileResources(site);
    yield staticDocument('jsonapi/index.json', () =>
      writeDocument(entryDocument(context, links.entry(), [])),
    );
  },
  async *schema(whole) {
    const site = withFileResources(whole);
    for (const type of site.services.store.types.values()) {
      yield staticDocument(schemaFile(type), () => writeJson(resourceSchemaDocument(site, type)));
    }
  },
  async *jsonapi(whole) {
    const site = withFileResources(whole);
    const { services, access } = site;
    for (const type of services.store.types.values()) {
      // Files have no languages, so their documents are written once.
      if (type === FILE_TYPE && services.settings.siteBase !== undefined) continue;
      const { entities } = await services.engine.run(type, EVERYTHING, access);
      yield* collectionFiles(site, type, entities);
    }
  },
};

interface Site extends StaticSite {
  /** Option `prebuild` with the queries of bundles that are not in the API, which are errors. */
  readonly listed: ApiSettings['staticQueries'];
}

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
async function* collectionFiles(
  context: DocumentContext,
  type: ResourceType,
  entities: readonly Entity[],
): StaticDocuments {
  const { services, links } = context;
  const { settings } = services;
  const stem = `jsonapi/${type.entityType}/${type.bundle}`;
  const href = `${apiRoot(settings)}/${encode(type.entityType)}/${encode(type.bundle)}`;
  const all = await parseList(context, type, '');
  const query = { ...all, fields: collectionFields(context, type) };
  const { filter } = all;
  const listed =
    filter === EMPTY_FILTER
      ? entities
      : (await services.engine.run(type, { ...EVERYTHING, filter }, context.access)).entities;
  const individual = parseQuery('', 'individual', settings);
  const { limit } = query.page;
  for (let number = 1; number <= pageCount(listed, limit); number += 1) {
    const page = { offset: (number - 1) * limit, limit };
    const pager = createStaticPager(href, query.page, page);
    yield staticDocument(staticPage(stem, number), async () =>
      writeDocument(await collectionDocument(context, [type], { ...query, page }, pager)),
    );
  }
  for (const entity of entitiesWithFiles(context, entities)) {
    const self = links.individual(type, entity.id, languageOf(entity));
    yield staticDocument(entityFilePath(stem, entity), async () =>
      writeDocument(await individualDocument(context, type, entity, individual, self)),
    );
  }
}

/** By type; without a member, documents have all fields. */
function collectionFields({ services, access }: DocumentContext, type: ResourceType): Query['fields'] {
  const { static: files } = services.settings;
  if (files === undefined || files === false || (files.bodies ?? files.documents === false)) return {};
  const names = documentFields(type, access).map(({ name }) => name);
  return { [type.name]: names.filter((name) => name !== 'body') };
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
