import path from 'node:path';
import { fileURLToPath } from 'node:url';
import picomatch from 'picomatch';
import type { Plugin } from 'vite';
import { resourceTypeName } from '../core/content/resource-type.ts';
import type {
  CollectionFiles,
  CollectionMapping,
  CollectionNote,
} from '../core/content/schema/collections.ts';
import { isRecord } from '../core/util/json.ts';
import type { FolderLoader } from './collection-modules.ts';

/** The name of `jsonapiLoader` in Astro. */
export const OWN_LOADER = 'astro-jsonapi';

/** The folders of a project: absolute paths. */
export interface ProjectFolders {
  readonly root: string;
  readonly srcDir: string;
  readonly contentDir: string;
}

/** Where Astro looks for the config of content collections, below `srcDir`. */
export const COLLECTION_CONFIGS = ['content.config', 'content/config'].flatMap((name) =>
  ['.ts', '.mts', '.js', '.mjs'].map((ending) => name + ending),
);

/** Finds the collections of a config (absolute path) whose files are in the content folder. */
export function mapCollections(
  collections: unknown,
  config: string,
  folders: ProjectFolders,
): CollectionMapping {
  const { root, contentDir } = folders;
  const bundles: Record<string, CollectionFiles> = {};
  const notes: CollectionNote[] = [];
  for (const [name, collection] of Object.entries(isRecord(collections) ? collections : {})) {
    const loader = isRecord(collection) ? collection.loader : undefined;
    if (nameOf(loader) === OWN_LOADER) continue;
    const files = filesOf(name, loader, folders);
    const fault = files === undefined ? 'only files of glob() are read' : faultOf(name, files);
    if (files !== undefined && fault === undefined) bundles[name] = files;
    else notes.push({ severity: 'info', message: `The collection \`${name}\` is not a bundle: ${fault}.` });
  }
  return { file: relativePath(contentDir, config), bundles, notes };

  function faultOf(name: string, { folder }: CollectionFiles): string | undefined {
    if (resourceTypeName(name) === undefined) return 'the name of a bundle has letters, digits, - and _ only';
    if (folder.startsWith('..')) {
      const [place, above] = [
        relativePath(root, path.join(contentDir, folder)),
        relativePath(root, contentDir),
      ];
      return `its folder ${place}/ is not in the content folder ${above}/. Option contentDir names the folder above the collections`;
    }
    return undefined;
  }
}

/** Lets a config be imported without Astro. */
export function collectionModules(): Plugin {
  return {
    name: 'astro-jsonapi:collections',
    enforce: 'pre',
    // Packages are not resolved by plugins, unless there is an alias.
    config: () => ({ resolve: { alias: { [LOADERS]: COLLECTION_MODULES } } }),
    resolveId: (id) => (isStandIn(id) ? standIn(id) : undefined),
    load: (id) => (id === EMPTY_MODULE ? 'export {};' : undefined),
  };
}

/** The file that a built server imports instead of a config (absolute path). `serverCollectionModules` resolves it. */
export function serverConfig(config: string): string {
  return config + SCHEMA_TAG;
}

/** The file that a preview imports instead of a config, in the same way. */
export function previewConfig(config: string): string {
  return config + PREVIEW_TAG;
}

/** Lets a server import a config and its imports without the collections of Astro. */
export function serverCollectionModules(): Plugin {
  return {
    name: 'astro-jsonapi:server-collections',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (tagOf(id) !== undefined) return id;
      const tag = importer && tagOf(importer);
      if (!tag) return undefined;
      if (id === OWN_LOADERS && tag === PREVIEW_TAG) return PREVIEW_MODULES;
      if (id === LOADERS || isStandIn(id)) return standIn(id, tag);
      const resolved = await this.resolve(id, importer.slice(0, -tag.length), { skipSelf: true });
      const isSource = resolved !== null && !resolved.external && /\.[cm]?[jt]s$/.test(resolved.id);
      return isSource ? resolved.id + tag : resolved;
    },
    load: (id) => (id === EMPTY_MODULE ? 'export {};' : undefined),
  };
}

const SCHEMA_TAG = '?astro-jsonapi';
const PREVIEW_TAG = '?astro-jsonapi-preview';
const LOADERS = 'astro/loaders';
const OWN_LOADERS = 'astro-jsonapi/loader';
const EMPTY_MODULE = '\0astro-jsonapi:empty';
const COLLECTION_MODULES = ownFile('./collection-modules.js');
const PREVIEW_MODULES = ownFile('./preview-modules.js');

function ownFile(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url)).replaceAll('\\', '/');
}

function tagOf(id: string): string | undefined {
  return [SCHEMA_TAG, PREVIEW_TAG].find((tag) => id.endsWith(tag));
}

function isStandIn(id: string): boolean {
  return id.startsWith('astro:');
}

function standIn(id: string, tag?: string): string {
  if (id !== 'astro:content' && id !== LOADERS) return EMPTY_MODULE;
  return tag === PREVIEW_TAG ? PREVIEW_MODULES : COLLECTION_MODULES;
}

/** Undefined for a loader that does not read files of a folder. */
export function filesOf(
  name: string,
  loader: unknown,
  { root, srcDir, contentDir }: ProjectFolders,
): CollectionFiles | undefined {
  // Collections of older versions of Astro have no loader.
  const known =
    loader === undefined
      ? { folder: name, patterns: ['**/[^_]*', '!**/_*/**'] }
      : KNOWN_LOADERS.get(nameOf(loader));
  if (known !== undefined) {
    const folder = path.join(srcDir, 'content', known.folder);
    return { folder: relativePath(contentDir, folder), patterns: known.patterns };
  }
  if (!isFolderLoader(loader)) return undefined;
  const { base, patterns } = loader;
  const folder = base.startsWith('file:') ? fileURLToPath(base) : path.resolve(root, base);
  const [only = ''] = patterns;
  const scanned = picomatch.scan(only);
  const { base: below, glob } =
    patterns.length === 1 && scanned.glob !== '' && !scanned.negated ? scanned : WHOLE;
  return {
    folder: relativePath(contentDir, path.join(folder, below)),
    patterns: below === '' ? patterns : [glob],
  };
}

const WHOLE = { base: '', glob: '' };

/** Loaders of Starlight: they name their folder when they load. */
const KNOWN_LOADERS = new Map([
  ['starlight-docs-loader', { folder: 'docs', patterns: ['**/[^_]*'] }],
  ['starlight-i18n-loader', { folder: 'i18n', patterns: ['**/[^_]*'] }],
]);

function nameOf(loader: unknown): string {
  return isRecord(loader) ? String(loader.name) : '';
}

function isFolderLoader(loader: unknown): loader is FolderLoader {
  return isRecord(loader) && loader.name === 'glob' && Array.isArray(loader.patterns);
}

function relativePath(from: string, to: string): string {
  return path.relative(from, to).replaceAll('\\', '/');
}
