import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { UserConfig } from 'vite';
import { z } from 'zod';
import { findSchema, schemaOf } from '../astro/schema-module.ts';
import { OPTIONS_KEY, type Options, parseOptions, WRONG_OPTIONS } from '../options/options.ts';
import { errorMessage } from '../util/text.ts';
import { CommandError, type CommandInput, UsageError } from './command.ts';
import { importModule } from './import-module.ts';

const CONFIG_FILES = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map((ending) => `astro.config.${ending}`);

/** A content folder and the options that hold for it: those that a build of its site has. */
export interface FoundSite {
  /** Absolute path of the project: the folder of its astro.config, else the one around the content. */
  readonly root: string;
  readonly contentDir: string;
  /** Absolute path of `public/`, whether it is there or not. */
  readonly publicDir: string;
  /** Absolute path of what a build makes, whether it is there or not. */
  readonly outDir: string;
  /** The content folder as its author would write it from here. */
  readonly folder: string;
  readonly options: Options;
  /** Of astro.config: `base` without a slash at its end. */
  readonly base: string;
  readonly trailingSlash: 'always' | 'never' | 'ignore';
  readonly locale: string;
  /** Absolute path of astro.config; undefined if none holds here. */
  readonly configFile: string | undefined;
  /** Default export of astro.config as written; undefined where none holds here. */
  readonly config: unknown;
  /** Its markdown settings, as written. */
  readonly markdown: unknown;
  /** Default export of the schema module, loaded anew at each call; undefined where there is none. */
  schema(): Promise<unknown>;
}

/**
 * The content folder that a command is about: `[dir]` or `--content`, else the one of the nearest astro.config, else
 * `content`. That config's options hold where it is the folder they speak of. Where it cannot be loaded, one line
 * says so and the defaults hold.
 */
export async function findSite({ argument, values, switches, terminal }: CommandInput): Promise<FoundSite> {
  const { cwd, say, paintSaid } = terminal;
  const named = namedFolder(argument, values.content, cwd);
  const configFile = findConfig(values.config, switches.has('no-config'), named ?? cwd, cwd);
  let config = configFile === undefined ? undefined : await readConfig(configFile);
  if (config?.fault !== undefined) {
    const file = path.relative(cwd, config.file);
    say(
      `${paintSaid('warning', 'warning:')} ${file} cannot be loaded, so the default options hold: ${firstLine(config.fault)}`,
    );
  }
  // A folder that has a config of its own is a project, and its content is meant.
  const isProject = named !== undefined && config !== undefined && path.dirname(config.file) === named;
  const configured = config && path.resolve(path.dirname(config.file), config.options.contentDir);
  const contentDir =
    (isProject || named === undefined ? configured : named) ?? named ?? path.join(cwd, 'content');
  if (values.config === undefined && configured !== contentDir) config = undefined;
  const folder = (path.relative(cwd, contentDir) || '.').replaceAll('\\', '/');
  if (statSync(contentDir, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const fault = existsSync(contentDir) ? 'is no folder' : 'does not exist';
    throw new CommandError(`The content folder ${folder} ${fault}. Name it: --content <dir>.`);
  }
  const root = config === undefined ? path.dirname(contentDir) : path.dirname(config.file);
  const site = config?.site ?? siteSchema.parse({});
  return {
    root,
    contentDir,
    publicDir: path.resolve(root, site.publicDir),
    outDir: path.resolve(root, site.outDir),
    folder,
    options: { ...(config?.options ?? parseOptions({})), contentDir: folder },
    base: site.base.replace(/^\/*/, '/').replace(/(?<!\/)\/+$/, ''),
    trailingSlash: site.trailingSlash,
    locale: site.i18n?.defaultLocale ?? 'en',
    configFile: config?.raw === undefined ? undefined : config.file,
    config: config?.raw,
    markdown: site.markdown,
    async schema() {
      const file = findSchema(contentDir);
      const vite = (site.vite ?? {}) as UserConfig;
      return file === undefined ? undefined : schemaOf(file, cwd, () => importModule(file, root, vite));
    },
  };
}

function namedFolder(
  argument: string | undefined,
  content: string | undefined,
  cwd: string,
): string | undefined {
  if (argument !== undefined && content !== undefined) {
    throw new UsageError('The content folder is named twice: leave out --content, or the argument.');
  }
  const name = argument ?? content;
  return name === undefined ? undefined : path.resolve(cwd, name);
}

/** The config that is named, else the nearest at or above a folder, up to the root of its repository. */
function findConfig(named: string | undefined, none: boolean, from: string, cwd: string): string | undefined {
  if (none) return undefined;
  if (named !== undefined) {
    const file = path.resolve(cwd, named);
    if (!existsSync(file)) throw new CommandError(`There is no config ${named}.`);
    return file;
  }
  for (let folder = from; ; folder = path.dirname(folder)) {
    const file = CONFIG_FILES.map((name) => path.join(folder, name)).find((each) => existsSync(each));
    if (file !== undefined) return file;
    if (existsSync(path.join(folder, '.git')) || path.dirname(folder) === folder) return undefined;
  }
}

/** Wrong options are thrown, as Astro would be stopped by them; a config that cannot be loaded is told by `fault`. */
async function readConfig(file: string): Promise<ReadConfig> {
  let raw: unknown;
  let site: SiteConfig;
  try {
    raw = await loadConfig(file);
    site = siteSchema.parse(raw);
  } catch (error) {
    // Thrown by the site's own copy of this package, which has checked them as the config was loaded.
    if (errorMessage(error).startsWith(WRONG_OPTIONS)) throw error;
    const fault = error instanceof z.ZodError ? 'its default export is no config.' : errorMessage(error);
    return { file, fault, raw: undefined, site: siteSchema.parse({}), options: parseOptions({}) };
  }
  return { file, fault: undefined, raw, site, options: parseOptions(writtenOptions(site.integrations)) };
}

/** Default export of an astro.config. */
export async function loadConfig(file: string): Promise<unknown> {
  return (await importModule(file, path.dirname(file))).default;
}

/** The options of our integration, which may stand in nested lists beside nothing. */
function writtenOptions(integrations: readonly unknown[]): unknown {
  const all = integrations.flat(Number.POSITIVE_INFINITY);
  const own = all.find((each) => typeof each === 'object' && each !== null && OPTIONS_KEY in each);
  return own === undefined ? {} : Reflect.get(own as object, OPTIONS_KEY);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** What of astro.config matters here; what is odd in it is for Astro to complain of. */
const siteSchema = z.object({
  integrations: z.array(z.unknown()).catch([]),
  base: z.string().catch(''),
  publicDir: z.string().catch('public'),
  outDir: z.string().catch('dist'),
  trailingSlash: z.enum(['always', 'never', 'ignore']).catch('ignore'),
  i18n: z.object({ defaultLocale: z.string() }).optional().catch(undefined),
  markdown: z.unknown().optional(),
  vite: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

type SiteConfig = z.output<typeof siteSchema>;

interface ReadConfig {
  readonly file: string;
  readonly fault: string | undefined;
  readonly raw: unknown;
  readonly site: SiteConfig;
  readonly options: Options;
}
