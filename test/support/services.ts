import { ANONYMOUS } from '../../integration/core/access/actor.ts';
import type { Roles } from '../../integration/core/access/role.ts';
import { serveFeatures } from '../../integration/core/api/features.ts';
import type { Services, StaticDocuments } from '../../integration/core/api/request.ts';
import type { SchemaDefinition } from '../../integration/core/content/schema/schema.ts';
import { DEFAULT_LIMITS } from '../../integration/core/engine/limits.ts';
import type { IndexedStore } from '../../integration/core/engine/store/entity-store.ts';
import type { EditingOptions, JsonapiOptions, Options } from '../../integration/core/options/options.ts';
import { visibleContentFileKeys } from '../../integration/core/read/content-files.ts';
import type { ApiSettings } from '../../integration/core/read/settings.ts';
import { createReader, createRuntime } from '../../integration/core/runtime/open-site.ts';
import type { Runtime } from '../../integration/core/runtime/runtime.ts';
import type { Site, SiteSettings } from '../../integration/core/runtime/site.ts';
import { CORE_HANDLERS } from '../../integration/core/server/handlers.ts';
import type { StorageDriver } from '../../integration/core/storage/driver.ts';
import type { FileSource } from '../../integration/core/storage/file-source.ts';
import { NO_FILES } from '../../integration/core/storage/no-files.ts';
import { staticDocuments } from '../../integration/features/static/documents/documents.ts';
import { contentFileDocuments } from '../../integration/features/static/output/write-site.ts';
import { FEATURES } from '../../integration/features.ts';
import { parseOptions } from './options.ts';

/** Switches the admin on in a handler. Its files are not served. */
export async function adminApp(): Promise<never> {
  throw new Error('This test has no files of the admin.');
}

/** The settings of a site at `/` with default options. */
export const SETTINGS: ApiSettings = {
  base: '',
  trailingSlash: 'ignore',
  pageSize: { default: 50, max: 50, unlimited: true },
  limits: DEFAULT_LIMITS,
  plurals: {},
  staticQueries: {},
  indexes: {},
  maxAge: 0,
  serverTiming: false,
  explorer: false,
  health: '/healthz',
};

/** Options, settings, and dependencies that a test can change. */
export interface TestSite {
  readonly settings?: Partial<ApiSettings>;
  /** The clock. Default: the clock of the system. */
  readonly now?: () => number;
  readonly renderBody?: Services['renderBody'];
  /** The files in the content folder. Default: those of the driver. */
  readonly files?: FileSource;
  /** Files in `public/`. */
  readonly publicFiles?: StorageDriver;
  /** Images outside of the content folder. */
  readonly outsideImages?: FileSource;
  /** The folder of the driver, which option `git` commits. */
  readonly folder?: string;
  /** Option `roles`. */
  readonly roles?: Roles;
  /** Alias patterns by bundle. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Option `bundles`. */
  readonly bundleOptions?: Options['bundles'];
  /** Folders by bundle. */
  readonly folders?: Readonly<Record<string, string>>;
  /** Option `search`. */
  readonly search?: JsonapiOptions['search'];
  /** Option `problems`. */
  readonly problems?: Options['problems'];
  /** Memory for cached responses, in megabytes. Default: 8. */
  readonly cacheMb?: number;
  /** Makes the content writable. */
  readonly writable?: { readonly options?: EditingOptions } & Pick<Site, 'onWritten' | 'checks' | 'markup'>;
}

/** The settings of the site of a test, which log nothing. */
export const TEST_SETTINGS: SiteSettings = {
  root: '/site',
  contentDir: '/site/content',
  base: '',
  trailingSlash: 'ignore',
  locale: 'en',
  explorer: false,
  dev: false,
  readOnly: true,
  admin: false,
  signIn: false,
  sessionCookie: null,
  trustsProxy: false,
  form: 'test',
  health: '/healthz',
  cors: false,
  requestLog: false,
};

