import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ViteDevServer } from 'vite';
import { z } from 'zod';
import { ANONYMOUS } from '../../access/actor.ts';
import type { Runtime, RuntimeDeps, RuntimeLog, SiteSettings } from '../../runtime/runtime.ts';
import { createFailedHandler } from '../../server/handler.ts';
import { DomainError } from '../../util/errors.ts';
import { whenIdle } from '../../util/when-idle.ts';
import { invalidateModules } from '../vite.ts';
import { observedHandler } from './browser-requests.ts';
import { createCollectionRefresh } from './collection-refresh.ts';
import { contentFaults, type Fault, overlayError, placeText } from './error-overlay.ts';
import { type Overview, overview } from './overview.ts';
import { createPageClients, type OverlayError } from './page-clients.ts';
import { createPageQueries } from './page-queries.ts';
import { pageRequest } from './page-request.ts';
import { type PageRoute, routeModules } from './route-modules.ts';
import { schemaFault, withSourcePlaces } from './schema-fault.ts';
import { createSchemaFollower } from './schema-follower.ts';
import { createStaticAnswers } from './static-answers.ts';

/** What code that Vite loads needs of a runtime, and for code beside it the runtime as it was opened. */
export interface DevRuntime extends Pick<Runtime, 'content' | 'handle' | 'visitor' | 'close'> {
  /** Throws, with the reason, where the content cannot be loaded. */
  opened(): Runtime;
}

export interface DevServerDeps {
  readonly server: ViteDevServer;
  readonly site: SiteSettings;
  /** How messages call the content folder. */
  readonly folder: string;
  readonly log: RuntimeLog;
  /** Whether the site is built without a server. */
  readonly files: boolean;
  /** Where a schema may appear: absolute paths. */
  readonly schemaCandidates: readonly string[];
  routes(): readonly PageRoute[];
  /** The default export of the schema that is there now, and the files it imports; undefined for no schema. */
  importSchema(onDependencies: (files: readonly string[]) => void): Promise<unknown>;
  open(schema: unknown, hooks: Pick<RuntimeDeps, 'observe' | 'onChange' | 'idle'>): Promise<Runtime>;
  /** Makes it the project's runtime and closes the former one. */
  register(runtime: Promise<DevRuntime>): void;
  /** Called when content has been opened, and after each of its changes. */
  onContent(runtime: Runtime, event: 'opened' | 'changed'): void;
  /** Makes code that Vite has loaded forget what it knows of the content: undefined where that cannot be loaded. */
  invalidate(content: Runtime | undefined): void;
  /** Versions of the content that collections of Astro's content layer were last filled from, by their names. */
  readonly filled: Map<string, number>;
  /** Asks Astro to fill those collections again. */
  refresh(): Promise<void>;
}

/**
 * `astro dev`: loads the content, follows it and its schema, reloads the pages that used what has changed and shows what is
 * wrong over them. Where the content cannot be loaded at all, that is answered until it can.
 */
