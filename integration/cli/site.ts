import { existsSync, globSync, statSync } from 'node:fs';
import nodeModule from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { UserConfig } from 'vite';
import { z } from 'zod';
import { findContentDir } from '../astro/content-dir.ts';
import { findSchema, importByVite, isCollectionConfig, schemaOf } from '../astro/schema-module.ts';
import { normalizeBase, siteLocale } from '../astro/site-settings.ts';
import { OPTIONS_KEY, type Options, parseOptions, WRONG_OPTIONS } from '../core/options/options.ts';
import {
  CommandError,
  type ContentSite,
  type SiteFlags,
  type Terminal,
  UsageError,
  warn,
} from '../core/runtime/command.ts';
import { errorMessage } from '../core/util/text.ts';
import { FEATURES } from '../features.ts';

/**
 * The content folder of a command: `argument` or `--content`, else JSONAPI_CONTENT_DIR as for a built server, else the
 * one of the nearest astro.config, else `content`. The config applies to its own content folder only. If it cannot be
 * loaded, a warning says so and the defaults apply.
 */
export async function findSite(
  flags: SiteFlags,
  terminal: Terminal,
  argument?: string,
): Promise<ContentSite> {
  const { cwd } = terminal;
  if (argument !== undefined && flags.content !== undefined) {
    throw new UsageError('Specify the content folder once: as the argument, or with --content.');
  }
  const folderArgument = argument ?? flags.content;
  const given = folderArgument === undefined ? undefined : path.resolve(cwd, folderArgument);
  const configFile = flags['no-config'] ? undefined : findConfig(flags.config, given ?? cwd, cwd);
  let config = configFile === undefined ? undefined : await readConfig(configFile);
  if (config?.fault !== undefined) {
    const file = path.relative(cwd, config.file);
    const [reason] = config.fault.split('\n', 1);
    warn(terminal, `Cannot load ${file}, so the default options apply: ${reason}`);
  }
  const { JSONAPI_CONTENT_DIR } = process.env;
  const served = given || !JSONAPI_CONTENT_DIR ? undefined : path.resolve(cwd, JSONAPI_CONTENT_DIR);
  const configured = config && (served ?? path.resolve(path.dirname(config.file), config.options.contentDir));
  // A folder with a config is a project.
  const isProject = given !== undefined && config !== undefined && path.dirname(config.file) === given;
  const contentDir =
    (isProject || given === undefined ? configured : given) ??
    given ??
    served ??
    path.join(cwd, findContentDir(cwd, undefined));
  if (flags.config === undefined && configured !== contentDir) config = undefined;
  const folder = (path.relative(cwd, contentDir) || '.').replaceAll('\\', '/');
  if (statSync(contentDir, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const fault = existsSync(contentDir) ? 'is not a folder' : 'does not exist';
    const sites = given === undefined && configFile === undefined ? adviceForSites(cwd, cwd) : undefined;
    throw new CommandError(
      `The content folder ${folder} ${fault}. ${sites ?? 'Specify another one: --content <dir>'}`,
    );
  }
  const root = path.dirname(config?.file ?? contentDir);
  const site = config?.site ?? siteSchema.parse({});
  const folders = { root, contentDir, srcDir: path.resolve(root, site.srcDir) };
  const schemaFile = () => findSchema(folders);
  return {
    ...folders,
    publicDir: path.resolve(root, site.publicDir),
    outDir: path.resolve(root, site.outDir),
    folder,
    options: { ...(config?.options ?? parseOptions({}, FEATURES)), contentDir: folder },
    base: normalizeBase(site.base),
    trailingSlash: site.trailingSlash,
    ...siteLocale(site.i18n),
    configFile: config?.fault === undefined ? config?.file : undefined,
    config: config?.raw,
    markdown: site.markdown,
    schemaFile,
    async schema() {
      const file = schemaFile();
      const vite = (site.vite ?? {}) as UserConfig;
      if (file === undefined) return undefined;
      // Node does not know Astro's modules.
      const load = isCollectionConfig(file, folders) ? importByVite : importModule;
      return schemaOf(file, folders, () => load(file, root, vite), cwd);
    },
  };
}

const CONFIG_ENDINGS = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'];
const CONFIG_FILES = CONFIG_ENDINGS.map((ending) => `astro.config.${ending}`);

/** The given config, else the nearest one from a folder up to the root of its repository. */
export function findConfig(given: string | undefined, from: string, cwd: string): string | undefined {
  if (given !== undefined) {
    const file = path.resolve(cwd, given);
    if (!existsSync(file)) throw new CommandError(`The config ${given} does not exist.`);
    return file;
  }
  for (let folder = from; ; folder = path.dirname(folder)) {
    const file = CONFIG_FILES.map((name) => path.join(folder, name)).find((each) => existsSync(each));
    if (file !== undefined) return file;
    if (existsSync(path.join(folder, '.git')) || path.dirname(folder) === folder) return undefined;
  }
}

/** The folders of a monorepo's sites; undefined if no folder has an astro.config. */
export function adviceForSites(root: string, cwd: string): string | undefined {
  const exclude = (name: string) => name === 'node_modules' || name.startsWith('.');
  const sites = globSync(`*/{,*/}astro.config.{${CONFIG_ENDINGS.join(',')}}`, { cwd: root, exclude })
    .map((file) => path.relative(cwd, path.join(root, path.dirname(file))).replaceAll('\\', '/'))
    .toSorted();
  const [first, ...others] = sites;
  if (first === undefined) return undefined;
  const places = new Intl.ListFormat('en').format(sites);
  return `${others.length === 0 ? 'A site is' : 'Sites are'} in ${places}: cd ${first}`;
}

interface ReadConfig {
  readonly file: string;
  /** Why the config cannot be loaded; undefined if it is. */
  readonly fault: string | undefined;
  readonly raw: unknown;
  readonly site: z.output<typeof siteSchema>;
  readonly options: Options;
}

/** Throws for invalid options of the integration, as Astro does. */
async function readConfig(file: string): Promise<ReadConfig> {
  const root = path.dirname(file);
  try {
    const raw = await loadConfig(file);
    const site = siteSchema.parse(raw);
    const own = ownOptions(site.integrations);
    const parsed = parseOptions(own, FEATURES);
    // As written in the options, which are valid.
    const { contentDir } = z.object({ contentDir: z.string().optional() }).parse(own ?? {});
    const options = { ...parsed, contentDir: findContentDir(root, contentDir) };
    return { file, fault: undefined, raw, site, options };
  } catch (error) {
    // The site's own copy of this package may have thrown it while the config was loaded.
    if (errorMessage(error).startsWith(WRONG_OPTIONS)) throw error;
    const fault = error instanceof z.ZodError ? 'its default export is not a config.' : errorMessage(error);
    const options = { ...parseOptions({}, FEATURES), contentDir: findContentDir(root, undefined) };
    return { file, fault, raw: undefined, site: siteSchema.parse({}), options };
  }
}

/** The default export of an astro.config. */
export async function loadConfig(file: string): Promise<unknown> {
  return (await importModule(file, path.dirname(file))).default;
}

/** The options of this integration. Lists of integrations can be nested and contain falsy values. */
function ownOptions(integrations: readonly unknown[]): unknown {
  const all = integrations.flat(Number.POSITIVE_INFINITY);
  const own = all.find((each) => typeof each === 'object' && each !== null && OPTIONS_KEY in each);
  return own === undefined ? {} : Reflect.get(own as object, OPTIONS_KEY);
}

/** The settings of astro.config that commands use. Astro reports invalid ones. */
const siteSchema = z.object({
  integrations: z.array(z.unknown()).catch([]),
  base: z.string().catch(''),
  srcDir: z.string().catch('src'),
  publicDir: z.string().catch('public'),
  outDir: z.string().catch('dist'),
  trailingSlash: z.enum(['always', 'never', 'ignore']).catch('ignore'),
  i18n: z
    .object({
      defaultLocale: z.string(),
      locales: z.array(z.union([z.string(), z.object({ path: z.string(), codes: z.array(z.string()) })])),
      fallback: z.record(z.string(), z.string()).optional(),
    })
    .optional()
    .catch(undefined),
  markdown: z.unknown().optional(),
  vite: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

/**
 * Imports a module of the project, including TypeScript: with Node, which is fast and needs no Astro, else with Astro's
 * Vite, which also resolves aliases and imports without an extension. A changed file is imported again.
 */
async function importModule(
  file: string,
  root: string,
  siteVite: UserConfig = {},
): Promise<{ readonly default?: unknown }> {
  hookOwnPackages();
  try {
    return await import(`${pathToFileURL(file).href}?${statSync(file).mtimeMs}`);
  } catch (cause) {
    return importByVite(file, root, siteVite).catch((error: unknown) => {
      const hasNoVite = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
      throw hasNoVite ? cause : error;
    });
  }
}

let isHooked = false;

/** Lets folders without `node_modules` import zod and this package. `astro-jsonapi/schema` is always this instance. */
function hookOwnPackages(): void {
  if (isHooked) return;
  isHooked = true;
  const ownSchema = new URL('../schema.js', import.meta.url).href;
  // Bun has no hooks. It resolves packages that are installed.
  nodeModule.registerHooks?.({
    resolve(specifier, context, next) {
      if (specifier === 'astro-jsonapi/schema') return { url: ownSchema, shortCircuit: true };
      try {
        return next(specifier, context);
      } catch (error) {
        if (specifier !== 'zod' && specifier !== 'astro-jsonapi') throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}
