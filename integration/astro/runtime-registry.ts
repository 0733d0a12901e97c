/**
 * What code at config time shares with code that Vite loads or bundles. Both have their own instances of a module, so
 * they share maps under global symbols, with plain data, functions, and promises. All maps are by project.
 */
const RUNTIMES = Symbol.for('astro-jsonapi.runtime');
const PROJECTS = Symbol.for('astro-jsonapi.projects');
const MDX_RENDERERS = Symbol.for('astro-jsonapi.mdx');

/**
 * Renders one version of an MDX file (an absolute path) for a request to a URL; undefined if the build does not contain it.
 */
export type MdxRenderer = (file: string, version: string, url: string) => Promise<string | undefined>;

/** Sets the MDX renderer of a project root, which uses the site's own modules. */
export function provideMdx(root: string, render: MdxRenderer): void {
  shared<MdxRenderer>(MDX_RENDERERS).set(root, render);
}

export function providedMdx(root: string): MdxRenderer | undefined {
  return shared<MdxRenderer>(MDX_RENDERERS).get(root);
}

/** The parts of a project that Astro's content layer uses in a build, in a sync, and in dev. */
export interface ContentProject<R> {
  /** The content of the project. Loads it if necessary. */
  open(): Promise<R>;
  /** The file with a key: its absolute path, its URL, and its path relative to the project, with slashes. */
  locate(key: string): { readonly absolute: string; readonly relative: string; readonly url: URL };
  /** True if the site can render `.mdx`. */
  readonly mdx: boolean;
  /** For each collection, the content version that it was filled from. The loader sets it. */
  readonly filled: Map<string, number>;
}

/** In place of a version: the collection is being filled. */
export const NOT_YET = -1;

/** Registers a project by its `config.root`. */
export function registerProject<R>(root: URL, project: ContentProject<R>): void {
  shared<ContentProject<R>>(PROJECTS).set(root.href, project);
}

/** The project of a `config.root`; undefined if the integration is not in its config. */
export function registeredProject<R>(root: URL): ContentProject<R> | undefined {
  return shared<ContentProject<R>>(PROJECTS).get(root.href);
}

/** Sets the runtime of a project. Returns the previous one, for the caller to close. */
export function registerRuntime<R>(root: string, runtime: Promise<R>): Promise<R> | undefined {
  const runtimes = shared<Promise<R>>(RUNTIMES);
  const previous = runtimes.get(root);
  runtimes.set(root, runtime);
  return previous;
}

/** Removes the runtime of a project, so that the next one that is opened takes its place. */
export function unregisterRuntime(root: string): void {
  shared(RUNTIMES).delete(root);
}

/** The runtime of a project, if this process has one. */
export function registeredRuntime<R>(root: string): Promise<R> | undefined {
  return shared<Promise<R>>(RUNTIMES).get(root);
}

/** The runtime of a project. Rejects if this process has not opened one. */
export async function sharedRuntime<R>(root: string): Promise<R> {
  const runtime = registeredRuntime<R>(root);
  if (runtime !== undefined) return runtime;
  throw new Error(
    "astro-jsonapi has not loaded content in this process. Pages must be prerendered and developed in Node: with @astrojs/cloudflare, set prerenderEnvironment: 'node', and use the adapter in builds only.",
  );
}

function shared<T>(name: symbol): Map<string, T> {
  const holder = globalThis as typeof globalThis & { [name: symbol]: Map<string, T> | undefined };
  const map = holder[name] ?? new Map<string, T>();
  holder[name] = map;
  return map;
}
