import pLimit from 'p-limit';
import { type Diagnostic, distinctProblems } from '../source/diagnostic.ts';
import type { FileCache } from '../storage/cache/file-cache.ts';
import type { FileHistory, Listing, StorageDriver } from '../storage/driver.ts';
import { createFileSource, type FileSource } from '../storage/file-source.ts';
import { fileOfKey, lastSegment } from '../storage/key.ts';
import { NO_FILES } from '../storage/no-files.ts';
import { ForkMap } from '../util/fork-map.ts';
import { createPauses, type NextTurn } from '../util/pauses.ts';
import type { ContentFile, SiteReading } from './content-file.ts';
import type { Bundle } from './content-index.ts';
import {
  addFile,
  bundleAt,
  type CollectorState,
  createState,
  deleteDecoded,
  dirtyFiles,
  dropLastCommits,
  entitiesOf,
  forkState,
  isSkipListStale,
  linkingTo,
  removeFile,
  replaceHistory,
  reshape,
  setDecoded,
  sortedBundles,
  withAliasTime,
} from './content-state.ts';
import { type CollectorOptions, createDecoder } from './decode/decode.ts';
import type { KnownEntities } from './decode/references.ts';
import { checkDrafts, collectDiagnostics } from './diagnostics/collect-diagnostics.ts';
import { withSeverities } from './diagnostics/problem-kinds.ts';
import { type EncodeBundle, encodeBundleOf } from './encode/bundle-habits.ts';
import { createFileCatalog, type FileSources } from './file-catalog.ts';
import { keysOfFile } from './file-key.ts';
import { type FileLocation, uriOf } from './file-location.ts';
import { DEFAULT_OPTIONS, type Layout, type LayoutOptions, layoutOf, startOf } from './layout.ts';
import { type Entity, type Reference, type ResourceType, referenceKey } from './model.ts';
import type { ParsedFile, ParseResult } from './parse-file.ts';
import { type Preview, previewFile, previewPastFile, recallFields } from './preview.ts';
import { createFileReader, type ParsedFiles } from './read-files.ts';
import { collectionsLayout } from './schema/collections.ts';
import type { SchemaDefinition } from './schema/schema.ts';
import { declareSchema } from './schema/schema-fields.ts';
import { translationProblem } from './translation-problem.ts';

export interface CollectorDeps {
  readonly driver: StorageDriver;
  readonly schema?: SchemaDefinition | undefined;
  /** Where fields find their files: by default the driver and an empty `public/`. */
  readonly files?: Partial<FileSources> | undefined;
  readonly options: CollectorOptions;
  /** Parsed files of earlier loads. */
  readonly cache?: FileCache<ParsedFile> | undefined;
  /** Updated with everything that the collector reads, before the call that read it resolves. */
  readonly target?: ContentTarget | undefined;
  /** Calls back in the next turn of the event loop. Long work pauses with it. Default: `setTimeout`. */
  readonly nextTurn?: NextTurn;
}

/** A copy of the content that a collector keeps current. */
export interface ContentTarget {
  /** Replaces all content. */
  load(types: readonly ResourceType[], entities: readonly Entity[]): void;
  apply(change: ContentChange): void;
}

/** All content. */
export interface ContentState {
  readonly types: readonly ResourceType[];
  readonly entities: readonly Entity[];
  /** The files as they were before any of them was read. */
  readonly listing: Listing;
  /** The readable files by resource type and key. */
  readonly files: ReadonlyMap<string, ReadonlyMap<string, ContentFile>>;
  /** The number of files of bundles that cannot be read. */
  readonly unreadable: number;
}

/** Apply in this order: `removedTypes`, `removed`, `types`, `put`. */
export interface ContentChange {
  readonly removedTypes: readonly string[];
  readonly removed: readonly RemovedEntity[];
  /** New and changed resource types, with all their entities. */
  readonly types: readonly ReplacedType[];
  /** New and changed entities of the other types. */
  readonly put: readonly Entity[];
}

/** A source, or a translation into a language. */
export interface RemovedEntity extends Reference {
  readonly translation?: string | undefined;
}

