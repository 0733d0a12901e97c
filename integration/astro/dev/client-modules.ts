import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

/** The virtual module of the toolbar app. */
export const TOOLBAR_MODULE = 'astro-jsonapi:toolbar';

/** The source of the toolbar app. Vite may not be allowed to serve files of this package, so the text is inlined. */
export function toolbarModule(): string {
  return `${appSource()}\nexport default { init: startToolbar };\n`;
}

function appSource(): string {
  const suffix = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const text = readFileSync(new URL(`../toolbar/app${suffix}`, import.meta.url), 'utf8');
  return suffix === '.ts' ? stripTypeScriptTypes(text) : text;
}
