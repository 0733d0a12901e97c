import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pluralize from 'pluralize';
import { COLLECTION_CONFIGS, mapCollections } from '../astro/collection-config.ts';
import { findContentDir } from '../astro/content-dir.ts';
import { importByVite } from '../astro/schema-module.ts';
import { siteLocale } from '../astro/site-settings.ts';
import { parseOptions } from '../core/options/options.ts';
import type { ContentSite } from '../core/runtime/command.ts';
import { isRecord } from '../core/util/json.ts';
import { counted, errorMessage } from '../core/util/text.ts';
import { FEATURES } from '../features.ts';

/** What `init` writes, and why. */
export interface Proposal {
  /** Options of the integration that differ from their defaults. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Settings of Astro. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly notes: readonly string[];
  /** Undefined for a project without content. */
  readonly site: ContentSite | undefined;
}

/** Looks at a project without the integration. `openSite` reads its config with a content folder (absolute path). */
export async function proposeSettings(
  root: string,
  openSite: (contentDir: string) => Promise<ContentSite>,
): Promise<Proposal> {
  const files = markdownFiles(root, true);
  const usual = findContentDir(root, undefined);
  const faults: string[] = [];
  const collections = await collectionFolders(root, faults);
  const folder = contentFolder(files, collections, usual);
  if (folder === undefined) {
    const notes = [
      `Content: none yet. Write the first file, such as ${usual}/post/hello.md. Option contentDir names another folder.`,
    ];
    return { options: {}, settings: {}, notes, site: undefined };
  }
  const site = await openSite(path.join(root, folder));
  const keys = markdownFiles(path.join(root, folder), false);
  const hasCollections = collections.length > 0;
  const notes = [
    `Content: ${folder}/, ${counted(keys.length, 'Markdown file')}${hasCollections ? `, with ${counted(collections.length, 'collection')} of Astro` : ''}.`,
    ...faults,
    ...outside(collections, folder),
  ];
  const options: Record<string, unknown> = folder === usual ? {} : { contentDir: folder };
  const { languages, isSourceMarked } = findLanguages(hasLanguages(site) ? [] : keys);
  const settings: Record<string, unknown> = {};
  if (languages.length > 0) {
    const defaultLocale = defaultLanguage(isSourceMarked ? languages : [], root);
    const locales = [defaultLocale, ...languages.filter((each) => each !== defaultLocale)];
    settings.i18n = { defaultLocale, locales };
    notes.push(
      `Languages: ${locales.join(', ')}. Astro's setting i18n also adds them to the routes of pages.`,
    );
  }
  if (!hasCollections) {
    const bundles = hiddenFolders(keys, languages);
    if (Object.keys(bundles).length > 0) {
      options.bundles = bundles;
      notes.push(`Bundles in folders that start with _: ${Object.values(bundles).join(', ')}.`);
    }
    const ignore = ignoredFiles(keys);
    if (ignore.length > 0) {
      options.ignore = ignore;
      notes.push(`Files that are not content: ${ignore.join(', ')}.`);
    }
  }
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone !== 'UTC' && keys.some((key) => LOCAL_TIME.test(head(path.join(root, folder, key))))) {
    options.timeZone = zone;
    notes.push(
      `Dates: some have a time without an offset, so they are in the time zone of this machine, ${zone}.`,
    );
  }
  return { options, settings, notes, site: withSettings(site, settings) };
}

/** The site with options, as a build would have it. */
export function withOptions(site: ContentSite, options: Proposal['options']): ContentSite {
  return { ...site, options: { ...parseOptions({ ...options }, FEATURES), contentDir: site.folder } };
}

function withSettings(site: ContentSite, { i18n }: Proposal['settings']): ContentSite {
  return i18n === undefined ? site : { ...site, ...siteLocale(i18n as Parameters<typeof siteLocale>[0]) };
}

/** Paths of the Markdown files of a folder without packages, relative to it; of a project without pages and output. */
function markdownFiles(root: string, isProject: boolean): readonly string[] {
  return globSync('**/*.{md,mdx,markdown}', { cwd: root, exclude: (name) => isSkipped(name) })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !isProject || !/^(?:src\/pages|public|dist|build)\//.test(file));
}

function isSkipped(name: string): boolean {
  return name === 'node_modules' || /^\.[^.]/.test(name);
}

/** The folders of Astro's content collections, relative to the project. Empty if their config cannot be loaded. */
async function collectionFolders(root: string, faults: string[]): Promise<readonly string[]> {
  const srcDir = path.join(root, 'src');
  const config = COLLECTION_CONFIGS.map((name) => path.join(srcDir, name)).find((file) => existsSync(file));
  if (config === undefined) return [];
  const { collections } = await importByVite(config, root, {}).catch((error: unknown) => {
    const [reason, detail] = errorMessage(error)
      .split('\n')
      .filter((line) => line.trim() !== '');
    const more = reason?.endsWith(':') ? ` ${detail?.trim()}` : '';
    faults.push(`Collections: ${path.relative(root, config)} cannot be loaded: ${reason}${more}`);
    return { collections: {} };
  });
  // Collections may be outside of the project.
  const contentDir = path.parse(root).root;
  const { bundles } = mapCollections(collections, config, { root, srcDir, contentDir });
  return Object.values(bundles).map(({ folder }) =>
    path.relative(root, path.join(contentDir, folder)).replaceAll('\\', '/'),
  );
}

