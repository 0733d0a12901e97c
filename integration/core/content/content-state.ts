import type { Problem } from '../source/diagnostic.ts';
import type { FileHistory, SkippedFile } from '../storage/driver.ts';
import { fileOfKey, lastSegment, resolveKey } from '../storage/key.ts';
import { ForkMap, forkMaps } from '../util/fork-map.ts';
import { createClaims } from './claims.ts';
import type { ContentFile, ReadResult } from './content-file.ts';
import { type Bundle, createContentIndex, type Move, nextShape } from './content-index.ts';
import { addressOf, aliasOf } from './decode/alias.ts';
import type { KnownEntities } from './decode/references.ts';
import { shownKeys } from './encode/bundle-habits.ts';
import { type ContentLayout, createKeyReader } from './file-key.ts';
import { type Entity, type Reference, referenceKey } from './model.ts';
import type { ReadFile } from './read-files.ts';
import { sameShape } from './schema/bundle-shape.ts';
import type { DeclaredBundle } from './schema/schema-fields.ts';

export interface Draft extends Reference {
  readonly file: ContentFile;
}

export interface DecodedFile {
  readonly entity: Entity;
  readonly problems: readonly Problem[];
  /** Entities whose creation or removal may change this one or its problems. */
  readonly lookups: readonly Reference[];
  /** URIs of files whose change may do the same. */
  readonly files: readonly string[];
}

/** The data of a collector. Maps are keyed by file unless stated otherwise. */
export type CollectorState = ReturnType<typeof createState>;

export function createState(
  declared: ReadonlyMap<string, DeclaredBundle>,
  { languages, layout, titles, fields }: ContentLayout = {},
) {
  const index = createContentIndex(declared, { languages, titles, fields });
  for (const name of declared.keys()) index.bundle(name);
  return {
    index,
    titles,
    fields,
    readKey: createKeyReader({ languages, layout }),
    languages,
    /** Problems that need no other file. */
    problems: new ForkMap<string, readonly Problem[]>(),
    /** Problems of translations with their source and their siblings. */
    translationProblems: new ForkMap<string, Problem>(),
    decoded: new ForkMap<string, DecodedFile>(),
    /** The problems of `decoded`, for files that have some. */
    decodeProblems: new ForkMap<string, readonly Problem[]>(),
    /** Files with errors in their fields and no good version. They have no entity, but their references are checked. */
    drafts: new ForkMap<string, Draft>(),
    /** Files with errors whose last good version is still served, with the readable part of the present version. */
    outdated: new ForkMap<string, Draft | undefined>(),
    /** Problems of the references and files of drafts. */
    draftProblems: new ForkMap<string, readonly Problem[]>(),
    /** Entities whose file became a draft, or stopped being one, since `dirtyFiles`. By name. */
    draftMoves: new Map<string, Reference>(),
    /** Keys of files by the entities and file URIs that they looked up. Undefined until an entity comes or goes. */
    dependents: undefined as Map<string, Set<string>> | undefined,
    aliases: new ForkMap<string, { readonly alias: string; readonly since: number }>(),
    /** `aliases` by the address that they share. */
    addresses: createClaims(),
    /** Existing ids that resemble those of dangling references, by entity name. Dropped when an id comes or goes. */
    suggestions: new Map<string, string | undefined>(),
    ignored: new Set<string>(),
    /** Keys of files that would be entities, but that git ignores. */
    gitIgnored: new Set<string>(),
    isGitIgnored: (_key: string): boolean => false,
    /** Keys by folder. */
    misplaced: new Map<string, Set<string>>(),
    skipped: [] as readonly SkippedFile[],
    /** False during the first load. */
    isLoaded: false,
    /** Commit dates by key. */
    history: new ForkMap<string, FileHistory>(),
  };
}

/** A fork that can change on its own, in which the `expected` entities count as existing. */
export function forkState(
  state: CollectorState,
  declared: ReadonlyMap<string, DeclaredBundle>,
  expected: KnownEntities,
): CollectorState {
  const { languages, index: copied, titles, fields } = state;
  const index = createContentIndex(declared, { languages, titles, fields, copied, expected });
  return { ...forkMaps({ ...state, dependents: undefined }), index };
}

