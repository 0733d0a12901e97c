import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import type { AstroConfig, AstroIntegrationLogger } from 'astro';
import type { ViteDevServer } from 'vite';
import { z } from 'zod';
import { createCaches, ownVersion } from './caches.ts';
import { type CarriedFiles, carriedBytes, listCarriedFiles, MANY_CARRIED_BYTES } from './carried-files.ts';
import { PAGE_MODULE, pageModule, TOOLBAR_MODULE, toolbarModule } from './dev/client-modules.ts';
import { type DevRuntime, startDevServer } from './dev/dev-server.ts';
import type { PageRoute } from './dev/route-modules.ts';
import { createCollector } from './entities/collect.ts';
import type { ResourceType } from './entities/model.ts';
import { resourceTypeName, roleOf } from './entities/resource-type.ts';
import { explorerPage } from './explorer/page.ts';
import { contentDeclaration } from './generated-types.ts';
import { importableImages, mdxBodies, rendersMdx } from './imported-files.ts';
import { digestText } from './jsonapi/fragment.ts';
import { createBodyRenderer, markdownSettings, siteRenderer, storedHtmlKey } from './markdown.ts';
import { createMdxBodies } from './mdx.ts';
import type { Options } from './options.ts';
import {
  createRuntime,
  type Runtime,
  type RuntimeDeps,
  readSchema,
  reportContent,
  type SiteSettings,
} from './runtime.ts';
import { registerProject, registerRuntime } from './runtime-registry.ts';
import { findSchema, importSchema, schemaCandidates } from './schema-module.ts';
import { EXPLORER_PATH } from './served-paths.ts';
import { DEFAULT_PROCESSOR, serverModules } from './server-modules.ts';
import { staticContentFiles } from './static/content-files.ts';
import { staticDocuments } from './static/documents.ts';
import { writeStaticDocuments } from './static/write.ts';
import { createFsDriver } from './storage/drivers/fs.ts';
import { takeSnapshot } from './storage/drivers/snapshot.ts';
import type { HtmlCache } from './storage/html-cache.ts';
import { createPaint } from './terminal.ts';
import { invalidateFiles, invalidateModules, type VirtualModules } from './vite.ts';

