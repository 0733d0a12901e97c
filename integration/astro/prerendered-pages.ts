import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import type { AstroConfig, AstroIntegration } from 'astro';
import type { Plugin } from 'vite';
import type { PageQueries } from './page-queries.ts';
import { type BuiltImages, builtImages } from './prerendered-images.ts';
import { RECORDED_FILE, writeRecorded } from './recorded-queries.ts';

type Hooks = AstroIntegration['hooks'];

/** Next to the entry of the server. */
export const PAGES_FOLDER = 'prerendered/';
export const PAGES_FILE = 'pages.json';

/** What the code of prerendered pages needs to run on a server. Plain data. */
export interface PrerenderedPages {
  /** The file of the code, in the same folder. */
  readonly entry: string;
  /** The style sheets of each page, as Astro's build has them. */
  readonly pages: readonly (readonly [key: string, { readonly styles: readonly unknown[] }])[];
  /** Scripts that integrations add to all pages. */
  readonly scripts: readonly { readonly stage: string; readonly content: string }[];
  readonly images: BuiltImages;
}

/** The part of the app in Astro's bundle of prerendered pages that is used here. */
interface PrerenderApp {
  getOptions(): {
    readonly allPages: Readonly<Record<string, PrerenderedPages['pages'][number][1]>>;
    readonly settings: { readonly scripts: PrerenderedPages['scripts'] };
  };
  readonly routeCache: {
    get(route: object): { readonly staticPaths?: readonly { props?: unknown }[] } | undefined;
  };
}

/**
 * Keeps the code of prerendered pages, which Astro deletes after a build, so that a server can render previews of them.
 * `isKept` is asked during the build.
 */
export function keepPrerenderedPages(isKept: () => boolean, config: () => AstroConfig, queries: PageQueries) {
  const serverDir = () => config().build.server;
  let app: () => PrerenderApp | undefined = () => undefined;
  return {
    plugin: {
      name: 'astro-jsonapi:prerendered',
      apply: 'build',
      // Astro leaves it to the integration that sets a prerenderer.
      configEnvironment: (name) =>
        name === 'prerender' && isKept()
          ? { build: { rolldownOptions: { input: 'astro/entrypoints/prerender' } } }
          : undefined,
    } satisfies Plugin,
    'astro:build:start'({ setPrerenderer }: Parameters<NonNullable<Hooks['astro:build:start']>>[0]): void {
      if (!isKept()) return;
      queries.clear();
      setPrerenderer((prerenderer) => {
        // Set by its method `setup`.
        app = () => (prerenderer as { app?: PrerenderApp }).app;
        return {
          ...prerenderer,
          async getStaticPaths() {
            const paths = await prerenderer.getStaticPaths();
            for (const route of new Set(paths.map(({ route }) => route))) {
              noteProps(app()?.routeCache.get(route)?.staticPaths ?? [], queries);
            }
            return paths;
          },
          render: (request, options) =>
            queries.track({ url: new URL(request.url).pathname, from: undefined }, () =>
              prerenderer.render(request, options),
            ),
        };
      });
    },
    async 'astro:build:generated'(): Promise<void> {
      if (!isKept()) return;
      const from = new URL('.prerender/', serverDir());
      const files = existsSync(from) ? await readdir(from) : [];
      const entry = files.find((name) => /^prerender-entry\..*\.mjs$/.test(name));
      const options = app()?.getOptions();
      if (entry === undefined || options === undefined) return;
      const to = new URL(PAGES_FOLDER, serverDir());
      await cp(from, to, { recursive: true });
      const kept: PrerenderedPages = {
        entry,
        pages: Object.entries(options.allPages).map(([key, { styles }]) => [key, { styles }]),
        scripts: options.settings.scripts.map(({ stage, content }) => ({ stage, content })),
        images: builtImages(config()),
      };
      await writeFile(new URL(PAGES_FILE, to), JSON.stringify(kept));
      const recorded = writeRecorded(queries);
      await writeFile(new URL(RECORDED_FILE, to), recorded);
      const cache = new URL('astro-jsonapi/', config().cacheDir);
      await mkdir(cache, { recursive: true });
      await writeFile(new URL(RECORDED_FILE, cache), recorded);
    },
  };
}

/** The queries of `getStaticPaths` belong to no page. What each page has of them is noted when Astro reads its props. */
function noteProps(paths: readonly { props?: unknown }[], { note }: PageQueries): void {
  for (const path of paths) {
    const { props } = path;
    if (props === undefined) continue;
    const get = () => {
      note(props);
      return props;
    };
    Object.defineProperty(path, 'props', { get, enumerable: true, configurable: true });
  }
}
