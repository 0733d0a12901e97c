import type { Actor } from '../access/actor.ts';
import { createPolicy } from '../access/policy.ts';
import { createScheduleClock } from '../access/schedule.ts';
import { type Auth, openAuth } from '../accounts/open-auth.ts';
import { menuProblems } from '../api/drupal/menu-problems.ts';
import { createBundleNames } from '../api/rest/names.ts';
import type { Services } from '../api/services.ts';
import { createContentApi, type UntypedContentApi } from '../builder/index.ts';
import type { QueryObserver } from '../builder/observe-queries.ts';
import { createCollector } from '../content/collect.ts';
import { reportDiagnostics } from '../content/diagnostics/diagnostic-report.ts';
import type { FileSources } from '../content/file-catalog.ts';
import { createGoneEntities } from '../content/ledger.ts';
import type { Entity } from '../content/model.ts';
import type { ParsedFile } from '../content/parse-file.ts';
import { createPastContent } from '../content/past-content.ts';
import { readSchema } from '../content/schema/read-schema.ts';
import { createSlicedEngine } from '../engine/create-engine.ts';
import { createEntityStore, storeTarget } from '../engine/store/entity-store.ts';
import type { FullText } from '../engine/text/full-text.ts';
import { createTimeSlices } from '../engine/time-slices.ts';
import { byBundle, editingSettings, type Options } from '../options/options.ts';
import { createCacheBudget } from '../read/cache-budget.ts';
import { isNamed } from '../read/content-files.ts';
import { createFragments } from '../read/fragment.ts';
import { createLargeAnswers } from '../read/production.ts';
import type { Reader } from '../read/reader.ts';
import { createServedBody } from '../read/served-body.ts';
import type { ApiSettings, SiteIdentity } from '../read/settings.ts';
import { createHandler, type Handler, type HandlerSettings } from '../server/handler.ts';
import { type RequestSession, sessionActor } from '../server/session.ts';
import { type Diagnostic, formatDiagnostics, type Paint } from '../source/diagnostic.ts';
import type { FileCache } from '../storage/cache/file-cache.ts';
import type { StorageDriver } from '../storage/driver.ts';
import { createFileSource, NO_FILES } from '../storage/file-source.ts';
import { errorMessage } from '../util/text.ts';
import { type ContentChecks, ownChecks } from '../write/content-checks.ts';
import { openFullText, thenReadWords } from './open-full-text.ts';
import { openWriter } from './open-writer.ts';
import { createProblemLog } from './problem-log.ts';
import { watchContent } from './watch.ts';

/** What of the site the runtime needs: plain data. */
export interface SiteSettings extends HandlerSettings {
  /** Absolute path of the project; the runtime's name within a process. */
  readonly root: string;
  /** Absolute path of the content folder. */
  readonly contentDir: string;
  /** Absolute paths of `public/` and of what a build makes; there need not be any on a server. */
  readonly publicDir?: string;
  readonly outDir?: string;
  /** Whether content is only read: there is no server that could change it, or it must not. */
  readonly readOnly: boolean;
  /** Whether there is a server that people and programs can sign in to. */
  readonly signIn: boolean;
  /** Name of the cookie of the site's sessions; null where it keeps none. */
  readonly sessionCookie: string | null;
  /** Whether the site says at which addresses it is, so that a proxy may tell which one was asked. */
  readonly trustsProxy: boolean;
  /** Absolute path of the accounts file, which need not exist; undefined where nobody can sign in. */
  readonly accountsFile?: string | undefined;
  /** Astro's `base`: starts with a slash, ends without one (`''` for the root). */
  readonly base: string;
  readonly trailingSlash: ApiSettings['trailingSlash'];
  /** BCP 47 tag. */
  readonly locale: string;
  /** Whether the query explorer is on. */
  readonly explorer: boolean;
  /** Whether this is `astro dev`. */
  readonly dev: boolean;
  /** Digest of the settings besides the content that documents depend on. */
  readonly form: string;
  /** Path of the health route below `base`; false for none. */
  readonly health: string | false;
  /** From the site's package.json. */
  readonly identity?: SiteIdentity;
}

