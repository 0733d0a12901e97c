import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { ViteDevServer } from 'vite';
import { z } from 'zod';
import { ANONYMOUS } from '../../core/access/actor.ts';
import { routesOf, serveFeatures } from '../../core/api/features.ts';
import { createRouteMatcher } from '../../core/api/match-route.ts';
import { openLocalMode } from '../../core/runtime/open-local-mode.ts';
import type { Runtime } from '../../core/runtime/runtime.ts';
import type { FeatureTooling, RuntimeLog, SiteSettings } from '../../core/runtime/site.ts';
import { reportContent } from '../../core/runtime/terminal.ts';
import { createFailedHandler } from '../../core/server/handler.ts';
import { CORE_HANDLERS } from '../../core/server/handlers.ts';
import { DomainError } from '../../core/util/errors.ts';
import { errorMessage } from '../../core/util/text.ts';
import { FEATURES } from '../../features.ts';
import { slashCorrector } from '../final-slash.ts';
import type { TypesFile } from '../generated-types.ts';
import { mdxBodies, rendersMdx } from '../mdx.ts';
import { createPageQueries, observedHandler, pageRequest } from '../page-queries.ts';
import type { DevRuntime, Project } from '../project.ts';
import { createSchemaFollower } from '../schema-follower.ts';
import { schemaCandidates } from '../schema-module.ts';
import { projectModules } from '../virtual-modules.ts';
import { invalidateFiles, invalidateModules, PAGE_CONNECTED, PAGE_TIMING } from '../vite.ts';
import { whenIdle } from '../when-idle.ts';
import { createCollectionRefresh } from './collection-refresh.ts';
import {
  contentFaults,
  type Fault,
  formatFault,
  type OverlayError,
  overlayError,
  schemaFault,
  withSourcePositions,
} from './error-overlay.ts';
import { type Overview, overview } from './overview.ts';
import { createPageRenderer } from './render-page.ts';

export interface DevServerDeps {
  readonly project: Project;
  readonly tooling: readonly FeatureTooling[];
  readonly server: ViteDevServer;
  readonly types: TypesFile;
  readonly log: RuntimeLog;
  /** Asks Astro to fill the collections of its content layer again. */
  refresh(): Promise<void>;
}

/**
 * Runs beside `astro dev`: loads the content, watches it and its schema, reloads open pages after a change, and shows
 * errors in Vite's overlay. If the content cannot be loaded, every request reports the error until it can.
 */
