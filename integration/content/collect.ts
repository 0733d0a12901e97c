import type { Diagnostic } from '../source/diagnostic.ts';
import type { FileCache } from '../storage/cache/file-cache.ts';
import type { Listing, StorageDriver } from '../storage/driver.ts';
import { createFileSource, NO_FILES } from '../storage/file-source.ts';
import type { Bundle } from './content-index.ts';
import { type CollectorState, createState, dirtyFiles, displace, entitiesOf, forget, isStale, keysWithOtherHistory, NO_HISTORY, place, remember, reshape, sortedBundles, withAliasTime, withLastGoodHistory, withoutHistoryOf } from './content-state.ts';
import { type CollectorOptions, createBundleDecoder } from './decode/bundle-decoder.ts';
import { collectDiagnostics, draftProblems } from './diagnostics/collect-diagnostics.ts';
import { encodeBundleOf } from './encode/encode-bundle.ts';
import type { EncodeBundle } from './encode/encode-field.ts';
import { type FileSources, createFileCatalog } from './file-catalog.ts';
import { uriOf } from './file-place.ts';
import type { Entity, Reference, ResourceType } from './model.ts';
import type { ParsedFile } from './parse-file.ts';
import { type Preview, previewFile } from './preview.ts';
import { createFileReader } from './read-files.ts';
import { recallFile } from './recall.ts';
import { declareSchema } from './schema/declare-schema.ts';
import type { SchemaDefinition } from './schema/schema.ts';

export interface CollectorDeps {
  readonly driver: StorageDriver;
  readonly schema?: SchemaDefinition | undefined;
  /** Where fields find their files: by default the driver, and an empty `public/`. */
  readonly files?: Partial<FileSources> | undefined;
  readonly options: CollectorOptions;
  /** What earlier loads have parsed. */
  readonly cache?: FileCache<ParsedFile> | undefined;
}

/** Everything there is. */
export interface ContentState {
  readonly types: readonly ResourceType[];
  readonly entities: readonly Entity[];
  /** The files as they were before any of them was read. */
  readonly listing: Listing;
}

/** What changed. To be carried out in this order: `removedTypes`, `removed`, `types`, `put`. */
export interface ContentChange {
  readonly removedTypes: readonly string[];
  readonly removed: readonly Reference[];
  /** Resource types that are new or have changed, with all their entities. */
  readonly types: readonly ReplacedType[];
  /** New and changed entities of the other types. */
  readonly put: readonly Entity[];
}

export interface ReplacedType {
  readonly type: ResourceType;
  readonly entities: readonly Entity[];
}

/** Reads content and follows its changes. Problems are collected, never thrown. Calls wait for each other. */
export interface Collector {
  /** Reads every file, parsing those that the cache does not know. */
  load(): Promise<ContentState>;
  /** Writes what the last `load` has parsed to the cache, where that is not done; resolves when it is. */
  save(): Promise<void>;
  /**
   * Reads the files of these keys again, and nothing else. A file that cannot be read any more keeps its last good
   * entity, and has a problem that says so. `publicKeys` are files of `public/`. Commit dates take git longer than all
   * other work: `later` goes on with the known dates, of which changed files keep only the first, until a call asks for
   * them `now`. Other calls do not wait for such a call while it waits for git.
   */
  apply(
    keys: readonly string[],
    publicKeys?: readonly string[],
    dates?: 'now' | 'later',
  ): Promise<ContentChange>;
  /** What the file of this key would be if it had these bytes. Changes nothing. */
  preview(key: string, bytes: Uint8Array): Promise<Preview>;
  /**
   * What the file of this key was when it had these bytes and was committed at `at` (Unix seconds), by what its bundle is
   * now: entities and files that it names and that are gone are no errors. Changes nothing.
   */
  recall(key: string, bytes: Uint8Array, at: number): Promise<Preview>;
  /** What `encodeFile` has to know of the bundle of a file; undefined where there is no such bundle. */
  encoding(key: string): EncodeBundle | undefined;
  /** All problems of all files as of the last `load` or `apply`, by file and place. */
  diagnostics(): readonly Diagnostic[];
}

