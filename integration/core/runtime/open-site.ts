import { createPolicy } from '../access/policy.ts';
import { assignableRoles } from '../access/role.ts';
import { createScheduleClock } from '../access/schedule.ts';
import type { Services } from '../api/request.ts';
import { createContentApi } from '../builder/index.ts';
import { type Collector, createCollector } from '../content/collect.ts';
import { reportDiagnostics } from '../content/diagnostics/diagnostic-report.ts';
import type { FileSources } from '../content/file-catalog.ts';
import type { LayoutOptions } from '../content/layout.ts';
import { createGoneEntities } from '../content/ledger.ts';
import { withOutsideImages } from '../content/outside-images.ts';
import { createPastContent } from '../content/past-content.ts';
import { resourceTypeName } from '../content/resource-type.ts';
import { readSchema } from '../content/schema/read-schema.ts';
import { createSlicedEngine } from '../engine/create-engine.ts';
import type { QueryEngine } from '../engine/engine.ts';
import { withRelated } from '../engine/related.ts';
import { createEntityStore, type IndexedStore, storeTarget } from '../engine/store/entity-store.ts';
import type { FullText } from '../engine/text/full-text.ts';
import { createTimeSlices } from '../engine/time-slices.ts';
import { byBundle, layoutOptions, type Options } from '../options/options.ts';
import { createCacheBudget } from '../read/cache-budget.ts';
import { createFragments } from '../read/fragment.ts';
import type { Reader } from '../read/reader.ts';
import { createResponseLimiter } from '../read/response-limiter.ts';
import { createServedBody } from '../read/served-body.ts';
import { type ApiSettings, servedSite } from '../read/settings.ts';
import { createHandler } from '../server/handler.ts';
import { type Diagnostic, formatDiagnostics, type Paint } from '../source/diagnostic.ts';
import type { StorageDriver } from '../storage/driver.ts';
import { createFileSource, type FileSource } from '../storage/file-source.ts';
import { fileOfKey } from '../storage/key.ts';
import { NO_FILES } from '../storage/no-files.ts';
import { errorMessage } from '../util/text.ts';
import { ownChecks } from '../write/body.ts';
import type { Content } from '../write/writer.ts';
import { observeChanges } from './content-changes.ts';
import { addFormats, featureSettings, openFeatures } from './open-features.ts';
import { lazySearchTerms, openFullText, preloadWords, searchLanguages } from './open-full-text.ts';
import { openWriter } from './open-writer.ts';
import { createProblemLog } from './problem-log.ts';
import { createRouteCache } from './route-cache.ts';
import type { Runtime } from './runtime.ts';
import type { ContentSource, RuntimeLog, Site } from './site.ts';
import { fileStates, watchContent } from './watch.ts';