export function startDevServer({ project, tooling, server, types, log, refresh }: DevServerDeps): void {
  const settings = project.settings();
  const { options } = project;
  const { root, contentDir } = settings;
  const candidates = schemaCandidates(project.folders());
  // Cleared on close, because a restarted server stays in memory with this closure.
  let content: Runtime | undefined;
  let isClosed = false;
  let schemaProblem: Fault | undefined;
  let imports: readonly string[] = [];
  let overlay: OverlayError | undefined;
  let openRequests = 0;
  /** Reloads of all open pages so far. */
  let reloads = 0;
  /** Version of the content in open pages. */
  let pageVersion: number | undefined;

  const queries = createPageQueries();
  const pages = createPageRenderer(server, invalidatePages);
  const refreshCollections = createCollectionRefresh({
    filled: project.filled,
    version: () => content?.services.store.version,
    refresh,
    onFilled: () => invalidateModules(server, COLLECTION_MODULES),
  });
  const follower = createSchemaFollower({ watcher: server.watcher, candidates, load: loadSchema });

  /** Passes the current schema to `use`. Logs and stores a problem of the schema. */
  async function readSchema<T>(use: (schema: unknown) => Promise<T>): Promise<T> {
    try {
      const schema = await withSourcePositions(() => project.importSchema(follow));
      const result = await use(schema);
      schemaProblem = undefined;
      return result;
    } catch (error) {
      schemaProblem = schemaFault(error, [...candidates.filter(existsSync), ...imports]);
      log.error(formatFault(schemaProblem));
      throw error;
    } finally {
      follower.setFailed(schemaProblem !== undefined);
    }
  }

  function follow(files: readonly string[]): void {
    imports = files.map((file) => path.resolve(root, file));
    follower.addImports(imports);
  }

  async function open(): Promise<DevRuntime> {
    const idle = () => whenIdle(() => openRequests > 0);
    const localMode = settings.admin ? await openLocalMode(settings) : undefined;
    const recordedPages = async () => queries.recorded();
    const hooks = { observe: queries.observe, recordedPages, onChange, idle, localMode };
    const opened = await readSchema((schema) => project.open(schema, log, hooks));
    const { services, visitor } = opened;
    content = opened;
    pageVersion = services.store.version;
    types.update(services.store.types.values());
    reportContent(opened, options, log).catch((error: unknown) => log.error(String(error)));
    updateOverlay();
    let { handle } = opened;
    if (project.server() === undefined) {
      for (const { answer } of tooling) handle = answer?.(project, { services, handle }, log) ?? handle;
    }
    return {
      opened: () => opened,
      content: opened.content,
      visitor,
      handle: observedHandler(
        (request, context) =>
          handle(request, { ...context, openPage: async (url) => () => pages.render(url) }),
        queries.observe,
      ),
      async close() {
        await opened.close();
        isClosed = true;
        follower.close();
        content = undefined;
        queries.clear();
      },
    };
  }

  async function loadSchema(): Promise<void> {
    if (isClosed) return;
    if (content === undefined) {
      const opened = await open().catch(() => undefined);
      project.register(Promise.resolve(opened ?? failedRuntime(schemaProblem, settings)));
      reloadPages();
    } else {
      const { useSchema } = content;
      await readSchema(useSchema).catch(() => undefined);
      onChange();
    }
  }

  function onChange(): void {
    const hadOverlay = overlay !== undefined;
    updateOverlay();
    if (content === undefined) return;
    const { version, types: current } = content.services.store;
    types.update(current.values());
    // A file with an error leaves the content as it was. Vite's client removes its overlay only with the page.
    const isFixed = hadOverlay && overlay === undefined;
    if (version !== pageVersion || isFixed) reloadPages();
    pageVersion = version;
  }

  /** Makes Astro call `getStaticPaths` again: it keeps the result as long as the module of the page is the same. */
  function invalidatePages(): void {
    invalidateModules(server, Object.keys(projectModules(project, tooling)));
  }

  /** Reloads open pages once the collections of Astro's content layer have the new content. */
  function reloadPages(): void {
    if (content !== undefined && rendersMdx(project.config())) {
      invalidateFiles(server, Object.values(mdxBodies(content, contentDir)));
    }
    invalidatePages();
    for (const { hot } of Object.values(server.environments)) hot.send('astro:content-changed', {});
    refreshCollections()
      .catch((error: unknown) => log.error(errorMessage(error)))
      .finally(() => {
        reloads += 1;
        // Vite stores a reload for the first page that opens, which is new already.
        if (server.ws.clients.size > 0) server.ws.send({ type: 'full-reload' });
      });
  }

  function updateOverlay(): void {
    const diagnostics = content?.services.diagnostics() ?? [];
    const faults = [...(schemaProblem ? [schemaProblem] : []), ...contentFaults(diagnostics, contentDir)];
    const next = overlayError(faults, readIfExists, root);
    if (JSON.stringify(next) === JSON.stringify(overlay)) return;
    overlay = next;
    for (const client of server.ws.clients) sendOverlay(client);
    server.ws.send(OVERVIEW_CHANGED);
  }

  function sendOverlay(client: Pick<ViteDevServer['ws'], 'send'>): void {
    if (overlay !== undefined) client.send({ type: 'error', err: overlay });
  }

  async function describe(url: string, whole: boolean): Promise<Overview> {
    if (content === undefined) {
      const fault = schemaProblem?.message ?? 'The content is still loading.';
      return { types: [], problems: [], queries: [], fault };
    }
    const pageQueries = whole ? queries.of(url) : [];
    return overview(content.services, pageQueries, { contentDir, folder: options.contentDir });
  }

  // Astro's own middleware runs before those of integrations.
  server.httpServer?.prependListener('request', slashCorrector(routesOf(FEATURES), settings));
  const findRoute = createRouteMatcher(routesOf(FEATURES), settings);
  server.middlewares.use((request, response, next) => {
    openRequests += 1;
    response.once('close', () => {
      openRequests -= 1;
    });
    if (request.headers['sec-fetch-dest'] === 'document') {
      response.setHeader('Server-Timing', `${PAGE_TIMING};dur=${reloads}`);
    }
    const page = pageRequest(request);
    if (page === undefined) return next();
    const start = () => queries.track(page, () => next());
    // An address of the integration can render a page, and a page can request one: neither waits for the other.
    if (findRoute(`http://localhost${page.url}`) !== undefined) return start();
    pages.pass(request, new Promise<void>((resolve) => response.once('close', resolve)), start);
  });
  server.ws.on('vite:client:connect', (_: unknown, client: Pick<ViteDevServer['ws'], 'send'>) =>
    sendOverlay(client),
  );
  server.ws.on(PAGE_CONNECTED, (data: unknown, client) => {
    // A reload was sent while the page was loading, before it could receive one.
    const isOld = (connectedPage.safeParse(data).data?.reloads ?? reloads) < reloads;
    if (isOld) client.send({ type: 'full-reload' });
  });
  server.ws.on(OVERVIEW_REQUEST, async (data: unknown, client) => {
    const request = overviewRequest.safeParse(data);
    if (request.success) client.send(OVERVIEW, await describe(request.data.url, request.data.whole));
  });
  project.register(open().catch(() => failedRuntime(schemaProblem, settings)));
}

/** The module that Astro's content layer writes. Vite may have read it while it was being written. */
const COLLECTION_MODULES = ['astro:data-layer-content'];

/** The toolbar sends the URL of its page; `whole` is false if it only needs the problems. */
const OVERVIEW_REQUEST = 'astro-jsonapi:ask';
const OVERVIEW = 'astro-jsonapi:overview';
const OVERVIEW_CHANGED = 'astro-jsonapi:changed';
const connectedPage = z.object({ reloads: z.number().optional() });
const overviewRequest = z.object({ url: z.string().max(8192), whole: z.boolean() });

/** Stands in for content that cannot be loaded, and reports the reason. */
function failedRuntime(fault: Fault | undefined, settings: SiteSettings): DevRuntime {
  const reason = fault === undefined ? 'See the terminal for the reason.' : formatFault(fault);
  const detail = `The content cannot be loaded. ${reason}`;
  const fail = (): never => {
    throw new Error(detail);
  };
  const later = async () => fail();
  return {
    handle: createFailedHandler(
      new DomainError('internal', detail),
      serveFeatures(FEATURES, CORE_HANDLERS),
      settings,
      settings,
    ),
    opened: fail,
    visitor: async () => ANONYMOUS,
    content: { entities: fail, jsonapi: later, suggest: later, cacheKey: fail, runtimePath: fail },
    close: async () => undefined,
  };
}

function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