export function createCollector({ driver, schema, files, options, cache }: CollectorDeps): Collector {
  const { declared, problems: schemaProblems } = declareSchema(schema);
  const reader = createFileReader(driver, declared);
  const catalog = createFileCatalog({ content: createFileSource(driver), public: NO_FILES, ...files });
  const decoder = createBundleDecoder(options, catalog);
  let state = createState(declared);
  let known: readonly Diagnostic[] | undefined;
  const inTurn = createQueue();
  /** Git takes longer than all other work, which does not wait for it. */
  const inTurnOfDates = createQueue();
  /** Files that were read again while git was asked for dates: its answer may be older than they are. */
  let readSince: Set<string> | undefined;
  let save: (() => Promise<void>) | undefined;

  async function load(): Promise<ContentState> {
    // Asked of git while the files are read.
    const history = driver.history?.();
    history?.catch(() => undefined);
    const opened = await cache?.open();
    const listing = await driver.list();
    catalog.clear();
    const next = createState(declared);
    next.skipped = listing.skipped;
    const read = await reader.readAll(listing.files, opened);
    next.history = (await history) ?? NO_HISTORY;
    for (const result of read) {
      place(next, result);
    }
    await settle(next, new Set(), []);
    save = opened && once(opened.save);
    next.isLoaded = true;
    state = next;
    known = undefined;
    const types = sortedBundles(next).flatMap((bundle) =>
      bundle.shape === undefined ? [] : [bundle.shape.type],
    );
    return { types, entities: [...next.decoded.values()].map(({ entity }) => entity), listing };
  }

  async function apply(
    keys: readonly string[],
    publicKeys: readonly string[],
    history: CollectorState['history'],
    dates: 'now' | 'later',
  ): Promise<ContentChange> {
    const stored = await Promise.all(keys.map(reader.find));
    const read = await reader.readAll(stored.filter((file) => file !== undefined));
    const present = new Set(read.map(({ key }) => key));
    const stale = isStale(state, keys, present);
    for (const key of keys) {
      if (!present.has(key)) {
        displace(state, key);
      }
    }
    for (const result of read) {
      place(state, result);
    }
    if (stale || sortedBundles(state).every((bundle) => bundle.keys.size === 0)) {
      state.skipped = (await driver.list()).skipped;
    }
    const dated = withLastGoodHistory(state, history);
    const changed = new Set([...keys, ...(dates === 'now' ? keysWithOtherHistory(state, dated) : [])]);
    state.history = dated;
    const uris = [
      ...keys.map((key) => uriOf({ source: 'content', key })),
      ...publicKeys.map((key) => uriOf({ source: 'public', key })),
    ];
    uris.forEach(catalog.forget);
    const change = await settle(state, changed, uris);
    known = undefined;
    return change;
  }

  /** As `apply`, with the dates that git knows now. */
  async function applyWithDates(
    keys: readonly string[],
    publicKeys: readonly string[],
  ): Promise<ContentChange> {
    const since = new Set<string>();
    readSince = since;
    const history = (await driver.history?.()) ?? NO_HISTORY;
    return inTurn(() => {
      readSince = undefined;
      return apply(keys, publicKeys, withoutHistoryOf(history, [...since]), 'now');
    });
  }

  async function applyWithoutDates(
    keys: readonly string[],
    publicKeys: readonly string[],
  ): Promise<ContentChange> {
    for (const key of keys) readSince?.add(key);
    return apply(keys, publicKeys, withoutHistoryOf(state.history, keys), 'later');
  }

  /** Decodes what `keys` and everything that depends on them or on `uris` ask for, and says what became different. */
  async function settle(
    current: CollectorState,
    keys: ReadonlySet<string>,
    uris: readonly string[],
  ): Promise<ContentChange> {
    const moves = current.index.takeMoves();
    const { replaced, removedTypes } = reshape(current);
    const dirty = dirtyFiles(current, keys, moves, replaced, uris);
    const former = new Map([...dirty.keys()].map((key) => [key, current.decoded.get(key)?.entity]));
    for (const [key, bundle] of dirty) decodeOne(current, bundle, key);
    draftProblems(current, decoder);
    // Decoding does not wait for files: those that turned out to name one are decoded again when all is known of it.
    if (await catalog.lookUp()) {
      for (const [key, bundle] of dirty) {
        if (current.decoded.get(key)?.files.length !== 0) decodeOne(current, bundle, key);
      }
    }
    const put: Entity[] = [];
    for (const [key, bundle] of dirty) {
      const before = former.get(key);
      const after = current.decoded.get(key)?.entity;
      if (after !== undefined && !replaced.has(bundle) && !sameEntity(before, after)) {
        put.push(after);
      }
    }
    const removed = moves
      .filter(({ type, after }) => after === undefined && isKept(current, replaced, type))
      .map(({ type, id }) => ({ type, id }));
    const types = [...replaced].flatMap((bundle) =>
      bundle.shape === undefined ? [] : [{ type: bundle.shape.type, entities: entitiesOf(current, bundle) }],
    );
    return { removedTypes, removed, types, put };
  }

  function decodeOne(current: CollectorState, bundle: Bundle, key: string): void {
    forget(current, key);
    const file = bundle.files.get(key);
    if (file === undefined || current.index.holder(bundle.name, file.id) !== key) return;
    const decoded = decoder.decode(current, bundle, file);
    if (decoded !== undefined) remember(current, key, withAliasTime(current, file, decoded));
  }

  function preview(key: string, bytes: Uint8Array): Promise<Preview> {
    return previewFile(reader.imagine(key, bytes), {
      index: state.index,
      declared,
      decode: (bundle, file, known) => decoder.decode(state, bundle, file, known),
      lookUp: catalog.lookUp,
    });
  }

  function recall(key: string, bytes: Uint8Array, at: number): Promise<Preview> {
    return recallFile(reader.imagine(key, bytes), {
      index: state.index,
      decode: (bundle, file) => decoder.decode(state, bundle, file, undefined, at),
      lookUp: catalog.lookUp,
    });
  }

  function diagnostics(): readonly Diagnostic[] {
    known ??= collectDiagnostics(state, { driver, declared, schemaProblems, decoder });
    return known;
  }

  return {
    load: () => inTurn(load),
    save: async () => save?.(),
    apply(keys, publicKeys = [], dates = 'now') {
      const each = [...new Set(keys)];
      return dates === 'now'
        ? inTurnOfDates(() => applyWithDates(each, publicKeys))
        : inTurn(() => applyWithoutDates(each, publicKeys));
    },
    preview: (key, bytes) => inTurn(() => preview(key, bytes)),
    recall: (key, bytes, at) => inTurn(() => recall(key, bytes, at)),
    encoding: (key) => encodeBundleOf(state.index, key),
    diagnostics,
  };
}

function isKept(state: CollectorState, replaced: ReadonlySet<Bundle>, type: string): boolean {
  const bundle = state.index.bundles.get(type);
  return bundle !== undefined && !replaced.has(bundle);
}

/** Whether nothing of an entity changed, its place included. */
function sameEntity(before: Entity | undefined, after: Entity): boolean {
  return (
    before !== undefined &&
    before.id === after.id &&
    before.key === after.key &&
    before.revision === after.revision &&
    before.published === after.published &&
    JSON.stringify(before.values) === JSON.stringify(after.values) &&
    JSON.stringify(before.images) === JSON.stringify(after.images)
  );
}

/** Runs works one after the other, whatever became of the one before. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let queue: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = queue.then(work, work);
    // Of the result nothing is kept: it holds entities that later changes replace.
    const done = () => undefined;
    queue = result.then(done, done);
    return result;
  };
}

/** What `work` holds, all parsed files for one, is let go when it has begun. */
function once(work: () => Promise<void>): () => Promise<void> {
  let left: typeof work | undefined = work;
  let done: Promise<void> | undefined;
  return () => {
    done ??= left?.() ?? Promise.resolve();
    left = undefined;
    return done;
  };
}