export function startDevServer(deps: DevServerDeps): void {
  const { server, site, folder, log } = deps;
  const { root, base, contentDir } = site;
  // Forgotten when it is closed: a server that was restarted stays in memory with this.
  let content: Runtime | undefined;
  let closed = false;
  let schemaProblem: Fault | undefined;
  let imported: readonly string[] = [];
  let shown: OverlayError | undefined;
  let unanswered = 0;

  const queries = createPageQueries(() => content?.services.store.version ?? 0);
  const graphs = [server.environments.ssr, server.environments.prerender].flatMap((environment) =>
    environment === undefined ? [] : [environment.moduleGraph],
  );
  const uses = (url: string) => routeModules(url, { root, base, routes: deps.routes(), graphs });
  const clients = createPageClients({ socket: server.ws, queries, uses, fault: () => shown });
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

  /** The schema that is there now; its problem is told and kept. */
  async function readSchema<T>(use: (schema: unknown) => Promise<T>): Promise<T> {
    try {
      const schema = await withSourcePlaces(() => deps.importSchema(follow));
      const used = await use(schema);
      schemaProblem = undefined;
      return used;
    } catch (error) {
      schemaProblem = schemaFault(error, [...deps.schemaCandidates.filter(isThere), ...imported]);
      log.error(placeText(schemaProblem));
      throw error;
    } finally {
      follower.loaded(schemaProblem === undefined);
    }
  }

  function follow(files: readonly string[]): void {
    imported = files.map((file) => path.resolve(root, file));
    follower.imports(imported);
  }

  async function open(): Promise<DevRuntime> {
    const opened = await readSchema((schema) =>
      deps.open(schema, {
        observe: queries.observe,
        onChange: changed,
        idle: () => whenIdle(() => unanswered > 0),
      }),
    );
    content = opened;
    deps.onContent(opened, 'opened');
    showProblems();
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
        queries.forget();
      },
    };
  }

  async function loadSchema(): Promise<void> {
    if (closed) return;
    if (content === undefined) {
      const opened = await open().catch(() => undefined);
      if (opened !== undefined) deps.register(Promise.resolve(opened));
      else deps.register(Promise.resolve(broken(schemaProblem, site)));
      show(true);
    } else {
      const known = content;
      await readSchema((schema) => known.useSchema(schema)).catch(() => undefined);
    }
    showProblems();
  }

  function changed(): void {
    showProblems();
    if (content !== undefined) deps.onContent(content, 'changed');
    show();
  }

  /** Has everything that is made of the content made again; pages are reloaded when their collections are filled. */
  function show(all = false): void {
    deps.invalidate(content);
    refreshCollections()
      .catch((error: unknown) => log.error(error instanceof Error ? error.message : String(error)))
      .finally(() => clients.update(all));
  }

  function showProblems(): void {
    const diagnostics = content?.services.diagnostics() ?? [];
    const faults = [...(schemaProblem ? [schemaProblem] : []), ...contentFaults(diagnostics, contentDir)];
    const now = overlayError(faults, readIfThere, root);
    if (JSON.stringify(now) === JSON.stringify(shown)) return;
    shown = now;
    clients.showFault();
  }

  async function describe(url: string, whole: boolean): Promise<Overview> {
    if (content === undefined) {
      return {
        types: [],
        problems: [],
        queries: [],
        fault: schemaProblem?.message ?? 'The content is being read.',
      };
    }
    const asked = whole ? queries.of(url, uses(url)) : [];
    return overview(content.services, asked, { root, contentDir, folder });
  }

  server.middlewares.use((request, response, next) => {
    unanswered += 1;
    const page = pageRequest(request);
    response.once('close', () => {
      unanswered -= 1;
      if (page !== undefined) clients.answered(page.url, response.statusCode);
    });
    if (page === undefined) next();
    else queries.answering(page.url, page.from, () => next());
  });
  server.ws.on(ASK, async (data: unknown, client) => {
    const asked = question.safeParse(data);
    if (asked.success) client.send(OVERVIEW, await describe(asked.data.url, asked.data.whole));
  });
  deps.register(open().catch(() => broken(schemaProblem, site)));
}

/** What Astro's content layer has written, which Vite may have been reading at that time. */
const COLLECTION_MODULES = ['astro:data-layer-content'];

/** The toolbar asks what it shows; not the whole where only problems are looked for. */
const ASK = 'astro-jsonapi:ask';
const OVERVIEW = 'astro-jsonapi:overview';
const question = z.object({ url: z.string().max(8192), whole: z.boolean() });

/** Stands in for content that cannot be loaded: says why. */
function broken(fault: Fault | undefined, site: SiteSettings): DevRuntime {
  const detail = `The content cannot be loaded. ${fault === undefined ? 'The terminal has the reason.' : placeText(fault)}`;
  const refuse = (): never => {
    throw new Error(detail);
  };
  return {
    handle: createFailedHandler(new DomainError('internal', detail), site, site),
    opened: refuse,
    visitor: async () => ANONYMOUS,
    content: { entities: refuse, jsonapi: async () => refuse(), cacheKey: refuse },
    close: async () => undefined,
  };
}

function isThere(file: string): boolean {
  return readIfThere(file) !== undefined;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
