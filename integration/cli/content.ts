import { existsSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { ownVersion } from '../astro/caches.ts';
import { prefixOf } from '../astro/site-settings.ts';
import type { ParsedFile } from '../core/content/parse-file.ts';
import {
  CommandError,
  type ContentOptions,
  type ContentSite,
  type Terminal,
  warn,
} from '../core/runtime/command.ts';
import { openShared } from '../core/runtime/open-features.ts';
import { createRuntime } from '../core/runtime/open-site.ts';
import { openStorage } from '../core/runtime/open-storage.ts';
import { projectImages } from '../core/runtime/project-images.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import type { SharedState } from '../core/runtime/shared-state.ts';
import type { Site } from '../core/runtime/site.ts';
import { processParts } from '../core/runtime/tooling.ts';
import { createFileCache, type FileCache } from '../core/storage/cache/file-cache.ts';
import { createFsDriver } from '../core/storage/drivers/fs.ts';
import { digestText } from '../core/util/revision.ts';
import { counted, errorMessage } from '../core/util/text.ts';
import { FEATURES } from '../features.ts';
import { withProgress } from './progress.ts';
import { createSiteRenderer } from './render-body.ts';

export interface OpenOptions
  extends ContentOptions,
    Pick<Site, 'paint' | 'onChange' | 'environment' | 'accountsFlag'> {}

function logOf(terminal: Terminal) {
  const { report } = terminal;
  return { info: report, warn: (message: string) => warn(terminal, message), error: report };
}

/** The driver of a folder, which shows the progress of its reads. */
export async function openFolder(
  { options, contentDir, folder }: ContentSite,
  terminal: Terminal,
): Promise<ReturnType<typeof withProgress>> {
  const log = logOf(terminal);
  const place = { options, folder: contentDir, version: ownVersion(), log };
  return withProgress((await openStorage(FEATURES, place)).driver, folder, terminal);
}

/** Loads the content of a folder and shows the progress. With `onChange`, the runtime serves and caches it. */
export async function openContent(
  site: ContentSite,
  terminal: Terminal,
  {
    danglingReferences = 'missing',
    gitDates,
    explorer = false,
    paint,
    onChange,
    cached = onChange !== undefined,
    environment,
    accountsFlag,
    signIn = false,
    write = signIn,
    localMode,
  }: OpenOptions = {},
): Promise<Runtime> {
  const { paintReport } = terminal;
  const { root, contentDir, publicDir, outDir, base, trailingSlash, locale, languages } = site;
  const options = { ...site.options, danglingReferences, gitDates: gitDates ?? site.options.gitDates };
  const log = logOf(terminal);
  const progress = await openFolder({ ...site, options }, terminal);
  try {
    const source = {
      driver: progress.driver,
      folder: write ? contentDir : undefined,
      ...(existsSync(publicDir) && { publicFiles: createFsDriver(publicDir) }),
      ...(site.configFile && { outsideImages: projectImages(root, contentDir) }),
      schema: await site.schema(),
      ...(cached && { cache: fileCache(site, log) }),
    };
    return await createRuntime(source, {
      features: FEATURES,
      options,
      settings: {
        ...{ root, contentDir, publicDir, outDir, base, trailingSlash, locale, languages, explorer },
        prefix: prefixOf(options, site),
        ...{ health: options.healthPath, cors: options.cors, requestLog: options.logging.requests },
        dev: true,
        ...{ admin: signIn, signIn, readOnly: !write },
        sessionCookie: signIn ? sessionCookie(site) : null,
        trustsProxy: false,
        form: digestText(inspect([base, options.api, trailingSlash, site.markdown], { depth: 10 })),
      },
      ...(await processParts(FEATURES, { base })),
      ...{ localMode, accountsFlag },
      ...createSiteRenderer(site, write, log.warn),
      log,
      paint: paint ?? paintReport,
      ...(onChange && { onChange, bodyErrors: 'text' }),
      ...(environment && { environment }),
    });
  } finally {
    progress.done();
  }
}

/** The database in which the servers of a site share their state; undefined without one. Throws CommandError. */
export async function openSharedState(
  site: ContentSite,
  terminal: Terminal,
): Promise<SharedState | undefined> {
  const { options, base } = site;
  const { report } = terminal;
  const log = { info: report, warn: report, error: report };
  try {
    const parts = await processParts(FEATURES, { base });
    return await openShared({ features: FEATURES, options, environment: process.env, log, ...parts });
  } catch (error) {
    throw new CommandError(errorMessage(error));
  }
}

/** Cookies of a host are sent to all its ports. */
function sessionCookie({ contentDir }: ContentSite): string {
  return `astro-jsonapi-session-${digestText(contentDir).slice(0, 8)}`;
}

/** In JSONAPI_CACHE_DIR, else in the `node_modules` of the project. Undefined for a folder without a project. */
function fileCache(
  { root, contentDir }: ContentSite,
  log: { warn(message: string): void },
): FileCache<ParsedFile> | undefined {
  const cacheDir = process.env.JSONAPI_CACHE_DIR;
  const packages = path.join(root, 'node_modules');
  if (!cacheDir && !existsSync(packages)) return undefined;
  const file = path.resolve(cacheDir || path.join(packages, '.astro/astro-jsonapi'), 'content.cache');
  return createFileCache({ path: file, folder: contentDir, version: ownVersion(), log });
}

/** Warns of errors in the content, for commands that do not report them. */
export function warnOfErrors({ services }: Runtime, { folder }: ContentSite, terminal: Terminal): void {
  const errors = services.diagnostics().filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  warn(terminal, `${folder} has ${counted(errors, 'error')}. See: npx astro-jsonapi check ${folder}`);
}