type Command = 'dev' | 'build' | 'preview' | 'sync';
type Closable = Pick<Runtime, 'close'>;

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
  /** Takes the site's routes as Astro has resolved them. */
  useRoutes(routes: readonly PageRoute[]): void;
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
  const filled = new Map<string, number>();
  let carried: Promise<CarriedFiles> | undefined;
  let html: HtmlCache | undefined;
  // Held by the registry alone: servers that were restarted stay in memory with their plugins, and so does this.
  let opened: WeakRef<Promise<Runtime>> | undefined;
  /** Of a dev server, once it is there. */
  let followed: WeakRef<Runtime> | undefined;
  let dev: WeakRef<Promise<DevRuntime>> | undefined;
  let served: WeakRef<Promise<Closable>> | undefined;
  let routes: readonly PageRoute[] = [];

  const current = () => known(config);
  const settings = () => {
    const now = known(site);
    return healthTaken ? { ...now, health: false as const } : now;
  };
  const runtime = async () => opened?.deref() ?? (await known(dev?.deref())).opened();
  const schema = () => findSchema(settings().contentDir);
  const describe = (types: Iterable<ResourceType>) =>
    contentDeclaration({ schema: schema(), folders: bundleFolders(settings().contentDir), types });
  let declaration: URL | undefined;

  /** Written only where it is another, so that editors look again at nothing. */
  function declare({ services }: Runtime): void {
    if (declaration !== undefined) writeIfOther(declaration, describe(services.store.types.values()));
  }

  async function open(
    log: AstroIntegrationLogger,
    schema: unknown,
    hooks: Pick<RuntimeDeps, 'observe' | 'onChange'> = {},
  ): Promise<Runtime> {
    const { root, contentDir } = settings();
    const caches = createCaches({
      dir: path.join(fileURLToPath(current().cacheDir), 'astro-jsonapi'),
      contentDir,
      markdown: markdownSettings(current()),
      log,
    });
    html = caches.html;
    return createRuntime({
      options,
      site: settings(),
      driver: createFsDriver(contentDir),
      ...publicFolder(current()),
      schema,
      danglingReferences: options.danglingReferences,
      cache: caches.files,
      renderBody: createBodyRenderer({
        createRenderer: () => siteRenderer(current()),
        kept: caches.html,
        contentUrl: pathToFileURL(contentDir + path.sep),
        mdx: createMdxBodies(root, (key) => path.join(contentDir, key), log.warn.bind(log)),
      }),
      log,
      paint: createPaint(process.stderr),
      ...hooks,
    });
  }

  /** The default export of the schema that is there now; undefined for none. */
  async function readSchema(onDependencies?: (files: readonly string[]) => void): Promise<unknown> {
    const file = schema();
    return file && importSchema(file, settings().root, current().vite, onDependencies);
  }

  /** Opens the content of a build or a sync, once. */
  function openOnce(log: AstroIntegrationLogger): Promise<Runtime> {
    const known = opened?.deref();
    if (known !== undefined) return known;
    const opening = readSchema().then((written) => open(log, written));
    opened = new WeakRef(opening);
    return register(opening);
  }

  /** Before a build, which tells the content's problems by itself, and for `astro sync`, which does not. */
  async function openForSync(log: AstroIntegrationLogger): Promise<Runtime> {
    const content = await openOnce(log);
    if (command === 'sync') await reportContent(content, options, log);
    return content;
  }

  /** What the build carries of files, with one warning where that is much. */
  function carriedFiles(): Promise<CarriedFiles> {
    carried ??= runtime().then(listCarriedFiles);
    return carried;
  }

  function register<R extends Closable>(opening: Promise<R>): Promise<R> {
    served = new WeakRef(opening);
    const former = registerRuntime<Closable>(settings().root, opening);
    // Where it failed to open, that was told then, and there is nothing to close.
    former?.then((content) => content.close()).catch(() => undefined);
    return opening;
  }

  const modules: VirtualModules = {
    ...serverModules({
      seed: () => ({
        options,
        site: settings(),
        markdown: markdownSettings(current()),
        version: ownVersion(),
      }),
      schema,
      markdown: () => options.markdown && moduleSpecifier(options.markdown, settings().root),
      resolvesProcessor: () => canResolve(DEFAULT_PROCESSOR, settings().root),
      explorerPage: () => explorerPage({ base: settings().base, mode: 'server' }),
      carriedContent: async () =>
        JSON.stringify(await takeSnapshot((await runtime()).driver, { include: isEntity })),
      mdx: () => rendersMdx(current()),
      mdxBodies: async () => mdxBodies(await runtime(), settings().contentDir),
      contentImages: async () => importableImages(await runtime(), settings().contentDir),
      carriedFiles,
      async carriedFile(key) {
        const bytes = await (await runtime()).files.content.read(key);
        return Buffer.from(bytes ?? []).toString('base64');
      },
      carriedHtml: async () =>
        JSON.stringify(await renderAll(await runtime(), markdownSettings(current()).custom)),
      carriedFullText: async () => JSON.stringify((await (await runtime()).fullText?.carry()) ?? null),
    }),
    [PAGE_MODULE]: pageModule,
    [TOOLBAR_MODULE]: toolbarModule,
  };

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
          `The site has a page at ${settings().health}, so there is no health route. Give it another path with option health, or set health: false.`,
        );
      }
      healthTaken ||= taken;
    },
    site: settings,
    async declareContent(log, dir) {
      const { contentDir } = settings();
      if (command !== 'sync') return readIfThere(new URL(DECLARATION, dir)) ?? describe([]);
      try {
        return describe(await inferTypes(contentDir, await readSchema(), options));
      } catch (error) {
        log.warn(error instanceof Error ? error.message : String(error));
        return describe([]);
      }
    },
    keepDeclaration(dir) {
      declaration = new URL(DECLARATION, dir);
      const content = followed?.deref();
      if (content !== undefined) declare(content);
    },
    useRoutes(now) {
      routes = now;
    },
    offer(log) {
      const { root, contentDir } = settings();
      // Another build with the same config reads the content again.
      opened = undefined;
      registerProject<Runtime>(current().root, {
        open: () => (command === 'dev' ? runtime() : openForSync(log)),
        place(key) {
          const absolute = path.join(contentDir, key);
          const relative = path.relative(root, absolute).replaceAll('\\', '/');
          return { absolute, relative, url: pathToFileURL(absolute) };
        },
        mdx: rendersMdx(current()),
        filled,
      });
    },
    serve(log, server, refresh) {
      startDevServer({
        server,
        site: settings(),
        folder: options.contentDir,
        log,
        files: current().adapter === undefined,
        schemaCandidates: schemaCandidates(settings().contentDir),
        routes: () => routes,
        importSchema: readSchema,
        open: (written, hooks) => open(log, written, hooks),
        register(opening) {
          dev = new WeakRef(opening);
          register(opening);
        },
        onContent(content, event) {
          followed = new WeakRef(content);
          const report = event === 'opened' ? reportContent(content, options, log) : undefined;
          report?.catch((error: unknown) => log.error(String(error)));
          declare(content);
        },
        invalidate(content) {
          if (content !== undefined && rendersMdx(current())) {
            invalidateFiles(server, Object.values(mdxBodies(content, settings().contentDir)));
          }
          invalidateModules(server, Object.keys(modules));
          for (const { hot } of Object.values(server.environments)) hot.send('astro:content-changed', {});
        },
        filled,
        refresh,
      });
    },
    async load(log) {
      const content = await openOnce(log);
      declare(content);
      await reportContent(content, options, log);
      const errors = content.services.diagnostics().filter(({ severity }) => severity === 'error');
      if (errors.length > 0) throw new ContentError(errors.length);
      if (current().adapter === undefined) return;
      carried = undefined;
      const bytes = carriedBytes(await carriedFiles());
      if (bytes > MANY_CARRIED_BYTES) {
        log.warn(
          `The files beside the content that its fields name have ${bytesAsText(bytes)}, all of which the built server carries. Keep large ones in public/.`,
        );
      }
    },
    async writeDocuments(log, dir) {
      if (current().adapter !== undefined) return;
      const { services } = await runtime();
      const { files, bytes, ms } = await writeStaticDocuments(staticDocuments(services), dir);
      log.info(
        `${files} JSON ${files === 1 ? 'document' : 'documents'} written, ${bytesAsText(bytes)}, in ${msAsText(ms)}`,
      );
      const copied = await writeStaticDocuments(staticContentFiles(services), dir);
      if (copied.files > 0) {
        log.info(
          `${copied.files} content ${copied.files === 1 ? 'file' : 'files'} copied, ${bytesAsText(copied.bytes)}`,
        );
      }
      if (!settings().explorer) return;
      const page = path.join(dir, EXPLORER_PATH, 'index.html');
      await mkdir(path.dirname(page), { recursive: true });
      await writeFile(page, explorerPage({ base: settings().base, mode: 'static' }));
    },
    async saveCaches() {
      await (await runtime()).saved();
      await html?.save();
    },
    async close() {
      await (await served?.deref()?.catch(() => undefined))?.close();
      await html?.save();
    },
  };
}