export interface ReplacedType {
  readonly type: ResourceType;
  readonly entities: readonly Entity[];
}

/** Reads content and keeps it current. Collects problems instead of throwing them. Calls run one after another. */
export interface Collector {
  /** Reads every file; parses those that are not in the cache. */
  load(): Promise<ContentState>;
  /** Reads every file again with another schema. Rejects, and changes nothing, if the files cannot be listed. */
  useSchema(schema: SchemaDefinition | undefined): Promise<ContentState>;
  /** Writes the files that the last load parsed to the cache, once. */
  save(): Promise<void>;
  /**
   * Reads the files of these keys again, and nothing else. A file that became unreadable keeps its last good entity and
   * gets a problem. `publicKeys` are files in `public/`. Asking git for commit dates takes longer than everything else:
   * with `later`, the dates of the last call are used, and changed files keep only their first date until a call with `now`. Other
   * calls do not wait for git.
   */
  apply(
    keys: readonly string[],
    publicKeys?: readonly string[],
    dates?: 'now' | 'later',
  ): Promise<ContentChange>;
  /**
   * Runs `write`, which changes these files, and applies all changes at once with dates for `later`. `parsed` has files that
   * were parsed before.
   */
  change(keys: readonly string[], write: () => Promise<void>, parsed?: ParsedFiles): Promise<ContentChange>;
  /** Decodes the bytes as if the file of this key had them. `parsed` is their `parseFile`. Changes nothing. */
  preview(key: string, bytes: Uint8Array, parsed?: ParseResult): Promise<Preview>;
  /**
   * Decodes the bytes of a past version, committed at `at` (Unix seconds), in the present shape of its bundle. Missing
   * entities and files are not errors. Changes nothing.
   */
  previewPastVersion(key: string, bytes: Uint8Array, at: number): Promise<Preview>;
  /** Lets the fields of a past version of a file be written again, unless the bundle has a schema. */
  recall(key: string, bytes: Uint8Array): Promise<void>;
  /** A collector over the same content with other files, which changes on its own. It copies only what changes. */
  fork(source: ForkSource): Promise<Collector>;
  /** The files of bundles, by the options and the schema. */
  layout(): LayoutOptions;
  /** The bundle of a file, for `encodeFile`; undefined if it does not exist. */
  encoding(key: string): EncodeBundle | undefined;
  /** All problems of all files after the last change, by file and position. */
  diagnostics(): readonly Diagnostic[];
}

export interface ForkSource {
  /** The files that the fork reads again. */
  readonly driver: StorageDriver;
  /** The files that fields can name. */
  readonly files: FileSource;
  /** Called at the moment of the fork. Returns a target with the same content. */
  target(): ContentTarget;
  /** Entities that count as existing. */
  readonly expected: KnownEntities;
}