/** The composition root: loads the content of a source and connects all parts that serve it. */
export async function createRuntime(source: ContentSource, site: Site): Promise<Runtime> {
  addFormats(site.features);
  const { options, settings, idle } = site;
  const { contentDir } = options;
  const log = runtimeLog(site.log, options);
  const stored = options.gitDates ? source.driver : withoutHistory(source.driver);
  const view = <D extends StorageDriver>(each: D): D =>
    withCollections(site.features.reduce((shown, feature) => feature.view?.(shown) ?? shown, each));
  const driver = view(stored);
  const store = createEntityStore({ locale: settings.locale });
  const withFacts = (all: FileSource) =>
    site.features.reduce((files, feature) => feature.facts?.(files) ?? files, all);
  const contentFiles = (from: StorageDriver) =>
    withFacts(withOutsideImages(createFileSource(from), source.outsideImages));
  const files: FileSources = {
    public: source.publicFiles === undefined ? NO_FILES : createFileSource(source.publicFiles),
    ...source.files,
    content: source.files?.content ? withFacts(source.files.content) : contentFiles(driver),
  };
  const changes = observeChanges(store, storeTarget(store));
  const collector = createCollector({
    driver,
    target: changes.target,
    files,
    cache: source.cache,
    nextTurn: setImmediate,
    schema: source.schema === undefined ? undefined : readSchema(source.schema, contentDir),
    options: {
      published: byBundle(options, 'publishedStatuses'),
      danglingReferences: options.danglingReferences,
      defaultLangcode: settings.locale,
      languages: settings.languages,
      problems: options.problems,
      layout: layoutOptions(options),
      timeZone: options.timeZone,
      aliases: byBundle(options, 'alias'),
      titles: byBundle(options, 'title'),
      fields: byBundle(options, 'fields'),
      base: settings.base,
      fileResources: settings.drupal !== false,
    },
  });
  const { listing } = await collector.load();

  const { reader, fullText } = createReader(
    store,
    { ...site, log, layout: collector.layout },
    source.carriedFullText,
    {
      files: files.content,
      gone: createGoneEntities(driver),
      past: driver.past === undefined ? null : createPastContent(driver.past(), collector),
      diagnostics: () => [
        ...collector.diagnostics(),
        ...opened.flatMap((feature) => feature.problems?.() ?? []),
      ],
    },
  );
  const contentWith = (base: Collector, entities: typeof store): Content['with'] =>
    async function withFiles(from, expected) {
      let forked = entities;
      const target = () => {
        forked = entities.copy();
        return storeTarget(forked);
      };
      const ownFiles = contentFiles(from);
      const own = await base.fork({ driver: from, files: ownFiles, target, expected });
      const opened = createReader(forked, { ...site, log, layout: own.layout }, undefined, {
        files: ownFiles,
        gone: createGoneEntities(from),
        past: null,
        diagnostics: own.diagnostics,
      });
      return { collector: own, store: forked, reader: opened.reader, with: contentWith(own, forked) };
    };
  const features = await openFeatures(site, { log, services: () => services });
  const { opened } = features;
  const { writer, recorder } = await openWriter({
    features: opened,
    options,
    isReadOnly: settings.readOnly,
    driver: stored,
    view,
    folder: source.folder,
    members: features.runtime.members,
    log,
    writing: {
      collector,
      store,
      reader,
      with: contentWith(collector, store),
      now: site.now ?? Date.now,
      // Unlike the reader's, it rejects bodies that cannot be rendered.
      renderBody: site.renderBody,
      checks: site.checks ?? ownChecks,
      ...(site.onWritten && { onWritten: site.onWritten }),
    },
  });
  const followed = driver.followed ?? recorder?.followed;
  const replica =
    followed &&
    opened
      .find(({ createReplica }) => createReplica)
      ?.createReplica?.({
        followed,
        apply: (keys) => collector.apply(keys, [], 'later'),
        readDates: () => collector.apply([]),
        log,
      });
  const services: Services = {
    ...reader,
    ...features.services,
    writer,
    replica,
    fileSources: files,
    preview: collector.preview,
    uncommitted: async () => driver.uncommitted?.(),
    commits: recorder?.commits,
    conflicts: recorder?.conflicts,
  };

  const routeCache = createRouteCache(log);
  const isObserved =
    replica !== undefined ||
    site.onEntities !== undefined ||
    opened.some(({ observe }) => observe !== undefined);
  const stopFollowing = changes.follow(
    services,
    (list) => {
      replica?.contentChanged();
      routeCache.invalidate(list);
      for (const feature of opened) feature.observe?.(list);
      site.onEntities?.(list);
    },
    () => isObserved || routeCache.isUsed,
  );

  const describeProblems = (list: readonly Diagnostic[]) => describe(list, contentDir, driver, site.paint);
  const problems = createProblemLog({ diagnostics: collector.diagnostics, describe: describeProblems, log });
  const onChange = site.onChange && preloadWords(site.onChange, fullText, options);
  const watching = onChange
    ? watchContent({
        driver,
        publicFiles: source.publicFiles,
        collector,
        before: fileStates(listing),
        folder: contentDir,
        log,
        problems,
        idle,
        onChange,
      })
    : undefined;
  watching?.catch((error: unknown) => {
    log.error(`Changes in ${contentDir}/ cannot be watched: ${errorMessage(error)}`);
  });
  const saveWhenIdle = () => void (idle?.() ?? Promise.resolve()).then(collector.save);
  saveWhenIdle();

  return {
    ...features.runtime,
    services,
    content: createContentApi(services, site.observe, (collection) => {
      for (const { shown } of opened) {
        const content = shown?.(collection);
        if (content !== undefined) return content;
      }
      return undefined;
    }),
    driver,
    files,
    fullText,
    describeProblems,
    handle: createHandler(services, settings),
    warnings: () => [
      // The driver reports a folder that does not exist.
      ...(store.types.size === 0 && collector.diagnostics().every(({ key }) => key !== '')
        ? [`The content folder ${contentDir} has no files that are content.`]
        : []),
      ...opened.flatMap((feature) => feature.warnings?.() ?? []),
    ],
    saved: collector.save,
    useRouteCache: routeCache.use,
    async useSchema(schema) {
      const start = performance.now();
      await collector.useSchema(schema === undefined ? undefined : readSchema(schema, contentDir));
      saveWhenIdle();
      const ms = performance.now() - start;
      log.info(`${contentDir}/: all content read again with the changed schema in ${ms.toFixed(1)} ms`);
      await problems.printNew();
      onChange?.();
    },
    async close() {
      await collector.save();
      await recorder?.close();
      stopFollowing();
      await features.close();
      await (await watching?.catch(() => undefined))?.();
    },
  };
}

