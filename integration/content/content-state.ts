import type { Problem } from '../source/diagnostic.ts';
import type { FileHistory, SkippedFile } from '../storage/driver.ts';
import type { ContentFile, ReadResult } from './content-file.ts';
import { type Bundle, type ContentIndex, type Move, createContentIndex, shapeOf } from './content-index.ts';
import { aliasOf } from './decode/alias.ts';
import type { DecodedFile } from './decode/decode.ts';
import type { Entity, Reference } from './model.ts';
import type { PlacedFile } from './read-files.ts';
import { roleOf } from './resource-type.ts';
import { sameShape } from './schema/bundle-shape.ts';
import type { DeclaredBundle } from './schema/schema-fields.ts';

/** All that is known of the content between two changes. */
export interface CollectorState {
  readonly index: ContentIndex;
  /** Of files on their own, by key; of a file that has a last good version, of the present one. */
  readonly problems: Map<string, readonly Problem[]>;
  readonly decoded: Map<string, DecodedFile>;
  /** Files that never were without errors in their fields, by key. They make no entity; what they refer to is checked. */
  readonly drafts: Map<string, Draft>;
  /** Files that have a last good version and are not it: what could be read of the present one, by key. */
  readonly outdated: Map<string, Draft | undefined>;
  /** Places of entities whose file became a draft, or is one no more, since `dirtyFiles`. */
  readonly draftMoves: Set<string>;
  /**
   * Keys of the files that looked up an entity, by its place, or another file, by its URI. Undefined until an entity comes
   * or goes.
   */
  dependents: Map<string, Set<string>> | undefined;
  /** The alias of each entity that has one, and since when, by key. */
  readonly aliases: Map<string, { readonly alias: string; readonly since: number }>;
  readonly ignored: Set<string>;
  /** Keys by folder. */
  readonly misplaced: Map<string, Set<string>>;
  skipped: readonly SkippedFile[];
  /** False while the content is read for the first time. */
  isLoaded: boolean;
  history: ReadonlyMap<string, FileHistory>;
}

export interface Draft extends Reference {
  readonly file: ContentFile;
}

export function createState(declared: ReadonlyMap<string, DeclaredBundle>): CollectorState {
  const index = createContentIndex(declared);
  for (const name of declared.keys()) {
    index.bundle(name);
  }
  return {
    index,
    problems: new Map(),
    decoded: new Map(),
    drafts: new Map(),
    outdated: new Map(),
    draftMoves: new Set(),
    dependents: undefined,
    aliases: new Map(),
    ignored: new Set(),
    misplaced: new Map(),
    skipped: [],
    isLoaded: false,
    history: NO_HISTORY,
  };
}

/** Takes a file that is there into the state, readable or not. */
export function place(state: CollectorState, { key, role, result }: PlacedFile): void {
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

/** Whether the state knows of a file; of one that no entity is made of, it knows always. */
function isPlaced(state: CollectorState, key: string): boolean {
  const role = roleOf(key);
  return role.role !== 'entity' || state.index.bundles.get(role.type)?.keys.has(key) === true;
}

/**
 * Whether the driver may skip other files than it did: a key lies where something was skipped, or is told of without
 * being there now or before.
 */
export function isStale(
  state: CollectorState,
  keys: readonly string[],
  present: ReadonlySet<string>,
): boolean {
  return keys.some((key) => {
    const skipped = state.skipped.some(
      (file) => file.key === '' || file.key === key || key.startsWith(`${file.key}/`),
    );
    return skipped || !(present.has(key) || isPlaced(state, key));
  });
}

/** What is known of commits; files that have changed since were not changed at one. */
export function withoutHistoryOf(
  history: CollectorState['history'],
  keys: readonly string[],
): CollectorState['history'] {
  if (!keys.some((key) => history.has(key))) return history;
  const others = new Map(history);
  for (const key of keys) {
    const dates = history.get(key);
    if (dates !== undefined) others.set(key, { ...dates, changed: null });
  }
  return others;
}

/** The same, but for files whose last good version is answered: that one keeps its dates. */
export function withLastGoodHistory(
  state: CollectorState,
  history: CollectorState['history'],
): CollectorState['history'] {
  if (state.outdated.size === 0) return history;
  const kept = new Map(history);
  for (const key of state.outdated.keys()) {
    const before = state.history.get(key);
    if (before === undefined) kept.delete(key);
    else kept.set(key, before);
  }
  return kept;
}

/** Takes a file that is no more out of the state. */
export function displace(state: CollectorState, key: string): void {
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
    state.outdated.delete(key);
    state.aliases.delete(key);
    placeDraft(state, key, undefined);
  }
}

/**
 * The same with the time since when the entity has its alias. At the start that is the first commit of its file, which
 * no writer can choose, or without git the time of the file. Afterwards it is the moment in which the alias was set.
 */
