import picomatch from 'picomatch';
import { type FileFormat, formatOf, isDataKey } from '../source/formats.ts';
import { mediaTypeOf } from '../storage/file-source.ts';
import { collectionInKey, fileOfKey } from '../storage/key.ts';
import { resourceTypeName, shortTypeName } from './resource-type.ts';

/** Options about the files of bundles. Plain data. */
export interface LayoutOptions {
  /**
   * Folders by bundle name, relative to the content folder, the first named first; empty for the files that are in no folder, `**` for these and
   * the files of all folders that are not another bundle's.
   */
  readonly folders: Readonly<Record<string, string>>;
  /** Globs of files that are not entities. */
  readonly ignore: readonly string[];
  /** By bundle: globs of its files, relative to its folder. Those with a leading `!` exclude files. Default: all files. */
  readonly patterns?: Readonly<Record<string, readonly string[]>>;
}

/** The role of a file in the content folder, which depends on its key only. */
export type FileRole =
  /** An entity of the resource type `type`. `folder` is the one of its bundle, and `path` the rest of the key. */
  | {
      readonly role: 'entity';
      readonly type: string;
      readonly folder: string;
      readonly path: string;
      readonly format: FileFormat;
      /** The other collections whose patterns match the file, by name. */
      readonly alsoIn?: readonly string[];
    }
  /** In a folder whose name has no letter or digit for a bundle name. */
  | { readonly role: 'misplaced'; readonly folder: string }
  /** Skipped, with a line in the report unless an option says so. */
  | { readonly role: 'ignored'; readonly byOption?: true }
  /** An image beside an article, for example, or the schema. */
  | { readonly role: 'asset' };

/** Reads the roles of files. */
export type Layout = (key: string) => FileRole;

/** The folder of a bundle that has all files of no other one. */
const REST = '**';

const layouts = new WeakMap<LayoutOptions, Layout>();

/** The layout of a site; the same for the same options. */
export function layoutOf(options: LayoutOptions = DEFAULT_OPTIONS): Layout {
  const layout = layouts.get(options) ?? createLayout(options);
  layouts.set(options, layout);
  return layout;
}

/**
 * Without options, the first folder of a path is the bundle: `article/x.md` is a `node--article`,
 * `taxonomy_term--tags/x.md` a `taxonomy_term--tags`, `1.guide/x.md` a `node--guide`. Pages in no folder are a `node--page`.
 */
function createLayout({ folders, ignore, patterns = {} }: LayoutOptions): Layout {
  const isIgnored = globMatcher(ignore);
  const hasRest = Object.values(folders).includes(REST);
  const bundles = Object.entries(folders).map(([name, folder]) => ({
    name,
    folder: startOf(folder),
    type: resourceTypeName(name),
    isMatch: patterns[name] && patternMatcher(patterns[name]),
  }));
  const byFolder = Map.groupBy(bundles, ({ folder }) => folder);
  const nested = [...byFolder.keys()].filter((folder) => folder !== '').sort((a, b) => b.length - a.length);

  /** The innermost folder with a bundle that takes the file, and the first such bundle. Undefined if none does. */
  function placeOf(key: string, isEntity: boolean) {
    const [, folder, name = '', path] = ENTRY.exec(key) ?? [];
    if (folder !== undefined && path !== undefined) {
      return { folder, path, owner: { type: resourceTypeName(name), isMatch: undefined } };
    }
    const named = nested.filter((each) => key.startsWith(`${each}/`));
    const outer = hasRest ? [''] : named.length === 0 ? [key.slice(0, Math.max(key.indexOf('/'), 0))] : [];
    for (const folder of [...named, ...outer]) {
      const path = folder === '' ? key : key.slice(folder.length + 1);
      const owners = byFolder.get(folder);
      const owner = isEntity ? owners?.find(({ isMatch }) => isMatch?.(path) ?? true) : owners?.[0];
      if (owners === undefined || owner !== undefined) return { folder, path, owner };
    }
    return undefined;
  }

  /** The collections whose patterns match the file, the first named first. */
  function collectionsOf(key: string) {
    return bundles.flatMap(({ name, folder, type, isMatch }) => {
      const isBelow = folder === '' || key.startsWith(`${folder}/`);
      const path = folder === '' ? key : key.slice(folder.length + 1);
      return isBelow && type !== undefined && isMatch?.(path) ? [{ name, at: { type, folder, path } }] : [];
    });
  }

  function roleOf(key: string): FileRole {
    const format = formatOf(key);
    const place = placeOf(key, format !== undefined);
    if (place === undefined) return { role: 'ignored', byOption: true };
    const { folder, path, owner } = place;
    if (NEVER_CONTENT.test(key)) return { role: 'ignored', byOption: true };
    const byOption = isIgnored(key);
    const skipped: FileRole = byOption ? { role: 'ignored', byOption } : { role: 'ignored' };
    const isNamed = owner !== undefined || folder === JEKYLL_POSTS;
    const isSelected = format !== undefined && owner?.isMatch !== undefined;
    const isHidden = (!isNamed && HIDDEN.test(`${folder}/`)) || HIDDEN.test(path.replace(SECTION_PAGE, ''));
    const isStray = folder === '' && (isDataKey(key) || NOT_A_PAGE.test(path));
    if (!isSelected && (isHidden || isStray)) return skipped;
    const isAsset = key.includes('/') || SCHEMA_FILE.test(key) || mediaTypeOf(key).startsWith('image/');
    if (format === undefined) return isAsset ? { role: 'asset' } : skipped;
    if (byOption) return skipped;
    const type = owner === undefined ? typeOfFolder(folder) : owner.type;
    if (type === undefined) return { role: 'misplaced', folder };
    const [first, ...others] = isSelected ? collectionsOf(key) : [];
    const alsoIn = others.map(({ name }) => name);
    return {
      role: 'entity',
      format,
      ...(first?.at ?? { type, folder, path }),
      ...(alsoIn.length > 0 && { alsoIn }),
    };
  }

  return (key) => {
    const file = fileOfKey(key);
    const role = roleOf(file);
    if (file === key || role.role !== 'entity') return role;
    const [, ...others] = collectionsOf(file);
    const also = others.find(({ name }) => name === collectionInKey(key));
    if (also === undefined) return { role: 'ignored', byOption: true };
    return { role: 'entity', format: role.format, ...also.at };
  };
}

