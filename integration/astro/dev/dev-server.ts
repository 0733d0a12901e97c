import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ViteDevServer } from 'vite';
import { z } from 'zod';
import { ANONYMOUS } from '../../access/actor.ts';
import type { Runtime, RuntimeLog, Site, SiteSettings } from '../../runtime/runtime.ts';
import { createFailedHandler } from '../../server/handler.ts';
import { DomainError } from '../../util/errors.ts';
import { errorMessage } from '../../util/text.ts';
import { whenIdle } from '../../util/when-idle.ts';
import { createSchemaFollower } from '../schema-follower.ts';
import { invalidateModules } from '../vite.ts';
import { createCollectionRefresh } from './collection-refresh.ts';
import { contentFaults, type Fault, type OverlayError, overlayError, placeText } from './error-overlay.ts';
import { type Overview, overview } from './overview.ts';
import { createPageQueries, observedHandler, pageRequest } from './page-queries.ts';
import { schemaFault, withSourcePlaces } from './schema-fault.ts';
import { createStaticAnswers } from './static-answers.ts';

/** The part of a runtime that code loaded by Vite uses. */
export interface DevRuntime extends Pick<Runtime, 'content' | 'handle' | 'visitor' | 'close'> {
  /** The runtime itself. Throws if the content could not be loaded. */
  opened(): Runtime;
}

export interface DevServerDeps {
  readonly server: ViteDevServer;
  readonly site: SiteSettings;
  /** The content folder as messages name it. */
  readonly folder: string;
  readonly log: RuntimeLog;
  /** True if the site has no adapter, so that its build writes files only. */
  readonly files: boolean;
  /** Absolute paths at which a schema may appear. */
  readonly schemaCandidates: readonly string[];
  /** Imports the schema and reports the files it imports. Resolves to its default export, or undefined without a schema. */
  importSchema(onDependencies: (files: readonly string[]) => void): Promise<unknown>;
  open(schema: unknown, hooks: Pick<Site, 'observe' | 'onChange' | 'idle'>): Promise<Runtime>;
  /** Makes it the runtime of the project and closes the previous one. */
  register(runtime: Promise<DevRuntime>): void;
  /** Called when the content was loaded, and after each change. */
  onContent(runtime: Runtime, event: 'opened' | 'changed'): void;
  /** Invalidates the modules that Vite made from the content. */
  invalidate(content: Runtime | undefined): void;
  /** For each collection of Astro's content layer: the store version that it was filled from. */
  readonly filled: Map<string, number>;
  /** Asks Astro to fill those collections again. */
  refresh(): Promise<void>;
}

/**
 * Runs beside `astro dev`: loads the content, watches it and its schema, reloads open pages after a change, and shows
 * errors in Vite's overlay. If the content cannot be loaded, every request reports the error until it can.
 */
