import { type FileLocation, fileAt, uriOf } from '../content/file-location.ts';
import { isMissingFile } from '../content/file-resource.ts';
import type { Entity, FieldDefinition, FieldValue, ResourceType } from '../content/model.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { OpenFile } from '../storage/file-source.ts';
import { NotFoundError } from '../util/errors.ts';
import { digestText } from '../util/revision.ts';
import type { FoundReferrers, Reader, Referrer } from './reader.ts';
import { pathSegments } from './url-path.ts';

/**
 * Finds the file at a path below `/content-files`. The actor may see it if they may see an entity that refers to it, or if
 * nothing refers to it and `mayUse` is true for its key. Throws the same NotFoundError for a hidden and for a missing file.
 */
export async function findContentFile(
  services: Reader,
  access: QueryAccess,
  path: string,
  mayUse: (key: string) => boolean,
): Promise<ContentFile> {
  const key = pathSegments(path).join('/');
  const isVisible = await canSeeFile(services, access, key);
  if (isVisible || (!(await hasReferrers(services, key)) && mayUse(key))) {
    const file = await services.files.open(key);
    if (file !== undefined) return { key, file };
  }
  throw new NotFoundError(`The file '${key}' does not exist, or you may not see it.`);
}

export interface ContentFile {
  readonly key: string;
  readonly file: OpenFile;
}

/** The keys of all content files that an actor may see, in code-unit order. */
export async function visibleContentFileKeys(
  services: Reader,
  access: QueryAccess,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const key of contentFileKeys(services.store)) {
    if (await canSeeFile(services, access, key)) keys.push(key);
  }
  return keys;
}

/** The keys of all content files that entities refer to, in code-unit order. */
export function contentFileKeys(store: EntityStore): readonly string[] {
  return [...fileReferrers(store).byUri.keys()]
    .map(fileAt)
    .filter((place): place is FileLocation => place?.source === 'content')
    .map(({ key }) => key)
    .sort();
}

/** True if the content has references to files, or fields for them. */
export function hasFiles(store: EntityStore): boolean {
  const hasFields = (type: ResourceType) => [...type.fields.values()].some(isFileField);
  return [...store.types.values()].some(hasFields) || fileReferrers(store).lists.length > 0;
}

/** True if an entity refers to a file of the content folder. */
export function isReferencedFile(store: EntityStore, key: string): boolean {
  return fileReferrers(store).byUri.has(uriOf({ source: 'content', key }));
}

/** True if a body shows a file of the content folder. */
export function isBodyFile(store: EntityStore, key: string): boolean {
  const referrers = fileReferrers(store).byUri.get(uriOf({ source: 'content', key }));
  return referrers?.some(({ field }) => field === 'body') === true;
}

/**
 * True if an entity that the actor may see refers to a file of the content folder. Checks any other file if there are no
 * references, so that the time does not distinguish hidden from missing files.
 */
export async function canSeeFile(services: Reader, access: QueryAccess, key: string): Promise<boolean> {
  const { own, other } = await referrersOf(services, uriOf({ source: 'content', key }));
  const visible = await visibleReferrers(services, access, own.length === 0 ? other : own).next();
  return own.length > 0 && visible.done !== true;
}

/** The same as `isReferencedFile`, for any store. */
export async function hasReferrers(services: Reader, key: string): Promise<boolean> {
  return (await referrersOf(services, uriOf({ source: 'content', key }))).own.length > 0;
}

/** The references to a file, and those to another file, which take as long to check. */
export async function referrersOf({ store, findReferrers }: Reader, uri: string): Promise<FoundReferrers> {
  if (findReferrers !== undefined) return findReferrers(uri);
  const { byUri, lists } = fileReferrers(store);
  const other = lists[Number.parseInt(digestText(uri).slice(0, 8), 16) % lists.length];
  return { own: byUri.get(uri) ?? [], other: other ?? [] };
}

/** The references that the actor may see, with their entities. */
export async function* visibleReferrers(
  { engine }: Reader,
  access: QueryAccess,
  referrers: readonly Referrer[],
): AsyncGenerator<{ readonly referrer: Referrer; readonly entity: Entity }, void, undefined> {
  for (const referrer of referrers) {
    const { type, field, id, translation } = referrer;
    if (!access.fieldVisible(type, field)) continue;
    // A file of a translation is readable if that translation is, whichever language the request is about.
    const languages = translation === undefined ? [] : [translation];
    const entity = await engine.find(type.name, id, { ...access, languages });
    if (entity !== undefined && entity.translation === translation) yield { referrer, entity };
  }
}

/** The referrers of each file. */
interface Referrers {
  readonly version: number;
  readonly byUri: ReadonlyMap<string, readonly Referrer[]>;
  readonly lists: readonly (readonly Referrer[])[];
}

const cached = new WeakMap<EntityStore, Referrers>();

/** Computed once for each version of the content. */
function fileReferrers(store: EntityStore): Referrers {
  const entry = cached.get(store);
  if (entry?.version === store.version) return entry;
  const referrers = new Map<string, Referrer[]>();
  const add = (referrer: Referrer, uris: Iterable<string>) => {
    for (const uri of uris) {
      if (referrers.get(uri)?.push(referrer) === undefined) referrers.set(uri, [referrer]);
    }
  };
  for (const type of store.types.values()) {
    for (const entity of store.entities(type.name)) {
      const { id, translation } = entity;
      for (const [field, uris] of filesOf(type, entity)) add({ type, field, id, translation }, uris);
    }
  }
  const computed = { version: store.version, byUri: referrers, lists: [...referrers.values()] };
  cached.set(store, computed);
  return computed;
}

/** The fields of an entity that refer to files, and the URIs of these files. */
export function filesOf(
  type: ResourceType,
  { values, images }: Entity,
): readonly (readonly [field: string, uris: ReadonlySet<string>])[] {
  const inFields = [...type.fields.values()].filter(isFileField).map((field) => {
    const uris = filesIn(values[field.name], field).map(({ uri }) => uri);
    return [field.name, new Set(uris)] as const;
  });
  const inBody = ['body', new Set(images?.map(({ uri }) => uri))] as const;
  return [...inFields, inBody].filter(([, uris]) => uris.size > 0);
}

function isFileField({ kind, properties }: FieldDefinition): boolean {
  return kind === 'image' || kind === 'file' || Object.values(properties).some(isFileField);
}

/** A file in the value of a field. */
export interface FileReference {
  /** A URI; in a change, also a path as authors write it. */
  readonly uri: string;
  /** Steps to the file, from `path` on. */
  readonly path: readonly (string | number)[];
}

/** The files in a value or in its properties. */
export function filesIn(
  value: FieldValue | undefined,
  field: FieldDefinition,
  path: FileReference['path'] = [],
): readonly FileReference[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) {
    return value.flatMap((item: FieldValue, index) => filesIn(item, field, [...path, index]));
  }
  const parts = value as { readonly [name: string]: FieldValue };
  if (field.kind === 'image' || field.kind === 'file') {
    if (isMissingFile(value)) return [];
    const { uri } = parts;
    const text = typeof uri === 'object' && uri !== null && 'value' in uri ? uri.value : undefined;
    return typeof text === 'string' ? [{ uri: text, path }] : [];
  }
  return Object.values(field.properties).flatMap((part) =>
    filesIn(parts[part.name], part, [...path, part.name]),
  );
}
