import { ForkMap, forkMaps } from '../util/fork-map.ts';
import { type Claims, createClaims } from './claims.ts';
import { asSource, type ContentFile } from './content-file.ts';
import type { KnownEntities, KnownTypes } from './decode/references.ts';
import type { Languages } from './languages.ts';
import type { FieldDefinition, Reference } from './model.ts';
import { type FieldOptions, optionFor } from './resource-type.ts';
import {
  type BundleProfile,
  type BundleShape,
  createBundleProfile,
  declaredShape,
  inferBundle,
  tallyFile,
} from './schema/bundle-shape.ts';
import type { DeclaredBundle } from './schema/schema-fields.ts';

/** The files of one resource type. */
export interface Bundle {
  readonly name: string;
  readonly declared: DeclaredBundle | undefined;
  /** Option `title` of the bundle. */
  readonly titleField: string | undefined;
  readonly fieldOptions: FieldOptions;
  /** Keys of all its files, including unreadable ones. */
  readonly keys: ForkMap<string, true>;
  /** Its folders, with their numbers of keys. */
  readonly folders: Map<string, number>;
  /** Readable files by key. */
  readonly files: ForkMap<string, ContentFile>;
  /** Ids of the readable sources. */
  readonly ids: Claims;
  /** Path ids of the readable sources; empty on a site without languages. */
  readonly paths: Claims;
  /** The readable translations by how they name their source: `path about`, `id about`. */
  readonly translations: Claims;
  /** Keys of the translations that are the source of their entity, because it is the only one. */
  readonly standIns: Set<string>;
  /** With a schema, only the numbers of files. */
  readonly profile: BundleProfile;
  shape: BundleShape | undefined;
  /** Inferred fields that files had since the start or in a recalled version, and that no file has any more. */
  readonly former: Map<string, FieldDefinition>;
}

/** All readable files by bundle and id. Records which ids change their owner. */
export interface ContentIndex extends KnownTypes {
  readonly bundles: ReadonlyMap<string, Bundle>;
  /** Creates the bundle if it does not exist. */
  bundle(name: string): Bundle;
  /** A bundle without files, which is not part of the index. */
  emptyBundle(name: string): Bundle;
  removeBundle(name: string): void;
  add(bundle: Bundle, file: ContentFile): void;
  remove(bundle: Bundle, key: string): void;
  /** One object for all references to the same entity, to save memory. */
  shared(reference: Reference): Reference;
  /** One array for all lists of this reference alone. */
  sharedList(reference: Reference): readonly [Reference];
  /** The source of a translation, if it is readable. */
  sourceOf(bundle: Bundle, translation: ContentFile): ContentFile | undefined;
  /** A file that is not stored, as the index would hold it. */
  asStored(bundle: Bundle, file: ContentFile): ContentFile;
  /** Keys of the translations that name a source by its id or path, in code-unit order. */
  translationsOf(bundle: Bundle, source: Pick<ContentFile, 'id' | 'pathId'>): readonly string[];
  /** Key of the file that owns an id. */
  owner(type: string, id: string): string | undefined;
  /** Chooses sources for the translations without one. Ids whose owner changed since the last call. The first call returns none, because nothing depends on an id yet. */
  takeMoves(): readonly Move[];
  /** Keys of the translations whose source, or another translation of it, may have changed since the last call. */
  takeTranslations(): readonly string[];
}

interface IndexOptions {
  /** Undefined if all content has one language. */
  readonly languages?: Languages | undefined;
  /** The fields that store titles, by bundle. */
  readonly titles?: Readonly<Record<string, string>> | undefined;
  /** Option `bundles.<bundle>.fields`, by bundle. */
  readonly fields?: Readonly<Record<string, FieldOptions>> | undefined;
  readonly copied?: ContentIndex;
  readonly expected?: KnownEntities;
}

