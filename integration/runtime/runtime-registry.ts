/**
 * The content runtime of this process, by project. Code that runs at config time and code that Vite loads or
 * bundles are different module instances, so they meet under a global symbol; only plain data, functions and
 * promises pass.
 */
const REGISTRY = Symbol.for('astro-jsonapi.runtime');

const PROJECTS = Symbol.for('astro-jsonapi.projects');

const MDX = Symbol.for('astro-jsonapi.mdx');

/** Renders the MDX of a content file (an absolute path) in that version; undefined where it may not be run. */
export type MdxRenderer = (file: string, version: string) => Promise<string | undefined>;

/** Gives a project, by its root, what renders MDX with the site's own modules. */
export function provideMdx(root: string, render: MdxRenderer): void {
  held<MdxRenderer>(MDX).set(root, render);
}

export function providedMdx(root: string): MdxRenderer | undefined {
  return held<MdxRenderer>(MDX).get(root);
}

/** What Astro's content layer needs of a project while Astro builds, syncs or serves in dev. */
export interface ContentProject<R> {
  /** The project's content, loaded now where it is not yet. */
  open(): Promise<R>;
  /** Where a content file is, by its key: absolute, and relative to the project with slashes. */
  place(key: string): { readonly absolute: string; readonly relative: string; readonly url: URL };
  /** Whether the site has a renderer for `.mdx`. */
  readonly mdx: boolean;
  /** Versions of the content that collections were last filled from, by their names. Kept by the loader. */
  readonly filled: Map<string, number>;
}

/** Instead of a version: the collection is being filled. */
export const NOT_YET = -1;

/** Makes a project known by its `config.root`. */
export function registerProject<R>(root: URL, project: ContentProject<R>): void {
  held<ContentProject<R>>(PROJECTS).set(root.href, project);
}

/** The project of a `config.root`; undefined where the integration is not in its config. */
export function registeredProject<R>(root: URL): ContentProject<R> | undefined {
  return held<ContentProject<R>>(PROJECTS).get(root.href);
}

/** Makes a runtime the project's one; the former one is handed back to be closed. */
export function registerRuntime<R>(root: string, runtime: Promise<R>): Promise<R> | undefined {
  const former = registry<R>().get(root);
  registry<R>().set(root, runtime);
  return former;
}

/** The project's runtime, where this process has one. */
export function registeredRuntime<R>(root: string): Promise<R> | undefined {
  return registry<R>().get(root);
}

/** The project's runtime. Rejects where this process has none, with what that means. */
export async function sharedRuntime<R>(root: string): Promise<R> {
  const runtime = registeredRuntime<R>(root);
  if (runtime !== undefined) return runtime;
  throw new Error(
    'astro-jsonapi has loaded no content in this process. Dev servers and prerenderers that run pages outside of Node, in another process, are not supported.',
  );
}

function registry<R>(): Map<string, Promise<R>> {
  return held<Promise<R>>(REGISTRY);
}

function held<T>(name: symbol): Map<string, T> {
  const holder = globalThis as typeof globalThis & { [name: symbol]: Map<string, T> | undefined };
  const map = holder[name] ?? new Map<string, T>();
  holder[name] = map;
  return map;
}
