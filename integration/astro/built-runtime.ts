import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { accountsPathFromEnvironment } from '../accounts/accounts-path.ts';
import type { ParsedFile } from '../content/parse-file.ts';
import { createGitDriver } from '../git/driver.ts';
import type { Options } from '../options/options.ts';
import { followConnections } from '../runtime/connections.ts';
import { createRenderingProcess } from '../runtime/render/renderer-process.ts';
import {
  createRuntime,
  type Runtime,
  type RuntimeLog,
  type Site,
  type SiteSettings,
} from '../runtime/runtime.ts';
import { registeredRuntime, registerRuntime } from '../runtime/runtime-registry.ts';
import { announceSetup, reportContent } from '../runtime/terminal.ts';
import { createFileCache, type FileCache } from '../storage/cache/file-cache.ts';
import type { StorageDriver } from '../storage/driver.ts';
import { createSnapshotDriver } from '../storage/drivers/snapshot.ts';
import { type CarriedFolder, createCarriedFileSource } from '../storage/file-source.ts';
import { type BuiltProcessors, builtRenderer } from './built-renderer.ts';
import { createBodyRenderer, type MarkdownSettings, storedHtmlKey } from './markdown.ts';
import { createMdxBodies } from './mdx.ts';

/** What the build tells a built server: plain data. */
export interface ServerSeed {
  readonly options: Options;
  readonly site: SiteSettings;
  readonly markdown: MarkdownSettings;
  /** Of this package. */
  readonly version: string;
}

/** What a built server imports only when it is needed. */
export interface ServerLoad {
  /** The content as the build found it, as JSON. */
  content(): Promise<string>;
  /** Files that fields name: those of the content folder with their bytes, and what is known of those in `public/`. */
  files(): Promise<{ readonly content: CarriedFolder; readonly public: CarriedFolder }>;
  /** HTML by file and revision, as JSON. */
  html(): Promise<string>;
  /** The words of the content, as JSON. */
  fullText(): Promise<string>;
  readonly processors: BuiltProcessors;
  /** The file that a process that renders bodies runs, if this server may write. */
  readonly rendererUrl?: string;
}

/**
 * The runtime of a built server, made at the first call. Its content is in JSONAPI_CONTENT_DIR, else in the
 * project's content folder, else in the snapshot that the build carries; its accounts in JSONAPI_ACCOUNTS, else where
 * the site has them.
 */
export function openRuntime(seed: ServerSeed, schema: unknown, load: ServerLoad): Promise<Runtime> {
  const { root } = seed.site;
  const known = registeredRuntime<Runtime>(root);
  if (known !== undefined) return known;
  const opening = open(seed, schema, load);
  registerRuntime(root, opening);
  return opening;
}

async function open(seed: ServerSeed, schema: unknown, load: ServerLoad): Promise<Runtime> {
  const { options } = seed;
  const dir = contentFolder(seed.site);
  const site = withAccounts(seed.site, dir);
  const carried = await load.files();
  const source = {
    driver: dir === undefined ? await snapshotDriver(load) : createGitDriver(dir),
    folder: dir,
    files: {
      // What the build found there is what is deployed with it.
      public: createCarriedFileSource(carried.public),
      ...(dir === undefined && { content: createCarriedFileSource(carried.content) }),
    },
    schema,
    cache: dir === undefined ? undefined : fileCache(seed, dir),
    carriedFullText: load.fullText,
  };
  const runtime = await createRuntime(source, {
    options: { ...options, danglingReferences: 'missing' },
    settings: site,
    ...bodyRenderer(seed, load, dir),
    bodyErrors: 'text',
    log: consoleLog,
    onChange: () => undefined,
  });
  await reportContent(runtime, options, consoleLog);
  await announceSetup(runtime.auth, site, site.base, consoleLog);
  const connection = followConnections();
  return {
    ...runtime,
    handle: (request, context) => runtime.handle(request, { ...context, connection: connection() }),
  };
}

/** With the accounts of JSONAPI_ACCOUNTS, if that is set. */
function withAccounts(site: SiteSettings, contentDir: string | undefined): SiteSettings {
  if (!site.signIn) return site;
  const named = accountsPathFromEnvironment({ ...site, ...(contentDir !== undefined && { contentDir }) });
  return named === undefined ? site : { ...site, accountsFile: named };
}

function contentFolder({ contentDir }: SiteSettings): string | undefined {
  const named = process.env.JSONAPI_CONTENT_DIR;
  if (named !== undefined && named !== '') {
    if (isFolder(named)) return path.resolve(named);
    const fault = existsSync(named) ? 'is not a folder' : 'does not exist';
    throw new Error(`JSONAPI_CONTENT_DIR names ${named}, which ${fault}. Correct it, or unset it.`);
  }
  return isFolder(contentDir) ? contentDir : undefined;
}

/** In JSONAPI_CACHE_DIR; without it nothing is kept: many servers run where they may not write. */
function fileCache({ version }: ServerSeed, contentDir: string): FileCache<ParsedFile> | undefined {
  const dir = process.env.JSONAPI_CACHE_DIR;
  if (dir === undefined || dir === '') return undefined;
  const file = path.resolve(dir, 'content.cache');
  return createFileCache({ path: file, folder: contentDir, version, log: consoleLog });
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function snapshotDriver(load: ServerLoad): Promise<StorageDriver> {
  return createSnapshotDriver(JSON.parse(await load.content()));
}

function bodyRenderer(
  seed: ServerSeed,
  load: ServerLoad,
  dir: string | undefined,
): Pick<Site, 'renderBody' | 'checks'> {
  const { markdown } = seed;
  const { warn } = consoleLog;
  let html: Promise<Readonly<Record<string, string>>> | undefined;
  const inProcess = () => builtRenderer(markdown, load.processors);
  // Without a folder of its own the server cannot write.
  const inOtherProcess =
    load.rendererUrl === undefined || dir === undefined
      ? undefined
      : createRenderingProcess({ entry: load.rendererUrl, inProcess, warn });
  const renderBody = createBodyRenderer({
    async stored(entity) {
      if (!markdown.custom) return undefined;
      html ??= load.html().then((json) => JSON.parse(json));
      return (await html)[storedHtmlKey(entity)];
    },
    async createRenderer() {
      if (markdown.custom && load.processors.processor === undefined) {
        warn(
          "A body changed after the build is rendered by Astro's default processor, because the site's own processor and plugins live in astro.config, which a built server does not have. Export the processor from a module and name it in option markdownProcessor.",
        );
      }
      return inOtherProcess ?? inProcess();
    },
    // Runs what the build has of MDX, and nothing else.
    mdx: createMdxBodies(seed.site.root, (key) => key, warn),
    contentUrl: dir === undefined ? undefined : pathToFileURL(`${dir}${path.sep}`),
  });
  return { renderBody, checks: inOtherProcess };
}

const consoleLog: RuntimeLog = {
  info: (message) => console.log(`[astro-jsonapi] ${message}`),
  warn: (message) => console.warn(`[astro-jsonapi] ${message}`),
  error: (message) => console.error(`[astro-jsonapi] ${message}`),
};
