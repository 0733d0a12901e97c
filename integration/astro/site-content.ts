import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroConfig } from 'astro';
import { createGitDriver } from '../git/driver.ts';
import type { Options } from '../options/options.ts';
import {
  createRuntime,
  type Runtime,
  type RuntimeLog,
  type Site,
  type SiteSettings,
} from '../runtime/runtime.ts';
import { registerRuntime } from '../runtime/runtime-registry.ts';
import { createPaint } from '../runtime/terminal.ts';
import type { HtmlCache } from '../storage/cache/html-cache.ts';
import { createFsDriver } from '../storage/drivers/fs.ts';
import { createCaches } from './caches.ts';
import type { DevRuntime } from './dev/dev-server.ts';
import { createBodyRenderer, markdownSettings, siteRenderer } from './markdown.ts';
import { createMdxBodies } from './mdx.ts';
import { findSchema, importSchema } from './schema-module.ts';

export interface SiteContentDeps {
  readonly options: Options;
  /** Astro's config, and the site, as they are by now. */
  config(): AstroConfig;
  site(): SiteSettings;
}

/** The content of a site in the process that builds, syncs or serves it in dev. */
export interface SiteContent {
  /** Absolute path of the schema module that is there now; undefined for none. */
  schemaFile(): string | undefined;
  /** Its default export; undefined for none. `onDependencies` is told the files that it imports. */
  loadSchema(onDependencies?: (files: readonly string[]) => void): Promise<unknown>;
  /** The same, loaded once a build. */
  schema(): Promise<unknown>;
  /** Reads the content by a schema. */
  open(
    log: RuntimeLog,
    schema: unknown,
    hooks?: Pick<Site, 'observe' | 'onChange' | 'idle'>,
  ): Promise<Runtime>;
  /** Reads the content for all of a build. */
  openOnce(log: RuntimeLog): Promise<Runtime>;
  /** The content of the build, or else of the dev server. Rejects where neither is open. */
  runtime(): Promise<Runtime>;
  /** Makes what a dev server has opened the content of the site; what it was before is closed. */
  serve(opening: Promise<DevRuntime>): void;
  /** Has the next build read everything again. */
  forget(): void;
  /** Resolves when the next start finds what this one has read and rendered. */
  saveCaches(): Promise<void>;
  close(): Promise<void>;
}

export function createSiteContent({ options, config, site }: SiteContentDeps): SiteContent {
  let html: HtmlCache | undefined;
  let schema: Promise<unknown> | undefined;
  // Held by the registry alone: servers that were restarted stay in memory with their plugins, and so does this.
  let opened: WeakRef<Promise<Runtime>> | undefined;
  let dev: WeakRef<Promise<DevRuntime>> | undefined;
  let registered: WeakRef<Promise<Closable>> | undefined;

  const schemaFile = () => findSchema(site().contentDir);

  async function loadSchema(onDependencies?: (files: readonly string[]) => void): Promise<unknown> {
    const file = schemaFile();
    return file && importSchema(file, site().root, config().vite, onDependencies);
  }

  function schemaOnce(): Promise<unknown> {
    schema ??= loadSchema();
    return schema;
  }

  async function open(
    log: RuntimeLog,
    written: unknown,
    hooks: Pick<Site, 'observe' | 'onChange' | 'idle'> = {},
  ): Promise<Runtime> {
    const { root, contentDir } = site();
    const { cacheDir, publicDir } = config();
    const caches = createCaches({
      dir: path.join(fileURLToPath(cacheDir), 'astro-jsonapi'),
      contentDir,
      markdown: markdownSettings(config()),
      log,
    });
    html = caches.html;
    const source = {
      driver: createGitDriver(contentDir, { historyCache: caches.history }),
      // A build commits nothing.
      folder: hooks.onChange && contentDir,
      publicFiles: createFsDriver(fileURLToPath(publicDir)),
      schema: written,
      cache: caches.files,
    };
    return createRuntime(source, {
      options,
      settings: site(),
      renderBody: createBodyRenderer({
        createRenderer: () => siteRenderer(config()),
        kept: caches.html,
        contentUrl: pathToFileURL(contentDir + path.sep),
        mdx: createMdxBodies(root, (key) => path.join(contentDir, key), log.warn.bind(log)),
      }),
      log,
      paint: createPaint(process.stderr),
      ...hooks,
    });
  }

  function register<R extends Closable>(opening: Promise<R>): WeakRef<Promise<R>> {
    const former = registerRuntime<Closable>(site().root, opening);
    // Where it failed to open, that was told then, and there is nothing to close.
    former?.then((content) => content.close()).catch(() => undefined);
    const reference = new WeakRef(opening);
    registered = reference;
    return reference;
  }

  return {
    schemaFile,
    loadSchema,
    schema: schemaOnce,
    open,
    openOnce(log) {
      const known = opened?.deref();
      if (known !== undefined) return known;
      const opening = schemaOnce().then((written) => open(log, written));
      opened = register(opening);
      return opening;
    },
    async runtime() {
      const known = opened?.deref() ?? (await dev?.deref())?.opened();
      if (known === undefined)
        throw new Error('astro-jsonapi: the content is asked for before it is loaded.');
      return known;
    },
    serve(opening) {
      dev = register(opening);
    },
    forget() {
      opened = undefined;
      schema = undefined;
    },
    async saveCaches() {
      await (await opened?.deref())?.saved();
      await html?.save();
    },
    async close() {
      await (await registered?.deref()?.catch(() => undefined))?.close();
      await html?.save();
    },
  };
}

type Closable = Pick<Runtime, 'close'>;
