import type { JsonValue } from '../../util/json.ts';
import { BASE_FIELDS } from '../base-fields.ts';
import type { ContentFile } from '../content-file.ts';
import { isPublicationFlag, type PublicationFlag } from '../decode/publication.ts';
import type { KnownTypes } from '../decode/references.ts';
import type { FieldDefinition, ResourceType } from '../model.ts';
import { type FieldOptions, publicName, splitResourceType } from '../resource-type.ts';
import { inferField, tallyProperty, type ValueProfile } from './infer.ts';
import type { DeclaredBundle } from './schema-fields.ts';

/** How files of one bundle become entities. */
export interface BundleShape {
  readonly type: ResourceType;
  /** True if `status` is a string. */
  readonly textStatus: boolean;
  /** Keys that lose their public name to another key. */
  readonly clashes: readonly { readonly key: string; readonly winner: string; readonly name: string }[];
}

/** Counts of the values in the files of one bundle. */
export interface BundleProfile {
  readonly fields: Map<string, ValueProfile>;
  files: number;
  /** Files with a `title`. */
  titles: number;
  wikiLinks: number;
  /** Files with wiki links. */
  wikiFiles: number;
  flags: number;
  texts: number;
  /** Files in which a special key, such as `draft`, has the value of an ordinary field. */
  readonly plain: Map<string, number>;
}

export function createBundleProfile(): BundleProfile {
  return {
    fields: new Map(),
    files: 0,
    titles: 0,
    wikiLinks: 0,
    wikiFiles: 0,
    flags: 0,
    texts: 0,
    plain: new Map(),
  };
}

/** Adds (`delta` 1) or removes (−1) a file. The data of a file with a schema is empty. */
export function tallyFile(profile: BundleProfile, file: ContentFile, delta: 1 | -1): void {
  const { status, hasTitle } = file.base;
  profile.files += delta;
  profile.titles += hasTitle ? delta : 0;
  profile.wikiLinks += file.wikiLinks * delta;
  profile.wikiFiles += file.wikiLinks > 0 ? delta : 0;
  profile.flags += typeof status === 'boolean' ? delta : 0;
  profile.texts += typeof status === 'string' ? delta : 0;
  for (const [key, value] of Object.entries(file.data)) {
    if (isSpecialKey(key) && !isSpecial(key, value, file)) {
      profile.plain.set(key, (profile.plain.get(key) ?? 0) + delta);
    }
    if (!BASE_KEYS.has(key)) tallyProperty(profile.fields, key, value, delta);
  }
}

/** The shape that fits all counted files. */
export function inferBundle(
  name: string,
  profile: BundleProfile,
  known: KnownTypes,
  titleOption?: string,
  listOf: (field: string) => string | undefined = () => undefined,
  options: FieldOptions = {},
): BundleShape {
  const nameOf = (key: string) => publicName(key, options);
  const keys = [...profile.fields.keys()]
    .filter((key) => !isSpecialKey(key) || (profile.plain.get(key) ?? 0) > 0)
    .sort();
  const byName = new Map<string, string>();
  const clashes: { key: string; winner: string; name: string }[] = [];
  for (const key of keys.toSorted((a, b) => Number(nameOf(b) === b) - Number(nameOf(a) === a))) {
    const field = nameOf(key);
    const winner = byName.get(field);
    if (winner === undefined) {
      byName.set(field, key);
    } else {
      clashes.push({ key, winner, name: field });
    }
  }
  const fields = [...byName].map(([name, key]): FieldDefinition => {
    const field = inferField(profile.fields.get(key)!, name, key, known);
    const target = field.kind === 'string' ? listOf(key) : undefined;
    return target === undefined ? field : { ...field, kind: 'reference', targets: [target] };
  });
  const textStatus = profile.texts > 0;
  const all = [...baseFields(textStatus), ...fields];
  const isInAll = ({ key }: FieldDefinition) => textsOf(profile.fields.get(key)) === profile.files;
  return {
    type: resourceType(name, withTitle(all, profile, isInAll, titleOption), 'inferred'),
    textStatus,
    clashes,
  };
}

/** The shape that a schema declares. */
export function declaredShape(
  name: string,
  declared: DeclaredBundle,
  profile: BundleProfile,
  titleOption?: string,
): BundleShape {
  const definitions = [...declared.fields.values()].map((field) => field.definition);
  const textStatus = declared.fields.get('status')?.definition.kind === 'string';
  const base = baseFields(textStatus).map((field) => declared.fields.get(field.name)?.definition ?? field);
  const others = definitions.filter((field) => !field.base);
  const all = [...base, ...others];
  const mayInfer = !declared.fields.has('title');
  const isRequired = ({ required }: FieldDefinition) => mayInfer && required;
  const fields = withTitle(all, profile, isRequired, titleOption);
  return { type: resourceType(name, fields, 'schema'), textStatus, clashes: [] };
}

/**
 * The fields, with a title that another one stores: the one of the option, else the only one with a usual name that all
 * entities have, if no file has a `title`.
 */
function withTitle(
  fields: readonly FieldDefinition[],
  { titles }: BundleProfile,
  isInAll: (field: FieldDefinition) => boolean,
  option: string | undefined,
): readonly FieldDefinition[] {
  const texts = fields.filter(({ base, kind, list }) => !base && kind === 'string' && !list);
  const inAll = (names: readonly string[]) =>
    texts.filter((field) => names.includes(field.key) && isInAll(field));
  const [usual, another] = inAll(USUAL_TITLES);
  const inferred = titles === 0 && another === undefined ? (usual ?? inAll(['display_name'])[0]) : undefined;
  const field =
    option === undefined ? inferred : texts.find(({ key }) => publicName(key) === publicName(option));
  if (field === undefined) return fields;
  const { name: storedIn, rules, untranslated } = field;
  return fields.map((each) =>
    each.name === 'title'
      ? { ...BASE_FIELDS.title, storedIn, ...(rules && { rules }), ...(untranslated && { untranslated }) }
      : each,
  );
}

/** Values that are a single text. Texts can look like dates. */
function textsOf(profile: ValueProfile | undefined): number {
  if (profile === undefined || profile.lists > 0) return 0;
  const { empty: _, integer: __, number: ___, boolean: ____, ...texts } = profile.scalars;
  return Object.values(texts).reduce((sum, count) => sum + count, 0);
}

/** Names of fields that hold titles in the files of other tools. */
const USUAL_TITLES: readonly string[] = ['name', 'label', 'headline', 'heading'];

/** True if two shapes decode files the same way. */
export function sameShape(a: BundleShape, b: BundleShape): boolean {
  const text = ({ textStatus, type }: BundleShape) => JSON.stringify([textStatus, [...type.fields]]);
  return a === b || text(a) === text(b);
}

type SpecialKey = 'uuid' | 'summary' | 'translationOf' | PublicationFlag;

/** The id and the base fields. */
const BASE_KEYS: ReadonlySet<string> = new Set([
  'id',
  ...Object.keys(BASE_FIELDS).filter((name) => name !== 'body'),
]);

function isSpecialKey(key: string): key is SpecialKey {
  return key === 'uuid' || key === 'summary' || key === 'translationOf' || isPublicationFlag(key);
}

/**
 * `uuid` is the id of a file without `id`, `translationOf` names the source of a translation, `summary` is part of the
 * body, flags such as `draft` hide the entity.
 */
function isSpecial(key: SpecialKey, value: JsonValue, file: ContentFile): boolean {
  switch (key) {
    case 'uuid':
      return value === null || (file.data.id ?? null) === null;
    case 'translationOf':
      return value === null || (file.translation ?? file.standsIn) !== undefined;
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