/** Services over a loaded store, for tests that only read. */
export function createReadServices(store: IndexedStore, site: TestSite = {}): Services {
  const { reader } = createReader(store, siteOf(site), undefined, {
    files: site.files ?? NO_FILES,
    gone: { find: async () => undefined, all: async () => [] },
    past: null,
    diagnostics: () => [],
  });
  return {
    ...reader,
    features: serveFeatures(FEATURES, CORE_HANDLERS),
    writer: null,
    fileSources: { content: site.files ?? NO_FILES, public: NO_FILES },
    uncommitted: async () => undefined,
  };
}

/** Services over the files of a driver. Throws if the content has errors. */
export async function createServices(
  driver: StorageDriver,
  schema?: SchemaDefinition,
  site: TestSite = {},
): Promise<Services> {
  return (await openRuntime(driver, schema, site)).services;
}

/** The same, with what pages use. */
export async function openRuntime(
  driver: StorageDriver,
  schema?: SchemaDefinition,
  site: TestSite = {},
): Promise<Runtime> {
  const { publicFiles, outsideImages, folder, files } = site;
  const source = {
    driver,
    publicFiles,
    outsideImages,
    folder,
    schema,
    ...(files && { files: { content: files } }),
  };
  const runtime = await createRuntime(source, siteOf(site));
  const errors = runtime.services.diagnostics().filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(JSON.stringify(errors, null, 2));
  return runtime;
}

function siteOf({
  settings,
  bundleOptions = {},
  aliases = {},
  folders = {},
  roles = {},
  writable,
  now,
  renderBody,
  cacheMb = 8,
  problems = {},
  search,
}: TestSite): Site {
  const {
    pageSize,
    limits,
    plurals,
    staticQueries,
    indexes,
    maxAge,
    serverTiming,
    signIn,
    admin,
    fulltext,
    site,
    hiddenTypes = [],
    static: files = { bodies: true, queries: true, openapi: true, documents: true },
    ...rest
  } = {
    ...SETTINGS,
    ...settings,
  };
  const bundles: Record<string, Options['bundles'][string]> = { ...bundleOptions };
  for (const [name, alias] of Object.entries(aliases)) bundles[name] = { ...bundles[name], alias };
  for (const [name, plural] of Object.entries(plurals)) bundles[name] = { ...bundles[name], plural };
  for (const [name, folder] of Object.entries(folders)) bundles[name] = { ...bundles[name], folder };
  for (const name of hiddenTypes) bundles[name] = { ...bundles[name], api: false };
  const { options, ...hooks } = writable ?? {};
  const defaults = parseOptions({
    danglingReferences: 'missing',
    editing: options ?? false,
    roles,
    problems,
    search,
  });
  return {
    features: FEATURES,
    options: {
      ...defaults,
      bundles,
      pageSize,
      limits,
      prebuild: staticQueries,
      static: files,
      indexes: parseOptions({ indexes }).indexes,
      cache: { maxAge, memoryMb: cacheMb },
      search: fulltext === false ? false : defaults.search,
    },
    settings: {
      ...TEST_SETTINGS,
      ...rest,
      dev: serverTiming,
      signIn: signIn ?? false,
      admin: admin ?? false,
      readOnly: writable === undefined,
      ...(site && { identity: site }),
    },
    renderBody: renderBody ?? (async ({ body, id }) => (body === null ? '' : `<p>${id}</p>`)),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    ...(now && { now }),
    ...hooks,
  };
}

/** The text of every file of a site without a server, by path below its root. */
export async function staticFiles(services: Services): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const document of staticDocuments(services)) {
    files.set(document.path, Buffer.from(await document.write()).toString());
  }
  return files;
}

/** The content files that a static build can publish. */
export async function* publishedContentFiles(services: Services): StaticDocuments {
  yield* contentFileDocuments(services, await visibleContentFileKeys(services, services.access(ANONYMOUS)));
}
