import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica, Services } from '../../core/api/request.ts';
import { READING_METHODS } from '../../core/api/routes.ts';
import { createContentApi } from '../../core/builder/index.ts';
import type { FileSources } from '../../core/content/file-catalog.ts';
import { createGoneEntities } from '../../core/content/ledger.ts';
import { withOutsideImages } from '../../core/content/outside-images.ts';
import { addFormats, openFeatures } from '../../core/runtime/open-features.ts';
import { searchLanguages } from '../../core/runtime/open-full-text.ts';
import { createReader, createRuntime } from '../../core/runtime/open-site.ts';
import { isStoredElsewhere } from '../../core/runtime/open-storage.ts';
import { createRouteCache } from '../../core/runtime/route-cache.ts';
import type { Runtime } from '../../core/runtime/runtime.ts';
import type { ContentSource, OpeningServer, Site } from '../../core/runtime/site.ts';
import { reportContent } from '../../core/runtime/terminal.ts';
import { createHandler, type Handler } from '../../core/server/handler.ts';
import { createFileSource } from '../../core/storage/file-source.ts';
import { NO_FILES } from '../../core/storage/no-files.ts';
import { ServiceUnavailableError } from '../../core/util/errors.ts';
import { addressOf } from './availability.ts';
import type { PostgresContent } from './open.ts';
import type { Engine } from './options.ts';

/** The module `postgres/open.ts`, which needs packages that not every site has. */
export type PostgresModule = Pick<
  typeof import('./open.ts'),
  'openPostgres' | 'openPublisher' | 'openSharedState'
>;

/** The database of option `engine`. */
interface PostgresDatabase extends PostgresModule, Omit<Engine, 'name'> {}

/** A server with option `engine`: it answers from the database, or stores its own changes there. */
export async function openPostgresRuntime({
  site,
  folder,
  source,
  filesOnly,
}: OpeningServer): Promise<Runtime> {
  const { options, settings, environment = {}, log, postgres } = site;
  const { engine } = options;
  if (engine === undefined || postgres === undefined) throw new Error('This build has no database.');
  const address = (url: string) => addressOf('engine', url, environment, log);
  const database = {
    ...engine,
    url: address(engine.url),
    ...(engine.listenUrl !== undefined && { listenUrl: address(engine.listenUrl) }),
    ...(await postgres()),
  };
  const isReader = settings.readOnly || (folder === undefined && !isStoredElsewhere(site.features, options));
  const runtime = isReader
    ? await createPostgresRuntime(await (folder === undefined ? filesOnly : source)(), site, database)
    : await createPublishingRuntime(await source(), site, database);
  if (!isReader) await reportContent(runtime, options, log);
  await runtime.announce(settings.base, log);
  return runtime;
}

/** The runtime of a server that reads content from PostgreSQL, without content in memory. It cannot write. */
async function createPostgresRuntime(
  source: ContentSource,
  site: Site,
  { openPostgres, url, listenUrl, schema, maxAge }: PostgresDatabase,
): Promise<Runtime> {
  const { options, settings, log, now = Date.now } = site;
  const { driver } = source;
  const routeCache = createRouteCache(log);
  const content = await openPostgres({
    ...{ url, listenUrl, schema, now, log },
    maxAge: maxAge * 1000,
    limits: options.limits,
    search: searchLanguages(options, settings.locale, settings.languages),
    onChange(changed) {
      const types = [...content.store.types.keys()];
      routeCache.invalidate(
        changed?.map(([type, id]) => ({ type, id })) ?? types.map((type) => ({ type, id: '' })),
      );
    },
  });
  log.info(`This server reads: PostgreSQL answers (schema ${schema}).`);
  const files: FileSources = {
    content: withOutsideImages(createFileSource(driver), source.outsideImages),
    public: source.publicFiles === undefined ? NO_FILES : createFileSource(source.publicFiles),
    ...source.files,
  };
  addFormats(site.features);
  const { engine, findReferrers } = content;
  const { reader } = createReader(content.store, site, undefined, {
    ...{ engine, findReferrers },
    files: files.content,
    gone: createGoneEntities(driver),
    past: null,
    diagnostics: () => [],
  });
  const features = await openFeatures(site, { log, services: () => services });
  const services: Services = {
    ...reader,
    ...features.services,
    writer: null,
    replica: createDatabaseReplica(content),
    database: createDatabaseHealth(content, maxAge),
    fileSources: files,
    uncommitted: async () => undefined,
  };
  const handle = createHandler(services, settings);
  return {
    ...features.runtime,
    services,
    content: createContentApi(services, site.observe),
    driver,
    files,
    fullText: null,
    describeProblems: async () => '',
    handle(request, context) {
      const isReading = READING_METHODS.some((method) => method === request.method);
      return content.consistent(
        () => handle(request.body === null ? request : request.clone(), context),
        isReading,
      );
    },
    warnings: () => [],
    useRouteCache: routeCache.use,
    useSchema: () => Promise.reject(new Error('A server with option engine has the schema of its build.')),
    saved: async () => undefined,
    async close() {
      await features.close();
      await content.close();
    },
  };
}

