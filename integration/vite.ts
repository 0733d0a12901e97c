import type { Plugin, ViteDevServer } from 'vite';

/** What a virtual module is asked for by: the Vite environment and whether this is a build. */
export interface ModuleRequest {
  /** `client`, `ssr`, `prerender` or `astro`. */
  readonly environment: string;
  readonly command: 'serve' | 'build';
  /** What follows the name of a module that ends in a slash. */
  readonly below: string;
}

/** Makes a module's source text. */
export type ModuleSource = (request: ModuleRequest) => string | Promise<string>;

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
      return modules[name]?.({ environment: this.environment.name, command, below });
    },
  };
}

/** Keeps the dev server, which serves all of the project's folder, from serving a file and its drafts. Absolute paths. */
export function unservedFiles(files: readonly string[]): Plugin {
  const patterns = files.map((file) => `${file.replaceAll('\\', '/').replace(/[^\w/.:-]/gu, '\\$&')}*`);
  return {
    name: 'astro-jsonapi:private',
    config({ server }) {
      // What is given here replaces Vite's own list.
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

function nameOf(modules: VirtualModules, id: string): string | undefined {
  if (Object.hasOwn(modules, id)) return id;
  const folder = id.slice(0, id.lastIndexOf('/') + 1);
  return folder !== '' && Object.hasOwn(modules, folder) ? folder : undefined;
}

function resolvedId(id: string): string {
  return `\0${id}`;
}