/** A change of an id's owner; undefined for no owner. */
export interface Move extends Reference {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** An empty index, or a fork of another one, in which the `expected` entities count as existing. */
export function createContentIndex(
  declared: ReadonlyMap<string, DeclaredBundle>,
  { languages, titles = {}, fields = {}, copied, expected }: IndexOptions = {},
): ContentIndex {
  const hasLanguages = languages !== undefined;
  const fork = (bundle: Bundle) => ({ ...forkMaps(bundle), profile: structuredClone(bundle.profile) });
  const bundles = new Map([...(copied?.bundles ?? [])].map(([name, bundle]) => [name, fork(bundle)]));
  const touched = new Map<string, Reference & { readonly before: string | undefined }>();
  const references = new Map<string, Map<string, readonly [Reference]>>();
  const touchedTranslations = new Set<string>();
  /** Ids and paths, by bundle, whose translations may need another source. */
  const unsettled = new Map<Bundle, Set<string>>();
  let recordsMoves = copied !== undefined;

  function owner(type: string, id: string): string | undefined {
    return bundles.get(type)?.ids.owners.get(id);
  }

  function touch(type: string, id: string): void {
    const name = recordsMoves ? `${type}/${id}` : '';
    if (recordsMoves && !touched.has(name)) touched.set(name, { type, id, before: owner(type, id) });
  }

  function sourceOf(
    { ids, paths, files }: Bundle,
    { id, translation }: ContentFile,
  ): ContentFile | undefined {
    const byPath = paths.owners.get(id);
    const byId = ids.owners.get(id);
    const key = translation?.by === 'id' ? (byId ?? byPath) : (byPath ?? byId);
    return key === undefined ? undefined : files.get(key);
  }

  function unsettle(bundle: Bundle, { id, pathId, translation }: ContentFile): void {
    if (!hasLanguages || (translation === undefined && !recordsMoves)) return;
    const names = unsettled.get(bundle) ?? new Set();
    unsettled.set(bundle, names.add(id).add(pathId));
  }

  /** Makes the first translation of each entity without a source its source. */
  function settleSources(): void {
    for (const [bundle, names] of unsettled) {
      const keys = new Set<string>();
      // Grows in the loop: a file may have another id than its path says.
      for (const name of names) {
        const sources = [...bundle.ids.of(name), ...bundle.paths.of(name)];
        const standIns = sources.filter((key) => bundle.standIns.has(key));
        for (const key of [...standIns, ...translationsOf(bundle, { id: name, pathId: name })]) {
          const file = bundle.files.get(key)!;
          keys.add(key);
          names.add(file.id).add(file.pathId);
          if (file.standsIn === undefined) continue;
          remove(bundle, key);
          const { standsIn, ...others } = file;
          add(bundle, { ...others, translation: standsIn });
        }
      }
      const files = [...keys].map((key) => bundle.files.get(key)!);
      for (const file of files.sort((a, b) => compareTranslations(a, b, languages))) {
        if (sourceOf(bundle, file) !== undefined) continue;
        remove(bundle, file.key);
        add(bundle, asSource(file));
      }
    }
    unsettled.clear();
  }

  function translationsOf(
    bundle: Bundle,
    { id, pathId }: Pick<ContentFile, 'id' | 'pathId'>,
  ): readonly string[] {
    const names = [`path ${pathId}`, `path ${id}`, `id ${id}`, `id ${pathId}`];
    return [...new Set(names.flatMap(bundle.translations.of))].sort();
  }

  function sharedList({ type, id }: Reference): readonly [Reference] {
    const byId = references.get(type) ?? new Map<string, readonly [Reference]>();
    references.set(type, byId);
    const list = byId.get(id) ?? [Object.freeze({ type, id })];
    byId.set(id, list);
    return list;
  }

  /** Records the translations that a file is or can be the source of, and all others of their sources. */
  function touchTranslations(bundle: Bundle, file: ContentFile): void {
    if (!recordsMoves || !hasLanguages) return;
    const names = file.translation === undefined ? translationsOf(bundle, file) : [file.key];
    for (const key of names) {
      touchedTranslations.add(key);
      const translation = bundle.files.get(key);
      const source = translation && sourceOf(bundle, translation);
      if (source === undefined) continue;
      for (const other of translationsOf(bundle, source)) touchedTranslations.add(other);
    }
  }

  function add(bundle: Bundle, file: ContentFile): void {
    const { key, translation } = file;
    touchTranslations(bundle, file);
    bundle.files.set(key, file);
    if (translation === undefined) {
      touch(bundle.name, file.id);
      bundle.ids.add(file.id, key);
      if (ownsPath(file)) bundle.paths.add(file.pathId, key);
      if (file.standsIn !== undefined) bundle.standIns.add(key);
    } else {
      bundle.translations.add(`${translation.by} ${file.id}`, key);
    }
    touchTranslations(bundle, file);
    unsettle(bundle, file);
    tallyFile(bundle.profile, file, 1);
  }

  function remove(bundle: Bundle, key: string): void {
    const file = bundle.files.get(key);
    if (file === undefined) return;
    const { translation } = file;
    touchTranslations(bundle, file);
    if (translation === undefined) {
      touch(bundle.name, file.id);
      bundle.ids.remove(file.id, key);
      if (ownsPath(file)) bundle.paths.remove(file.pathId, key);
      bundle.standIns.delete(key);
    } else {
      bundle.translations.remove(`${translation.by} ${file.id}`, key);
    }
    bundle.files.delete(key);
    touchTranslations(bundle, file);
    unsettle(bundle, file);
    tallyFile(bundle.profile, file, -1);
  }

  /** True for a source that a path can name. A translation with an id has the path of another source. */
  function ownsPath({ standsIn }: ContentFile): boolean {
    return hasLanguages && standsIn?.by !== 'id';
  }

  function emptyBundle(name: string): Bundle {
    return {
      name,
      declared: declared.get(name),
      titleField: optionFor(titles, name),
      fieldOptions: optionFor(fields, name) ?? {},
      keys: new ForkMap(),
      folders: new Map(),
      files: new ForkMap(),
      ids: createClaims(),
      paths: createClaims(),
      translations: createClaims(),
      standIns: new Set(),
      profile: createBundleProfile(),
      shape: undefined,
      former: new Map(),
    };
  }

  return {
    bundles,
    emptyBundle,
    sourceOf,
    asStored(bundle, file) {
      const source = file.translation && sourceOf(bundle, file);
      return file.translation === undefined || (source !== undefined && source.key !== file.key)
        ? file
        : asSource(file);
    },
    translationsOf,
    takeTranslations() {
      const keys = [...touchedTranslations];
      touchedTranslations.clear();
      return keys;
    },
    bundle(name) {
      const existing = bundles.get(name);
      if (existing !== undefined) return existing;
      const bundle = emptyBundle(name);
      bundles.set(name, bundle);
      return bundle;
    },
    removeBundle: (name) => void bundles.delete(name),
    add,
    remove,
    has: (type, id) => owner(type, id) !== undefined || expected?.has(type, id) === true,
    hasType(type) {
      const bundle = bundles.get(type);
      return bundle !== undefined && (bundle.keys.size > 0 || bundle.declared !== undefined);
    },
    listIn(folders, field) {
      const named = bundles.get(`node--${field}`);
      const isBeside = (folder: string) => named?.folders.has(`${folder && `${folder}/`}${field}.yml`);
      return [...folders].some(isBeside) ? named?.name : undefined;
    },
    shared: (reference) => sharedList(reference)[0],
    sharedList,
    owner,
    takeMoves() {
      settleSources();
      const moves = [...touched.values()]
        .map(({ type, id, before }) => ({ type, id, before, after: owner(type, id) }))
        .filter(({ before, after }) => before !== after);
      touched.clear();
      recordsMoves = true;
      return moves;
    },
  };
}

/** The order in which translations become sources: those that name no source first, then in the order of the languages. */
function compareTranslations(a: ContentFile, b: ContentFile, languages: Languages | undefined): number {
  const rank = ({ translation }: ContentFile) =>
    (translation?.isWritten === true ? 1000 : 0) +
    (languages?.all.findIndex(({ code }) => code === translation?.language) ?? 0);
  return rank(a) - rank(b) || (a.key < b.key ? -1 : 1);
}

/** The shape of the present files. Fields that they had before stay writable. */
export function nextShape(bundle: Bundle, known: KnownTypes): BundleShape {
  const { former, shape: last } = bundle;
  const shape = shapeOf(bundle, known);
  if (bundle.declared !== undefined) return shape;
  const { type } = shape;
  for (const [name, field] of last?.type.fields ?? []) if (!type.fields.has(name)) former.set(name, field);
  for (const name of type.fields.keys()) former.delete(name);
  return { ...shape, type: { ...type, former } };
}

/** The shape that follows from the schema or from the bundle's present files. */
export function shapeOf(bundle: Bundle, known: KnownTypes): BundleShape {
  const { name, declared, profile, titleField, folders, fieldOptions } = bundle;
  const listOf = (field: string) => known.listIn?.(folders.keys(), field);
  return declared === undefined
    ? inferBundle(name, profile, known, titleField, listOf, fieldOptions)
    : declaredShape(name, declared, profile, titleField);
}