function createDatabaseHealth(
  { age }: Pick<PostgresContent, 'age'>,
  maxAge: number,
): NonNullable<Services['database']> {
  return {
    health() {
      const ageSeconds = Math.floor(age() / 1000);
      return { content: ageSeconds > maxAge ? 'stale' : 'ok', ageSeconds };
    },
  };
}

/** The commits that syncs have named. */
function createDatabaseReplica({ store, revision, hasRevision }: PostgresContent): Replica {
  let last: { readonly version: number; readonly commit: string } | undefined;
  return {
    state() {
      const commit = revision();
      if (!COMMIT.test(commit)) return undefined;
      if (last?.version !== store.version) last = { version: store.version, commit };
      return last;
    },
    ownCommit: async () => undefined,
    has: hasRevision,
    async reach(commit, signal) {
      for (const end = performance.now() + WAIT_MS; !(await hasRevision(commit)); ) {
        signal.throwIfAborted();
        if (performance.now() > end) {
          throw new ServiceUnavailableError(
            `The database does not have the commit ${commit} yet. Try again soon.`,
            RETRY_AFTER_S,
          );
        }
        await sleep(LOOK_EVERY_MS);
      }
    },
    settle: async () => undefined,
    branch: () => undefined,
  };
}

const COMMIT = /^(?:[\da-f]{40}|[\da-f]{64})$/;
const WAIT_MS = 5000;
const LOOK_EVERY_MS = 200;
const RETRY_AFTER_S = 1;

/**
 * The runtime of a server that writes: it has the content in memory, and stores each change in PostgreSQL before it answers
 * the request that made it.
 */
async function createPublishingRuntime(
  source: ContentSource,
  site: Site,
  { openPublisher, url, listenUrl, schema, maxAge }: PostgresDatabase,
): Promise<Runtime> {
  const { options, settings, log } = site;
  let publisher: ReturnType<typeof openPublisher> | undefined;
  const runtime = await createRuntime(source, {
    ...site,
    onChange() {
      publisher?.publish([]);
      site.onChange?.();
    },
    onEntities: (changes) => publisher?.publish(changes),
  });
  const opened = openPublisher({
    ...{ url, listenUrl, schema, log },
    maxAge: maxAge * 1000,
    search: searchLanguages(options, settings.locale, settings.languages),
    store: runtime.services.store,
  });
  log.info(`This server writes: its memory answers, and PostgreSQL gets each change (schema ${schema}).`);
  publisher = opened;
  const handle: Handler = async (request, context) => {
    const response = await runtime.handle(request, context);
    if (response !== undefined && !READING_METHODS.some((method) => method === request.method)) {
      await opened.published();
    }
    return response;
  };
  const services: Services = { ...runtime.services, database: createDatabaseHealth(opened, maxAge) };
  return {
    ...runtime,
    services,
    handle,
    async close() {
      await runtime.close();
      await opened.close();
    },
  };
}
