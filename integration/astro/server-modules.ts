import { fileURLToPath } from 'node:url';
import type { ServerSeed } from './built-runtime.ts';
import type { CarriedFiles } from './carried-files.ts';
import type { ModuleRequest, VirtualModules } from './vite.ts';

/** The module that the site's own code imports. */
export const CONTENT_MODULE = 'astro-jsonapi:content';
/** The package of Astro's default markdown processor. */
export const DEFAULT_PROCESSOR = '@astrojs/markdown-satteri';
/** The module that gives images beside the content to Astro's `<Image>`. */
export const IMAGES_MODULE = 'astro-jsonapi:images';
export const RUNTIME_MODULE = 'astro-jsonapi:runtime';
const MDX_MODULE = 'astro-jsonapi:mdx';
const EXPLORER_MODULE = 'astro-jsonapi:explorer';
/** What the process that renders bodies runs. */
const RENDERER_MODULE = 'astro-jsonapi:renderer';
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
  /** Import specifier of the module that option `markdownProcessor` names, or undefined. */
  markdown(): string | undefined;
  /** Whether the project can import Astro's default markdown processor by its name. */
  resolvesProcessor(): boolean;
  explorerPage(): string;
  /** The content as the build found it, as JSON. */
  carriedContent(): Promise<string>;
  /** Whether the site renders MDX. */
  mdx(): boolean;
  /** Absolute paths of the MDX files of the content, by key and revision. */
  mdxBodies(): Promise<Readonly<Record<string, string>>>;
  /** Absolute paths of the images beside the content that anonymous may see, by URI. */
  contentImages(): Promise<Readonly<Record<string, string>>>;
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
    [IMAGES_MODULE]: async ({ environment }) =>
      environment === 'client' ? imagesRefusal() : imagesSource(await deps.contentImages()),
    [RUNTIME_MODULE]: ({ environment, command, emit }) =>
      command === 'build' && environment === 'ssr' ? builtSource(deps, emit) : sharedSource(deps),
    [RENDERER_MODULE]: () => rendererSource(deps),
    [MDX_MODULE]: async ({ command }) => ({
      code: mdxSource(deps, command === 'build' ? await deps.mdxBodies() : undefined),
      meta: CONTENT_DATA,
    }),
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
    'export const { entities, jsonapi, cacheKey } = content;',
  ].join('\n');
}

function refusal(): string {
  const message = `${CONTENT_MODULE} holds all content and is for code that runs at build time or on the server. Query it in a component's frontmatter and pass the result on, or fetch /jsonapi from the browser.`;
  return `throw new Error(${JSON.stringify(message)});\nexport const entities = undefined, jsonapi = undefined, cacheKey = undefined;`;
}

// Imported one by one as they are asked for: a page waits for no others.
function imagesSource(images: Readonly<Record<string, string>>): string {
  const loaders = Object.entries(images).map(
    ([uri, file]) => `[${JSON.stringify(uri)}, () => import(${specifier(file)})]`,
  );
  return [
    `import { createImageOf } from ${ownModule('./image-props.js')};`,
    `export const imageOf = createImageOf(new Map([${loaders.join(', ')}]));`,
  ].join('\n');
}

function imagesRefusal(): string {
  const message = `${IMAGES_MODULE} is for code that runs at build time or on the server. Call imageOf in a component's frontmatter and pass the result on.`;
  return `throw new Error(${JSON.stringify(message)});\nexport const imageOf = undefined;`;
}

// Keeps Astro's incremental builds from rendering every page again where one MDX file has changed: what a page shows of
// it is in the page's `cacheKey`.
const CONTENT_DATA = { astroIncremental: { kind: 'content-data' } };

