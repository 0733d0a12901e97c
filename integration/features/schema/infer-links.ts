import { parseReference } from '../../core/content/decode/references.ts';
import { type FileLocation, locationsOf } from '../../core/content/file-location.ts';
import type { FieldDefinition } from '../../core/content/model.ts';
import { shortTypeName } from '../../core/content/resource-type.ts';
import { writtenFileSchema } from '../../core/content/schema/schema.ts';
import { isAddressKey } from '../../core/content/usual-names.ts';
import { isImage, mediaTypeOf } from '../../core/storage/file-source.ts';
import type { JsonValue } from '../../core/util/json.ts';

/** The ids of all entities, by resource type name. */
export type EntityIds = ReadonlyMap<string, ReadonlySet<string>>;

/** The value of a field in one file, with the key and the id of that file. */
export interface WrittenValue {
  readonly key: string;
  readonly id: string;
  readonly value: JsonValue;
}

/**
 * The resource types that a field refers to if each of its values names an entity: as `bundle/id`, as `{ type, id }`, or
 * by a bare id, which the inference without a schema reads as a string. Undefined for other fields.
 */
export function inferReferences(
  field: FieldDefinition,
  values: readonly WrittenValue[],
  ids: EntityIds,
): readonly string[] | undefined {
  if (isAddressKey(field.key)) return undefined;
  const targets = new Set<string>();
  const bare = new Set<string>();
  let isOwnId = true;
  for (const { id, item } of itemsOf(values)) {
    const reference = parseReference(item);
    if (reference && ids.get(reference.type)?.has(reference.id)) targets.add(reference.type);
    else if (typeof item === 'string') bare.add(item);
    else return undefined;
    isOwnId &&= item === id;
  }
  // A field that repeats the id of its own entity, such as a slug, is not a reference.
  if (isOwnId || !addBareTargets(field, targets, bare, ids)) return undefined;
  return [...targets].sort();
}

/** Adds the type that has all bare ids. Returns false if there is no such type, or more than one. */
function addBareTargets(
  { name }: FieldDefinition,
  targets: Set<string>,
  bare: ReadonlySet<string>,
  ids: EntityIds,
): boolean {
  const all = [...bare];
  if (all.every((id) => [...targets].some((type) => ids.get(type)?.has(id)))) return targets.size > 0;
  const types = [...ids].filter(([, own]) => all.every((id) => own.has(id))).map(([type]) => type);
  const named = types.filter((type) => name.includes(shortTypeName(type)));
  const [type, other] = named.length > 0 ? named : types;
  // A single string may equal an id by chance.
  if (type === undefined || other !== undefined || (all.length < 2 && named.length === 0)) return false;
  targets.add(type);
  return true;
}

/**
 * The kind of a field whose values all name files: paths of files that exist and are served, or `{ src, alt }` with one, and URLs beside
 * these. Undefined for other fields.
 */
export function inferFiles(
  values: readonly WrittenValue[],
  exists: (location: FileLocation) => boolean,
): 'image' | 'file' | undefined {
  const sources: { readonly key: string; readonly src: string }[] = [];
  for (const { key, item } of itemsOf(values)) {
    const src = typeof item === 'string' ? item : writtenFileSchema.safeParse(item).data?.src;
    if (src === undefined || !hasKnownExtension(src)) return undefined;
    sources.push({ key, src });
  }
  const local = sources.filter(({ src }) => !URL_SCHEME.test(src));
  const isComplete = local.every(({ key, src }) => locationsOf(key, src).some(exists));
  if (local.length === 0 || !isComplete) return undefined;
  return sources.every(({ src }) => isImage(withoutQuery(src))) ? 'image' : 'file';
}

/** A string without a known extension names a file only by chance. */
function hasKnownExtension(src: string): boolean {
  const path = withoutQuery(src);
  return /\.\w+$/.test(path) && mediaTypeOf(path) !== 'application/octet-stream';
}

function withoutQuery(src: string): string {
  return URL_SCHEME.test(src) ? (src.split(/[?#]/, 1)[0] ?? '') : src;
}

const URL_SCHEME = /^https?:\/\//i;

/** All items that are not null; a single value is its only item. */
function itemsOf(values: readonly WrittenValue[]) {
  return values.flatMap(({ key, id, value }) =>
    (Array.isArray(value) ? (value as readonly JsonValue[]) : [value])
      .filter((item) => item !== null)
      .map((item) => ({ key, id, item })),
  );
}
