import type { FileHistory, SkippedFile, StorageDriver, StoredFile } from '../storage/driver.ts';
import { sameShape } from './bundle-shape.ts';
import { MAX_FILE_BYTES, type ReadResult, readContentFile, refused } from './content-file.ts';
import { type Bundle, createContentIndex, type Move, shapeOf } from './content-index.ts';
import { type DecodedFile, decodeFile } from './decode.ts';
import { compareDiagnostics, type Diagnostic, FILE_START, type Problem } from './diagnostic.ts';
import type { Entity, Reference, ResourceType } from './model.ts';
import { type PublicationRule, type PublishedTexts, publicationRule } from './publication.ts';
import { reportBundle, reportClashes, reportIgnored, reportMisplaced } from './report.ts';
import { type FileRole, resourceTypeName, roleOf, shortTypeName } from './resource-type.ts';
import type { SchemaDefinition } from './schema.ts';
import { type DeclaredBundle, declareBundle } from './schema-fields.ts';

/** Files read at the same time. */
const READS_AT_ONCE = 32;

export interface CollectorOptions {
  readonly published: PublishedTexts;
  readonly danglingReferences: 'error' | 'missing';
  /** BCP 47 tag of entities that name none. */
  readonly defaultLangcode: string;
}

export interface CollectorDeps {
  readonly driver: StorageDriver;
  readonly schema?: SchemaDefinition | undefined;
  readonly options: CollectorOptions;
}

/** Everything there is. */
export interface ContentState {
  readonly types: readonly ResourceType[];
  readonly entities: readonly Entity[];
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
  /** Reads every file anew. */
  load(): Promise<ContentState>;
  /**
   * Reads the files of these keys again, and nothing else. A file that cannot be read any more keeps its last good
   * entity, and has a problem that says so.
   */
  apply(keys: readonly string[]): Promise<ContentChange>;
  /** All problems of all files as of the last `load` or `apply`, by file and place. */
  diagnostics(): readonly Diagnostic[];
}

