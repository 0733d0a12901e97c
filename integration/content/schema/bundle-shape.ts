import type { JsonValue } from '../../util/json.ts';
import { BASE_FIELDS } from '../base-fields.ts';
import type { ContentFile } from '../content-file.ts';
import { publicName } from '../field-name.ts';
import type { FieldDefinition, ResourceType } from '../model.ts';
import { type PublicationFlag, isPublicationFlag } from '../publication.ts';
import type { KnownTypes } from '../references.ts';
import { splitResourceType } from '../resource-type.ts';
import { type ValueProfile, inferField, tallyProperty } from './infer.ts';
import type { DeclaredBundle } from './schema-fields.ts';

/** How the files of one bundle become entities. */
export interface BundleShape {
  readonly type: ResourceType;
  /** Whether `status` is text in this bundle. */
  readonly textStatus: boolean;
  /** Frontmatter keys that lose their public name to another key. */
  readonly clashes: readonly { readonly key: string; readonly kept: string; readonly name: string }[];
}

/** What the files of one bundle hold, as counts that a file can be taken out of again. */
export interface BundleProfile {
  readonly fields: Map<string, ValueProfile>;
  flags: number;
  texts: number;
  /** Files in which a key with a meaning of its own holds what only a field can hold. */
  readonly plain: Map<string, number>;
}

export function createBundleProfile(): BundleProfile {
  return { fields: new Map(), flags: 0, texts: 0, plain: new Map() };
}

/** Counts a file in (`delta` 1) or out (−1). */
export function tallyFile(profile: BundleProfile, file: ContentFile, delta: 1 | -1): void {
  const { status } = file.base;
  profile.flags += typeof status === 'boolean' ? delta : 0;
  profile.texts += typeof status === 'string' ? delta : 0;
  for (const [key, value] of Object.entries(file.data)) {
    if (isOptionalKey(key) && !hasOwnMeaning(key, value, file)) {
      profile.plain.set(key, (profile.plain.get(key) ?? 0) + delta);
    }
    if (!BASE_KEYS.has(key)) {
      tallyProperty(profile.fields, key, value, delta);
    }
  }
}

/** The shape that fits all files counted in. */
export function inferBundle(name: string, profile: BundleProfile, known: KnownTypes): BundleShape {
  const keys = [...profile.fields.keys()]
    .filter((key) => !isOptionalKey(key) || (profile.plain.get(key) ?? 0) > 0)
    .sort();
  const byName = new Map<string, string>();
  const clashes: { key: string; kept: string; name: string }[] = [];
  for (const key of keys.toSorted((a, b) => Number(publicName(b) === b) - Number(publicName(a) === a))) {
    const field = publicName(key);
    const kept = byName.get(field);
    if (kept === undefined) {
      byName.set(field, key);
    } else {
      clashes.push({ key, kept, name: field });
    }
  }
  const fields = [...byName].map(([field, key]) => inferField(profile.fields.get(key)!, field, key, known));
  const textStatus = profile.texts > 0;
  return {
    type: resourceType(name, [...baseFields(textStatus), ...fields], 'inferred'),
    textStatus,
    clashes,
  };
}

/** The shape that a schema declares. */
export function declaredShape(name: string, declared: DeclaredBundle): BundleShape {
  const definitions = [...declared.fields.values()].map((field) => field.definition);
  const textStatus = declared.fields.get('status')?.definition.kind === 'string';
  const base = baseFields(textStatus).map((field) => declared.fields.get(field.name)?.definition ?? field);
  const others = definitions.filter((field) => !field.base);
  return { type: resourceType(name, [...base, ...others], 'schema'), textStatus, clashes: [] };
}

/** Whether two shapes make the same entities of the same files. */
export function sameShape(a: BundleShape, b: BundleShape): boolean {
  return (
    JSON.stringify([a.textStatus, [...a.type.fields]]) === JSON.stringify([b.textStatus, [...b.type.fields]])
  );
}

type OptionalKey = 'uuid' | 'summary' | PublicationFlag;

/** Answered as base fields, or as the id. */
const BASE_KEYS: ReadonlySet<string> = new Set([
  'id',
  ...Object.keys(BASE_FIELDS).filter((name) => name !== 'body'),
]);

function isOptionalKey(key: string): key is OptionalKey {
  return key === 'uuid' || key === 'summary' || isPublicationFlag(key);
}

/**
 * `uuid` is the id of a file without `id`, flags such as `draft` say whether it is published, `summary` is a part of the
 * body. With other values they are fields.
 */
function hasOwnMeaning(key: OptionalKey, value: JsonValue, file: ContentFile): boolean {
  switch (key) {
    case 'uuid':
      return value === null || (file.data.id ?? null) === null;
    case 'summary':
      return value === null || (file.body !== null && typeof value === 'string');
    default:
      return value === null || typeof value === 'boolean';
  }
}

function baseFields(textStatus: boolean): readonly FieldDefinition[] {
  const status: FieldDefinition = { ...BASE_FIELDS.status, kind: textStatus ? 'string' : 'boolean' };
  return Object.values({ ...BASE_FIELDS, status });
}

/** Base fields first, in their order; the others by name. */
function resourceType(
  name: string,
  fields: readonly FieldDefinition[],
  origin: ResourceType['origin'],
): ResourceType {
  const others = fields.filter((field) => !field.base).sort((a, b) => (a.name < b.name ? -1 : 1));
  const ordered = [...fields.filter((field) => field.base), ...others];
  return {
    name,
    ...splitResourceType(name),
    fields: new Map(ordered.map((field) => [field.name, field])),
    origin,
  };
}
