import { existsSync, readFileSync } from 'node:fs';
import nodeModule from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ANONYMOUS } from '../core/access/actor.ts';
import { createKeyReader } from '../core/content/file-key.ts';
import { pathOfKey, uriOf } from '../core/content/file-location.ts';
import { layoutOf } from '../core/content/layout.ts';
import { writeFullText } from '../core/engine/text/serialized.ts';
import { visibleContentFileKeys } from '../core/read/content-files.ts';
import { servedSite } from '../core/read/settings.ts';
import { isStoredElsewhere } from '../core/runtime/open-storage.ts';
import type { Runtime } from '../core/runtime/runtime.ts';
import type { FeatureTooling, ModuleRequest, SiteSettings, VirtualModules } from '../core/runtime/site.ts';
import { fileOfKey } from '../core/storage/key.ts';
import { FEATURES } from '../features.ts';
import { type CarriedFiles, carriedFiles, withBlobs } from './build-output.ts';
import type { ServerSeed } from './built-runtime.ts';
import { bundleContent } from './bundled-content.ts';
import { ownVersion } from './caches.ts';
import { COLLECTION_CONFIGS, type ProjectFolders, previewConfig, serverConfig } from './collection-config.ts';
import { importableKey } from './image-props.ts';
import { markdownSettings, storedHtmlKey } from './markdown.ts';
import { mdxBodies, rendersMdx } from './mdx.ts';
import type { Project } from './project.ts';

/** The module that the site's own code imports. */
export const CONTENT_MODULE = 'astro-jsonapi:content';
/** Properties of Astro's `<Image>` for images next to the content. */
export const IMAGES_MODULE = 'astro-jsonapi:images';
export const RUNTIME_MODULE = 'astro-jsonapi:runtime';
/** Stands for `astro/content/runtime` where pages are previewed. */
export const PREVIEWED_CONTENT_MODULE = 'astro-jsonapi:previewed-content';
/** The app of the dev toolbar. */
export const TOOLBAR_MODULE = 'astro-jsonapi:toolbar';
const MDX_MODULE = 'astro-jsonapi:mdx';
/** The entry of the process that renders bodies. */
const RENDERER_MODULE = 'astro-jsonapi:renderer';
/** The revisions of the files of a build. */
const REVISIONS_MODULE = 'astro-jsonapi:revisions';
const CARRIED_CONTENT_MODULE = 'astro-jsonapi:carried-content';
const CARRIED_FILES_MODULE = 'astro-jsonapi:carried-files';
/** Followed by a number. */
const CARRIED_FILE_MODULE = 'astro-jsonapi:carried-file/';
const CARRIED_HTML_MODULE = 'astro-jsonapi:carried-html';
const CARRIED_FULL_TEXT_MODULE = 'astro-jsonapi:carried-full-text';

/** The package of Astro's default Markdown processor. */
const DEFAULT_PROCESSOR = '@astrojs/markdown-satteri';

/**
 * The virtual modules of a project, by name. In dev and while prerendering, they use the runtime of this process. A built
 * server (`ssr` in a build) gets modules with everything that its own runtime needs.
 */
export function projectModules(project: Project, tooling: readonly FeatureTooling[]): VirtualModules {
  const { runtime } = project;
  return {
    ...Object.assign({}, ...tooling.map(({ modules }) => modules?.(project))),
    [CONTENT_MODULE]: (request) => {
      checkServerOnly(CONTENT_MODULE, request);
      return contentSource();
    },
    [IMAGES_MODULE]: async (request) => {
      checkServerOnly(IMAGES_MODULE, request);
      return imagesSource(await importableImages(await runtime(), project));
    },
    [RUNTIME_MODULE]: ({ environment, command, emit }) =>
      command === 'build' && environment === 'ssr'
        ? builtSource(project, tooling, emit)
        : sharedSource(project, tooling),
    [PREVIEWED_CONTENT_MODULE]: ({ command }) => previewedContentSource(project, command),
    [REVISIONS_MODULE]: async () => exportDefault(revisionsOf(await runtime())),
    [RENDERER_MODULE]: () => rendererSource(project),
    [MDX_MODULE]: async ({ command }) => {
      const settings = project.settings();
      // Without a server, people cannot sign in to see the others.
      const actor = project.config().adapter === undefined ? ANONYMOUS : undefined;
      const bodies = command === 'build' ? mdxBodies(await runtime(), settings.contentDir, actor) : undefined;
      return { code: mdxSource(settings, bodies), meta: CONTENT_DATA };
    },
    [CARRIED_CONTENT_MODULE]: async () =>
      exportDefault(
        JSON.stringify(await bundleContent((await runtime()).driver, { include: isEntityOf(project) })),
      ),
    [CARRIED_FILES_MODULE]: async () => {
      const opened = await runtime();
      const files = await carriedFiles(opened);
      return carriedFilesSource(
        isStoredElsewhere(FEATURES, project.options) ? await withBlobs(opened, files) : files,
      );
    },
    [CARRIED_FILE_MODULE]: async ({ below }) => {
      const opened = await runtime();
      const key = Object.keys((await carriedFiles(opened)).content)[Number(below)];
      return exportBytes(
        (key === undefined ? undefined : await opened.files.content.read(key)) ?? new Uint8Array(),
      );
    },
    [CARRIED_HTML_MODULE]: async () => exportDefault(JSON.stringify(await renderAll(await runtime()))),
    [CARRIED_FULL_TEXT_MODULE]: async () => {
      const { fullText } = await runtime();
      return exportDefault(fullText === null ? '' : writeFullText(await fullText.serialize()));
    },
    [TOOLBAR_MODULE]: toolbarSource,
  };
}

