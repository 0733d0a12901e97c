import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { EXPLORER_PATH } from '../../../core/api/paths.ts';
import { CONTENT_FILES_PREFIX } from '../../../core/content/model.ts';
import type { ApiSettings } from '../../../core/read/settings.ts';
import { decodeEntities } from '../../../core/source/image-tag.ts';
import { decodeUri } from '../../../core/util/text.ts';
import { SERVICE_WORKER_FILE } from '../format.ts';

/** What the pages and scripts of a built site use. */
export interface BuiltOutput {
  /** A file that uses it, relative to the site's root; without one, it is missing. */
  readonly client?: string;
  readonly worker?: string;
  readonly openapi?: string;
  readonly explorer?: string;
  /** Keys of the content files that they name. */
  readonly contentFiles: ReadonlySet<string>;
}

/** Reads the pages, scripts and other texts of a built site. */
export async function readOutput(
  dir: string,
  { base, prefix = '' }: Pick<ApiSettings, 'base' | 'prefix'>,
): Promise<BuiltOutput> {
  const used: Partial<Record<'client' | 'worker' | 'openapi' | 'explorer', string>> = {};
  const contentFiles = new Set<string>();
  const openapi = `href="${base}${prefix}/jsonapi/openapi.json"`;
  const explorer = `href="${base}${prefix}${EXPLORER_PATH}`;
  const address = `${base}${CONTENT_FILES_PREFIX}/`;
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !TEXT.test(entry.name)) continue;
    const file = path.join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8');
    const name = path.relative(dir, file).replaceAll('\\', '/');
    const isScript = SCRIPT.test(name);
    if (isScript && text.includes(CLIENT_MARK)) used.client ??= name;
    if (isScript ? text.includes(SERVICE_WORKER_FILE) : hasInlineWorker(text)) used.worker ??= name;
    if (text.includes(openapi)) used.openapi ??= name;
    if (['"', '/'].some((end) => text.includes(explorer + end))) used.explorer ??= name;
    for (let at = text.indexOf(address); at >= 0; at = text.indexOf(address, at + 1)) {
      const [written = ''] = ADDRESS_END.exec(text.slice(at + address.length, at + MAX_ADDRESS)) ?? [];
      contentFiles.add(decodeUri(decodeEntities(written)));
    }
  }
  return { ...used, contentFiles };
}

const TEXT = /\.(?:html?|xhtml|m?js|css|xml|json|txt|webmanifest|svg)$/;
const SCRIPT = /\.m?js$/;
/** A part of a message in `fetch.ts`. */
const CLIENT_MARK = 'astro-jsonapi/client reads the files';
const ADDRESS_END = /^[^\s"'()<>\\?#,]+/;
const MAX_ADDRESS = 4000;

/** True if a script in the page names the service worker. Code examples have no `<script>` around them. */
function hasInlineWorker(text: string): boolean {
  for (let at = text.indexOf(SERVICE_WORKER_FILE); at >= 0; at = text.indexOf(SERVICE_WORKER_FILE, at + 1)) {
    if (text.startsWith('<script', text.lastIndexOf('<', at))) return true;
  }
  return false;
}
