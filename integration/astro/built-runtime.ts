import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { routesOf } from '../core/api/features.ts';
import type { ParsedFile } from '../core/content/parse-file.ts';
import type { Options } from '../core/options/options.ts';
import { createRuntime } from '../core/runtime/open-site.ts';
import { isStoredElsewhere, openStorage } from '../core/runtime/open-storage.ts';
import type { Runtime, ServedRuntime } from '../core/runtime/runtime.ts';
import type {
  ContentSource,
  OpenedStorage,
  RuntimeLog,
  Site,
  SiteParts,
  SiteSettings,
} from '../core/runtime/site.ts';
import { reportContent } from '../core/runtime/terminal.ts';
import { createFileCache, type FileCache } from '../core/storage/cache/file-cache.ts';
import { type CarriedFolder, createCarriedFileSource } from '../core/storage/file-source.ts';
import { ServiceUnavailableError } from '../core/util/errors.ts';
import { errorMessage } from '../core/util/text.ts';
import { FEATURES } from '../features.ts';
import { type BuiltProcessors, builtRenderer } from './built-renderer.ts';
import { createBundledDriver } from './bundled-content.ts';
import { followConnections } from './connections.ts';
import { correctSlashes } from './final-slash.ts';
import { createBodyRenderer, type MarkdownSettings, storedHtmlKey } from './markdown.ts';
import { createMdxBodies } from './mdx.ts';
import { createRenderingProcess } from './render/renderer-process.ts';
import type { ServedQueries } from './render-prerendered.ts';
import { registeredRuntime, registerRuntime, unregisterRuntime } from './runtime-registry.ts';
import { whenIdle } from './when-idle.ts';

/** The settings that a build writes into the server: plain data. */
export interface ServerSeed {
  readonly options: Options;
  readonly site: SiteSettings;
  readonly markdown: MarkdownSettings;
  /** True if the site has an integration for `.mdx`. */
  readonly mdx: boolean;
  /** The version of this package. */
  readonly version: string;
}

/** Imports of a built server that run only when needed. */
export interface ServerLoad {
  /** The sources of the content at build time, as JSON. */
  content(): Promise<string>;
  /** Files at build time: those in the content folder with their bytes, those in `public/` without. */
  files(): Promise<{ readonly content: CarriedFolder; readonly public: CarriedFolder }>;
  /** HTML by file and revision, as JSON, if this server cannot render the bodies of its build. */
  readonly html?: () => Promise<string>;
  /** The full-text index, as JSON. */
  fullText(): Promise<string>;
  readonly processors: BuiltProcessors;
  /** What features load from the build. */
  readonly parts: SiteParts;
  /** The entry of the process that renders bodies, if this server can write. */
  readonly rendererUrl?: string;
  /** The queries of pages, if this server shows previews of them. */
  readonly queries?: ServedQueries;
}

/**
 * The runtime of a built server, created at the first call. It reads the content in JSONAPI_CONTENT_DIR, else that of option
 * `storage`, else in the project's content folder, else the snapshot in the build. It reads the accounts in
 * JSONAPI_ACCOUNTS_JSON, else in the file JSONAPI_ACCOUNTS, else those of the site.
 */
export function openRuntime(seed: ServerSeed, schema: unknown, load: ServerLoad): Promise<ServedRuntime> {
  const { root } = seed.site;
  const registered = registeredRuntime<ServedRuntime>(root);
  if (registered !== undefined) return registered;
  correctSlashes(routesOf(FEATURES), seed.site);
  const opening = openBuilt(seed, schema, load);
  registerRuntime(root, opening);
  opening.catch((error: unknown) => {
    // A database can come back.
    if (!(error instanceof ServiceUnavailableError)) return;
    setTimeout(() => unregisterRuntime(root), REOPEN_AFTER_MS).unref();
  });
  return opening;
}

const REOPEN_AFTER_MS = 1000;

/** Logs why a server cannot serve content, unless the database was the reason, which is logged already. */
export function reportFailedStart(error: unknown): void {
  if (!(error instanceof ServiceUnavailableError)) consoleLog.error(errorMessage(error));
}

async function openBuilt(seed: ServerSeed, schema: unknown, load: ServerLoad): Promise<ServedRuntime> {
  const runtime = await open(seed, schema, load);
  const connection = followConnections();
  return {
    ...runtime,
    handle: (request, context) => runtime.handle(request, { ...context, connection: connection() }),
  };
}