export function createCollector(
  deps: CollectorDeps,
  loaded = createContent(deps.driver, deps.schema, deps.options),
): Collector {
  const { driver, files, options, cache, target, nextTurn = setTimeout } = deps;
  const sources = { content: createFileSource(driver), public: NO_FILES, ...files };
  const layout: Layout = (key) => layoutOf(content.layout)(key);
  const catalog = createFileCatalog(sources, layout);
  const decoder = createDecoder(options, catalog);
  let { schema } = deps;
  let content = loaded;
  let diagnostics: readonly Diagnostic[] | undefined;
  let save: (() => Promise<void>) | undefined;
  const inTurn = pLimit(1);
  /** The queue of calls that wait for git. */
  const inGitTurn = pLimit(1);
  /** Keys of files that changed while a call waits for git, whose dates may be older. */
  let changedSinceHistory: Set<string> | undefined;

  async function load(next: Content): Promise<ContentState> {
    const { state, reader } = next;
    // Git works while the files are read.
    const history = driver.history?.();
    history?.catch(() => undefined);
    const opened = await cache?.open();
    const listing = await driver.list();
    catalog.clear();
    state.skipped = listing.skipped;
    const pause = createPauses(nextTurn);
    let unreadable = 0;
    await readIgnoreRules(next, listing);
    await reader.readEach(
      listing.files
        .filter(({ key }) => !state.gitIgnored.has(key))
        .flatMap((file) => keysOfFile(state.readKey, file.key).map((key) => ({ ...file, key }))),
      (file) => {
        if (file.role.role === 'entity' && file.result?.file === undefined) unreadable += 1;
        addFile(state, file);
      },
      opened,
      pause,
    );
    state.history = ForkMap.over((await history) ?? new Map());
    await settle(state, new Set(), []);
    state.isLoaded = true;
    content = next;
    diagnostics = undefined;
    save = opened && once(opened.save);
    const types = sortedBundles(state).flatMap(({ shape }) => shape?.type ?? []);
    const entities = [...state.decoded.values()].map(({ entity }) => entity);
    target?.load(types, entities);
    const files = new Map([...state.index.bundles].map(([name, bundle]) => [name, bundle.files]));
    return { types, entities, listing, files, unreadable };
  }

  /** Finds the files that git ignores. */
  async function readIgnoreRules({ state, layout: { folders } }: Content, { files }: Listing): Promise<void> {
    const keys = files.map(({ key }) => key);
    const isIgnored = await driver.ignored?.(keys, Object.values(folders).map(startOf));
    if (isIgnored === undefined) return;
    const isCommitted = (key: string) => state.history.has(fileOfKey(key));
    state.isGitIgnored = (key) =>
      isIgnored(fileOfKey(key)) && state.readKey(key).role === 'entity' && !isCommitted(key);
    state.gitIgnored = new Set(keys.filter(state.isGitIgnored));
  }

  async function apply(
    changedKeys: readonly string[],
    publicKeys: readonly string[],
    /** All commit dates; undefined to update those of `keys` only. */
    history?: ReadonlyMap<string, FileHistory>,
    changedSince: ReadonlySet<string> = new Set(),
    parsed?: ParsedFiles,
  ): Promise<ContentChange> {
    const { state, reader } = content;
    const revisionOf = (key: string) => bundleAt(state, key)?.files.get(key)?.revision;
    const expanded = (await driver.expand?.(changedKeys)) ?? changedKeys;
    const reported = expanded.flatMap((key) => keysOfFile(state.readKey, key));
    const formerlyIgnored = state.gitIgnored;
    const hasNewRules = reported.some((key) => lastSegment(key) === '.gitignore');
    if (hasNewRules) await readIgnoreRules(content, await driver.list());
    const committed = formerlyIgnored.intersection(history ?? new Map());
    const flipped = formerlyIgnored.symmetricDifference(state.gitIgnored).union(committed);
    const keys = [...new Set(reported).union(flipped)];
    const before = new Map(keys.map((key) => [key, revisionOf(key)]));
    const stored = (await Promise.all(keys.map(reader.stat))).filter((file) => file !== undefined);
    const parts = Map.groupBy(stored, ({ key }) => state.isGitIgnored(key) && !committed.has(key));
    const ignored = new Set(parts.get(true)?.map(({ key }) => key));
    state.gitIgnored = state.gitIgnored.difference(new Set(keys)).union(ignored);
    const read = await reader.readAll(parts.get(false) ?? [], parsed);
    const existing = new Set(read.map(({ key }) => key));
    const isStale = isSkipListStale(state, keys, existing.union(ignored));
    const moved = keys.filter((key) => existing.has(key) !== (bundleAt(state, key)?.keys.has(key) === true));
    for (const key of keys) {
      if (!existing.has(key)) removeFile(state, key);
    }
    for (const file of read) addFile(state, file);
    if (isStale || sortedBundles(state).every((bundle) => bundle.keys.size === 0)) {
      state.skipped = (await driver.list()).skipped;
    }
    const redated = history === undefined ? [] : replaceHistory(state, history, changedSince);
    if (history === undefined) {
      // A file that was only reported again still has the date of its commit.
      const altered = keys.filter(
        (key) => before.get(key) === undefined || revisionOf(key) !== before.get(key),
      );
      for (const key of altered) changedSinceHistory?.add(key);
      dropLastCommits(state, altered);
    }
    const locations: readonly FileLocation[] = [
      ...keys.map((key) => ({ source: 'content', key: key.replace(/\.crop\.json$/, '') }) as const),
      ...publicKeys.map((key) => ({ source: 'public', key }) as const),
    ];
    const uris = locations.filter(catalog.isServable).map(uriOf);
    uris.forEach(catalog.forget);
    catalog.forgetOutside();
    const change = await settle(state, new Set([...keys, ...redated, ...linkingTo(state, moved)]), uris);
    diagnostics = undefined;
    target?.apply(change);
    return change;
  }

  async function applyWithNewDates(
    keys: readonly string[],
    publicKeys: readonly string[],
  ): Promise<ContentChange> {
    const changedSince = new Set<string>();
    changedSinceHistory = changedSince;
    const history = (await driver.history?.()) ?? new Map();
    return inTurn(() => {
      changedSinceHistory = undefined;
      return apply(keys, publicKeys, history, changedSince);
    });
  }

  /** Decodes `keys` and everything that depends on them or on `uris`, and returns the differences. */
  async function settle(
    state: CollectorState,
    keys: ReadonlySet<string>,
    uris: readonly string[],
  ): Promise<ContentChange> {
    const moves = state.index.takeMoves();
    if (moves.length > 0) state.suggestions = new Map();
    const { reshaped, removedTypes } = reshape(state);
    const dirty = dirtyFiles(state, keys, moves, reshaped, uris);
    // The first load has no former entities.
    const before = new Map(
      state.isLoaded ? [...dirty.keys()].map((key) => [key, state.decoded.get(key)?.entity]) : [],
    );
    const pause = createPauses(nextTurn);
    for (const [key, bundle] of dirty) {
      decode(state, bundle, key);
      await pause();
    }
    checkDrafts(state, decoder);
    // Decoding does not wait for files. Entities that name new ones are decoded again when these are known.
    if (await catalog.lookUp()) {
      for (const [key, bundle] of dirty) {
        const isTranslation = bundle.files.get(key)?.translation !== undefined;
        if (isTranslation || state.decoded.get(key)?.files.length !== 0) decode(state, bundle, key);
        await pause();
      }
      checkDrafts(state, decoder);
    }
    const put = [...dirty].flatMap(([key, bundle]) => {
      const entity = state.decoded.get(key)?.entity;
      const isNew = entity !== undefined && !reshaped.has(bundle) && !sameEntity(before.get(key), entity);
      return isNew ? [entity] : [];
    });
    const stays = (bundle: Bundle | undefined) => bundle !== undefined && !reshaped.has(bundle);
    const removed: RemovedEntity[] = moves
      .filter(({ type, after }) => after === undefined && stays(state.index.bundles.get(type)))
      .map(({ type, id }) => ({ type, id }));
    if (state.languages !== undefined) {
      const formers = removedTranslations(state, before);
      removed.push(...formers.filter(({ type }) => stays(state.index.bundles.get(type))));
    }
    const types = [...reshaped].flatMap((bundle) =>
      bundle.shape === undefined ? [] : [{ type: bundle.shape.type, entities: entitiesOf(state, bundle) }],
    );
    return { removedTypes, removed, types, put };
  }

  function decode(state: CollectorState, bundle: Bundle, key: string): void {
    deleteDecoded(state, key);
    state.translationProblems.delete(key);
    const file = bundle.files.get(key);
    if (file === undefined) return;
    if (file.translation !== undefined) {
      const problem = translationProblem(state, bundle, file);
      if (problem !== undefined) state.translationProblems.set(key, problem);
      if (problem !== undefined) return;
    } else if (state.index.owner(bundle.name, file.id) !== key) return;
    const decoded = decoder.decode(state, bundle, file);
    if (decoded !== undefined) setDecoded(state, key, withAliasTime(state, file, decoded));
  }

  return {
    load: () => inTurn(() => load(createContent(driver, schema, options))),
    useSchema: (next) =>
      inGitTurn(() =>
        inTurn(async () => {
          const loaded = await load(createContent(driver, next, options));
          schema = next;
          return loaded;
        }),
      ),
    save: async () => save?.(),
    apply(keys, publicKeys = [], dates = 'now') {
      const unique = [...new Set(keys)];
      return dates === 'now'
        ? inGitTurn(() => applyWithNewDates(unique, publicKeys))
        : inTurn(() => apply(unique, publicKeys));
    },
    // In one turn, because a watcher may report some of the files before all are written.
    change: (keys, write, parsed) =>
      inTurn(async () => {
        await write();
        return apply([...new Set(keys)], [], undefined, undefined, parsed);
      }),
    preview: (key, bytes, parsed) =>
      inTurn(async () => {
        const preview = (each: string) =>
          previewFile(content.reader.readAs(each, bytes, parsed), { ...content, decoder, catalog });
        const { problems, ...own } = await preview(key);
        const others = keysOfFile(content.state.readKey, key).filter((each) => each !== key);
        const inOthers = await Promise.all(others.map(preview));
        const all = [...problems, ...inOthers.flatMap((other) => other.problems)];
        return { ...own, problems: others.length === 0 ? problems : distinctProblems(all) };
      }),
    previewPastVersion: (key, bytes, at) =>
      inTurn(() => previewPastFile(content.reader.readAs(key, bytes), at, { ...content, decoder, catalog })),
    recall: (key, bytes) =>
      inTurn(async () => recallFields(content.reader.readAs(key, bytes), content.state)),
    fork: (source) =>
      inTurn(async () => {
        const { declared, state } = content;
        const forked = {
          ...content,
          reader: createFileReader(source.driver, declared, content.site),
          state: forkState(state, declared, source.expected),
        };
        const forkedDeps = {
          driver: source.driver,
          schema,
          files: { ...files, content: source.files },
          options,
          target: source.target(),
          nextTurn,
        };
        return createCollector(forkedDeps, forked);
      }),
    layout: () => content.layout,
    encoding: (key) => encodeBundleOf(content.state, key, options.timeZone),
    diagnostics() {
      diagnostics ??= withSeverities(
        collectDiagnostics(content, driver.warnings?.() ?? [], decoder),
        options.problems ?? {},
      );
      return diagnostics;
    },
  };
}

