import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { UserConfig } from 'vite';
import { collectionsSchema } from '../core/content/schema/collections.ts';
import { errorMessage } from '../core/util/text.ts';
import {
  COLLECTION_CONFIGS,
  collectionModules,
  mapCollections,
  type ProjectFolders,
} from './collection-config.ts';

const SCHEMA_FILES = ['schema.ts', 'schema.mts', 'schema.js', 'schema.mjs'] as const;

/** Absolute path of the project's schema module, else of its config of content collections; undefined without one. */
export function findSchema(folders: ProjectFolders): string | undefined {
  return schemaCandidates(folders).find((file) => existsSync(file));
}

/** Absolute paths at which a schema may appear. */
export function schemaCandidates({ contentDir, srcDir }: ProjectFolders): readonly string[] {
  return [
    ...SCHEMA_FILES.map((name) => path.join(contentDir, name)),
    ...COLLECTION_CONFIGS.map((name) => path.join(srcDir, name)),
  ];
}

/** True for a config of content collections. */
export function isCollectionConfig(file: string, { srcDir }: ProjectFolders): boolean {
  return COLLECTION_CONFIGS.some((name) => file === path.join(srcDir, name));
}

/**
 * Loads the schema of a module with Astro's Vite and the site's aliases and plugins. `onDependencies` gets the files that
 * the module imports.
 */
export async function importSchema(
  file: string,
  folders: ProjectFolders,
  siteVite: UserConfig,
  onDependencies?: (files: readonly string[]) => void,
): Promise<unknown> {
  return schemaOf(file, folders, () => importByVite(file, folders.root, siteVite, onDependencies));
}

/**
 * The default export of the schema module that `load` imports, or the schema of the collections of a config. Throws errors
 * that name the file relative to `from`. A config that cannot be loaded is a problem of the content, because Astro reports it too.
 */
export async function schemaOf(
  file: string,
  folders: ProjectFolders,
  load: () => Promise<ProjectModule>,
  from = folders.root,
): Promise<unknown> {
  const name = path.relative(from, file);
  if (isCollectionConfig(file, folders)) {
    try {
      const { collections } = await load();
      return collectionsSchema(collections, mapCollections(collections, file, folders));
    } catch (error) {
      const mapping = mapCollections({}, file, folders);
      const message = `The config cannot be loaded, so its types are not used, and a file is published unless it has \`draft: true\` itself: ${errorMessage(error)}`;
      return collectionsSchema({}, { ...mapping, notes: [{ severity: 'warning', message }] });
    }
  }
  const module = await load().catch((cause: unknown) => {
    throw new Error(`${name} cannot be loaded: ${errorMessage(cause)}`, { cause });
  });
  if (module.default === undefined) {
    const collections =
      module.collections === undefined
        ? ''
        : ' Its content collections can stay in src/content.config.ts, which is read if this file does not exist.';
    throw new Error(
      `${name} has no default export. Write \`export default defineSchema({ article: { … } })\`.${collections}`,
    );
  }
  return module.default;
}

/** A schema module, or a config of content collections. */
interface ProjectModule {
  readonly default?: unknown;
  readonly collections?: unknown;
}

/** Imports a module of the project with Astro's Vite. */
export async function importByVite(
  file: string,
  root: string,
  { resolve, plugins, define }: UserConfig,
  onDependencies?: (files: readonly string[]) => void,
): Promise<ProjectModule> {
  const { runnerImport } = await importVite();
  const { module, dependencies } = await runnerImport<ProjectModule>(file, {
    root,
    logLevel: 'error',
    resolve: { tsconfigPaths: true, ...resolve },
    plugins: [collectionModules(), ...(plugins ?? [])],
    ...(define && { define }),
  });
  onDependencies?.(dependencies);
  return module;
}

// Vite is a dependency of Astro, which the project itself may not be able to resolve.
async function importVite(): Promise<typeof import('vite')> {
  const fromAstro = createRequire(createRequire(import.meta.url).resolve('astro/package.json'));
  return import(pathToFileURL(fromAstro.resolve('vite')).href);
}