function exportDefault(value: unknown): string {
  return `export default ${JSON.stringify(value)};`;
}

function exportBytes(bytes: Uint8Array): string {
  return exportDefault(Buffer.from(bytes).toString('base64'));
}

/** Vite may not serve files of this package, so the module contains the source of the app. */
function toolbarSource(): string {
  const suffix = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const text = readFileSync(new URL(`./toolbar/app${suffix}`, import.meta.url), 'utf8');
  const app = suffix === '.ts' ? nodeModule.stripTypeScriptTypes(text) : text;
  return `${app}\nexport default { init: startToolbar };\n`;
}

function isEntityOf(project: Project): (file: { readonly key: string }) => boolean {
  const { languages } = project.settings();
  const readKey = createKeyReader({ languages, layout: layoutOf(project.layout()) });
  return ({ key }) => readKey(key).role === 'entity';
}

/** HTML of all bodies, by file and revision. */
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

/** By file. */
function revisionsOf({ services: { store } }: Runtime): Readonly<Record<string, string>> {
  const entities = [...store.types.keys()].flatMap((type) => store.entities(type));
  return Object.fromEntries(entities.map(({ key, revision }) => [fileOfKey(key), revision]));
}

/** Absolute paths of the images next to the content that Astro can import and anonymous visitors see, by URI. */
async function importableImages(
  { services }: Runtime,
  project: Project,
): Promise<Readonly<Record<string, string>>> {
  const { contentDir } = project.settings();
  const keys = await visibleContentFileKeys(services, services.access(ANONYMOUS));
  return Object.fromEntries(
    keys
      .map((key) => [uriOf({ source: 'content', key }), path.join(contentDir, pathOfKey(key))])
      .filter(([uri = '']) => importableKey(uri) !== undefined),
  );
}

/** An absolute path, or a package name. */
function modulePath(name: string, root: string): string {
  const file = path.resolve(root, name);
  return name.startsWith('.') || existsSync(file) ? file : name;
}

// One module per file, which a server imports when the file is requested.
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
    'export const { entities, jsonapi, suggest, cacheKey, runtimePath } = content;',
  ].join('\n');
}

const HINTS: Readonly<Record<string, string>> = {
  [CONTENT_MODULE]:
    "In a script, import { entities } from 'astro-jsonapi/client'. Or use this module in the frontmatter of a page or component, and pass the result to the script.",
  [IMAGES_MODULE]: 'Use it in the frontmatter of a page or component, and pass the result to the script.',
};

/** Throws an Error if a script for the browser imports the module. */
function checkServerOnly(name: string, { environment, importer }: ModuleRequest): void {
  if (environment !== 'client') return;
  const script = importer === undefined ? 'A browser script' : `A browser script in ${importer}`;
  throw new Error(
    `${script} imports ${name}, which has all content and works at build time and on the server only. ${HINTS[name]}`,
  );
}

// A page imports only the images that it uses.
function imagesSource(images: Readonly<Record<string, string>>): string {
  const loaders = Object.entries(images).map(
    ([uri, file]) => `[${JSON.stringify(uri)}, () => import(${specifier(file)})]`,
  );
  return [
    `import { createImageOf } from ${ownModule('./image-props.js')};`,
    `export const imageOf = createImageOf(new Map([${loaders.join(', ')}]));`,
  ].join('\n');
}

