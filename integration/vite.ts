import type { Plugin, ViteDevServer } from 'vite';

/** What a virtual module is asked for by: the Vite environment and whether this is a build. */
export interface ModuleRequest {
  /** `client`, `ssr`, `prerender` or `astro`. */
  readonly environment: string;
  readonly command: 'serve' | 'build';
}

/** Makes a module's source text. */
export type ModuleSource = (request: ModuleRequest) => string | Promise<string>;

/** Virtual modules by the name they are imported by. */
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
      return Object.hasOwn(modules, id) ? resolvedId(id) : undefined;
    },
    async load(id) {
      const source = id.startsWith('\0') ? modules[id.slice(1)] : undefined;
      return source?.({ environment: this.environment.name, command });
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

function resolvedId(id: string): string {
  return `\0${id}`;
}