// A build knows its files, and a built server runs none that is not of the build. In dev a file is what it is now.
function mdxSource(deps: ServerModulesDeps, bodies: Readonly<Record<string, string>> | undefined): string {
  const loaders = Object.entries(bodies ?? {}).map(
    ([version, file]) => `[${JSON.stringify(version)}, () => import(${specifier(file)})]`,
  );
  return [
    "import { experimental_AstroContainer as AstroContainer } from 'astro/container';",
    "import renderer from '@astrojs/mdx/server.js';",
    `import { createMdxRenderer } from ${ownModule('./mdx.js')};`,
    `import { provideMdx } from ${ownModule('../runtime/runtime-registry.js')};`,
    `const bodies = new Map([${loaders.join(', ')}]);`,
    'async function createContainer() {',
    '  const container = await AstroContainer.create();',
    "  container.addServerRenderer({ name: 'astro:jsx', renderer });",
    '  return container;',
    '}',
    bodies === undefined
      ? 'const load = (file) => import(/* @vite-ignore */ file);'
      : 'const load = (file, version) => bodies.get(version)?.();',
    `provideMdx(${JSON.stringify(deps.seed().site.root)}, createMdxRenderer(createContainer, load));`,
  ].join('\n');
}

function mdxImport(deps: ServerModulesDeps): string {
  return deps.mdx() ? `import '${MDX_MODULE}';` : '';
}

function sharedSource(deps: ServerModulesDeps): string {
  const { site } = deps.seed();
  return [
    mdxImport(deps),
    `import { sharedRuntime } from ${ownModule('../runtime/runtime-registry.js')};`,
    servedSource(site),
    `export const runtime = () => sharedRuntime(${JSON.stringify(site.root)});`,
  ].join('\n');
}

function builtSource(deps: ServerModulesDeps, emit: ModuleRequest['emit']): string {
  const schema = deps.schema();
  const seed = deps.seed();
  return [
    mdxImport(deps),
    `import { openRuntime } from ${ownModule('./built-runtime.js')};`,
    schema === undefined ? 'const schema = undefined;' : `import schema from ${specifier(schema)};`,
    servedSource(seed.site),
    `const seed = ${JSON.stringify(seed)};`,
    'const load = {',
    `  content: async () => (await import('${CARRIED_CONTENT_MODULE}')).default,`,
    `  files: async () => (await import('${CARRIED_FILES_MODULE}')).default,`,
    `  html: async () => (await import('${CARRIED_HTML_MODULE}')).default,`,
    `  fullText: async () => (await import('${CARRIED_FULL_TEXT_MODULE}')).default,`,
    `  processors: ${processorsSource(deps)},`,
    seed.site.readOnly ? undefined : `  rendererUrl: ${emit(RENDERER_MODULE)},`,
    '};',
    // Opened when the server starts, so that no request waits for it.
    'const opening = openRuntime(seed, schema, load);',
    'opening.catch((error) => console.error("[astro-jsonapi]", error.message));',
    'export const runtime = () => opening;',
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}

function rendererSource(deps: ServerModulesDeps): string {
  return [
    `import { answerRenderRequests } from ${ownModule('../runtime/render/answer-render-requests.js')};`,
    `import { builtRenderer } from ${ownModule('./built-renderer.js')};`,
    `const processors = ${processorsSource(deps)};`,
    `await answerRenderRequests(() => builtRenderer(${JSON.stringify(deps.seed().markdown)}, processors));`,
  ].join('\n');
}

function processorsSource(deps: ServerModulesDeps): string {
  const markdown = deps.markdown();
  const loaders = [
    ...(deps.resolvesProcessor() ? [`defaultProcessor: () => import('${DEFAULT_PROCESSOR}')`] : []),
    ...(markdown ? [`processor: async () => (await import(${specifier(markdown)})).default`] : []),
  ];
  return `{ ${loaders.join(', ')} }`;
}

function servedSource(site: ServerSeed['site']): string {
  const { base, explorer, health, cors, requestLog } = site;
  const { signIn, ownPages, sessionCookie, trustsProxy } = site;
  const served = { base, explorer, health, cors, requestLog, signIn, ownPages, sessionCookie, trustsProxy };
  return [
    `export const served = ${JSON.stringify(served)};`,
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