/** Adds or updates a file that exists, readable or not. */
export function addFile(state: CollectorState, { key, role, result }: ReadFile): void {
  switch (role.role) {
    case 'ignored':
      if (role.byOption !== true) state.ignored.add(key);
      return;
    case 'misplaced':
      addTo(state.misplaced, role.folder, key);
      return;
    case 'asset':
      return;
    case 'entity': {
      if (result !== undefined && isSkipped(result)) {
        removeFile(state, key);
        state.problems.set(key, result.problems);
        return;
      }
      const bundle = state.index.bundle(role.type);
      if (!bundle.keys.has(key)) countFile(bundle, role.folder, 1);
      bundle.keys.set(key, true);
      if (result !== undefined) addResult(state, bundle, key, result);
      return;
    }
    default:
      role satisfies never;
  }
}

/** True for a file that is not meant as an entity. */
function isSkipped({ file, problems }: ReadResult): boolean {
  return file === undefined && problems.every(({ severity }) => severity === 'info');
}

function addResult(
  state: CollectorState,
  bundle: Bundle,
  key: string,
  { file, draft, problems }: ReadResult,
) {
  if (problems.length === 0) state.problems.delete(key);
  else state.problems.set(key, problems);
  // Only the references of sources are checked before their errors are corrected.
  const isSource = draft?.translation === undefined;
  const namedDraft = draft && isSource ? { type: bundle.name, id: draft.id, file: draft } : undefined;
  const hasGoodVersion = bundle.files.has(key);
  setDraft(state, key, hasGoodVersion ? undefined : namedDraft);
  if (hasGoodVersion && file === undefined) state.outdated.set(key, namedDraft);
  else state.outdated.delete(key);
  if (file !== undefined) {
    const former = bundle.files.get(key);
    const createdMs = Math.min(former?.createdMs ?? file.createdMs, file.createdMs);
    const shown = former && shownKeys(former, file);
    state.index.remove(bundle, key);
    const isSame = createdMs === file.createdMs && shown === undefined;
    state.index.add(bundle, isSame ? file : { ...file, createdMs, shown });
  }
}

function countFile({ folders }: Bundle, folder: string, change: 1 | -1): void {
  const count = (folders.get(folder) ?? 0) + change;
  if (count === 0) folders.delete(folder);
  else folders.set(folder, count);
}

/** Removes a file that no longer exists. */
export function removeFile(state: CollectorState, key: string): void {
  const role = state.readKey(key);
  state.ignored.delete(key);
  if (role.role === 'misplaced') removeFrom(state.misplaced, role.folder, key);
  if (role.role !== 'entity') return;
  const bundle = state.index.bundles.get(role.type);
  if (bundle !== undefined) {
    if (bundle.keys.delete(key)) countFile(bundle, role.folder, -1);
    state.index.remove(bundle, key);
  }
  state.problems.delete(key);
  state.translationProblems.delete(key);
  state.outdated.delete(key);
  setAlias(state, key, undefined);
  setDraft(state, key, undefined);
}

function setDraft(state: CollectorState, key: string, draft: Draft | undefined): void {
  for (const each of [state.drafts.get(key), draft]) {
    if (each !== undefined) state.draftMoves.set(referenceKey(each), each);
  }
  state.drafts.delete(key);
  if (draft !== undefined) state.drafts.set(key, draft);
}

/** Keys of the files whose bodies may link to one of these files. */
export function linkingTo({ index }: CollectorState, keys: readonly string[]): readonly string[] {
  if (keys.length === 0) return [];
  const targets = new Set(keys);
  const names = new Set(keys.map(lastSegment));
  return [...index.bundles.values()].flatMap(({ files }) =>
    [...files.values()]
      .filter(({ key, links }) =>
        links.some((path) => names.has(lastSegment(path)) && targets.has(resolveKey(key, path) ?? '')),
      )
      .map(({ key }) => key),
  );
}

/** True if an entity is missing only because its file has errors, which are reported for that file. */
export function isDraft(state: CollectorState, { type, id }: Reference): boolean {
  return [...state.drafts.values()].some((draft) => draft.type === type && draft.id === id);
}

/**
 * True if the driver may skip other files than before: a key lies in a skipped folder, or was reported without
 * existing now or before.
 */
export function isSkipListStale(
  state: CollectorState,
  keys: readonly string[],
  present: ReadonlySet<string>,
): boolean {
  const wasPresent = (key: string) => {
    return state.readKey(key).role !== 'entity' || bundleAt(state, key)?.keys.has(key) === true;
  };
  const isSkipped = (key: string) =>
    state.skipped.some((file) => file.key === '' || file.key === key || key.startsWith(`${file.key}/`));
  return keys.some((key) => isSkipped(key) || !(present.has(key) || wasPresent(key)));
}

