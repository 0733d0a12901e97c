import { statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { UserConfig } from 'vite';
import { importByVite } from '../astro/schema-module.ts';

/** Packages that a folder without any `node_modules` may import all the same. */
const OWN_PACKAGES: ReadonlySet<string> = new Set(['zod', 'astro-jsonapi']);

/**
 * A module of the project, TypeScript included: by Node itself, which is fast and needs no Astro, else by the Vite of
 * Astro, which resolves aliases and imports without extension too. A file that has changed is loaded anew.
 */
export async function importModule(
  file: string,
  root: string,
  siteVite: UserConfig = {},
): Promise<{ readonly default?: unknown }> {
  hookOwnPackages();
  try {
    return await import(`${pathToFileURL(file).href}?${statSync(file).mtimeMs}`);
  } catch (cause) {
    return importByVite(file, root, siteVite).catch((error: unknown) => {
      throw isMissingVite(error) ? cause : error;
    });
  }
}

let hooked = false;

/** `astro-jsonapi/schema` is always this very package; it and zod are found from anywhere. */
function hookOwnPackages(): void {
  if (hooked) return;
  hooked = true;
  const ownSchema = new URL('../schema.js', import.meta.url).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'astro-jsonapi/schema') return { url: ownSchema, shortCircuit: true };
      try {
        return next(specifier, context);
      } catch (error) {
        if (!OWN_PACKAGES.has(specifier)) throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}

function isMissingVite(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
}
