/**
 * The content runtime of this process, by project. Code that runs at config time and code that Vite loads or
 * bundles are different module instances, so they meet under a global symbol; only plain data, functions and
 * promises pass.
 */
const REGISTRY = Symbol.for('astro-jsonapi.runtime');

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
  const holder = globalThis as typeof globalThis & { [REGISTRY]?: Map<string, Promise<R>> };
  holder[REGISTRY] ??= new Map();
  return holder[REGISTRY];
}