async function open(seed: ServerSeed, schema: unknown, load: ServerLoad): Promise<ServedRuntime> {
  const { options } = seed;
  const folder = contentFolder(seed);
  const settings = { ...seed.site, ...(folder !== undefined && { contentDir: folder }) };
  const site: Site = {
    ...load.parts,
    features: FEATURES,
    options: { ...options, danglingReferences: 'missing' },
    settings,
    ...bodyRenderer(seed, load, folder),
    ...(load.queries && { observe: load.queries.observe, recordedPages: load.queries.pages }),
    bodyErrors: 'text',
    log: consoleLog,
    environment: process.env,
    onChange: () => undefined,
    idle: whenIdle,
  };
  const withStorage = async ({ driver, files }: OpenedStorage): Promise<ContentSource> => {
    const carried = await load.files();
    return {
      driver,
      folder,
      files: {
        // A deployment contains the files of its build.
        public: createCarriedFileSource(carried.public),
        ...(files && { content: files }),
      },
      // In a build with its content folder too, other images of the project are those of the build.
      outsideImages: createCarriedFileSource(carried.content),
      schema,
      cache: folder === undefined ? undefined : fileCache(seed, folder),
      carriedFullText: load.fullText,
    };
  };
  const source = async () =>
    withStorage(
      await openStorage(FEATURES, {
        options,
        folder,
        carried: async () => ({
          driver: createBundledDriver(JSON.parse(await load.content())),
          files: (await load.files()).content,
        }),
        cacheFile: cachePath,
        version: seed.version,
        environment: process.env,
        log: consoleLog,
      }),
    );
  const filesOnly = async () =>
    withStorage({
      driver: createBundledDriver(NO_CONTENT),
      files: createCarriedFileSource((await load.files()).content),
    });
  let loading: Promise<Runtime> | undefined;
  const loadContent = async () => {
    const runtime = await createRuntime(await source(), site);
    await reportContent(runtime, options, consoleLog);
    await runtime.announce(settings.base, consoleLog);
    return runtime;
  };
  const server = {
    ...{ site, folder, source, filesOnly },
    load() {
      loading ??= loadContent();
      return loading;
    },
  };
  for (const { engine } of FEATURES) {
    const runtime = await engine?.(server);
    if (runtime !== undefined) return runtime;
  }
  return server.load();
}

const NO_CONTENT = { version: 1, files: {}, html: {} } as const;

function contentFolder({ site: { contentDir }, options }: ServerSeed): string | undefined {
  const folder = process.env.JSONAPI_CONTENT_DIR;
  if (folder !== undefined && folder !== '') {
    if (isFolder(folder)) return path.resolve(folder);
    const fault = existsSync(folder) ? 'is not a folder' : 'does not exist';
    throw new Error(`JSONAPI_CONTENT_DIR is ${folder}, which ${fault}. Correct it, or unset it.`);
  }
  return !isStoredElsewhere(FEATURES, options) && isFolder(contentDir) ? contentDir : undefined;
}

function fileCache({ version }: ServerSeed, contentDir: string): FileCache<ParsedFile> | undefined {
  const file = cachePath('content.cache');
  return file === undefined
    ? undefined
    : createFileCache({ path: file, folder: contentDir, version, log: consoleLog });
}

/** A file in JSONAPI_CACHE_DIR. Without it, nothing is cached, because many servers have no writable disk. */
function cachePath(name: string): string | undefined {
  const dir = process.env.JSONAPI_CACHE_DIR;
  return dir === undefined || dir === '' ? undefined : path.resolve(dir, name);
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
}

function bodyRenderer(
  seed: ServerSeed,
  load: ServerLoad,
  dir: string | undefined,
): Pick<Site, 'renderBody' | 'checks'> {
  const { markdown } = seed;
  const { warn } = consoleLog;
  let html: Promise<Readonly<Record<string, string>> | undefined> | undefined;
  const inProcess = () => builtRenderer(markdown, load.processors);
  const isReadOnly = dir === undefined && !isStoredElsewhere(FEATURES, seed.options);
  const inOtherProcess =
    load.rendererUrl === undefined || isReadOnly
      ? undefined
      : createRenderingProcess({ entry: load.rendererUrl, inProcess, warn });
  const renderBody = createBodyRenderer({
    async stored(entity) {
      html ??= load.html?.().then((json) => JSON.parse(json));
      return (await html)?.[storedHtmlKey(entity)];
    },
    async createRenderer() {
      if (markdown.custom && load.processors.processor === undefined) {
        warn(
          "A body was changed after the build. It is rendered with Astro's default processor, because the site's own processor and plugins are in astro.config, which a built server does not have. Export the processor from a module, and set option markdownProcessor to that module.",
        );
      }
      return inOtherProcess ?? inProcess();
    },
    // Renders only the MDX files of the build.
    mdx: createMdxBodies({ ...seed.site, fileOf: async (key) => key, isRendered: () => seed.mdx, warn }),
    contentUrl: dir === undefined ? undefined : pathToFileURL(`${dir}${path.sep}`),
    custom: markdown.custom,
  });
  return { renderBody, checks: inOtherProcess };
}

const consoleLog: RuntimeLog = {
  info: (message) => console.log(`[astro-jsonapi] ${message}`),
  warn: (message) => console.warn(`[astro-jsonapi] ${message}`),
  error: (message) => console.error(`[astro-jsonapi] ${message}`),
};
