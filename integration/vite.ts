import type { Plugin, ViteDevServer } from 'vite';

/** What a virtual module is asked for by: the Vite environment and whether this is a build. */
export interface ModuleRequest {
  /** `client`, `ssr`, `prerender` or `astro`. */
  readonly environment: string;
  readonly command: 'serve' | 'build';
  /** What follows the name of a module that ends in a slash. */
  readonly below: string;
}

/** Source text, with what other plugins are told of the module. */
export interface ModuleWithMeta {
  readonly code: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Makes a module's source text. */
export type ModuleSource = (
  request: ModuleRequest,
) => string | Promise<string> | ModuleWithMeta | Promise<ModuleWithMeta>;

/** Virtual modules by the name they are imported by; a name that ends in a slash is that of all modules below it. */
export type VirtualModules = Readonly<Record<string, ModuleSource>>;

/** Serves the virtual modules to every Vite environment. */
export function virtualModules(modules: VirtualModules): Plugin {
  let command: ModuleRequest['command'] = 'serve';
  return {
    name: 'astro-jsonapi',
    configResolved(config) {
      command = config.command;
    },
    resolveId(id) {
      return nameOf(modules, id) === undefined ? undefined : resolvedId(id);
    },
    async load(id) {
      const name = id.startsWith('\0') ? nameOf(modules, id.slice(1)) : undefined;
      if (name === undefined) return undefined;
      const below = id.slice(1 + name.length);
      const source = await modules[name]?.({ environment: this.environment.name, command, below });
      return typeof source === 'object' ? { code: source.code, meta: { ...source.meta } } : source;
    },
  };
}

/** Forgets the modules, and all that was computed with them, in each environment of the dev server. */
export function invalidateModules(server: ViteDevServer, ids: Iterable<string>): void {
  const names = [...ids];
  for (const { moduleGraph } of Object.values(server.environments)) {
    for (const id of names) {
      const module = moduleGraph.getModuleById(resolvedId(id));
      if (module !== undefined) moduleGraph.invalidateModule(module);
    }
  }
}

/** The same for modules that are files, by absolute path. */
export function invalidateFiles(server: ViteDevServer, files: readonly string[]): void {
  for (const { moduleGraph } of Object.values(server.environments)) {
    for (const file of files) {
      for (const module of moduleGraph.getModulesByFile(file.replaceAll('\\', '/')) ?? []) {
        moduleGraph.invalidateModule(module);
      }
    }
  }
}

function nameOf(modules: VirtualModules, id: string): string | undefined {
  if (Object.hasOwn(modules, id)) return id;
  const folder = id.slice(0, id.lastIndexOf('/') + 1);
  return folder !== '' && Object.hasOwn(modules, folder) ? folder : undefined;
}

function resolvedId(id: string): string {
  return `\0${id}`;
}