export function startDevServer(deps: DevServerDeps): void {
  const { server, site, folder, log } = deps;
  const { root, contentDir } = site;
  // Cleared on close, because a restarted server stays in memory with this closure.
  let content: Runtime | undefined;
  let closed = false;
  let schemaProblem: Fault | undefined;
  let imported: readonly string[] = [];
  let overlay: OverlayError | undefined;
  let openRequests = 0;
  /** Version of the content that open pages show. */
  let shownVersion: number | undefined;

  const queries = createPageQueries();
  const refreshCollections = createCollectionRefresh({
    filled: deps.filled,
    version: () => content?.services.store.version,
    ask: deps.refresh,
    onFilled: () => invalidateModules(server, COLLECTION_MODULES),
  });
  const follower = createSchemaFollower({
    watcher: server.watcher,
    candidates: deps.schemaCandidates,
    load: loadSchema,
  });

  /** Passes the current schema to `use`. Logs and stores a problem of the schema. */
  async function readSchema<T>(use: (schema: unknown) => Promise<T>): Promise<T> {
    try {
      const schema = await withSourcePlaces(() => deps.importSchema(follow));
      const result = await use(schema);
      schemaProblem = undefined;
      return result;
    } catch (error) {
      schemaProblem = schemaFault(error, [
        ...deps.schemaCandidates.filter((file) => readIfExists(file) !== undefined),
        ...imported,
      ]);
      log.error(placeText(schemaProblem));
      throw error;
    } finally {
      follower.setFailed(schemaProblem !== undefined);
    }
  }

  function follow(files: readonly string[]): void {
    imported = files.map((file) => path.resolve(root, file));
    follower.addImports(imported);
  }

  async function open(): Promise<DevRuntime> {
    const opened = await readSchema((schema) =>
      deps.open(schema, {
        observe: queries.observe,
        onChange,
        idle: () => whenIdle(() => openRequests > 0),
      }),
    );
    content = opened;
    shownVersion = opened.services.store.version;
    deps.onContent(opened, 'opened');
    updateOverlay();
    const { services } = opened;
    const handle = deps.files ? createStaticAnswers({ services, handle: opened.handle, log }) : opened.handle;
    return {
      opened: () => opened,
      content: opened.content,
      visitor: opened.visitor,
      handle: observedHandler(handle, queries.observe),
      async close() {
        await opened.close();
        closed = true;
        follower.close();
        content = undefined;
        queries.clear();
      },
    };
  }

  async function loadSchema(): Promise<void> {
    if (closed) return;
    if (content === undefined) {
      const opened = await open().catch(() => undefined);
      deps.register(Promise.resolve(opened ?? failedRuntime(schemaProblem, site)));
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
    deps.onContent(content, 'changed');
    // A file with an error leaves the content as it was. Vite's client removes its overlay only with the page.
    const { version } = content.services.store;
    const isFixed = hadOverlay && overlay === undefined;
    if (version !== shownVersion || isFixed) reloadPages();
    shownVersion = version;
  }

  /** Reloads open pages once the collections of Astro's content layer hold the new content. */
  function reloadPages(): void {
    deps.invalidate(content);
    refreshCollections()
      .catch((error: unknown) => log.error(errorMessage(error)))
      // Vite stores a reload for the first page that opens, which is new already.
      .finally(() => server.ws.clients.size > 0 && server.ws.send({ type: 'full-reload' }));
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
    return overview(content.services, whole ? queries.of(url) : [], { root, contentDir, folder });
  }

  server.middlewares.use((request, response, next) => {
    openRequests += 1;
    response.once('close', () => {
      openRequests -= 1;
    });
    const page = pageRequest(request);
    if (page === undefined) next();
    else queries.track(page, () => next());
  });
  server.ws.on('vite:client:connect', (_: unknown, client: Pick<ViteDevServer['ws'], 'send'>) =>
    sendOverlay(client),
  );
  server.ws.on(OVERVIEW_REQUEST, async (data: unknown, client) => {
    const request = overviewRequest.safeParse(data);
    if (request.success) client.send(OVERVIEW, await describe(request.data.url, request.data.whole));
  });
  deps.register(open().catch(() => failedRuntime(schemaProblem, site)));
}

/** The module that Astro's content layer writes. Vite may have read it while it was being written. */
const COLLECTION_MODULES = ['astro:data-layer-content'];

/** The toolbar sends the URL of its page; `whole` is false if it only needs the problems. */
const OVERVIEW_REQUEST = 'astro-jsonapi:ask';
const OVERVIEW = 'astro-jsonapi:overview';
const OVERVIEW_CHANGED = 'astro-jsonapi:changed';
const overviewRequest = z.object({ url: z.string().max(8192), whole: z.boolean() });

/** Stands in for content that cannot be loaded, and reports the reason. */
function failedRuntime(fault: Fault | undefined, site: SiteSettings): DevRuntime {
  const reason = fault === undefined ? 'See the terminal for the reason.' : placeText(fault);
  const detail = `The content cannot be loaded. ${reason}`;
  const fail = (): never => {
    throw new Error(detail);
  };
  return {
    handle: createFailedHandler(new DomainError('internal', detail), site, site),
    opened: fail,
    visitor: async () => ANONYMOUS,
    content: { entities: fail, jsonapi: async () => fail(), cacheKey: fail },
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
