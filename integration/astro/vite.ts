import { fileURLToPath } from 'node:url';
import type {
  DevEnvironment,
  EnvironmentModuleNode,
  Plugin,
  RunnableDevEnvironment,
  ViteDevServer,
} from 'vite';
import type { ModuleRequest, VirtualModules } from '../core/runtime/site.ts';
import type { MarkdownProcessor } from './markdown.ts';

declare module '../core/runtime/site.ts' {
  interface FeatureTooling {
    /** Plugins for the Vite of the site. */
    readonly plugins?: (project: AstroProject) => readonly Plugin[];
    /** Replaces the Markdown processor of the site for pages. Settings of renderers for the API have `forApi`. */
    readonly processor?: (project: AstroProject, processor: MarkdownProcessor) => MarkdownProcessor;
  }
}

/** Serves the virtual modules to every Vite environment. */
export function virtualModules(modules: VirtualModules): Plugin {
  let command: ModuleRequest['command'] = 'serve';
  const emitted = new Set<string>();
  const importers = new Map<string, string>();
  return {
    name: 'astro-jsonapi',
    configResolved(config) {
      command = config.command;
    },
    resolveId(id, importer) {
      if (nameOf(modules, id) === undefined) return undefined;
      const key = `${this.environment.name} ${id}`;
      if (importer !== undefined && !importers.has(key)) importers.set(key, importer);
      return resolvedId(id);
    },
    async load(id) {
      const name = id.startsWith('\0') ? nameOf(modules, id.slice(1)) : undefined;
      if (name === undefined) return undefined;
      const below = id.slice(1 + name.length);
      const emit = (module: string) => {
        const reference = this.emitFile({ type: 'chunk', id: module });
        emitted.add(reference);
        return `import.meta.ROLLUP_FILE_URL_${reference}`;
      };
      const environment = this.environment.name;
      const importer = importers.get(`${environment} ${id.slice(1)}`);
      const source = await modules[name]?.({ environment, command, below, importer, emit });
      return typeof source === 'object' ? { code: source.code, meta: { ...source.meta } } : source;
    },
    resolveFileUrl: {
      // Vite would generate a URL of the site.
      order: 'pre',
      handler: ({ referenceId, relativePath }) =>
        referenceId !== null && emitted.has(referenceId)
          ? `new URL(${JSON.stringify(relativePath)}, import.meta.url).href`
          : undefined,
    },
  };
}

/** Lets `astro:content` answer previews. `isUsed` is asked when a page imports it. */
export function previewedContent(module: string, isUsed: () => boolean): Plugin {
  return {
    name: 'astro-jsonapi:previewed-content',
    enforce: 'pre',
    resolveId(id, importer) {
      // Source: `templates/content/module.mjs` of Astro.
      const isAnswering = id === 'astro/content/runtime' && importer === resolvedId('astro:content');
      return isAnswering && isUsed() ? resolvedId(module) : undefined;
    },
  };
}

/** Resolves imports of a file name, in any folder, to another module (absolute path, or the name of a virtual module). */
export function placedFile(name: string, module: string): Plugin {
  return {
    name: `astro-jsonapi:${name}`,
    // Before Vite finds a file with this name.
    enforce: 'pre',
    resolveId(id) {
      return id.endsWith(`/${name}`) ? this.resolve(module.replaceAll('\\', '/')) : undefined;
    },
  };
}

/**
 * Makes each page send the dev server, when it connects, the number of `PAGE_TIMING` that its response had. Browsers give
 * that number to a page at localhost or at an https address only.
 */
export function connectedPages(): Plugin {
  return {
    name: 'astro-jsonapi:pages',
    apply: 'serve',
    transform: {
      filter: { id: /\/vite\/dist\/client\/client\.mjs$/ },
      handler: (code) => `${code}
{
  const hot = createHotContext('/@vite/client');
  const [{ serverTiming = [] } = {}] = performance.getEntriesByType('navigation');
  const reloads = serverTiming.find(({ name }) => name === '${PAGE_TIMING}')?.duration;
  hot.on('vite:ws:connect', () => hot.send('${PAGE_CONNECTED}', { reloads }));
}
`,
    },
  };
}

/** Name in the header `Server-Timing` of a page: the number of reloads that the dev server had sent before. */
export const PAGE_TIMING = 'astro-jsonapi-reloads';
/** A page has connected to the dev server. */
export const PAGE_CONNECTED = 'astro-jsonapi:connected';

