import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import type { ParsedFile } from '../core/content/parse-file.ts';
import type { CacheLog } from '../core/storage/cache/cache-file.ts';
import { createFileCache, type FileCache } from '../core/storage/cache/file-cache.ts';
import { createHtmlCache, type HtmlCache } from './html-cache.ts';
import type { MarkdownSettings } from './markdown.ts';

/** Caches that the next start uses. */
export interface Caches {
  /** Parsed files, which do not depend on the schema. */
  readonly files: FileCache<ParsedFile>;
  /** HTML of bodies; undefined if the site has its own processor or plugins, whose changes cannot be detected. */
  readonly html: HtmlCache | undefined;
}

export interface CachesDeps {
  /** Absolute path of the folder of the caches. */
  readonly dir: string;
  readonly contentDir: string;
  readonly markdown: MarkdownSettings;
  readonly log: CacheLog;
}

export function createCaches({ dir, contentDir, markdown, log }: CachesDeps): Caches {
  const version = ownVersion();
  const settings = JSON.stringify([version, rendererVersion(), markdown]);
  return {
    files: createFileCache({ path: path.join(dir, 'content.cache'), folder: contentDir, version, log }),
    html: markdown.custom
      ? undefined
      : createHtmlCache({ path: path.join(dir, 'html.cache'), settings, log }),
  };
}

/** The version of this package. */
export function ownVersion(): string {
  return readVersion(new URL('../../package.json', import.meta.url));
}

/** Changes with Astro and with the package of its default Markdown processor. */
function rendererVersion(): string {
  const astro = createRequire(import.meta.url).resolve('astro/package.json');
  const entry = createRequire(astro).resolve('@astrojs/markdown-satteri');
  const { size, mtimeMs } = statSync(entry);
  return [readVersion(astro), entry, size, mtimeMs].join(' ');
}

function readVersion(manifest: string | URL): string {
  return packageSchema.parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;
}

const packageSchema = z.object({ version: z.string() });
