import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AstroConfig, AstroIntegrationLogger } from 'astro';
import type { ViteDevServer } from 'vite';
import { SIGN_IN_PATHS } from '../api/routes.ts';
import type { Options } from '../options/options.ts';
import type { Runtime, SiteSettings } from '../runtime/runtime.ts';
import { registerProject } from '../runtime/runtime-registry.ts';
import { announceSetup, reportContent } from '../runtime/terminal.ts';
import { errorMessage } from '../util/text.ts';
import { refuseErrors, warnOfCarriedBytes, writeExplorer, writeSiteDocuments } from './build-output.ts';
import { type CarriedFiles, listCarriedFiles } from './carried-files.ts';
import { startDevServer } from './dev/dev-server.ts';
import { mdxBodies, rendersMdx } from './imported-files.ts';
import { schemaCandidates } from './schema-module.ts';
import { createSiteContent } from './site-content.ts';
import { siteModules } from './site-modules.ts';
import { type Command, siteSettings } from './site-settings.ts';
import { createTypesFile } from './types-file.ts';
import { invalidateFiles, invalidateModules, type VirtualModules } from './vite.ts';

/** One Astro project at config time: what the hooks of `index.ts` call. */
export interface Project {
  readonly modules: VirtualModules;
  /** Takes Astro's config as it is so far; the command is told once. */
  configure(config: AstroConfig, command?: Command): SiteSettings;
  /** Switches the health route off, and says so, where one of the site's own routes has its path. */
  leaveHealthTo(routes: readonly string[], log: AstroIntegrationLogger): void;
  /** The site as last configured. */
  site(): SiteSettings;
  /**
   * What declares `astro-jsonapi:content` to TypeScript: of all content in `astro sync`, else, until it is read, what
   * was declared last. `dir` is the integration's folder for generated files.
   */
  declareContent(log: AstroIntegrationLogger, dir: URL): Promise<string>;
  /** Keeps that declaration, below the same folder, true to the content from now on. */
  keepDeclaration(dir: URL): void;
  /** Offers the content to Astro's content layer, which may ask for it before it is loaded. */
  offer(log: AstroIntegrationLogger): void;
  /**
   * `astro dev`: loads the content, follows its changes and shows its problems. `refresh` fills the collections of
   * Astro's content layer again.
   */
  serve(log: AstroIntegrationLogger, server: ViteDevServer, refresh: () => Promise<void>): void;
  /** Leaves to the site, and says so, the paths for signing in at which it has pages of its own. */
  leaveSignInTo(routes: readonly string[], log: AstroIntegrationLogger): void;
  /** `astro dev`: prints how to make the first account; `origin` is the server's. */
  announceSetup(log: AstroIntegrationLogger, origin: string): Promise<void>;
  /** `astro build`: loads the content. Rejects where it has errors. */
  load(log: AstroIntegrationLogger): Promise<void>;
  /** The end of `astro build`: writes the documents of a site without a server. */
  writeDocuments(log: AstroIntegrationLogger, dir: string): Promise<void>;
  /** Resolves when the next start finds what this one has read and rendered. */
  saveCaches(): Promise<void>;
  close(): Promise<void>;
}