export const DEFAULT_OPTIONS: LayoutOptions = { folders: {}, ignore: [] };

/** The folder of a bundle without files. */
export function folderOfType(type: string, { folders }: LayoutOptions): string {
  return startOf(folders[type] ?? folders[shortTypeName(type)] ?? shortTypeName(type));
}

/** The folder in which the paths of a bundle start. */
export function startOf(folder: string): string {
  return folder === REST ? '' : folder;
}

/** The resource type of a folder that no option names; undefined if its name has no letter or digit for it. */
function typeOfFolder(folder: string): string | undefined {
  if (folder === '') return ROOT_TYPE;
  const exact = resourceTypeName(folder);
  if (exact !== undefined && !folder.startsWith('_')) return exact;
  return resourceTypeName(
    folder
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .replace(NUMBER_PREFIX, '')
      .replaceAll(/[^\w-]+/g, '_')
      .replaceAll(/^[-_]+|(?<![-_])[-_]+$/g, ''),
  );
}

/**
 * Matches storage keys with globs: `*` and `?` match within a name, `**` also across folders, and `{a,b}` one of several. The
 * glob of a folder matches everything below it.
 */
export function globMatcher(globs: readonly string[]): (key: string) => boolean {
  const patterns = globs.flatMap((glob) => {
    const pattern = glob.replace(/^\.?\//, '').replace(/\/$/, '');
    return [pattern, `${pattern}/**`];
  });
  return picomatch(patterns, GLOB_SYNTAX);
}

const GLOB_SYNTAX = {
  dot: true,
  nonegate: true,
  noextglob: true,
  nobracket: true,
  strictSlashes: true,
  windows: false,
};

/** Matches with the globs of Astro's `glob()`. */
export function patternMatcher(globs: readonly string[]): (path: string) => boolean {
  const excluded = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const included = globs.filter((glob) => !glob.startsWith('!'));
  const isMatch = picomatch(included, { ignore: excluded, windows: false });
  return (path) => isMatch(path);
}

const ROOT_TYPE = 'node--page';
/** The folder that Jekyll publishes in spite of its underscore. */
const JEKYLL_POSTS = '_posts';
/** `ada.yml` in `blog/authors.yml`: a file with several entities is the folder of a bundle. */
const ENTRY = /^((?:.*\/)?([a-z]\w*)\.yml)\/([^/]+)$/;
/** Path segments with a leading dot or underscore. */
const HIDDEN = /(?:^|\/)[._]/;
/** Hugo's name for the page of a folder. */
const SECTION_PAGE = /(?<=^|\/)_(?=index\.(?:md|mdx|markdown)$)/i;
/** Folders of packages and tools, also in a folder that an option or a collection names, deleted entries, drafts, templates, and crops. */
const NEVER_CONTENT =
  /(?:^|\/)(?:node_modules|\.git|\.obsidian)(?:\/|$)|^\.(?:bin|drafts|templates)\/|\.(?:avif|jpe?g|png|webp)\.crop\.json$/i;
const SCHEMA_FILE = /^schema\.[cm]?[jt]s$/;
/** Files about a repository. */
const NOT_A_PAGE =
  /^(?:[Rr]eadme|README|LICENSE|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|SECURITY|AGENTS|CLAUDE|TODO)\./;
/** `1.` of `1.guide`, but not of `1.12`. */
const NUMBER_PREFIX = /^\d+\.\s*(?=\p{L})/u;