/** The parts of a reader that depend on the source of the store's entities. */
export interface ReaderSource
  extends Pick<Reader, 'files' | 'gone' | 'past' | 'diagnostics' | 'findReferrers'> {
  /** Default: an engine over the store. */
  readonly engine?: QueryEngine;
}

export interface ReaderSite
  extends Pick<Site, 'features' | 'options' | 'settings' | 'renderBody' | 'bodyErrors' | 'log' | 'now'> {
  /** The files of bundles. Default: those of the options. */
  readonly layout?: () => LayoutOptions;
}

/** The parts that every surface reads a loaded store with. */
export function createReader(
  store: IndexedStore,
  site: ReaderSite,
  carriedFullText: ContentSource['carriedFullText'],
  source: ReaderSource,
): { readonly reader: Reader & Pick<Services, 'responseLimiter'>; readonly fullText: FullText | null } {
  const { options, settings, log, now = Date.now } = site;
  const cache = createCacheBudget(options.cache.memoryMb * 1e6);
  const slices = createTimeSlices(setImmediate);
  const { locale, languages } = settings;
  const fullText = openFullText({ options, store, slices, locale, languages, carriedFullText, log });
  const searchTerms = lazySearchTerms(searchLanguages(options, locale, languages));
  const engine = createSlicedEngine(store, fullText, options.limits, slices);
  const reader = {
    store,
    engine: withRelated(engine, { store, searchTerms }),
    access: createPolicy(store, { now, roles: options.roles, languages }),
    renderBody: createServedBody(site.renderBody, site.bodyErrors ?? 'reject', log.warn),
    fragments: createFragments(store, cache, settings.form),
    cache,
    responseLimiter: createResponseLimiter(slices),
    clock: createScheduleClock(store, now),
    settings: apiSettings(site),
    searchTerms,
    ...source,
  };
  return { reader, fullText };
}

async function describe(
  list: readonly Diagnostic[],
  root: string,
  driver: StorageDriver,
  paint: Paint | undefined,
): Promise<string> {
  if (paint === undefined) return formatDiagnostics(list, { root });
  const readText = async (key: string) => {
    const bytes = await driver.read(key);
    return bytes && new TextDecoder().decode(bytes);
  };
  return reportDiagnostics(list, { root, paint, readText });
}

/** Functions that need no `this`; `info` only if changes are logged. */
function runtimeLog(log: RuntimeLog, { logging }: Options): RuntimeLog {
  return {
    info: (message) => logging.changes && log.info(message),
    warn: (message) => log.warn(message),
    error: (message) => log.error(message),
  };
}

/** A driver that also reads the keys of files in further collections. */
function withCollections<D extends StorageDriver>(driver: D): D {
  const { past } = driver;
  return {
    ...driver,
    async stat(key) {
      const stored = await driver.stat(fileOfKey(key));
      return stored && { ...stored, key };
    },
    read: (key) => driver.read(fileOfKey(key)),
    ...(past && {
      past() {
        const files = past();
        return {
          read: (key, commit) => files.read(fileOfKey(key), commit),
          list: (key, most) => files.list(fileOfKey(key), most),
        };
      },
    }),
  };
}

function withoutHistory({ history: _, ...driver }: StorageDriver): StorageDriver {
  return driver;
}

/** One setting of all bundles that have it, by resource type. */
function byType<Name extends Parameters<typeof byBundle>[1]>(options: Options, name: Name) {
  const settings = Object.entries(byBundle(options, name));
  return Object.fromEntries(
    settings.map(([bundle, value]) => [resourceTypeName(bundle) ?? bundle, value] as const),
  );
}

function apiSettings({
  features,
  options,
  settings: site,
  layout = () => layoutOptions(options),
}: ReaderSite): ApiSettings {
  const { trailingSlash, dev, identity, sessionCookie } = site;
  const given = featureSettings(features, options, { dev, hasServer: false });
  return {
    ...given,
    ...servedSite(site),
    get layout() {
      return layout();
    },
    trailingSlash,
    pageSize: options.pageSize,
    limits: options.limits,
    plurals: byBundle(options, 'plural'),
    maxAge: options.cache.maxAge,
    serverTiming: dev,
    drupal: site.drupal ?? given.drupal,
    hiddenTypes: Object.entries(byType(options, 'api')).flatMap(([type, api]) => (api ? [] : type)),
    hiddenFields: Object.fromEntries(
      Object.entries(byType(options, 'fields')).map(([type, fields]) => [
        type,
        Object.keys(fields).filter((name) => fields[name] === false),
      ]),
    ),
    queryDefaults: byType(options, 'defaults'),
    sessionCookie,
    roles: assignableRoles(options.roles),
    fulltext: options.search !== false,
    ...(identity && { site: identity }),
  };
}