export function createProject(options: Options): Project {
  let config: AstroConfig | undefined;
  let command: Command = 'build';
  let site: SiteSettings | undefined;
  let healthTaken = false;
  let ownPages: readonly string[] = [];
  let carried: Promise<CarriedFiles> | undefined;
  /** Of a dev server, once it is there. */
  let followed: WeakRef<Runtime> | undefined;
  const filled = new Map<string, number>();

  const current = () => known(config);
  const settings = () => {
    const now = { ...known(site), ownPages };
    return healthTaken ? { ...now, health: false as const } : now;
  };
  const content = createSiteContent({ options, config: current, site: settings });
  const { schemaFile, runtime } = content;
  const typesFile = createTypesFile({
    contentDir: () => settings().contentDir,
    schemaFile,
    editing: options.editing !== false,
  });

  function warnOfEditing(log: AstroIntegrationLogger): void {
    if (options.editing === false || !settings().readOnly) return;
    log.warn('Option editing has no effect, because the site has no adapter and so no server.');
  }

  /** What the build carries of files. */
  function carriedFiles(): Promise<CarriedFiles> {
    carried ??= runtime().then(listCarriedFiles);
    return carried;
  }

  const modules = siteModules({
    options,
    config: current,
    site: settings,
    schemaFile,
    runtime,
    carriedFiles,
  });

  return {
    modules,
    configure(now, told = command) {
      config = now;
      command = told;
      site = siteSettings(now, options, command);
      return site;
    },
    leaveHealthTo(routes, log) {
      const taken = routes.some((route) => route === settings().health);
      if (taken && !healthTaken) {
        log.warn(
          `The site has a page at ${settings().health}, so there is no health route. Change option healthPath, or leave it out.`,
        );
      }
      healthTaken ||= taken;
    },
    leaveSignInTo(routes, log) {
      const taken = SIGN_IN_PATHS.filter((path) => settings().signIn && routes.includes(path));
      for (const path of taken.filter((each) => !ownPages.includes(each))) {
        log.warn(`${path} is answered by the site's own page, so the page of astro-jsonapi is not there.`);
      }
      ownPages = taken;
    },
    async announceSetup(log, origin) {
      const opened = await runtime().catch(() => undefined);
      const { base } = settings();
      await announceSetup(opened?.auth, settings(), origin + base, log);
    },
    site: settings,
    async declareContent(log, dir) {
      if (command !== 'sync') return typesFile.written(dir) ?? typesFile.text([]);
      try {
        if (typesFile.isWhole(await content.schema())) return typesFile.text([]);
        const { services } = await content.openOnce(log);
        return typesFile.text(services.store.types.values());
      } catch (error) {
        log.warn(errorMessage(error));
        return typesFile.text([]);
      }
    },
    keepDeclaration(dir) {
      typesFile.keepIn(dir);
      const now = followed?.deref();
      if (now !== undefined) typesFile.write(now.services.store.types.values());
    },
    offer(log) {
      const { root, contentDir } = settings();
      let reported: Promise<void> | undefined;
      // Another build with the same config reads the content again.
      content.forget();
      carried = undefined;
      registerProject<Runtime>(current().root, {
        async open() {
          if (command === 'dev') return runtime();
          const opened = await content.openOnce(log);
          // A build tells the content's problems by itself.
          if (command === 'sync') reported ??= reportContent(opened, options, log);
          await reported;
          return opened;
        },
        locate(key) {
          const absolute = path.join(contentDir, key);
          const relative = path.relative(root, absolute).replaceAll('\\', '/');
          return { absolute, relative, url: pathToFileURL(absolute) };
        },
        mdx: rendersMdx(current()),
        filled,
      });
    },
    serve(log, server, refresh) {
      warnOfEditing(log);
      const { contentDir } = settings();
      startDevServer({
        server,
        site: settings(),
        folder: options.contentDir,
        log,
        files: current().adapter === undefined,
        schemaCandidates: schemaCandidates(contentDir),
        importSchema: content.loadSchema,
        open: (written, hooks) => content.open(log, written, hooks),
        register: content.serve,
        onContent(now, event) {
          followed = new WeakRef(now);
          const report = event === 'opened' ? reportContent(now, options, log) : undefined;
          report?.catch((error: unknown) => log.error(String(error)));
          typesFile.write(now.services.store.types.values());
        },
        invalidate(now) {
          if (now !== undefined && rendersMdx(current())) {
            invalidateFiles(server, Object.values(mdxBodies(now, contentDir)));
          }
          invalidateModules(server, Object.keys(modules));
          for (const { hot } of Object.values(server.environments)) hot.send('astro:content-changed', {});
        },
        filled,
        refresh,
      });
    },
    async load(log) {
      warnOfEditing(log);
      const opened = await content.openOnce(log);
      typesFile.write(opened.services.store.types.values());
      await reportContent(opened, options, log);
      refuseErrors(opened.services);
      if (current().adapter !== undefined) warnOfCarriedBytes(await carriedFiles(), log);
    },
    async writeDocuments(log, dir) {
      if (current().adapter !== undefined) return;
      const { services } = await runtime();
      const { base, explorer } = settings();
      await writeSiteDocuments(services, dir, log);
      if (explorer) await writeExplorer(base, dir);
    },
    saveCaches: content.saveCaches,
    close: content.close,
  };
}

function known<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('astro-jsonapi: a hook of Astro was called before the one it needs.');
  return value;
}
