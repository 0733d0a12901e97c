import { type FilePlace, fileAt, uriOf } from '../content/file-place.ts';
import type { FieldDefinition, FieldValue, ResourceType } from '../content/model.ts';
import type { QueryAccess } from '../engine/engine.ts';
import type { EntityStore } from '../engine/store/entity-store.ts';
import type { OpenFile } from '../storage/file-source.ts';
import { NotFoundError } from '../util/errors.ts';
import type { Reader } from './reader.ts';
import { pathSegments } from './url-path.ts';

/**
 * The file at a path below `/content-files`. It is seen through the entities that name it: where the actor may see
 * none of them it is the same 404 as a file that does not exist. Throws NotFoundError.
 */
export async function findContentFile(
  services: Reader,
  access: QueryAccess,
  path: string,
): Promise<ContentFile> {
  const key = pathSegments(path).join('/');
  const all = fileReferrers(services.store);
  const referrers = all.get(uriOf({ source: 'content', key }));
  // For a file that no entity names, another one is checked: the same work as for a file that the actor may not see.
  const isSeen = await mayRead(services, access, referrers ?? all.values().next().value ?? []);
  if (referrers !== undefined && isSeen) {
    const file = await services.files.open(key);
    if (file !== undefined) return { key, file };
  }
  throw new NotFoundError(`There is no file '${key}', or you may not see it.`);
}

export interface ContentFile {
  readonly key: string;
  readonly file: OpenFile;
}

/** Every file of the content folder that an actor may see, by key in code-unit order. */
export async function* visibleContentFiles(
  services: Reader,
  access: QueryAccess,
): AsyncGenerator<{ readonly key: string; readonly bytes: Uint8Array }, void, undefined> {
  for (const key of await visibleContentFileKeys(services, access)) {
    const bytes = await services.files.read(key);
    if (bytes !== undefined) yield { key, bytes };
  }
}

/** Keys of those files. */
export async function visibleContentFileKeys(
  services: Reader,
  access: QueryAccess,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const key of contentFileKeys(services.store)) {
    const referrers = fileReferrers(services.store).get(uriOf({ source: 'content', key })) ?? [];
    if (await mayRead(services, access, referrers)) keys.push(key);
  }
  return keys;
}

/** Keys of all files of the content folder that entities name, whoever may see them, in code-unit order. */
export function contentFileKeys(store: EntityStore): readonly string[] {
  return [...fileReferrers(store).keys()]
    .map(fileAt)
    .filter((place): place is FilePlace => place?.source === 'content')
    .map(({ key }) => key)
    .sort();
}

/** Whether fields or bodies of the content name files. */
export function namesFiles(store: EntityStore): boolean {
  const hasFields = (type: ResourceType) => [...type.fields.values()].some(isFileField);
  return [...store.types.values()].some(hasFields) || fileReferrers(store).size > 0;
}

/** Whether an entity names a file of the content folder. */
export function isNamed(store: EntityStore, key: string): boolean {
  return fileReferrers(store).has(uriOf({ source: 'content', key }));
}

/** Whether nobody names a file of the content folder yet, or somebody whom the actor sees. */
export async function mayNameFile(services: Reader, access: QueryAccess, key: string): Promise<boolean> {
  const referrers = fileReferrers(services.store).get(uriOf({ source: 'content', key })) ?? [];
  return referrers.length === 0 || mayRead(services, access, referrers);
}

async function mayRead(
  { engine }: Reader,
  access: QueryAccess,
  referrers: readonly Referrer[],
): Promise<boolean> {
  for (const { type, field, id } of referrers) {
    if (access.fieldVisible(type, field) && (await engine.visible(type.name, id, access))) return true;
  }
  return false;
}

interface Referrer {
  readonly type: ResourceType;
  readonly field: string;
  readonly id: string;
}

type Referrers = ReadonlyMap<string, readonly Referrer[]>;

const kept = new WeakMap<EntityStore, { readonly version: number; readonly referrers: Referrers }>();

/** Who names which file, by URI. Worked out once for each version of the content. */
function fileReferrers(store: EntityStore): Referrers {
  const known = kept.get(store);
  if (known?.version === store.version) return known.referrers;
  const referrers = new Map<string, Referrer[]>();
  const add = (type: ResourceType, field: string, id: string, uris: Iterable<string>) => {
    for (const uri of uris) {
      const others = referrers.get(uri) ?? [];
      others.push({ type, field, id });
      referrers.set(uri, others);
    }
  };
  for (const type of store.types.values()) {
    const fields = [...type.fields.values()].filter(isFileField);
    for (const entity of store.entities(type.name)) {
      for (const field of fields) add(type, field.name, entity.id, urisIn(entity.values[field.name], field));
      if (entity.images !== undefined) {
        add(type, 'body', entity.id, new Set(entity.images.map(({ uri }) => uri)));
      }
    }
  }
  kept.set(store, { version: store.version, referrers });
  return referrers;
}

function isFileField({ kind, properties }: FieldDefinition): boolean {
  return kind === 'image' || kind === 'file' || Object.values(properties).some(isFileField);
}

/** URIs of the files that a value holds, itself or in its properties. */
function urisIn(value: FieldValue | undefined, field: FieldDefinition): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((item: FieldValue) => urisIn(item, field));
  if (field.kind === 'image' || field.kind === 'file') {
    const uri: unknown = 'uri' in value ? value.uri : null;
    return typeof uri === 'object' && uri !== null && 'value' in uri ? [String(uri.value)] : [];
  }
  const parts = value as { readonly [name: string]: FieldValue };
  return Object.values(field.properties).flatMap((part) => urisIn(parts[part.name], part));
}
