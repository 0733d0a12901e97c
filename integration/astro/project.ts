import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroConfig, IntegrationResolvedRoute } from 'astro';
import { routesOf } from '../core/api/features.ts';
import { servedRoutes } from '../core/api/routes.ts';
import type { LayoutOptions } from '../core/content/layout.ts';
import {
  type CollectionMapping,
  collectionsLayout,
  collectionsOf,
} from '../core/content/schema/collections.ts';
import { layoutOptions, type Options } from '../core/options/options.ts';
import { createRuntime } from '../core/runtime/open-site.ts';
import { openStorage } from '../core/runtime/open-storage.ts';
import { projectImages } from '../core/runtime/project-images.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import type { AstroProject, FeatureTooling, RuntimeLog, Site, SiteSettings } from '../core/runtime/site.ts';
import { createPaint, reportContent } from '../core/runtime/terminal.ts';
import { loadTooling, processParts } from '../core/runtime/tooling.ts';
import { createFsDriver } from '../core/storage/drivers/fs.ts';
import { digestBytes } from '../core/util/revision.ts';
import { FEATURES } from '../features.ts';
import { createCaches, ownVersion } from './caches.ts';
import type { ProjectFolders } from './collection-config.ts';
import { findContentDir } from './content-dir.ts';
import type { HtmlCache } from './html-cache.ts';
import { createBodyRenderer, markdownSettings, siteRenderer } from './markdown.ts';
import { createMdxBodies, rendersMdx } from './mdx.ts';
import { createPageQueries, MAX_BUILT_PAGES, type PageQueries } from './page-queries.ts';
import { registerProject, registerRuntime } from './runtime-registry.ts';
import { findSchema, importByVite, importSchema } from './schema-module.ts';
import { type Command, siteSettings } from './site-settings.ts';

/** One Astro project in the process that builds, syncs, or serves it in dev: its settings and its content. */
export interface Project extends AstroProject {
  /** Sets Astro's config, which becomes final in `astro:config:done`. The command is set once. */
  configure(config: AstroConfig, command?: Command): SiteSettings;
  /** Sets the patterns of the site's own routes, which replace the health route and the sign-in pages. */
  setRoutes(routes: readonly IntegrationResolvedRoute[], log: RuntimeLog): void;
  command(): Command;
  config(): AstroConfig;
  /** True if the server keeps the code of prerendered pages, for previews. */
  keepsPages(): boolean;
  /** The queries of pages in a build, for a server that keeps their code. */
  readonly queries: PageQueries;
  /** The parts of features that are not in built servers. */
  tooling(): Promise<readonly FeatureTooling[]>;
  folders(): ProjectFolders;
  /** Absolute path of the schema module, or of the config of content collections; undefined without both. */
  schemaFile(): string | undefined;
  /** Loads the schema; undefined without one. */
  importSchema(onDependencies?: (files: readonly string[]) => void): Promise<unknown>;
  /** The content collections that the schema comes from; undefined for a schema module. */
  collections(): CollectionMapping | undefined;
  /** The files of bundles, by the options and the schema that was loaded last. */
  layout(): LayoutOptions;
  /** Loads the content with a schema. */
  open(
    schema: unknown,
    log: RuntimeLog,
    hooks?: Pick<Site, 'observe' | 'recordedPages' | 'onChange' | 'idle' | 'localMode'>,
  ): Promise<Runtime>;
  /** Loads the content for a build or a sync, once. */
  openOnce(log: RuntimeLog): Promise<Runtime>;
  /** Makes the runtime of a dev server the one of the project, and closes the previous one. */
  register(runtime: Promise<DevRuntime>): void;
  /** For each collection of Astro's content layer: the content version that it was filled from. */
  readonly filled: Map<string, number>;
  /** Registers the project for Astro's content layer, which may open the content before a build does. */
  offer(log: RuntimeLog): void;
  /** Stores parsed files and rendered bodies for the next start. */
  saveCaches(): Promise<void>;
  close(): Promise<void>;
}

/** The part of a runtime that code loaded by Vite uses. */
export interface DevRuntime extends Pick<Runtime, 'content' | 'handle' | 'visitor' | 'close'> {
  /** The runtime itself. Throws if the content could not be loaded. */
  opened(): Runtime;
}