/** One schema, and the content that was read with it. */
function createContent(
  driver: StorageDriver,
  schema: SchemaDefinition | undefined,
  options: CollectorOptions,
) {
  const { declared, file, problems } = declareSchema(schema, options.fileResources, options.fields);
  const layout = collectionsLayout(options.layout ?? DEFAULT_OPTIONS, schema);
  const { languages, titles, fields, timeZone } = options;
  const site: SiteReading = { languages, layout: layoutOf(layout), titles, fields, timeZone };
  const reader = createFileReader(driver, declared, site);
  return {
    declared,
    schemaFile: file,
    schemaProblems: problems,
    layout,
    site,
    reader,
    state: createState(declared, site),
  };
}

type Content = ReturnType<typeof createContent>;

/** The translations among the former entities of some files that none of these files contains now. */
function removedTranslations(
  { decoded }: CollectorState,
  before: ReadonlyMap<string, Entity | undefined>,
): readonly RemovedEntity[] {
  const nameOf = (entity: Entity | undefined) => entity && `${referenceKey(entity)} ${entity.translation}`;
  const present = new Set([...before.keys()].map((key) => nameOf(decoded.get(key)?.entity)));
  return [...before.values()].flatMap((former) => {
    if (former?.translation === undefined || present.has(nameOf(former))) return [];
    return [{ type: former.type, id: former.id, translation: former.translation }];
  });
}

function sameEntity(a: Entity | undefined, b: Entity): boolean {
  const names = ['id', 'key', 'revision', 'published', 'translation', 'outdated'] as const;
  const lists = ['values', 'images'] as const;
  return (
    names.every((name) => a?.[name] === b[name]) &&
    lists.every((name) => JSON.stringify(a?.[name]) === JSON.stringify(b[name]))
  );
}

/** Releases `work`, which holds all parsed files, after its only call. */
function once(work: () => Promise<void>): () => Promise<void> {
  let next: typeof work | undefined = work;
  let result: Promise<void> | undefined;
  return () => {
    result ??= next?.() ?? Promise.resolve();
    next = undefined;
    return result;
  };
}
