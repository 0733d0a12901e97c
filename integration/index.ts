import './astro/check-peers.ts';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AstroConfig, AstroIntegration, AstroIntegrationLogger } from 'astro';
import { checkCarriedBytes, checkErrors } from './astro/build-output.ts';
import { OWN_LOADER, serverCollectionModules } from './astro/collection-config.ts';
import { startDevServer } from './astro/dev/dev-server.ts';
import { createTypesFile, TYPES_FILE, type TypesFile } from './astro/generated-types.ts';
import { mdxPath, REJECTED_PATH } from './astro/own-paths.ts';
import { keepPrerenderedPages } from './astro/prerendered-pages.ts';
import { createProject } from './astro/project.ts';
import { sessionDefaults } from './astro/site-sessions.ts';
import {
  PREVIEWED_CONTENT_MODULE,
  projectModules,
  RUNTIME_MODULE,
  TOOLBAR_MODULE,
} from './astro/virtual-modules.ts';
import {
  connectedPages,
  pageSourceMaps,
  placedFile,
  previewedContent,
  serverFeatures,
  unservedFiles,
  virtualModules,
} from './astro/vite.ts';
import { routesOf } from './core/api/features.ts';
import { ADMIN_PATH, EXPLORER_PATH } from './core/api/paths.ts';
import { type Route, routePatterns } from './core/api/routes.ts';
import { resourceTypeName } from './core/content/resource-type.ts';
import type { QueryDefaults } from './core/engine/parse/parse-query.ts';
import { type JsonapiOptions, OPTIONS_KEY, type Options, parseOptions } from './core/options/options.ts';
import type { FeatureTooling, SiteSettings } from './core/runtime/site.ts';
import { reportContent } from './core/runtime/terminal.ts';
import { FEATURES } from './features.ts';
import type { SearchSite } from './search.ts';

export type { Actor } from './core/access/actor.ts';
export type { Permission, Role } from './core/access/role.ts';
export type { EditingOptions, JsonapiOptions } from './core/options/options.ts';
// The options of features.
export type {} from './features.ts';

const FETCH_FILES = ['fetch.ts', 'fetch.js', 'fetch.mjs', 'fetch.mts'] as const;
const DEFAULT_FETCH_FILE = 'fetch';
/** Astro looks for it in `srcDir`, which may not exist and may be a link. */
const OWN_FETCH_FILE = 'astro-jsonapi.fetch';

/**
 * Reads the Markdown of a content folder into typed entities and answers JSON:API queries: at build time through
 * `astro-jsonapi:content`, over HTTP on sites with an adapter, and as `.json` files on other sites.
 *
 * ```ts
 * export default defineConfig({ integrations: [jsonapi()] });
 * ```
 */