const DECLARATION = 'content.d.ts';

function readIfThere(file: URL): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function writeIfOther(file: URL, text: string): void {
  if (readIfThere(file) !== text) writeFileSync(file, text);
}

/** The resource types of a folder. Where the schema describes all of its bundles, no file need be read. */
async function inferTypes(
  contentDir: string,
  schema: unknown,
  { published }: Options,
): Promise<readonly ResourceType[]> {
  const definition = schema === undefined ? undefined : readSchema(schema, contentDir);
  const declared = new Set(Object.keys(definition ?? {}).map(resourceTypeName));
  if (bundleFolders(contentDir).every((name) => declared.has(resourceTypeName(name)))) return [];
  const { history: _, ...driver } = createFsDriver(contentDir);
  const collectorOptions = { published, danglingReferences: 'missing', defaultLangcode: 'en' } as const;
  const { types } = await createCollector({ driver, schema: definition, options: collectorOptions }).load();
  return types;
}

/** Ends a build whose content has errors, after they have been printed. */
class ContentError extends Error {
  override readonly name = 'ContentError';
  constructor(errors: number) {
    super(`The content has ${errors === 1 ? 'an error' : `${errors} errors`}: see above. Nothing is built.`);
    // The stack would lead into this package, where nothing is wrong.
    this.stack = this.message;
  }
}