/** The folder of all collections, else a usual one, else the one with the most Markdown files. */
function contentFolder(
  files: readonly string[],
  collections: readonly string[],
  usual: string,
): string | undefined {
  const count = (folder: string) => files.filter((file) => file.startsWith(`${folder}/`)).length;
  const [first, ...others] = collections.toSorted((a, b) => count(b) - count(a));
  if (first !== undefined) {
    const shared = others.reduce((all, each) => commonFolder(all, each), first);
    if (shared.startsWith(`${usual}/`)) return usual;
    return /^(?:src|(?:(?:\.\.\/)*\.\.)?)$/.test(shared) ? first : shared;
  }
  if (count(usual) > 0) return usual;
  const folders = new Set(files.flatMap((file) => /^(?:src\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));
  return [...folders].toSorted((a, b) => count(b) - count(a))[0];
}

function commonFolder(a: string, b: string): string {
  const [left, right] = [a.split('/'), b.split('/')];
  const length = left.findIndex((name, at) => name !== right[at]);
  return left.slice(0, length < 0 ? left.length : length).join('/');
}

function outside(collections: readonly string[], folder: string): readonly string[] {
  const others = collections.filter((each) => each !== folder && !each.startsWith(`${folder}/`));
  return others.length === 0 ? [] : [`Outside of the content folder, and not read: ${others.join(', ')}.`];
}

/** Languages in which files of one name exist, as folders (`de/post/a.md`, `post/de/a.md`) or in names (`a.de.md`). */
function findLanguages(keys: readonly string[]): {
  readonly languages: readonly string[];
  /** True if no file without a language has translations. */
  readonly isSourceMarked: boolean;
} {
  const languages = new Map<string, Set<string>>();
  /** Folders of languages by the folder in which they are. */
  const beside = new Map<string, Set<string>>();
  for (const key of keys) {
    const names = key.split('/');
    const at = names.slice(0, -1).findIndex(isLanguage);
    const inFolder = names.slice(0, Math.max(0, at)).join('/');
    if (at >= 0) beside.set(inFolder, (beside.get(inFolder) ?? new Set()).add(names[at] ?? ''));
    const inName = /^(.+)\.([a-zA-Z-]+)(\.\w+)$/.exec(names.at(-1) ?? '');
    const language = at >= 0 ? names[at] : inName?.[2];
    if (language === undefined || !isLanguage(language)) continue;
    const other =
      at >= 0
        ? names.toSpliced(at, 1).join('/')
        : [...names.slice(0, -1), `${inName?.[1]}${inName?.[3]}`].join('/');
    languages.set(other, (languages.get(other) ?? new Set()).add(language));
  }
  const all = new Set(keys);
  const translated = [...languages].filter(([key, found]) => found.size > 1 || all.has(key));
  const shared = new Set(translated.flatMap(([, found]) => [...found]));
  // A language may have only pages that are in no other one.
  const others = [...beside.values()].filter((found) => found.intersection(shared).size > 1);
  return {
    languages: [...others.reduce((all, each) => all.union(each), shared)].toSorted(),
    isSourceMarked: translated.every(([key]) => !all.has(key)),
  };
}

/** Starlight has settings of its own, from which it makes those of Astro. */
function hasLanguages({ config, languages }: ContentSite): boolean {
  const integrations = isRecord(config) ? [config.integrations].flat(Number.POSITIVE_INFINITY) : [];
  return (
    languages !== undefined ||
    integrations.some((each) => isRecord(each) && each.name === '@astrojs/starlight')
  );
}

function isLanguage(name: string): boolean {
  return LANGUAGE.test(name) && LANGUAGES.of(name) !== undefined;
}

const LANGUAGE = /^[a-z]{2}(?:-[a-zA-Z]{2,4})?$/;
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** The language of the site's `<html>`, else English or the first one. */
function defaultLanguage(languages: readonly string[], root: string): string {
  const layouts = globSync('src/**/*.astro', { cwd: root }).flatMap(
    (file) => /<html lang="([\w-]+)"/.exec(readFileSync(path.join(root, file), 'utf8'))?.[1] ?? [],
  );
  const isFitting = (name: string) => (languages.length === 0 ? isLanguage(name) : languages.includes(name));
  return layouts.find(isFitting) ?? (languages.includes('en') ? 'en' : (languages[0] ?? 'en'));
}

/** Bundles in folders that are hidden because of their names. Jekyll's `_posts` at the top is read anyway. */
function hiddenFolders(
  keys: readonly string[],
  languages: readonly string[],
): Readonly<Record<string, string>> {
  const bundles: Record<string, string> = {};
  for (const key of keys) {
    const names = key.split('/').slice(0, -1);
    const at = names.findIndex((name) => name.startsWith('_'));
    const name = names[at];
    if (name === undefined || NOT_BUNDLES.test(name)) continue;
    const folder = names.slice(0, at + 1).filter((each) => !languages.includes(each));
    if (folder.join('/') === '_posts') continue;
    const parent = name === '_posts' ? folder.at(-2) : undefined;
    bundles[parent ?? pluralize.singular(name.slice(1))] ??= folder.join('/');
  }
  return bundles;
}

const NOT_BUNDLES = /^_(?:drafts?|includes?|layouts?|templates?|partials?|data|assets?|sass|site)?$/;

/** Globs of files that describe a folder, and of templates. */
function ignoredFiles(keys: readonly string[]): readonly string[] {
  const readme = keys.find((key) => /\/readme\.md$/i.test(key));
  const templates = keys.flatMap(
    (key) => /^(?:[^/]+\/)*?(?:templates|archetypes)(?=\/)/.exec(key)?.[0] ?? [],
  );
  return [...(readme === undefined ? [] : [`**/${path.basename(readme)}`]), ...new Set(templates)];
}

/** A date in frontmatter with a time, but without an offset. */
const LOCAL_TIME = /^\w+: ["']?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?["']?$/m;

function head(file: string): string {
  return readFileSync(file, 'utf8').slice(0, 2000).replaceAll('\r', '');
}