export default function jsonapi(input?: JsonapiOptions): AstroIntegration {
  const options = parseOptions(input, FEATURES);
  const project = createProject(options, input?.contentDir);
  let log: AstroIntegrationLogger;
  let types: TypesFile;
  let tooling: readonly FeatureTooling[];
  const pages = keepPrerenderedPages(project.keepsPages, project.config, project.queries);

  const integration: AstroIntegration = {
    name: 'astro-jsonapi',
    hooks: {
      'astro:config:setup': async (setup) => {
        const {
          config,
          command,
          updateConfig,
          injectRoute,
          addMiddleware,
          addDevToolbarApp,
          createCodegenDir,
          logger,
        } = setup;
        log = logger;
        const site = project.configure(config, command);
        tooling = await project.tooling();
        types = createTypesFile(project, createCodegenDir());
        const plugins = [
          virtualModules(projectModules(project, tooling)),
          placedFile('live-runtime.js', RUNTIME_MODULE),
          serverCollectionModules(),
          previewedContent(PREVIEWED_CONTENT_MODULE, () => {
            const { admin, readOnly } = project.settings();
            return admin && !readOnly;
          }),
          serverFeatures(),
          unservedFiles(tooling.flatMap(({ unserved }) => unserved?.(site, options) ?? [])),
          connectedPages(),
          pageSourceMaps(),
          ...tooling.flatMap(({ plugins }) => plugins?.(project) ?? []),
          pages.plugin,
        ];
        const address = JSON.stringify(`${site.base}${site.prefix ?? ''}/jsonapi`);
        // The names are those in `features/static/fetch.ts`, `client.ts` and `search.ts`.
        const define = {
          __ASTRO_JSONAPI__: address,
          __ASTRO_JSONAPI_SITE__: JSON.stringify(searchSite(config, command, site)),
          __ASTRO_JSONAPI_DEFAULTS__: JSON.stringify(defaultParameters(options)),
        };
        const processor = tooling.reduce(
          (processor, tool) => tool.processor?.(project, processor) ?? processor,
          config.markdown.processor,
        );
        updateConfig({ markdown: { processor } });
        updateConfig({ vite: { plugins, define, ssr: { noExternal: ['astro-jsonapi'] } } });
        if (options.editing !== false) {
          const driver = tooling.find(({ sessionFiles }) => sessionFiles)?.sessionFiles;
          const session = driver && sessionDefaults(config, command, driver);
          if (session !== undefined) updateConfig({ session });
          addMiddleware({ order: 'pre', entrypoint: ownFile('./astro/routes.js') });
        }
        if (config.cache?.provider !== undefined) {
          addMiddleware({ order: 'pre', entrypoint: ownFile('./astro/route-cache.js') });
        }
        if (command === 'dev') {
          addDevToolbarApp({
            id: 'astro-jsonapi',
            name: 'JSON:API',
            icon: 'file-search',
            entrypoint: TOOLBAR_MODULE,
          });
        }
        const isServed = command === 'dev' || config.adapter !== undefined;
        if (isServed || command === 'build') {
          const entrypoint = ownFile(isServed ? './astro/routes.js' : './astro/mdx-route.js');
          injectRoute({ pattern: mdxPath('[language]'), entrypoint, prerender: !isServed });
        }
        if (!isServed) return;
        const routes = routesOf(FEATURES);
        const ownPages = routes.filter((route) => hasPage(config, route)).map((route) => route.path);
        for (const pattern of routePatterns(routes, { ...site, ownPages })) {
          injectRoute({ pattern, entrypoint: ownFile('./astro/routes.js'), prerender: false });
        }
        if (!hasFetchFile(config)) {
          const entry = placedFile(OWN_FETCH_FILE, fileURLToPath(ownFile('./fetch.js')));
          updateConfig({ fetchFile: OWN_FETCH_FILE, vite: { plugins: [entry] } });
        }
        // Otherwise Vite answers every OPTIONS request. Its CORS rules stay unchanged.
        if (config.vite.server?.cors === undefined) {
          updateConfig({ vite: { server: { cors: { preflightContinue: true } } } });
        }
      },
      'astro:routes:resolved': ({ routes, logger }) => {
        const own = routes.filter(({ origin }) => origin === 'project');
        project.setRoutes(own, logger);
      },
      'astro:config:done': async ({ config, injectTypes, logger }) => {
        project.configure(config);
        project.offer(logger);
        injectTypes({ filename: TYPES_FILE, content: await types.declaration(logger) });
      },
      'astro:server:setup': ({ server, refreshContent }) => {
        const refresh = async () => refreshContent?.({ loaders: [OWN_LOADER] });
        startDevServer({ project, tooling, server, types, log, refresh });
      },
      'astro:server:start': ({ address }) => {
        types.enable();
        const settings = project.settings();
        const { base, prefix = '', api, explorer, admin } = settings;
        const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
        const root = `http://${host}:${address.port}${base}`;
        const addresses = [
          ...(api === false ? [] : [`JSON:API at ${root}${prefix}/jsonapi`]),
          ...(explorer ? [`query explorer at ${root}${prefix}${EXPLORER_PATH}`] : []),
          ...(admin ? [`admin at ${root}${ADMIN_PATH}`] : []),
        ];
        if (addresses.length > 0) log.info(addresses.join(', '));
        // Astro checks after the first request whether a fetch file uses all features. If a page was added before that
        // request, it looks in an outdated manifest and warns about each of them.
        if (project.config().fetchFile === OWN_FETCH_FILE) fetch(root + REJECTED_PATH).catch(() => undefined);
        // Astro does not wait for the content.
        void project
          .runtime()
          .then((runtime) => runtime.announce(root, log))
          .catch(() => undefined);
      },
      'astro:server:done': () => project.close(),
      'astro:build:generated': pages['astro:build:generated'],
      'astro:build:start': async (start) => {
        pages['astro:build:start'](start);
        types.enable();
        if (options.editing !== false && project.settings().readOnly) {
          log.info(
            'Option editing works in `astro dev` only, because the site has no adapter and therefore no server.',
          );
        }
        const runtime = await project.openOnce(log);
        types.update(runtime.services.store.types.values());
        await reportContent(runtime, options, log);
        checkErrors(runtime.services);
        if (project.config().adapter !== undefined) await checkCarriedBytes(runtime, log);
      },
      'astro:build:done': async ({ dir }) => {
        if (project.config().adapter === undefined) {
          for (const { write } of tooling) await write?.(project, fileURLToPath(dir), log);
        }
        await project.saveCaches();
      },
    },
  };
  return Object.assign(integration, { [OPTIONS_KEY]: input ?? {} });
}

