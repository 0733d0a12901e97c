import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RouteData } from 'astro';
import { PageError } from '../core/api/request.ts';
import { createPageQueries, type PageQueries } from './page-queries.ts';
import { showBuiltImages } from './prerendered-images.ts';
import { PAGES_FILE, PAGES_FOLDER, type PrerenderedPages } from './prerendered-pages.ts';
import { RECORDED_FILE, readRecorded } from './recorded-queries.ts';

/** The part of the app in Astro's bundle of prerendered pages that is used here. Source: `BuildApp` of Astro. */
interface PrerenderApp {
  readonly manifest: {
    readonly routes: readonly { readonly routeData: RouteData }[];
    readonly entryModules: Readonly<Record<string, string>>;
  };
  readonly routeCache: { clearAll(): void };
  removeBase(path: string): string;
  getComponentByRoute(route: RouteData): Promise<unknown>;
  setInternals(internals: object): void;
  setOptions(options: object): void;
  render(request: Request, options: { readonly routeData: RouteData }): Promise<Response>;
}

interface OpenedPages {
  readonly app: PrerenderApp;
  /** Runs what renders a page. */
  readonly within: <T>(work: () => T) => T;
}

export interface ServedQueries extends PageQueries {
  /** All pages of the build, and those that were served since. */
  pages(): ReturnType<typeof readRecorded>;
}

/** Loads the code of a prerendered page, and returns what renders it again. Undefined if no such page can have the URL. */
export type OpenPrerendered = (url: string) => Promise<(() => Promise<Response>) | undefined>;

/** Runs the code of prerendered pages, which `keepPrerenderedPages` has kept, in a built server. `near` is a file of the server. */
export function createPrerenderedPages(near: string): OpenPrerendered {
  let opening: Promise<OpenedPages | undefined> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  return async (url) => {
    opening ??= openPages(near);
    const opened = await opening;
    if (opened === undefined) return undefined;
    const { app, within } = opened;
    const routes = await matchingRoutes(app, url);
    if (routes.length === 0) return undefined;
    return () => {
      // One after another, because Astro keeps the result of `getStaticPaths`.
      const rendered = last.then(() => within(() => renderPage(app, routes, url)));
      // A page that never ends delays others for this time only.
      last = Promise.race([rendered.catch(() => undefined), sleep(PATIENCE_MS, undefined, { ref: false })]);
      return rendered;
    };
  };
}

/** Milliseconds. */
const PATIENCE_MS = 10_000;

/** The prerendered routes that a URL fits, before the first other one. Their code is loaded. */
async function matchingRoutes(app: PrerenderApp, url: string): Promise<readonly RouteData[]> {
  const path = decodeURI(app.removeBase(new URL(url).pathname));
  const fitting = app.manifest.routes
    .map(({ routeData }) => routeData)
    .filter(({ type, pattern }) => type !== 'fallback' && pattern.test(path));
  const other = fitting.findIndex(({ prerender }) => !prerender);
  const routes = other < 0 ? fitting : fitting.slice(0, other);
  for (const route of routes) if (route.type !== 'redirect') await app.getComponentByRoute(route);
  return routes;
}

async function renderPage(app: PrerenderApp, routes: readonly RouteData[], url: string): Promise<Response> {
  try {
    // Other renderings have other content.
    app.routeCache.clearAll();
    for (const routeData of routes) {
      try {
        const response = await app.render(new Request(url), { routeData });
        // Before another page is rendered.
        return new Response(await response.arrayBuffer(), response);
      } catch (error) {
        if (!isOtherPath(error)) throw pageError(error);
      }
    }
    return new Response(null, { status: 404 });
  } finally {
    app.routeCache.clearAll();
  }
}

async function openPages(near: string): Promise<OpenedPages | undefined> {
  const folder = pagesFolder(near);
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
  return { app, within: showBuiltImages(kept.images) };
}

function pagesFolder(near: string): URL | undefined {
  return ['./', '../', '../../']
    .map((up) => new URL(up + PAGES_FOLDER, near))
    .find((each) => existsSync(new URL(PAGES_FILE, each)));
}

/** The queries of a server's pages on request, and of its prerendered pages. `near` is a file of the server. */
export function createServedQueries(near: string): ServedQueries {
  const queries = createPageQueries();
  let built: ReturnType<typeof readRecorded> | undefined;
  return {
    ...queries,
    async pages() {
      const folder = pagesFolder(near);
      built ??= folder && readRecorded(new URL(RECORDED_FILE, folder));
      return [...((await built) ?? []), ...queries.recorded()];
    },
  };
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