/** `contentDir` is the option as written. */
export function createProject(given: Options, contentDir: string | undefined): Project {
  let options = given;
  let config: AstroConfig | undefined;
  let command: Command = 'build';
  let settings: SiteSettings | undefined;
  let ownPages: readonly string[] = [];
  let pageRoutes: readonly (readonly [pattern: string, isBuilt: boolean])[] = [];
  let hasOwnHealth = false;
  let html: HtmlCache | undefined;
  let schema: unknown;
  // Only the registry holds runtimes, because plugins of restarted servers stay in memory with this closure.
  let once: WeakRef<Promise<Runtime>> | undefined;
  let current: WeakRef<Promise<Runtime | DevRuntime>> | undefined;

  function register<R extends Runtime | DevRuntime>(opening: Promise<R>): WeakRef<Promise<R>> {
    const previous = registerRuntime<Runtime | DevRuntime>(project.settings().root, opening);
    // A failure to open was reported at that time.
    previous?.then((runtime) => runtime.close()).catch(() => undefined);
    const reference = new WeakRef(opening);
    current = reference;
    return reference;
  }

  const project: Project = {
    get options() {
      return options;
    },
    filled: new Map(),
    queries: createPageQueries({ most: MAX_BUILT_PAGES, digests: true }),
    configure(next, nextCommand = command) {
      config = next;
      command = nextCommand;
      options = { ...given, contentDir: findContentDir(fileURLToPath(next.root), contentDir) };
      settings = siteSettings(next, options, command);
      return settings;
    },
    setRoutes(own, log) {
      const routes = own.map(({ pattern }) => pattern);
      const pages = own.filter(({ type }) => type === 'page');
      pageRoutes = pages.map(({ patternRegex, isPrerendered }) => [patternRegex.source, isPrerendered]);
      const { health } = project.settings();
      if (health !== false && routes.includes(health)) {
        hasOwnHealth = true;
        log.warn(
          `The site has a page at ${health}, so there is no health route. Change or remove option healthPath.`,
        );
      }
      const served = servedRoutes(routesOf(FEATURES), project.settings());
      const addresses = served.filter(({ prefixed }) => prefixed);
      const isServer = command === 'dev' || project.config().adapter !== undefined;
      for (const page of isServer ? routes : []) {
        if (!addresses.some(({ path }) => `${page}/`.startsWith(`${path}/`))) continue;
        log.warn(
          `The site's page at ${page} is among the addresses of the API. Move the page, or move the API with option api.prefix.`,
        );
      }
      const replaceable = new Map(served.map(({ path, replaceable }) => [path, replaceable]));
      for (const [page, extent] of replaceable) {
        const isReplaced =
          extent === 'below' ? hasFilesAt(page, routes, project.config()) : extent && routes.includes(page);
        if (!isReplaced || ownPages.includes(page)) continue;
        ownPages = [...ownPages, page];
        log.warn(
          extent === 'below'
            ? `The site has its own pages at ${page}, so those of astro-jsonapi are not served.`
            : `The site's own page at ${page} replaces the page of astro-jsonapi.`,
        );
      }
    },
    command: () => command,
    config: () => required(config),
    tooling: () => loadTooling(FEATURES),
    server() {
      const { adapter } = project.config();
      // The default processor cannot be bundled for a Worker.
      return adapter && (adapter.name === '@astrojs/cloudflare' ? 'worker' : 'node');
    },
    keepsPages() {
      const { admin, readOnly } = project.settings();
      return admin && !readOnly && project.server() === 'node';
    },
    rendersMdx: () => rendersMdx(project.config()),
    importModule(name) {
      const { root } = project.settings();
      const installed = installedFile(name, root);
      // The module runner of Vite is closed after the import, so a package could not load more modules later.
      return installed === undefined
        ? importByVite(name, root, project.config().vite)
        : import(pathToFileURL(installed).href);
    },
    canImport: (name) => installedFile(name, project.settings().root) !== undefined,
    settings() {
      const all = { ...required(settings), ownPages, pageRoutes };
      return hasOwnHealth ? { ...all, health: false } : all;
    },
    folders: () => ({ ...project.settings(), srcDir: fileURLToPath(project.config().srcDir) }),
    schemaFile: () => findSchema(project.folders()),
    async importSchema(onDependencies) {
      const file = project.schemaFile();
      schema = file && (await importSchema(file, project.folders(), project.config().vite, onDependencies));
      return schema;
    },
    collections: () => collectionsOf(schema),
    layout: () => collectionsLayout(layoutOptions(options), schema),
    async open(schema, log, hooks = {}) {
      const { root, contentDir } = project.settings();
      const { cacheDir, publicDir } = project.config();
      const dir = path.join(fileURLToPath(cacheDir), 'astro-jsonapi');
      const caches = createCaches({ dir, contentDir, markdown: markdownSettings(project.config()), log });
      html = caches.html;
      const { driver } = await openStorage(FEATURES, {
        options,
        folder: contentDir,
        cacheFile: (name) => path.join(dir, name),
        version: ownVersion(),
        log,
      });
      const source = {
        driver,
        // Only a dev server commits.
        folder: hooks.onChange && contentDir,
        publicFiles: createFsDriver(fileURLToPath(publicDir)),
        outsideImages: projectImages(root, contentDir),
        schema,
        cache: caches.files,
      };
      return createRuntime(source, {
        features: FEATURES,
        options,
        settings: project.settings(),
        renderBody: createBodyRenderer({
          createRenderer: () => siteRenderer(project.config()),
          cache: caches.html,
          contentUrl: pathToFileURL(contentDir + path.sep),
          custom: markdownSettings(project.config()).custom,
          mdx: createMdxBodies({
            ...project.settings(),
            async fileOf(key, revision) {
              const bytes = await driver.read(key);
              return bytes && digestBytes(bytes) === revision ? path.join(contentDir, key) : undefined;
            },
            isRendered: () => rendersMdx(project.config()),
            warn: (message) => log.warn(message),
          }),
        }),
        log,
        paint: createPaint(process.stderr),
        ...(await processParts(FEATURES, project.settings(), project.importModule)),
        ...hooks,
      });
    },
    openOnce(log) {
      const runtime = once?.deref();
      if (runtime !== undefined) return runtime;
      const opening = project
        .importSchema()
        .then((schema) => project.open(schema, log, { observe: project.queries.observe }));
      once = register(opening);
      return opening;
    },
    register,
    async runtime() {
      const runtime = await current?.deref();
      if (runtime === undefined) throw new Error('astro-jsonapi: the content is not loaded yet.');
      return 'opened' in runtime ? runtime.opened() : runtime;
    },
    offer(log) {
      const { root, contentDir } = project.settings();
      let report: Promise<void> | undefined;
      // Another build in this process loads the content again.
      once = undefined;
      registerProject<Runtime>(project.config().root, {
        async open() {
          if (command === 'dev') return project.runtime();
          const runtime = await project.openOnce(log);
          // A build reports problems in `astro:build:start`.
          if (command === 'sync') report ??= reportContent(runtime, options, log);
          await report;
          return runtime;
        },
        locate(key) {
          const absolute = path.join(contentDir, key);
          const relative = path.relative(root, absolute).replaceAll('\\', '/');
          return { absolute, relative, url: pathToFileURL(absolute) };
        },
        mdx: rendersMdx(project.config()),
        filled: project.filled,
      });
    },
    async saveCaches() {
      await (await once?.deref())?.saved();
      await html?.save();
    },
    async close() {
      await (await current?.deref()?.catch(() => undefined))?.close();
      await html?.save();
    },
  };
  return project;
}

/** True if the site has a page at the path or below, or a public folder there. */
function hasFilesAt(path: string, routes: readonly string[], { publicDir }: AstroConfig): boolean {
  const isBelow = routes.some((route) => `${route}/`.startsWith(`${path}/`));
  return isBelow || existsSync(new URL(`.${path}`, publicDir));
}

/**
 * The absolute path of a module of an installed package. Undefined if the project cannot resolve it, which with some package
 * managers includes the dependencies of Astro.
 */
function installedFile(name: string, root: string): string | undefined {
  if (/^[./]|^file:/.test(name)) return undefined;
  try {
    return createRequire(path.join(root, 'package.json')).resolve(name);
  } catch {
    return undefined;
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('astro-jsonapi: Astro has not run the hook astro:config:setup.');
  return value;
}
