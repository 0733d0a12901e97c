import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import type { AstroConfig } from 'astro';
import { z } from 'zod';
import { type I18nConfig, siteLanguages } from '../core/content/languages.ts';
import type { Options } from '../core/options/options.ts';
import type { ApiSettings } from '../core/read/settings.ts';
import { featureSettings } from '../core/runtime/open-features.ts';
import type { SiteSettings } from '../core/runtime/site.ts';
import { digestText } from '../core/util/revision.ts';
import { FEATURES } from '../features.ts';
import { ownVersion } from './caches.ts';
import { sessionCookie } from './site-sessions.ts';

/** The command of Astro. */
export type Command = 'dev' | 'build' | 'preview' | 'sync';

/** The settings of the runtime, from Astro's config and the options. */
export function siteSettings(config: AstroConfig, options: Options, command: Command): SiteSettings {
  const { api, healthPath, cors, logging } = options;
  const root = fileURLToPath(config.root);
  const contentDir = path.resolve(root, options.contentDir);
  const [publicDir, outDir] = [fileURLToPath(config.publicDir), fileURLToPath(config.outDir)];
  const locale = siteLocale(config.i18n);
  const dev = command === 'dev';
  const hasServer = config.adapter !== undefined;
  const { drupal, explorer, gitHook, imageStyles } = featureSettings(FEATURES, options, { dev, hasServer });
  const editable = options.editing !== false && hasServer;
  // In local mode, the author needs no account, and the site no server.
  const isWritable = editable || (options.editing !== false && dev);
  return {
    root,
    contentDir,
    publicDir,
    outDir,
    base: normalizeBase(config.base),
    trailingSlash: config.trailingSlash,
    ...locale,
    api: api !== false,
    prefix: prefixOf(options, locale),
    drupal,
    explorer,
    admin: isWritable,
    gitHook,
    dev,
    form: documentForm(config, options, drupal, imageStyles),
    ...(imageStyles && { imageService: config.image.service }),
    health: healthPath,
    cors,
    requestLog: logging.requests,
    readOnly: !isWritable,
    signIn: editable,
    sessionCookie: editable ? sessionCookie(config) : null,
    trustsProxy: (config.security.allowedDomains ?? []).length > 0,
    ...siteIdentity(root),
    site: config.site,
  };
}

/** The languages of Astro's `i18n`, and the tag of the default one. */
export function siteLocale(i18n: I18nConfig | undefined): Pick<SiteSettings, 'locale' | 'languages'> {
  const languages = siteLanguages(i18n);
  return languages === undefined ? { locale: 'en' } : { locale: languages.default, languages };
}

/** Option `api.prefix`. Throws an Error if it is the path of a language, which precedes other paths. */
export function prefixOf({ api }: Options, { languages }: Pick<SiteSettings, 'languages'>): string {
  const prefix = api === false ? '' : api.prefix;
  const [, first] = prefix.toLowerCase().split('/');
  if (languages?.all.some(({ path }) => path.toLowerCase() === first)) {
    throw new Error(
      `astro-jsonapi: option api.prefix cannot start with /${first}, because it is the path of a language of this site.`,
    );
  }
  return prefix;
}

/** Astro's `base` with a slash at its start and none at its end; `''` for the root. */
export function normalizeBase(base: string): string {
  return base.replace(/^\/*/, '/').replace(/(?<!\/)\/+$/, '');
}

/** A digest of everything but the content that changes documents: our version, links, and HTML of bodies. */
function documentForm(
  { base, trailingSlash, markdown, i18n }: AstroConfig,
  { api, bundles }: Options,
  drupal: boolean,
  imageStyles: ApiSettings['imageStyles'],
): string {
  return digestText(
    inspect([ownVersion(), base, trailingSlash, markdown, i18n, api, bundles, drupal, imageStyles], WHOLE),
  );
}

const WHOLE = {
  depth: 10,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: Number.POSITIVE_INFINITY,
};

/** Name, version and license in the site's package.json; empty without them. */
function siteIdentity(root: string): Pick<SiteSettings, 'identity'> {
  try {
    const file = readFileSync(path.join(root, 'package.json'), 'utf8');
    return { identity: packageSchema.parse(JSON.parse(file)) };
  } catch {
    return {};
  }
}

const packageSchema = z.object({
  name: z.string().min(1),
  version: z.string().min(1).default('0.0.0'),
  license: z.string().min(1).optional().catch(undefined),
});
