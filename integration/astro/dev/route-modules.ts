import path from 'node:path';
import type { UsesModule } from './page-queries.ts';

/** Of what Astro tells of a route. */
export interface PageRoute {
  readonly patternRegex: RegExp;
  /** Below the project, or absolute. */
  readonly entrypoint: string;
}

/** Of Vite's module graph. */
export interface ModuleGraph {
  getModulesByFile(file: string): ReadonlySet<ModuleNode> | undefined;
}

interface ModuleNode {
  readonly file: string | null;
  readonly importedModules: ReadonlySet<ModuleNode>;
}

export interface RouteModulesDeps {
  readonly root: string;
  /** Astro's `base`, without a slash at its end. */
  readonly base: string;
  readonly routes: readonly PageRoute[];
  readonly graphs: readonly ModuleGraph[];
}

/** The modules that the page at an address is made with; every module where its route is not known. */
export function routeModules(url: string, { root, base, routes, graphs }: RouteModulesDeps): UsesModule {
  const [whole = ''] = url.split('?', 1);
  const pathname = decoded(whole.startsWith(base) ? whole.slice(base.length) || '/' : whole);
  const entries = routes
    .filter(({ patternRegex }) =>
      [pathname, pathname.replace(/(?<=.)\/$/, '')].some((each) => patternRegex.test(each)),
    )
    .map(({ entrypoint }) => path.resolve(root, entrypoint).replaceAll('\\', '/'));
  const nodes = graphs.flatMap((graph) =>
    entries.flatMap((file) => [...(graph.getModulesByFile(file) ?? [])]),
  );
  if (nodes.length === 0) return () => true;
  const files = new Set<string>();
  const seen = new Set(nodes);
  for (const node of seen) {
    if (node.file !== null) files.add(node.file);
    for (const imported of node.importedModules) seen.add(imported);
  }
  return (module) => files.has(module.replaceAll('\\', '/'));
}

function decoded(pathname: string): string {
  try {
    return decodeURI(pathname);
  } catch {
    return pathname;
  }
}