export function withAliasTime(state: CollectorState, file: ContentFile, decoded: DecodedFile): DecodedFile {
  const alias = aliasOf(decoded.entity);
  if (alias === null) {
    state.aliases.delete(file.key);
    return decoded;
  }
  const known = state.aliases.get(file.key);
  const committed = state.history.get(file.key)?.created;
  const first = committed === undefined ? file.mtimeMs : committed * 1000;
  const now = Date.now();
  const since = known?.alias === alias ? known.since : state.isLoaded ? now : Math.min(first, now);
  state.aliases.set(file.key, { alias, since });
  return { ...decoded, entity: { ...decoded.entity, aliasSince: since } };
}

/** Whether an entity is missing only because its file has errors, which are told there. */
export function isDraft(state: CollectorState, { type, id }: Reference): boolean {
  return [...state.drafts.values()].some((draft) => draft.type === type && draft.id === id);
}

/** Works out the shape of every bundle; drops those that have no file and no schema. */
export function reshape(state: CollectorState): {
  replaced: ReadonlySet<Bundle>;
  removedTypes: readonly string[];
} {
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

/** Files to decode again, with their bundles: the changed, those whose id changed hands, those that depend on them or on files of `uris`. */
export function dirtyFiles(
  state: CollectorState,
  keys: ReadonlySet<string>,
  moves: readonly Move[],
  replaced: ReadonlySet<Bundle>,
  uris: readonly string[],
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
  const places = [...state.draftMoves, ...moves.map(placeOf)];
  state.draftMoves.clear();
  for (const move of moves) {
    add(move.before);
    add(move.after);
  }
  for (const key of dependentsOn(state, places, uris)) add(key);
  for (const bundle of replaced) {
    bundle.files.forEach((_file, key) => {
      dirty.set(key, bundle);
    });
  }
  return dirty;
}

export function entitiesOf(state: CollectorState, bundle: Bundle): readonly Entity[] {
  return [...bundle.files.keys()].flatMap((key) => {
    const entity = state.decoded.get(key)?.entity;
    return entity === undefined ? [] : [entity];
  });
}

export function keysWithOtherHistory(
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

export function sortedBundles(state: CollectorState): readonly Bundle[] {
  return [...state.index.bundles.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
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
  const draft = result?.draft && { type: bundle.name, id: result.draft.id, file: result.draft };
  const hasLastGood = bundle.files.has(key);
  placeDraft(state, key, hasLastGood ? undefined : draft);
  if (hasLastGood && result?.file === undefined) state.outdated.set(key, draft);
  else state.outdated.delete(key);
  if (result?.file !== undefined) {
    state.index.remove(bundle, key);
    state.index.add(bundle, result.file);
  }
}

function placeDraft(state: CollectorState, key: string, draft: Draft | undefined): void {
  const before = state.drafts.get(key);
  for (const each of [before, draft]) {
    if (each !== undefined) state.draftMoves.add(placeOf(each));
  }
  state.drafts.delete(key);
  if (draft !== undefined) state.drafts.set(key, draft);
}

export const NO_HISTORY: ReadonlyMap<string, FileHistory> = new Map();

/** Takes in what a file was decoded to, and what it looked up for that. */
export function remember(state: CollectorState, key: string, decoded: DecodedFile): void {
  state.decoded.set(key, decoded);
  if (state.dependents !== undefined) addDependent(state.dependents, key, decoded);
}

/** The reverse of `remember`. */
export function forget(state: CollectorState, key: string): void {
  const { dependents } = state;
  for (const place of dependents === undefined ? [] : placesOf(state.decoded.get(key))) {
    const keys = dependents?.get(place);
    keys?.delete(key);
    if (keys?.size === 0) dependents?.delete(place);
  }
  state.decoded.delete(key);
}

/** Keys of the files that looked up one of these places, or name one of the files of `uris`. */
export function dependentsOn(
  state: CollectorState,
  places: readonly string[],
  uris: readonly string[],
): Iterable<string> {
  if (places.length === 0 && state.dependents === undefined) return namersOf(state, new Set(uris));
  const dependents = dependentsOf(state);
  return [...uris, ...places].flatMap((place) => [...(dependents.get(place) ?? [])]);
}

/** Keys of the files that name one of the files. Few name any, so that all can be gone through. */
function namersOf(state: CollectorState, uris: ReadonlySet<string>): readonly string[] {
  const keys: string[] = [];
  for (const [key, { files }] of state.decoded) {
    if (files.some((uri) => uris.has(uri))) keys.push(key);
  }
  return keys;
}

function dependentsOf(state: CollectorState): ReadonlyMap<string, ReadonlySet<string>> {
  if (state.dependents === undefined) {
    state.dependents = new Map();
    for (const [key, decoded] of state.decoded) addDependent(state.dependents, key, decoded);
  }
  return state.dependents;
}

function addDependent(dependents: Map<string, Set<string>>, key: string, decoded: DecodedFile): void {
  for (const place of placesOf(decoded)) {
    const keys = dependents.get(place);
    if (keys === undefined) dependents.set(place, new Set([key]));
    else keys.add(key);
  }
}

function placesOf(decoded: DecodedFile | undefined): readonly string[] {
  return decoded === undefined ? [] : [...decoded.lookups.map(placeOf), ...decoded.files];
}

/** An entity, whether it is there or not. */
export function placeOf({ type, id }: Reference): string {
  return `${type}/${id}`;
}
