import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

/** Virtual modules that pages of a dev server load. */
export const PAGE_MODULE = 'astro-jsonapi:page';
export const TOOLBAR_MODULE = 'astro-jsonapi:toolbar';

/** Called by Vite's plugin when a page asks for them. The files lie in folders that Vite may not be allowed to serve. */
export function pageModule(): string {
  return `${readOwn('page-script')}\nstartPage(import.meta.hot);\n`;
}

export function toolbarModule(): string {
  return `${readOwn('app')}\nexport default { init: startToolbar };\n`;
}

/** A module of the toolbar, which imports nothing at run time. */
function readOwn(name: string): string {
  const suffix = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const text = readFileSync(new URL(`../toolbar/${name}${suffix}`, import.meta.url), 'utf8');
  return suffix === '.ts' ? stripTypeScriptTypes(text) : text;
}