/**
 * Updates the commit dates of files that have changed since their last commit: only the first date still applies. Files
 * whose last good version is still served keep their dates.
 */
export function dropLastCommits(state: CollectorState, keys: Iterable<string>): void {
  for (const key of keys) {
    const dates = datesOf(state, key);
    if (dates !== undefined && !state.outdated.has(key)) {
      state.history.set(fileOfKey(key), { ...dates, changed: null });
    }
  }
}

/** The commit dates of a file. */
export function datesOf({ history }: Pick<CollectorState, 'history'>, key: string): FileHistory | undefined {
  return history.get(fileOfKey(key));
}

/** Replaces all commit dates, with the same exception. Returns the keys of the entities whose dates differ. */
export function replaceHistory(
  state: CollectorState,
  history: ReadonlyMap<string, FileHistory>,
  changedSince: ReadonlySet<string>,
): readonly string[] {
  const before = state.history;
  state.history = ForkMap.over(history);
  dropLastCommits(state, changedSince);
  for (const key of [...state.outdated.keys()].map(fileOfKey)) {
    const dates = before.get(key);
    if (dates === undefined) state.history.delete(key);
    else state.history.set(key, dates);
  }
  return [...state.decoded.keys()].filter((key) => {
    const [old, dates] = [datesOf({ history: before }, key), datesOf(state, key)];
    return old?.created !== dates?.created || old?.changed !== dates?.changed;
  });
}

/**
 * Adds the time since which the entity has its alias. During the first load that is the first commit of its file, which
 * no writer can choose, or without git the time of the file; later it is the moment in which the alias was set.
 */
export function withAliasTime(state: CollectorState, file: ContentFile, decoded: DecodedFile): DecodedFile {
  const alias = aliasOf(decoded.entity);
  if (alias === null) {
    setAlias(state, file.key, undefined);
    return decoded;
  }
  const before = state.aliases.get(file.key);
  const committed = datesOf(state, file.key)?.created;
  const first = committed === undefined ? file.mtimeMs : committed * 1000;
  const now = Date.now();
  const since = before?.alias === alias ? before.since : state.isLoaded ? now : Math.min(first, now);
  setAlias(state, file.key, { alias, since });
  return { ...decoded, entity: { ...decoded.entity, aliasSince: since } };
}

function setAlias(
  { aliases, addresses }: CollectorState,
  key: string,
  alias: { readonly alias: string; readonly since: number } | undefined,
): void {
  const before = aliases.get(key);
  if (before !== undefined) addresses.remove(addressOf(before.alias), key);
  if (alias === undefined) {
    aliases.delete(key);
  } else {
    addresses.add(addressOf(alias.alias), key);
    aliases.set(key, alias);
  }
}

/** Updates the shape of every bundle, and removes bundles without files and schema. */
export function reshape(state: CollectorState): {
  readonly reshaped: ReadonlySet<Bundle>;
  readonly removedTypes: readonly string[];
} {
  const reshaped = new Set<Bundle>();
  const removedTypes: string[] = [];
  for (const bundle of sortedBundles(state)) {
    if (bundle.keys.size === 0 && bundle.declared === undefined) {
      state.index.removeBundle(bundle.name);
      if (bundle.shape !== undefined) removedTypes.push(bundle.name);
      continue;
    }
    const shape = nextShape(bundle, state.index);
    if (bundle.shape === undefined || !sameShape(bundle.shape, shape)) reshaped.add(bundle);
    bundle.shape = shape;
  }
  return { reshaped, removedTypes };
}

/**
 * Files to decode again, with their bundles: those of `keys`, those whose id changed its owner, those of reshaped
 * bundles, and those that depend on such an id, a draft or a file of `uris`.
 */
export function dirtyFiles(
  state: CollectorState,
  keys: ReadonlySet<string>,
  moves: readonly Move[],
  reshaped: ReadonlySet<Bundle>,
  uris: readonly string[],
): ReadonlyMap<string, Bundle> {
  const dirty = new Map<string, Bundle>();
  const moved: readonly Reference[] = [...state.draftMoves.values(), ...moves];
  state.draftMoves.clear();
  const names = moved.map(referenceKey);
  const owners = moves.flatMap(({ before, after }) => [before, after].filter((key) => key !== undefined));
  for (const key of [...keys, ...owners, ...dependentsOn(state, names, uris)]) {
    const bundle = bundleAt(state, key);
    if (bundle === undefined) deleteDecoded(state, key);
    else dirty.set(key, bundle);
  }
  for (const bundle of reshaped) {
    for (const key of bundle.files.keys()) dirty.set(key, bundle);
  }
  return state.languages !== undefined ? withTranslations(state, dirty, moved) : dirty;
}