/** Lets errors of a build name the file and the line of a page instead of those of a compiled chunk. */
export function pageSourceMaps(): Plugin {
  return {
    name: 'astro-jsonapi:source-maps',
    apply: 'build',
    // Astro deletes the output of this environment after the build.
    configEnvironment: (name, { build }) =>
      name === 'prerender' ? { build: { sourcemap: build?.sourcemap ?? true } } : undefined,
    buildStart() {
      process.setSourceMapsEnabled?.(true);
    },
  };
}

/** Keeps the tooling of features, which only builds and the command line use, out of a bundled server. */
export function serverFeatures(): Plugin {
  const features = fileURLToPath(new URL('../features/', import.meta.url)).replaceAll('\\', '/');
  return {
    name: 'astro-jsonapi:server-features',
    enforce: 'pre',
    resolveId(id, importer) {
      return TOOLING.test(id) && importer?.startsWith(features)
        ? resolvedId('astro-jsonapi:no-tooling')
        : undefined;
    },
    load: (id) => (id === resolvedId('astro-jsonapi:no-tooling') ? 'export const tooling = {};' : undefined),
  };
}

const TOOLING = /^\.\/tooling\.[jt]s$/;

/** Prevents the dev server from serving these files and their temporary copies. Absolute paths. */
export function unservedFiles(files: readonly string[]): Plugin {
  const patterns = files.map((file) => `${file.replaceAll('\\', '/').replace(/[^\w/.:-]/gu, '\\$&')}*`);
  return {
    name: 'astro-jsonapi:private',
    config({ server }) {
      // This list replaces the default one.
      const denied = server?.fs?.deny === undefined ? VITE_DENIED : [];
      return { server: { fs: { deny: [...denied, ...patterns] } } };
    },
  };
}

/** Source: Vite 8, `server.fs.deny`. */
const VITE_DENIED = [
  '.env',
  '.env.*',
  '*.{crt,pem,key,p12,pfx,cer,der}',
  '.npmrc',
  '.yarnrc.yml',
  '**/.git/**',
];

/** Invalidates modules, and the site's modules that import them, in each environment of the dev server. */
export function invalidateModules(server: ViteDevServer, ids: Iterable<string>): void {
  const names = [...ids];
  for (const environment of Object.values(server.environments)) {
    for (const id of names) {
      const module = environment.moduleGraph.getModuleById(resolvedId(id));
      if (module !== undefined) invalidate(environment, module);
    }
  }
}

/** The same for files, by absolute path. */
export function invalidateFiles(server: ViteDevServer, files: readonly string[]): void {
  for (const environment of Object.values(server.environments)) {
    for (const file of files) {
      const modules = environment.moduleGraph.getModulesByFile(file.replaceAll('\\', '/'));
      for (const module of modules ?? []) invalidate(environment, module);
    }
  }
}

/**
 * Makes Vite generate a module again, and the site's modules that import it run again. A runner considers a module
 * current as long as the graph has its text, and Astro asks the graph for that text to find styles, which would keep the
 * runner from running it. Astro's own modules do not run again: they hold the state of the server.
 */
function invalidate(environment: DevEnvironment, module: EnvironmentModuleNode): void {
  environment.moduleGraph.invalidateModule(module);
  if (!isRunnable(environment) || module.id === null) return;
  const { evaluatedModules } = environment.runner;
  const evaluated = evaluatedModules.getModuleById(module.id);
  if (evaluated === undefined) return;
  const importers = new Set(evaluated.importers);
  for (const id of importers) {
    const importer = evaluatedModules.getModuleById(id);
    if (importer === undefined || isAstroModule(id)) continue;
    // The text stays, because a request that has just checked it would fail without.
    importer.promise = undefined;
    importer.evaluated = false;
    for (const other of importer.importers) importers.add(other);
  }
  evaluatedModules.invalidateModule(evaluated);
}

/** True for Astro's server and its manifest, but not for the modules that stand for pages. */
function isAstroModule(id: string): boolean {
  if (id.includes('/node_modules/astro/')) return true;
  return id.startsWith('\0virtual:astro:') && !id.startsWith('\0virtual:astro:page:');
}

function isRunnable(environment: DevEnvironment): environment is RunnableDevEnvironment {
  return 'runner' in environment;
}

function nameOf(modules: VirtualModules, id: string): string | undefined {
  if (Object.hasOwn(modules, id)) return id;
  const folder = id.slice(0, id.lastIndexOf('/') + 1);
  return folder !== '' && Object.hasOwn(modules, folder) ? folder : undefined;
}

function resolvedId(id: string): string {
  return `\0${id}`;
}
