import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { AstroConfig } from 'astro';
import { roleOf } from '../content/resource-type.ts';
import { writeFullText } from '../engine/text/serialized.ts';
import type { Options } from '../options/options.ts';
import { adminPage } from '../runtime/admin-page.ts';
import type { Runtime, SiteSettings } from '../runtime/runtime.ts';
import { takeSnapshot } from '../storage/drivers/snapshot.ts';
import { ownVersion } from './caches.ts';
import type { CarriedFiles } from './carried-files.ts';
import { TOOLBAR_MODULE, toolbarModule } from './dev/client-modules.ts';
import { importableImages, mdxBodies, rendersMdx } from './imported-files.ts';
import { markdownSettings, storedHtmlKey } from './markdown.ts';
import { DEFAULT_PROCESSOR, serverModules } from './server-modules.ts';
import type { VirtualModules } from './vite.ts';

export interface SiteModulesDeps {
  readonly options: Options;
  /** Astro's config, and the site, as they are by now. */
  config(): AstroConfig;
  site(): SiteSettings;
  /** Absolute path of the schema module; undefined for none. */
  schemaFile(): string | undefined;
  runtime(): Promise<Runtime>;
  carriedFiles(): Promise<CarriedFiles>;
}

/** The virtual modules of a site, made of its content when they are asked for. */
export function siteModules(deps: SiteModulesDeps): VirtualModules {
  const { options, config, site, schemaFile, runtime, carriedFiles } = deps;
  return {
    ...serverModules({
      seed: () => ({
        options,
        site: site(),
        markdown: markdownSettings(config()),
        version: ownVersion(),
      }),
      schema: schemaFile,
      markdown: () => options.markdownProcessor && moduleSpecifier(options.markdownProcessor, site().root),
      resolvesProcessor: () => canResolve(DEFAULT_PROCESSOR, site().root),
      explorerPage: () => adminPage({ base: site().base, mode: 'server' }),
      carriedContent: async () =>
        JSON.stringify(await takeSnapshot((await runtime()).driver, { include: isEntity })),
      mdx: () => rendersMdx(config()),
      mdxBodies: async () => mdxBodies(await runtime(), site().contentDir),
      contentImages: async () => importableImages(await runtime(), site().contentDir),
      carriedFiles,
      async carriedFile(key) {
        const bytes = await (await runtime()).files.content.read(key);
        return Buffer.from(bytes ?? []).toString('base64');
      },
      carriedHtml: async () =>
        JSON.stringify(markdownSettings(config()).custom ? await renderAll(await runtime()) : {}),
      async carriedFullText() {
        const { fullText } = await runtime();
        return fullText === null ? '' : writeFullText(await fullText.serialize());
      },
    }),
    [TOOLBAR_MODULE]: toolbarModule,
  };
}

/** HTML of all bodies. */
async function renderAll({ services }: Runtime): Promise<Readonly<Record<string, string>>> {
  const { store, renderBody } = services;
  const html: Record<string, string> = {};
  for (const type of store.types.keys()) {
    for (const entity of store.entities(type)) {
      if (entity.body !== null) html[storedHtmlKey(entity)] = await renderBody(entity);
    }
  }
  return html;
}

function isEntity({ key }: { readonly key: string }): boolean {
  return roleOf(key).role === 'entity';
}

/** A package name as it is; a path, absolute. */
function moduleSpecifier(name: string, root: string): string {
  const file = path.resolve(root, name);
  return name.startsWith('.') || existsSync(file) ? file : name;
}

// A dependency of Astro, which the project itself can resolve with some package managers only.
function canResolve(name: string, root: string): boolean {
  try {
    createRequire(path.join(root, 'package.json')).resolve(name);
    return true;
  } catch {
    return false;
  }
}
