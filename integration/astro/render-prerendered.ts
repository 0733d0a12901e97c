import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { RouteData } from 'astro';
import { PageError } from '../core/api/request.ts';
import { PAGES_FILE, PAGES_FOLDER, type PrerenderedPages } from './prerendered-pages.ts';

/** The part of the app in Astro's bundle of prerendered pages that is used here. Source: `BuildApp` of Astro. */
interface PrerenderApp {
  readonly manifest: {
    readonly routes: readonly { readonly routeData: RouteData }[];
    readonly entryModules: Readonly<Record<string, string>>;
  };
  readonly routeCache: { clearAll(): void };
  removeBase(path: string): string;
  setInternals(internals: object): void;
  setOptions(options: object): void;
  render(request: Request, options: { readonly routeData: RouteData }): Promise<Response>;
}

/** Renders a prerendered page again. Undefined if no such page has the URL. */
export type RenderPrerendered = (request: Request) => Promise<Response | undefined>;

/** Runs the code of prerendered pages, which `keepPrerenderedPages` has kept, in a built server. `near` is a file of the server. */
export function createPrerenderedPages(near: string): RenderPrerendered {
  let opening: Promise<PrerenderApp | undefined> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function renderNow(request: Request): Promise<Response | undefined> {
    opening ??= openPages(near);
    const app = await opening;
    if (app === undefined) return undefined;
    const path = decodeURI(app.removeBase(new URL(request.url).pathname));
    // Other renderings have other content.
    app.routeCache.clearAll();
    for (const { routeData } of app.manifest.routes) {
      if (!routeData.pattern.test(path) || routeData.type !== 'page') continue;
      if (!routeData.prerender) return undefined;
      try {
        const response = await app.render(request, { routeData });
        // Before another page is rendered.
        return new Response(await response.arrayBuffer(), response);
      } catch (error) {
        if (isOtherPath(error)) continue;
        throw pageError(error);
      } finally {
        app.routeCache.clearAll();
      }
    }
    return undefined;
  }

  return (request) => {
    // One after another, because Astro keeps the result of `getStaticPaths`.
    const rendered = last.then(() => renderNow(request));
    last = rendered.catch(() => undefined);
    return rendered;
  };
}

async function openPages(near: string): Promise<PrerenderApp | undefined> {
  const folder = ['./', '../', '../../']
    .map((up) => new URL(up + PAGES_FOLDER, near))
    .find((each) => existsSync(new URL(PAGES_FILE, each)));
  if (folder === undefined) return undefined;
  const kept: PrerenderedPages = JSON.parse(await readFile(new URL(PAGES_FILE, folder), 'utf8'));
  // Errors name the lines of templates.
  process.setSourceMapsEnabled(true);
  const { app }: { app: PrerenderApp } = await import(/* @vite-ignore */ new URL(kept.entry, folder).href);
  app.setInternals({
    pagesByKeys: new Map(kept.pages),
    entrySpecifierToBundleMap: new Map(Object.entries(app.manifest.entryModules)),
  });
  app.setOptions({ settings: { scripts: kept.scripts }, logger: { options: { destination: SILENT } } });
  return app;
}

/** Errors are in the response. */
const SILENT = { write: () => true };

/** True for a path that `getStaticPaths` of the matched route does not return. */
function isOtherPath(error: unknown): boolean {
  return error instanceof Error && error.name === 'NoMatchingStaticPathFound';
}

function pageError(error: unknown): PageError {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  for (const line of stack.split('\n')) {
    // `at page (file:///site/src/pages/index.astro:12:3)`
    const isNamed = line.endsWith(')');
    const place = line.slice(line.lastIndexOf(isNamed ? '(' : ' ') + 1, isNamed ? -1 : undefined);
    const [column, row, ...rest] = place.split(':').reverse();
    const file = rest.reverse().join(':');
    if (!TEMPLATE.test(file)) continue;
    const name = file.startsWith('file:') ? fileURLToPath(file) : file;
    return new PageError(message, `${name.slice(name.lastIndexOf('/src/') + 1)}:${row}:${column}`);
  }
  return new PageError(message);
}

/** The code of a site, with source maps. */
const TEMPLATE = /\.(?:astro|mdx?|tsx?|jsx?|svelte|vue)$/;