/** Where one-line messages go. */
export interface RuntimeLog {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface RuntimeDeps {
  readonly options: Options;
  readonly site: SiteSettings;
  readonly driver: StorageDriver;
  /** Absolute path of the driver's folder, where this is a server that may commit what it changes there. */
  readonly folder?: string | undefined;
  /** Where fields find their files, if not in `driver` and `publicFiles`. */
  readonly files?: Partial<FileSources>;
  /** The folder `public/`, where the site has one. */
  readonly publicFiles?: StorageDriver;
  /** Default export of the schema module; undefined where the project has none. */
  readonly schema: unknown;
  /** Whether a reference to nothing is an error, or only a resource that is missing. */
  readonly danglingReferences: Options['danglingReferences'];
  readonly renderBody: (entity: Entity) => Promise<string>;
  /** Checks of what accounts write. By default they run in this process. */
  readonly checks?: ContentChecks | undefined;
  /** Whether a body that the site's processor cannot render rejects, or is answered as text. Rejects by default. */
  readonly bodyErrors?: 'reject' | 'text';
  readonly log: RuntimeLog;
  /** The index in the build, written by `writeFullText`; an empty string for none. Loaded at the first search. */
  readonly carriedFullText?: () => Promise<string>;
  /** Given where problems are read in a terminal: they are shown with the lines they lie in. */
  readonly paint?: Paint;
  /** Files as earlier starts have parsed them. */
  readonly cache?: FileCache<ParsedFile> | undefined;
  /** Given where the runtime is to follow changes of the content; called when one has been applied. */
  readonly onChange?: () => void;
  /** Resolves when there is time for what nobody waits for: to watch, and to write caches. At once by default. */
  readonly idle?: () => Promise<void>;
  /** Called around every query of the site's own code. */
  readonly observe?: QueryObserver;
}

/** The content of one project, loaded and answering. */
export interface Runtime {
  readonly services: Services;
  /** What a site's own code imports from `astro-jsonapi:content`. */
  readonly content: UntypedContentApi;
  readonly driver: StorageDriver;
  readonly files: FileSources;
  /** Null where full-text search is off. */
  readonly fullText: FullText | null;
  /** Problems of the content as text, a line each or with the lines they lie in. */
  describeProblems(list: readonly Diagnostic[]): Promise<string>;
  /** Answers a request; undefined for a path that is not the integration's. */
  readonly handle: Handler;
  /** Undefined where nobody can sign in. */
  readonly auth: Auth | undefined;
  /** Who looks at a page of the site's own. */
  visitor(session: RequestSession): Promise<Actor>;
  /**
   * Reads the content anew by another schema (the default export of a schema module; undefined for none). Services stay
   * the same. Rejects, and nothing changes, where it is no schema.
   */
  useSchema(schema: unknown): Promise<void>;
  /** Resolves when the cache holds what was read at the start, which it does soon after. */
  saved(): Promise<void>;
  /** Stops following changes. */
  close(): Promise<void>;
}

/** COMPOSITION ROOT: options → driver → collector → store → engine → policy → services → handler. */
export async function createRuntime(deps: RuntimeDeps): Promise<Runtime> {
  const { options, site } = deps;
  const log = options.logging.changes ? deps.log : withoutInfo(deps.log);
  const { git: gitOptions } = editingSettings(options);
  const driver = options.gitDates ? deps.driver : withoutHistory(deps.driver);
  const store = createEntityStore({ locale: site.locale });
  const { publicFiles } = deps;
  const files: FileSources = {
    content: createFileSource(driver),
    public: publicFiles === undefined ? NO_FILES : createFileSource(publicFiles),
    ...deps.files,
  };
  const collector = createCollector({
    driver,
    target: storeTarget(store),
    files,
    cache: deps.cache,
    schema: deps.schema === undefined ? undefined : readSchema(deps.schema, options.contentDir),
    options: {
      published: byBundle(options, 'publishedStatuses'),
      danglingReferences: deps.danglingReferences,
      defaultLangcode: site.locale,
      aliases: byBundle(options, 'alias'),
      base: site.base,
    },
  });
  const { listing } = await collector.load();

  const cache = createCacheBudget(options.cache.memoryMb * 1e6);
  const slices = createTimeSlices(setImmediate);
  const fullText = openFullText({ ...deps, store, slices, locale: site.locale });
  const reader: Reader = {
    store,
    engine: createSlicedEngine(store, fullText, options.limits, slices),
    access: createPolicy(store, { now: Date.now, roles: options.roles }),
    renderBody: createServedBody(deps.renderBody, deps.bodyErrors ?? 'reject', log.warn),
    fragments: createFragments(store, cache, site.form),
    cache,
    largeAnswers: createLargeAnswers(slices),
    clock: createScheduleClock(store, Date.now),
    files: files.content,
    settings: apiSettings(options, site),
    gone: createGoneEntities(driver),
    past:
      driver.past === undefined
        ? null
        : createPastContent(driver.past(gitOptions ? gitOptions.branch : undefined), collector),
    diagnostics: () => [
      ...collector.diagnostics(),
      ...createBundleNames(store.types.values(), byBundle(options, 'plural')).problems,
      ...menuProblems(store),
    ],
  };
  const { accountsFile } = site;
  const auth =
    site.signIn && accountsFile !== undefined ? openAuth({ file: accountsFile, warn: log.warn }) : undefined;
  const { writer, git } = await openWriter({
    options,
    isReadOnly: site.readOnly,
    driver,
    folder: deps.folder,
    accounts: auth?.accounts,
    log,
    isNamed: (key) => isNamed(store, key),
    writing: {
      ...{ collector, store, reader, now: Date.now },
      // A change whose body cannot be rendered is refused.
      renderBody: deps.renderBody,
      checks: deps.checks ?? ownChecks,
    },
  });
  const services: Services = { ...reader, writer, commits: git?.commits };
  const describeProblems = (list: readonly Diagnostic[]) => describe(list, options.contentDir, deps);
  const onChange = deps.onChange && thenReadWords(deps.onChange, fullText, options);
  const { idle } = deps;
  const problems = createProblemLog({
    diagnostics: collector.diagnostics,
    describe: describeProblems,
    log,
  });
  const watching = onChange
    ? watchContent({
        driver,
        publicFiles,
        collector,
        before: listing,
        folder: options.contentDir,
        log,
        problems,
        idle,
        onChange,
      })
    : undefined;
  const saveLater = () => void (idle?.() ?? Promise.resolve()).then(collector.save);
  saveLater();
  watching?.catch((error: unknown) => {
    const reason = errorMessage(error);
    log.error(`Changes of ${options.contentDir}/ are not followed: ${reason}`);
  });

  return {
    services,
    content: createContentApi(services, deps.observe),
    driver,
    files,
    fullText,
    describeProblems,
    handle: createHandler(services, { ...site, auth }),
    auth,
    visitor: (session) => sessionActor(session, auth?.authenticator),
    saved: collector.save,
    async useSchema(schema) {
      const start = performance.now();
      const definition = schema === undefined ? undefined : readSchema(schema, options.contentDir);
      await collector.useSchema(definition);
      saveLater();
      const ms = performance.now() - start;
      log.info(`${options.contentDir}/: all content read by the changed schema in ${ms.toFixed(1)} ms`);
      await problems.printNew();
      onChange?.();
    },
    async close() {
      await collector.save();
      await git?.close();
      await (await watching?.catch(() => undefined))?.();
    },
  };
}

async function describe(
  list: readonly Diagnostic[],
  root: string,
  { paint, driver }: RuntimeDeps,
): Promise<string> {
  if (paint === undefined) return formatDiagnostics(list, { root });
  const readText = async (key: string) => {
    const bytes = await driver.read(key);
    return bytes && new TextDecoder().decode(bytes);
  };
  return reportDiagnostics(list, { root, paint, readText });
}

function withoutInfo(log: RuntimeLog): RuntimeLog {
  return {
    info: () => undefined,
    warn: (message) => log.warn(message),
    error: (message) => log.error(message),
  };
}

function withoutHistory({ history: _, ...driver }: StorageDriver): StorageDriver {
  return driver;
}

function apiSettings(options: Options, site: SiteSettings): ApiSettings {
  const { base, trailingSlash, explorer, dev, health, identity, signIn } = site;
  return {
    base,
    trailingSlash,
    pageSize: options.pageSize,
    limits: options.limits,
    plurals: byBundle(options, 'plural'),
    staticQueries: options.prebuild,
    maxAge: options.cache.maxAge,
    serverTiming: dev,
    explorer,
    health,
    signIn,
    fulltext: options.search !== false,
    ...(identity && { site: identity }),
  };
}