async function renderAll({ services }: Runtime, wanted: boolean): Promise<Readonly<Record<string, string>>> {
  const { store, renderBody } = services;
  const html: Record<string, string> = {};
  for (const type of wanted ? store.types.keys() : []) {
    for (const entity of store.entities(type)) {
      if (entity.body !== null) html[storedHtmlKey(entity)] = await renderBody(entity);
    }
  }
  return html;
}

/** `public/` of the site, which need not be there: it is followed from when it comes. */
function publicFolder({ publicDir }: AstroConfig): Pick<RuntimeDeps, 'publicFiles'> {
  return { publicFiles: createFsDriver(fileURLToPath(publicDir)) };
}

function isEntity({ key }: { readonly key: string }): boolean {
  return roleOf(key).role === 'entity';
}

function siteSettings(
  config: AstroConfig,
  { contentDir, explorer, health, cors, requestLog }: Options,
  command: Command,
): SiteSettings {
  const root = fileURLToPath(config.root);
  return {
    root,
    contentDir: path.resolve(root, contentDir),
    base: config.base.replace(/^\/*/, '/').replace(/\/+$/, ''),
    trailingSlash: config.trailingSlash,
    locale: config.i18n?.defaultLocale ?? 'en',
    explorer: explorer === 'dev' ? command === 'dev' : explorer,
    dev: command === 'dev',
    form: documentForm(config),
    health,
    cors,
    requestLog,
    ...siteIdentity(root),
  };
}

/** Another one where the same content makes other documents: our version, links, or HTML of bodies. */
function documentForm({ base, trailingSlash, markdown }: AstroConfig): string {
  const own = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = packageSchema.parse(JSON.parse(own));
  return digestText(inspect([version, base, trailingSlash, markdown], WHOLE));
}

const WHOLE = {
  depth: 10,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: Number.POSITIVE_INFINITY,
};

/** Name and version of the site's package.json, where it has them. */
function siteIdentity(root: string): Pick<SiteSettings, 'identity'> {
  try {
    const file = readFileSync(path.join(root, 'package.json'), 'utf8');
    const { name, version } = packageSchema.parse(JSON.parse(file));
    return { identity: { name, version } };
  } catch {
    return {};
  }
}

const packageSchema = z.object({ name: z.string().min(1), version: z.string().min(1).default('0.0.0') });

/** A package name as it is; a path, absolute. */
function moduleSpecifier(name: string, root: string): string {
  const file = path.resolve(root, name);
  return name.startsWith('.') || existsSync(file) ? file : name;
}

function bundleFolders(contentDir: string): readonly string[] {
  if (!existsSync(contentDir)) return [];
  return readdirSync(contentDir, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^[_.]/.test(entry.name))
    .map(({ name }) => name);
}

// A dependency of Astro, which the project itself can resolve with some package managers only.
function canResolve(name: string, root: string): boolean {
  try {
    createRequire(path.join(root, 'package.json')).resolve(name);
    return true;
  } catch {
    return false;
  }
}

function bytesAsText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function msAsText(ms: number): string {
  return ms < 1e3 ? `${ms.toFixed(0)} ms` : `${(ms / 1e3).toFixed(1)} s`;
}

function known<T>(value: T | undefined): T {
  if (value === undefined)
    throw new Error('astro-jsonapi: a hook of Astro was called before the one it needs.');
  return value;
}