export function createCollector({ driver, schema, options }: CollectorDeps): Collector {
  const { declared, problems: schemaProblems } = declareSchema(schema);
  let state = createState(declared);
  let known: readonly Diagnostic[] | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  /** One after the other, whatever became of the one before. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work, work);
    queue = result.catch(() => undefined);
    return result;
  }

  async function load(): Promise<ContentState> {
    const [listing, history] = await Promise.all([driver.list(), driver.history?.()]);
    const next = createState(declared);
    next.skipped = listing.skipped;
    next.history = history ?? NO_HISTORY;
    const read = await readAll(listing.files);
    for (const result of read) {
      place(next, result);
    }
    settle(next, new Set());
    state = next;
    known = undefined;
    const types = sortedBundles(next).flatMap((bundle) =>
      bundle.shape === undefined ? [] : [bundle.shape.type],
    );
    return { types, entities: [...next.decoded.values()].map(({ entity }) => entity) };
  }

  async function apply(keys: readonly string[]): Promise<ContentChange> {
    const [stored, history] = await Promise.all([Promise.all(keys.map(find)), driver.history?.()]);
    const read = await readAll(stored.filter((file) => file !== undefined));
    const present = new Set(read.map(({ key }) => key));
    for (const key of keys) {
      if (!present.has(key)) {
        displace(state, key);
      }
    }
    for (const result of read) {
      place(state, result);
    }
    const changed = new Set([...keys, ...keysWithOtherHistory(state, history ?? NO_HISTORY)]);
    state.history = history ?? NO_HISTORY;
    known = undefined;
    return settle(state, changed);
  }

  async function find(key: string): Promise<StoredFile | undefined> {
    if (roleOf(key).role === 'asset') {
      return undefined;
    }
    try {
      return await driver.stat(key);
    } catch {
      // Reading it will fail too, and say why.
      return { key, size: 0, mtimeMs: 0 };
    }
  }

  async function readAll(files: readonly StoredFile[]): Promise<readonly PlacedFile[]> {
    const results: PlacedFile[] = new Array(files.length);
    let next = 0;
    async function worker(): Promise<void> {
      for (let index = next++; index < files.length; index = next++) {
        results[index] = await readOne(files[index]!);
      }
    }
    await Promise.all(Array.from({ length: Math.min(READS_AT_ONCE, files.length) }, worker));
    return results.filter(({ gone }) => !gone);
  }

  async function readOne(stored: StoredFile): Promise<PlacedFile> {
    const role = roleOf(stored.key);
    const { key } = stored;
    if (role.role !== 'entity') {
      return { key, role, gone: false, result: undefined };
    }
    if (stored.size > MAX_FILE_BYTES) {
      return { key, role, gone: false, result: tooLarge(stored.size) };
    }
    let bytes: Uint8Array | undefined;
    try {
      bytes = await driver.read(key);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      return {
        key,
        role,
        gone: false,
        result: refused('file/unreadable', `The file cannot be read${reason}.`),
      };
    }
    if (bytes === undefined) {
      return { key, role, gone: true, result: undefined };
    }
    const result =
      bytes.length > MAX_FILE_BYTES
        ? tooLarge(bytes.length)
        : readContentFile(stored, bytes, role.format, declared.get(role.type));
    return { key, role, gone: false, result };
  }

  /** Decodes what `keys` and everything that depends on them ask for, and says what became different. */
  function settle(current: CollectorState, keys: ReadonlySet<string>): ContentChange {
    const moves = current.index.takeMoves();
    const { replaced, removedTypes } = reshape(current);
    const dirty = dirtyFiles(current, keys, moves, replaced);
    const put: Entity[] = [];
    for (const [key, bundle] of dirty) {
      const before = current.decoded.get(key)?.entity;
      const after = decodeOne(current, bundle, key);
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

  function decodeOne(current: CollectorState, bundle: Bundle, key: string): Entity | undefined {
    forget(current, key);
    const file = bundle.files.get(key);
    if (
      file === undefined ||
      bundle.shape === undefined ||
      current.index.holder(bundle.name, file.id) !== key
    ) {
      return undefined;
    }
    const decoded = decodeFile(file, {
      shape: bundle.shape,
      publication: publicationOf(bundle),
      known: current.index,
      history: current.history.get(key),
      defaultLangcode: options.defaultLangcode,
      danglingReferences: options.danglingReferences,
    });
    remember(current, key, decoded);
    return decoded.entity;
  }

  function publicationOf(bundle: Bundle): PublicationRule {
    const name = [bundle.name, shortTypeName(bundle.name)].find((own) =>
      Object.hasOwn(options.published, own),
    );
    return publicationRule(name === undefined ? undefined : options.published[name]);
  }

  function diagnostics(): readonly Diagnostic[] {
    known ??= collectDiagnostics(state).sort(compareDiagnostics);
    return known;
  }

  function collectDiagnostics(current: CollectorState): Diagnostic[] {
    const bundles = sortedBundles(current);
    return [
      ...schemaProblems,
      ...(driver.warnings?.() ?? []).map((message) => aboutAll('warning', 'storage/warning', message)),
      ...current.skipped.map(({ key, reason }) => ({ ...aboutAll('warning', 'file/skipped', reason), key })),
      ...reportIgnored(current.ignored),
      ...reportMisplaced(current.misplaced),
      ...[...current.problems].flatMap(([key, problems]) => inFile(key, problems)),
      ...[...current.decoded].flatMap(([key, { problems }]) => inFile(key, problems)),
      ...bundles.flatMap((bundle) => [
        ...reportBundle(bundle, publicationOf(bundle)),
        ...reportClashes(bundle),
      ]),
    ];
  }

  return {
    load: () => inTurn(load),
    apply: (keys) => inTurn(() => apply([...new Set(keys)])),
    diagnostics,
  };
}

const NO_HISTORY: ReadonlyMap<string, FileHistory> = new Map();

function createState(declared: ReadonlyMap<string, DeclaredBundle>): CollectorState {
  const index = createContentIndex(declared);
  for (const name of declared.keys()) {
    index.bundle(name);
  }
  return {
    index,
    problems: new Map(),
    decoded: new Map(),
    dependents: new Map(),
    ignored: new Set(),
    misplaced: new Map(),
    skipped: [],
    history: NO_HISTORY,
  };
}

/** Takes a file that is there into the state, readable or not. */
function place(state: CollectorState, { key, role, result }: PlacedFile): void {
  switch (role.role) {
    case 'ignored':
      state.ignored.add(key);
      return;
    case 'misplaced':
      state.misplaced.set(role.folder, (state.misplaced.get(role.folder) ?? new Set()).add(key));
      return;
    case 'asset':
      return;
    case 'entity': {
      const bundle = state.index.bundle(role.type);
      bundle.keys.add(key);
      placeResult(state, bundle, key, result);
      return;
    }
    default:
      role satisfies never;
  }
}

function placeResult(
  state: CollectorState,
  bundle: Bundle,
  key: string,
  result: ReadResult | undefined,
): void {
  if (result === undefined || result.problems.length === 0) {
    state.problems.delete(key);
  } else {
    state.problems.set(key, result.problems);
  }
  if (result?.file !== undefined) {
    state.index.remove(bundle, key);
    state.index.add(bundle, result.file);
  }
}

/** Takes a file that is no more out of the state. */
function displace(state: CollectorState, key: string): void {
  const role = roleOf(key);
  state.ignored.delete(key);
  if (role.role === 'misplaced') {
    const keys = state.misplaced.get(role.folder);
    keys?.delete(key);
    if (keys?.size === 0) {
      state.misplaced.delete(role.folder);
    }
  }
  if (role.role === 'entity') {
    const bundle = state.index.bundles.get(role.type);
    if (bundle !== undefined) {
      bundle.keys.delete(key);
      state.index.remove(bundle, key);
    }
    state.problems.delete(key);
  }
}

/** Works out the shape of every bundle; drops those that have no file and no schema. */
function reshape(state: CollectorState): { replaced: ReadonlySet<Bundle>; removedTypes: readonly string[] } {
  const replaced = new Set<Bundle>();
  const removedTypes: string[] = [];
  for (const bundle of sortedBundles(state)) {
    if (bundle.keys.size === 0 && bundle.declared === undefined) {
      state.index.removeBundle(bundle.name);
      if (bundle.shape !== undefined) {
        removedTypes.push(bundle.name);
      }
      continue;
    }
    const shape = shapeOf(bundle, state.index);
    if (bundle.shape === undefined || !sameShape(bundle.shape, shape)) {
      replaced.add(bundle);
    }
    bundle.shape = shape;
  }
  return { replaced, removedTypes };
}

/** Files to decode again, with their bundles: the changed, those whose id changed hands, those that depend on them. */
function dirtyFiles(
  state: CollectorState,
  keys: ReadonlySet<string>,
  moves: readonly Move[],
  replaced: ReadonlySet<Bundle>,
): ReadonlyMap<string, Bundle> {
  const dirty = new Map<string, Bundle>();
  function add(key: string | undefined): void {
    const role = key === undefined ? undefined : roleOf(key);
    const bundle = role?.role === 'entity' ? state.index.bundles.get(role.type) : undefined;
    if (key !== undefined && bundle !== undefined) {
      dirty.set(key, bundle);
    } else if (key !== undefined) {
      forget(state, key);
    }
  }
  keys.forEach(add);
  for (const move of moves) {
    add(move.before);
    add(move.after);
    state.dependents.get(placeOf(move))?.forEach(add);
  }
  for (const bundle of replaced) {
    bundle.files.forEach((_file, key) => {
      dirty.set(key, bundle);
    });
  }
  return dirty;
}

function remember(state: CollectorState, key: string, decoded: DecodedFile): void {
  state.decoded.set(key, decoded);
  for (const lookup of decoded.lookups) {
    const place = placeOf(lookup);
    state.dependents.set(place, (state.dependents.get(place) ?? new Set()).add(key));
  }
}

function forget(state: CollectorState, key: string): void {
  for (const lookup of state.decoded.get(key)?.lookups ?? []) {
    const place = placeOf(lookup);
    const dependents = state.dependents.get(place);
    dependents?.delete(key);
    if (dependents?.size === 0) {
      state.dependents.delete(place);
    }
  }
  state.decoded.delete(key);
}

function placeOf({ type, id }: Reference): string {
  return `${type}/${id}`;
}

function isKept(state: CollectorState, replaced: ReadonlySet<Bundle>, type: string): boolean {
  const bundle = state.index.bundles.get(type);
  return bundle !== undefined && !replaced.has(bundle);
}

function entitiesOf(state: CollectorState, bundle: Bundle): readonly Entity[] {
  return [...bundle.files.keys()].flatMap((key) => {
    const entity = state.decoded.get(key)?.entity;
    return entity === undefined ? [] : [entity];
  });
}

function keysWithOtherHistory(
  state: CollectorState,
  history: ReadonlyMap<string, FileHistory>,
): readonly string[] {
  if (history === state.history) {
    return [];
  }
  return [...state.decoded.keys()].filter((key) => {
    const [before, after] = [state.history.get(key), history.get(key)];
    return before?.created !== after?.created || before?.changed !== after?.changed;
  });
}

/** Whether nothing of an entity changed, its place included. */
function sameEntity(before: Entity | undefined, after: Entity): boolean {
  return (
    before !== undefined &&
    before.id === after.id &&
    before.key === after.key &&
    before.revision === after.revision &&
    before.published === after.published &&
    JSON.stringify(before.values) === JSON.stringify(after.values)
  );
}

function sortedBundles(state: CollectorState): readonly Bundle[] {
  return [...state.index.bundles.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function declareSchema(schema: SchemaDefinition | undefined): {
  readonly declared: ReadonlyMap<string, DeclaredBundle>;
  readonly problems: readonly Diagnostic[];
} {
  const declared = new Map<string, DeclaredBundle>();
  const problems: Diagnostic[] = [];
  for (const [name, bundle] of Object.entries(schema ?? {})) {
    const type = resourceTypeName(name);
    if (type === undefined) {
      problems.push(aboutSchema(`\`${name}\` cannot be the name of a bundle.`));
    } else {
      const read = declareBundle(name, bundle);
      declared.set(type, read);
      problems.push(...read.problems.map(aboutSchema));
    }
  }
  return { declared, problems };
}

function aboutSchema(message: string): Diagnostic {
  return { ...aboutAll('error', 'schema/invalid', message), key: 'schema.ts' };
}

function aboutAll(severity: Diagnostic['severity'], code: string, message: string): Diagnostic {
  return { severity, code, key: '', ...FILE_START, message };
}

function inFile(key: string, problems: readonly Problem[]): readonly Diagnostic[] {
  return problems.map((problem) => ({ ...problem, key }));
}

function tooLarge(size: number): ReadResult {
  const megabytes = (size / 1024 / 1024).toFixed(1);
  const message = `The file has ${megabytes} MB; at most ${MAX_FILE_BYTES / 1024 / 1024} MB are read.`;
  return refused('file/too-large', message, 'Split it, or move data and images out of it.');
}

interface CollectorState {
  readonly index: ReturnType<typeof createContentIndex>;
  /** Of files on their own, by key; of a file that has a last good version, of the present one. */
  readonly problems: Map<string, readonly Problem[]>;
  readonly decoded: Map<string, DecodedFile>;
  /** Keys of the files that looked up an entity, by its place. */
  readonly dependents: Map<string, Set<string>>;
  readonly ignored: Set<string>;
  /** Keys by folder. */
  readonly misplaced: Map<string, Set<string>>;
  skipped: readonly SkippedFile[];
  history: ReadonlyMap<string, FileHistory>;
}

interface PlacedFile {
  readonly key: string;
  readonly role: FileRole;
  /** The file went away while it was being read. */
  readonly gone: boolean;
  readonly result: ReadResult | undefined;
}
