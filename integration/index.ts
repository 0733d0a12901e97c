import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroConfig, AstroIntegration, AstroIntegrationLogger } from 'astro';
import { spellings } from './accounts/accounts-path.ts';
import { EXPLORER_PATH, routePatterns, SIGN_IN_PATHS } from './api/routes.ts';
import { TOOLBAR_MODULE } from './astro/dev/client-modules.ts';
import { rendersMdx } from './astro/imported-files.ts';
import { createProject } from './astro/project.ts';
import { RUNTIME_MODULE } from './astro/server-modules.ts';
import { sessionDefaults } from './astro/site-sessions.ts';
import { placedFile, unservedFiles, virtualModules } from './astro/vite.ts';
import { LOADER_NAME } from './loader.ts';
import { editingSettings, type JsonapiOptions, OPTIONS_KEY, parseOptions } from './options/options.ts';

export type { Actor } from './access/actor.ts';
export type { Permission, Role } from './access/role.ts';
export type { EditingOptions, JsonapiOptions } from './options/options.ts';

const FETCH_FILES = ['fetch.ts', 'fetch.js', 'fetch.mjs', 'fetch.mts'] as const;
const DEFAULT_FETCH_FILE = 'fetch';
/** Looked for by Astro in `srcDir`, which need not exist, and may be a link to another place. */
const OWN_FETCH_FILE = 'astro-jsonapi.fetch';

/**
 * Reads the markdown of a content folder into typed entities and answers JSON:API queries about them: at build
 * time through `astro-jsonapi:content`, over HTTP where the site has an adapter, and as `.json` files otherwise.
 *
 * ```ts
 * export default defineConfig({ integrations: [jsonapi()] });
 * ```
 */
export default function jsonapi(input?: JsonapiOptions): AstroIntegration {
  const options = parseOptions(input);
  const project = createProject(options);
  let log: AstroIntegrationLogger;
  /** Where Astro keeps what the integration generates. */
  let generated: URL;

  const integration: AstroIntegration = {
    name: 'astro-jsonapi',
    hooks: {
      'astro:config:setup': (setup) => {
        const {
          config,
          command,
          updateConfig,
          injectRoute,
          injectScript,
          addMiddleware,
          addDevToolbarApp,
          createCodegenDir,
          logger,
        } = setup;
        log = logger;
        generated = createCodegenDir();
        const site = project.configure(config, command);
        // Accounts stay private while editing is off.
        const accountsFile =
          site.accountsFile ?? path.resolve(site.root, editingSettings(options).accountsFile);
        const plugins = [virtualModules(project.modules), unservedFiles(spellings(accountsFile))];
        updateConfig({ vite: { plugins, ssr: { noExternal: ['astro-jsonapi'] } } });
        if (options.editing !== false) {
          const session = sessionDefaults(config, command, ownFile('./storage/drivers/fs-sessions.js'));
          if (session !== undefined) updateConfig({ session });
          addMiddleware({ order: 'pre', entrypoint: ownFile('./astro/routes/middleware.js') });
        }
        if (command === 'dev') {
          addDevToolbarApp({
            id: 'astro-jsonapi',
            name: 'JSON:API',
            icon: 'file-search',
            entrypoint: TOOLBAR_MODULE,
          });
        }
        // The documents of a static site are made of what pages have brought along.
        if (command === 'build' && rendersMdx(config))
          injectScript('page-ssr', `import '${RUNTIME_MODULE}';`);
        if (command !== 'dev' && config.adapter === undefined) return;
        const ownPages = SIGN_IN_PATHS.filter((place) => hasPage(config, place));
        for (const pattern of routePatterns({ ...site, ownPages })) {
          injectRoute({ pattern, entrypoint: ownFile('./astro/routes/endpoint.js'), prerender: false });
        }
        if (!hasFetchFile(config)) {
          const door = placedFile(OWN_FETCH_FILE, fileURLToPath(ownFile('./astro/routes/entry.js')));
          updateConfig({ fetchFile: OWN_FETCH_FILE, vite: { plugins: [door] } });
        }
        // Vite would answer every OPTIONS request itself; its rules for other origins stay as they are.
        if (config.vite.server?.cors === undefined) {
          updateConfig({ vite: { server: { cors: { preflightContinue: true } } } });
        }
        warnOfRedirects(config, logger);
      },
      'astro:routes:resolved': ({ routes, logger }) => {
        const own = routes.filter(({ origin }) => origin === 'project').map(({ pattern }) => pattern);
        project.leaveHealthTo(own, logger);
        project.leaveSignInTo(own, logger);
      },
      'astro:config:done': async ({ config, injectTypes, logger }) => {
        project.configure(config);
        project.offer(logger);
        const content = await project.declareContent(logger, generated);
        injectTypes({ filename: 'content.d.ts', content });
      },
      'astro:server:setup': ({ server, refreshContent }) => {
        project.serve(log, server, async () => refreshContent?.({ loaders: [LOADER_NAME] }));
      },
      'astro:server:start': ({ address }) => {
        // Not before: Astro itself writes generated types when it starts.
        project.keepDeclaration(generated);
        const { base, explorer } = project.site();
        const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
        const origin = `http://${host}:${address.port}`;
        const root = origin + base;
        log.info(
          `JSON:API at ${root}/jsonapi${explorer ? `, query explorer at ${root}${EXPLORER_PATH}` : ''}`,
        );
        void project.announceSetup(log, origin);
      },
      'astro:server:done': () => project.close(),
      'astro:build:start': () => {
        project.keepDeclaration(generated);
        return project.load(log);
      },
      'astro:build:done': async ({ dir }) => {
        await project.writeDocuments(log, fileURLToPath(dir));
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

/** Whether the site has a page of its own at a path, which need not be routed yet. */
function hasPage({ srcDir }: AstroConfig, place: string): boolean {
  const names = [place, `${place}/index`].flatMap((name) => PAGE_FILES.map((ending) => name + ending));
  return names.some((name) => existsSync(new URL(`pages${name}`, srcDir)));
}

const PAGE_FILES = ['.astro', '.ts', '.js', '.md', '.mdx', '.html'] as const;

// Compiled files lie beside this one.
function ownFile(relative: string): URL {
  return new URL(relative, import.meta.url);
}

function warnOfRedirects({ adapter, trailingSlash }: AstroConfig, logger: AstroIntegrationLogger): void {
  if (adapter?.name !== '@astrojs/node' || trailingSlash !== 'always') return;
  logger.warn(
    "With trailingSlash: 'always', @astrojs/node redirects every request whose path has no final slash, writes included, before it reaches the API. Call the API with final slashes (/jsonapi/node/article/), or set trailingSlash: 'ignore'.",
  );
}
