import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { UserConfig } from 'vite';
import { errorMessage } from '../util/text.ts';

const SCHEMA_FILES = ['schema.ts', 'schema.mts', 'schema.js', 'schema.mjs'] as const;

/** Absolute path of the project's schema module; undefined without one. */
export function findSchema(contentDir: string): string | undefined {
  return SCHEMA_FILES.map((name) => path.join(contentDir, name)).find((file) => existsSync(file));
}

/** Absolute paths at which a schema may appear. */
export function schemaCandidates(contentDir: string): readonly string[] {
  return SCHEMA_FILES.map((name) => path.join(contentDir, name));
}

/**
 * Loads the default export of the schema module with Astro's Vite and the site's aliases and plugins. `onDependencies` gets
 * the files that the module imports.
 */
export async function importSchema(
  file: string,
  root: string,
  siteVite: UserConfig,
  onDependencies?: (files: readonly string[]) => void,
): Promise<unknown> {
  return schemaOf(file, root, () => importByVite(file, root, siteVite, onDependencies));
}

/** The default export of the module that `load` imports. Throws errors that name the file. */
export async function schemaOf(
  file: string,
  root: string,
  load: () => Promise<{ readonly default?: unknown }>,
): Promise<unknown> {
  const module = await load().catch((cause: unknown) => {
    const reason = errorMessage(cause);
    throw new Error(`${path.relative(root, file)} cannot be loaded: ${reason}`, { cause });
  });
  if (module.default === undefined) {
    throw new Error(
      `${path.relative(root, file)} has no default export. Write \`export default defineSchema({ … })\`.`,
    );
  }
  return module.default;
}

/** Imports a module of the project with Astro's Vite. */
export async function importByVite(
  file: string,
  root: string,
  { resolve, plugins, define }: UserConfig,
  onDependencies?: (files: readonly string[]) => void,
): Promise<{ readonly default?: unknown }> {
  const { runnerImport } = await importVite();
  const { module, dependencies } = await runnerImport<{ readonly default?: unknown }>(file, {
    root,
    logLevel: 'error',
    resolve: { tsconfigPaths: true, ...resolve },
    ...(plugins && { plugins }),
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
