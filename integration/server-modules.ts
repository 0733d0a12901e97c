import { fileURLToPath } from 'node:url';
import type { ServerSeed } from './built-runtime.ts';

import type { CarriedFiles } from './carried-files.ts';

import type { VirtualModules } from './vite.ts';

/** The module that the site's own code imports. */
export const CONTENT_MODULE = 'astro-jsonapi:content';
/** The package of Astro's default markdown processor. */
export const DEFAULT_PROCESSOR = '@astrojs/markdown-satteri';
const RUNTIME_MODULE = 'astro-jsonapi:runtime';
const EXPLORER_MODULE = 'astro-jsonapi:explorer';
const CARRIED_CONTENT_MODULE = 'astro-jsonapi:carried-content';
const CARRIED_FILES_MODULE = 'astro-jsonapi:carried-files';
/** Followed by a number. */
const CARRIED_FILE_MODULE = 'astro-jsonapi:carried-file/';
const CARRIED_HTML_MODULE = 'astro-jsonapi:carried-html';
const CARRIED_FULL_TEXT_MODULE = 'astro-jsonapi:carried-full-text';

/** What the modules are made of. Asked for when a module is made, since Astro's config is final by then. */
export interface ServerModulesDeps {
  seed(): ServerSeed;
  /** Absolute path of the schema module, or undefined. */
  schema(): string | undefined;
  /** Import specifier of the module that the option `markdown` names, or undefined. */
  markdown(): string | undefined;
  /** Whether the project can import Astro's default markdown processor by its name. */
  resolvesProcessor(): boolean;
  explorerPage(): string;
  /** The content as the build found it, as JSON. */
  carriedContent(): Promise<string>;
  carriedFiles(): Promise<CarriedFiles>;
  /** Bytes of a file in the content folder as base64. */
  carriedFile(key: string): Promise<string>;
  /** HTML of bodies that a built server cannot make by itself, by file and revision, as JSON. */
  carriedHtml(): Promise<string>;
  /** The words of the content for full-text search, as JSON. */
  carriedFullText(): Promise<string>;
}

/**
 * The virtual modules by name. Dev and prerendering run in the process that holds the runtime and only ask for
 * it; a built server (`ssr` in a build) is given what it needs to make its own.
 */
export function serverModules(deps: ServerModulesDeps): VirtualModules {
  return {
    [CONTENT_MODULE]: ({ environment }) => (environment === 'client' ? refusal() : contentSource()),
    [RUNTIME_MODULE]: ({ environment, command }) =>
      command === 'build' && environment === 'ssr' ? builtSource(deps) : sharedSource(deps.seed()),
    [EXPLORER_MODULE]: () => `export default ${JSON.stringify(deps.explorerPage())};`,
    [CARRIED_CONTENT_MODULE]: async () => `export default ${JSON.stringify(await deps.carriedContent())};`,
    [CARRIED_FILES_MODULE]: async () => carriedFilesSource(await deps.carriedFiles()),
    [CARRIED_FILE_MODULE]: async ({ below }) => {
      const key = Object.keys((await deps.carriedFiles()).content)[Number(below)];
      return `export default ${JSON.stringify(key === undefined ? '' : await deps.carriedFile(key))};`;
    },
    [CARRIED_HTML_MODULE]: async () => `export default ${JSON.stringify(await deps.carriedHtml())};`,
    [CARRIED_FULL_TEXT_MODULE]: async () => `export default ${JSON.stringify(await deps.carriedFullText())};`,
  };
}

// A module for each file, which a server imports when the file is asked for.
function carriedFilesSource(files: CarriedFiles): string {
  const loaders = Object.keys(files.content).map(
    (key, index) => `[${JSON.stringify(key)}, () => import('${CARRIED_FILE_MODULE}${index}')]`,
  );
  return [
    `const files = ${JSON.stringify(files)};`,
    `const bytes = Object.fromEntries([${loaders.join(', ')}]);`,
    'export default { content: { facts: files.content, bytes }, public: { facts: files.public } };',
  ].join('\n');
}

function contentSource(): string {
  return [
    `import { runtime } from '${RUNTIME_MODULE}';`,
    'const { content } = await runtime();',
    'export const { entities, jsonapi } = content;',
  ].join('\n');
}

function refusal(): string {
  const message = `${CONTENT_MODULE} holds all content and is for code that runs at build time or on the server. Query it in a component's frontmatter and pass the result on, or fetch /jsonapi from the browser.`;
  return `throw new Error(${JSON.stringify(message)});\nexport const entities = undefined, jsonapi = undefined;`;
}

function sharedSource({ site }: ServerSeed): string {
  return [
    `import { sharedRuntime } from ${ownModule('./runtime-registry.js')};`,
    servedSource(site),
    `export const runtime = () => sharedRuntime(${JSON.stringify(site.root)});`,
  ].join('\n');
}

function builtSource(deps: ServerModulesDeps): string {
  const schema = deps.schema();
  const markdown = deps.markdown();
  const seed = deps.seed();
  return [
    `import { openRuntime } from ${ownModule('./built-runtime.js')};`,
    schema === undefined ? 'const schema = undefined;' : `import schema from ${specifier(schema)};`,
    servedSource(seed.site),
    `const seed = ${JSON.stringify(seed)};`,
    'const load = {',
    `  content: async () => (await import('${CARRIED_CONTENT_MODULE}')).default,`,
    `  files: async () => (await import('${CARRIED_FILES_MODULE}')).default,`,
    `  html: async () => (await import('${CARRIED_HTML_MODULE}')).default,`,
    `  fullText: async () => (await import('${CARRIED_FULL_TEXT_MODULE}')).default,`,
    deps.resolvesProcessor() ? `  defaultProcessor: () => import('${DEFAULT_PROCESSOR}'),` : undefined,
    markdown && `  processor: async () => (await import(${specifier(markdown)})).default,`,
    '};',
    // Opened when the server starts, so that no request waits for it.
    'const opening = openRuntime(seed, schema, load);',
    'opening.catch((error) => console.error("[astro-jsonapi]", error.message));',
    'export const runtime = () => opening;',
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}

function servedSource(site: ServerSeed['site']): string {
  const { base, explorer, health, cors, requestLog } = site;
  return [
    `export const served = ${JSON.stringify({ base, explorer, health, cors, requestLog })};`,
    explorer
      ? `export const explorerPage = async () => (await import('${EXPLORER_MODULE}')).default;`
      : 'export const explorerPage = undefined;',
  ].join('\n');
}

// Compiled files lie beside this one.
function ownModule(relative: string): string {
  return specifier(fileURLToPath(new URL(relative, import.meta.url)));
}

/** A path or package name as an import specifier in source text. */
function specifier(name: string): string {
  return JSON.stringify(name.replaceAll('\\', '/'));
}