// Astro's incremental builds do not render all pages again after a change of one MDX file: `cacheKey` of a page includes
// the bodies that it uses.
const CONTENT_DATA = { astroIncremental: { kind: 'content-data' } };

// A built server renders only the MDX files of its build. In dev, a file is imported in its current version.
function mdxSource({ root }: SiteSettings, bodies: Readonly<Record<string, string>> | undefined): string {
  const loaders = Object.entries(bodies ?? {}).map(
    ([version, file]) => `[${JSON.stringify(version)}, () => import(${specifier(file)})]`,
  );
  return [
    "import { experimental_AstroContainer as AstroContainer } from 'astro/container';",
    "import { FetchState, middleware } from 'astro/fetch';",
    "import renderer from '@astrojs/mdx/server.js';",
    `import { COMPONENT_SCRIPT, createMdxRenderer } from ${ownModule('./mdx.js')};`,
    `import { provideMdx } from ${ownModule('./runtime-registry.js')};`,
    `const bodies = new Map([${loaders.join(', ')}]);`,
    'async function createContainer() {',
    '  const container = await AstroContainer.create({ resolve: async () => COMPONENT_SCRIPT });',
    "  container.addServerRenderer({ name: 'astro:jsx', renderer });",
    '  return container;',
    '}',
    'async function localsAt(request) {',
    '  const state = new FetchState(request);',
    // The route has no props, and Astro would call it for them.
    '  state.props = {};',
    '  await middleware(state, async () => new Response());',
    '  return state.locals;',
    '}',
    bodies === undefined
      ? 'const load = (file) => import(/* @vite-ignore */ file);'
      : 'const load = (file, version) => bodies.get(version)?.();',
    `provideMdx(${JSON.stringify(root)}, createMdxRenderer(createContainer, load, localsAt));`,
  ].join('\n');
}

// In dev, collections follow the content.
function previewedContentSource(project: Project, command: ModuleRequest['command']): string {
  const { root, srcDir, contentDir } = project.folders();
  const folders = JSON.stringify({ root, srcDir, contentDir } satisfies ProjectFolders);
  const config = COLLECTION_CONFIGS.map((name) => path.join(srcDir, name)).find(existsSync);
  const collections =
    config === undefined ? '{}' : `(await import(${specifier(previewConfig(config))})).collections`;
  const built = command === 'build' ? `(await import('${REVISIONS_MODULE}')).default` : 'undefined';
  return [
    "import * as runtime from 'astro/content/runtime';",
    `import { openCollections } from ${ownModule('./collection-door.js')};`,
    "export * from 'astro/content/runtime';",
    'const load = async () => {',
    `  const { createPreviewedCollections } = await import(${ownModule('./previewed-collections.js')});`,
    `  const [collections, built] = [${collections}, ${built}];`,
    `  return createPreviewedCollections({ collections, built, folders: ${folders} });`,
    '};',
    `const opened = openCollections(runtime, ${JSON.stringify(root)}, load);`,
    'export const { createGetCollection, createGetEntry } = opened;',
  ].join('\n');
}

function mdxImport(project: Project): string {
  return rendersMdx(project.config()) ? `import '${MDX_MODULE}';` : '';
}

function sharedSource(project: Project, tooling: readonly FeatureTooling[]): string {
  const settings = project.settings();
  return [
    mdxImport(project),
    `import { sharedRuntime } from ${ownModule('./runtime-registry.js')};`,
    servedSource(settings, partsOf(project, tooling)),
    NO_PREVIEWS,
    `export const runtime = () => sharedRuntime(${JSON.stringify(settings.root)});`,
  ].join('\n');
}

const NO_PREVIEWS = 'export const openPrerendered = undefined;\nexport const pageQueries = undefined;';

/** The source of an import for each part of a feature. */
function partsOf(project: Project, tooling: readonly FeatureTooling[]): ReadonlyMap<string, string> {
  const modules = tooling.flatMap(({ serverParts }) => Object.entries(serverParts?.(project) ?? {}));
  return new Map(modules.map(([part, module]) => [part, `async () => (await import('${module}')).default`]));
}