/** Adds the translations of these files and ids, and those that may have another source. Sources come first. */
function withTranslations(
  state: CollectorState,
  dirty: ReadonlyMap<string, Bundle>,
  moved: readonly Reference[],
): ReadonlyMap<string, Bundle> {
  const { index, readKey } = state;
  const keys = new Set([...dirty.keys(), ...index.takeTranslations()]);
  const addTranslations = (bundle: Bundle | undefined, id: string, pathId: string) => {
    for (const key of bundle ? index.translationsOf(bundle, { id, pathId }) : []) keys.add(key);
  };
  for (const [key, bundle] of dirty) {
    const file = bundle.files.get(key);
    const role = readKey(key);
    if (role.role !== 'entity' || file?.translation !== undefined) continue;
    addTranslations(bundle, file?.id ?? role.pathId, role.pathId);
  }
  for (const { type, id } of moved) addTranslations(index.bundles.get(type), id, id);
  const sources = new Map<string, Bundle>();
  const translations = new Map<string, Bundle>();
  for (const key of keys) {
    const bundle = bundleAt(state, key);
    const isTranslation = bundle?.files.get(key)?.translation !== undefined;
    if (bundle !== undefined) (isTranslation ? translations : sources).set(key, bundle);
  }
  return new Map([...sources, ...translations]);
}

/** The bundle of an entity's file. */
export function bundleAt(
  { index, readKey }: Pick<CollectorState, 'index' | 'readKey'>,
  key: string,
): Bundle | undefined {
  const role = readKey(key);
  return role.role === 'entity' ? index.bundles.get(role.type) : undefined;
}

export function entitiesOf(state: CollectorState, bundle: Bundle): readonly Entity[] {
  return [...bundle.files.keys()].flatMap((key) => state.decoded.get(key)?.entity ?? []);
}

export function sortedBundles(state: CollectorState): readonly Bundle[] {
  return [...state.index.bundles.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function setDecoded(state: CollectorState, key: string, decoded: DecodedFile): void {
  state.decoded.set(key, decoded);
  if (decoded.problems.length > 0) state.decodeProblems.set(key, decoded.problems);
  if (state.dependents !== undefined) addDependencies(state.dependents, key, decoded);
}

export function deleteDecoded(state: CollectorState, key: string): void {
  const decoded = state.decoded.get(key);
  if (state.dependents !== undefined && decoded !== undefined) {
    for (const name of dependenciesOf(decoded)) removeFrom(state.dependents, name, key);
  }
  state.decoded.delete(key);
  state.decodeProblems.delete(key);
}

/** Keys of the files that looked up one of these entities, or name one of the files of `uris`. */
function dependentsOn(
  state: CollectorState,
  names: readonly string[],
  uris: readonly string[],
): readonly string[] {
  if (names.length === 0 && uris.length === 0) return [];
  if (names.length === 0 && state.dependents === undefined) {
    // Few files name any other file, so the whole map is not worth building.
    const changed = new Set(uris);
    const keys: string[] = [];
    for (const [key, { files }] of state.decoded) {
      if (files.some((uri) => changed.has(uri))) keys.push(key);
    }
    return keys;
  }
  if (state.dependents === undefined) {
    state.dependents = new Map();
    for (const [key, decoded] of state.decoded) addDependencies(state.dependents, key, decoded);
  }
  const { dependents } = state;
  return [...uris, ...names].flatMap((name) => [...(dependents.get(name) ?? [])]);
}

function addDependencies(dependents: Map<string, Set<string>>, key: string, decoded: DecodedFile): void {
  for (const name of dependenciesOf(decoded)) addTo(dependents, name, key);
}

function dependenciesOf({ lookups, files }: DecodedFile): readonly string[] {
  return [...lookups.map(referenceKey), ...files];
}

function addTo(sets: Map<string, Set<string>>, name: string, value: string): void {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([value]));
  else set.add(value);
}

function removeFrom(sets: Map<string, Set<string>>, name: string, value: string): void {
  const set = sets.get(name);
  set?.delete(value);
  if (set?.size === 0) sets.delete(name);
}