function hasFetchFile({ fetchFile, srcDir }: AstroConfig): boolean {
  if (fetchFile !== DEFAULT_FETCH_FILE) return true;
  return FETCH_FILES.some((name) => existsSync(new URL(name, srcDir)));
}

/** True if the site has a page file that replaces a route. Its routes are not known yet. */
function hasPage({ srcDir, publicDir }: AstroConfig, { path: page, replaceable }: Route): boolean {
  if (replaceable === undefined) return false;
  const names = [page, `${page}/index`].flatMap((name) => PAGE_FILES.map((ending) => name + ending));
  if (names.some((name) => existsSync(new URL(`pages${name}`, srcDir)))) return true;
  if (replaceable === 'page') return false;
  return existsSync(new URL(`pages${page}`, srcDir)) || existsSync(new URL(`.${page}`, publicDir));
}

const PAGE_FILES = ['.astro', '.ts', '.js', '.md', '.mdx', '.html'] as const;

// Compiled files are next to this one.
function ownFile(relative: string): URL {
  return new URL(relative, import.meta.url);
}

/** Which parameters have defaults in the API, by resource type. Scripts replace them, and need not know their values. */
function defaultParameters({ bundles }: Options): Readonly<Record<string, QueryDefaults>> {
  return Object.fromEntries(
    Object.entries(bundles).flatMap(([bundle, { api, defaults: { filter, include } = {} }]) => {
      const parameters = { ...(filter && { filter: {} }), ...(include && { include: [] }) };
      const name = resourceTypeName(bundle);
      return api === false || name === undefined || Object.keys(parameters).length === 0
        ? []
        : [[name, parameters] as const];
    }),
  );
}

/** What the search box needs to know of a site. */
function searchSite(
  { trailingSlash, build: { format }, adapter, i18n }: AstroConfig,
  command: string,
  { base, languages }: Pick<SiteSettings, 'base' | 'languages'>,
): SearchSite {
  const isStatic = command !== 'dev' && adapter === undefined;
  const prefixed = languages?.all.filter(
    ({ code }) =>
      code !== languages.default || (typeof i18n?.routing === 'object' && i18n.routing.prefixDefaultLocale),
  );
  return {
    site: base,
    prefixes: Object.fromEntries((prefixed ?? []).map(({ code, path }) => [code, `/${path}`])),
    slash: trailingSlash === 'always' || (trailingSlash === 'ignore' && isStatic && format === 'directory'),
    static: isStatic,
  };
}