function builtSource(
  project: Project,
  tooling: readonly FeatureTooling[],
  emit: ModuleRequest['emit'],
): string {
  const { options } = project;
  const parts = partsOf(project, tooling);
  const seed: ServerSeed = {
    options: Object.assign({}, options, ...tooling.map(({ builtOptions }) => builtOptions?.(options))),
    site: project.settings(),
    markdown: markdownSettings(project.config()),
    mdx: rendersMdx(project.config()),
    version: ownVersion(),
  };
  return [
    mdxImport(project),
    `import { openRuntime, reportFailedStart } from ${ownModule('./built-runtime.js')};`,
    ...schemaSource(project),
    servedSource(seed.site, parts),
    ...(project.keepsPages()
      ? [
          `import { createPrerenderedPages, createServedQueries } from ${ownModule('./render-prerendered.js')};`,
          'export const openPrerendered = createPrerenderedPages(import.meta.url);',
          'export const pageQueries = createServedQueries(import.meta.url);',
        ]
      : [NO_PREVIEWS]),
    `const seed = ${JSON.stringify(seed)};`,
    'const load = {',
    `  content: async () => (await import('${CARRIED_CONTENT_MODULE}')).default,`,
    `  files: async () => (await import('${CARRIED_FILES_MODULE}')).default,`,
    carriesHtml(project)
      ? `  html: async () => (await import('${CARRIED_HTML_MODULE}')).default,`
      : undefined,
    `  fullText: async () => (await import('${CARRIED_FULL_TEXT_MODULE}')).default,`,
    `  processors: ${processorsSource(project)},`,
    `  parts: { ${[...parts].map(([part, source]) => `${part}: ${source}`).join(', ')} },`,
    project.keepsPages() ? '  queries: pageQueries,' : undefined,
    seed.site.readOnly ? undefined : `  rendererUrl: ${emit(RENDERER_MODULE)},`,
    '};',
    // Opened when the server starts, not at the first request.
    'const opening = openRuntime(seed, schema, load);',
    'opening.catch(reportFailedStart);',
    'export const runtime = () => openRuntime(seed, schema, load);',
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}

function schemaSource(project: Project): readonly string[] {
  const file = project.schemaFile();
  if (file === undefined) return ['const schema = undefined;'];
  const mapping = project.collections();
  if (mapping === undefined) return [`import schema from ${specifier(file)};`];
  return [
    `import { collectionsSchema } from ${ownModule('../core/content/schema/collections.js')};`,
    `import { collections } from ${specifier(serverConfig(file))};`,
    `const schema = collectionsSchema(collections, ${JSON.stringify({ ...mapping, notes: [] })});`,
  ];
}

function rendererSource(project: Project): string {
  return [
    `import { answerRenderRequests } from ${ownModule('./render/answer-render-requests.js')};`,
    `import { builtRenderer } from ${ownModule('./built-renderer.js')};`,
    `const processors = ${processorsSource(project)};`,
    `await answerRenderRequests(() => builtRenderer(${JSON.stringify(markdownSettings(project.config()))}, processors));`,
  ].join('\n');
}

/** A server with the default processor renders bodies itself. */
function carriesHtml(project: Project): boolean {
  return markdownSettings(project.config()).custom || project.server() === 'worker';
}

function processorsSource(project: Project): string {
  const { root } = project.settings();
  const { markdownProcessor } = project.options;
  const loaders: string[] = [];
  if (project.server() !== 'worker' && project.canImport(DEFAULT_PROCESSOR))
    loaders.push(`defaultProcessor: () => import('${DEFAULT_PROCESSOR}')`);
  if (markdownProcessor !== undefined) {
    const module = specifier(modulePath(markdownProcessor, root));
    loaders.push(`processor: async () => (await import(${module})).default`);
  }
  return `{ ${loaders.join(', ')} }`;
}

function servedSource(site: SiteSettings, parts: ReadonlyMap<string, string>): string {
  const { cors, requestLog, ownPages, sessionCookie, trustsProxy, dev, admin } = site;
  const own = { ownPages, cors, requestLog, sessionCookie, trustsProxy, localMode: dev && admin };
  const served = { ...servedSite(site), ...own };
  return [
    `export const served = ${JSON.stringify(served)};`,
    `export const explorerPage = ${parts.get('explorerPage')};`,
  ].join('\n');
}

// Compiled files are next to this one.
function ownModule(relative: string): string {
  return specifier(fileURLToPath(new URL(relative, import.meta.url)));
}

/** The source of an import specifier for a path or a package name. */
function specifier(name: string): string {
  return JSON.stringify(name.replaceAll('\\', '/'));
}
