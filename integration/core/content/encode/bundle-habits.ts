import type { DataLanguage } from '../../source/data.ts';
import type { RankOf } from '../../source/edit/edit-tree.ts';
import { type Layout, layoutOf } from '../../source/edit/layout.ts';
import { isData } from '../../source/formats.ts';
import { readData } from '../../source/read-data.ts';
import { readBytes } from '../../storage/stored-bytes.ts';
import type { JsonValue } from '../../util/json.ts';
import { decodeUtf8 } from '../../util/text.ts';
import type { ContentFile } from '../content-file.ts';
import type { Bundle, ContentIndex } from '../content-index.ts';
import { hidingValue, PUBLICATION_FLAGS, type PublicationFlag } from '../decode/publication.ts';
import type { KnownEntities } from '../decode/references.ts';
import type { FileKey } from '../file-key.ts';
import { splitFile } from '../file-parts.ts';
import type { ResourceType } from '../model.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';

/** The bundle of an encoded file, and what its path says. */
export interface EncodeBundle {
  readonly type: ResourceType;
  /** Undefined without a schema. */
  readonly declared: DeclaredBundle | undefined;
  readonly known: KnownEntities;
  readonly habits: Habits;
  /** `ContentFile.shown` of the file. */
  readonly shown: ContentFile['shown'];
  readonly format: ContentFile['format'];
  /** The id that the path of the file implies. */
  readonly pathId: string;
  /** IANA name of the zone of dates without an offset. Default: UTC. */
  readonly timeZone: string | undefined;
}

/** How the files of a bundle are usually written. New files and keys follow it. */
export interface Habits {
  /** The language of the frontmatter of most files. */
  readonly language: DataLanguage;
  /** Keys that at least half of the files have, in their usual order, each with an example value. */
  readonly keys: ReadonlyMap<string, JsonValue>;
  /** The flag that hides entities of the bundle, if some file has one. */
  readonly flag: PublicationFlag | undefined;
  /** `status` and flags that most published files do not have. Empty without published files. */
  readonly omitted: ReadonlySet<PublicationKey>;
  readonly layout: Layout;
  /** True if a blank line usually separates body and frontmatter. */
  readonly apart: boolean;
}

export type PublicationKey = 'status' | PublicationFlag;

/** Files whose habits are read. */
const MAX_FILES = 20;

/** Undefined if the bundle of the key does not exist. */
export function encodeBundleOf(
  { index, readKey }: { readonly index: ContentIndex; readonly readKey: (key: string) => FileKey },
  key: string,
  timeZone?: string,
): EncodeBundle | undefined {
  const role = readKey(key);
  const bundle = role.role === 'entity' ? index.bundles.get(role.type) : undefined;
  if (bundle?.shape === undefined || role.role !== 'entity') return undefined;
  const { shape, declared } = bundle;
  const { format, pathId } = role;
  const habits = habitsOf(bundle, format);
  const { fields, former } = shape.type;
  const type = former === undefined ? shape.type : { ...shape.type, fields: new Map([...fields, ...former]) };
  const shown = bundle.files.get(key)?.shown;
  return { type, declared, known: index, habits, shown, format, pathId, timeZone };
}

/** Reads the habits of files in the same format. */
function habitsOf(bundle: Bundle, format: ContentFile['format']): Habits {
  const sample: ContentFile[] = [];
  for (const file of bundle.files.values()) {
    if (file.format === format) sample.push(file);
    if (sample.length === MAX_FILES) break;
  }
  const parts = sample.map(partsOf);
  const separators = parts.flatMap(({ separator }) => separator ?? []);
  const language = mostOf(parts.flatMap((each) => each.language ?? [])) ?? (isData(format) ? format : 'yaml');
  const similar = parts.filter((each) => each.language === language);
  return {
    language,
    keys: commonKeys(parts.map(({ data }) => data)),
    flag: usualFlag(bundle, parts),
    omitted: omittedFlags(parts),
    layout: layoutOf(similar.map(({ frontmatter }) => frontmatter).join('\n')),
    apart: separators.filter((separator) => separator !== '').length * 2 >= separators.length,
  };
}

/** Kept for each file, because a change of many files asks for the habits again after each of them. */
const knownParts = new WeakMap<ContentFile, FileParts>();

function partsOf(file: ContentFile): FileParts {
  const known = knownParts.get(file);
  if (known !== undefined) return known;
  const { hasFrontmatter, opening, data, language, body, separator } = splitFile(
    decodeUtf8(readBytes(file.bytes)) ?? '',
    file.format,
  );
  const hasBody = hasFrontmatter && body !== null && body !== '';
  const parts = {
    frontmatter: opening + data,
    data: readData(data, language).data,
    ...((hasFrontmatter || body === null) && { language }),
    ...(hasBody && { separator }),
  };
  knownParts.set(file, parts);
  return parts;
}

interface FileParts {
  readonly frontmatter: string;
  /** Missing in a file without frontmatter. */
  readonly language?: DataLanguage;
  readonly data: ContentFile['data'];
  /** The text between frontmatter and body, if the file has both. */
  readonly separator?: string;
}

/** The keys by which the last published version of a file showed its entity. Undefined if it is not known. */
export function shownKeys(before: ContentFile, after: ContentFile): ContentFile['shown'] {
  if (!isHidden(after)) return undefined;
  if (isHidden(before)) return before.shown;
  const { data } = partsOf(before);
  return new Set((['status', ...PUBLICATION_FLAGS] as const).filter((key) => (data[key] ?? null) !== null));
}

function isHidden({ base }: ContentFile): boolean {
  return base.hidden || base.status === false;
}

/** Not `unlisted`: the pages of a site may show such entities. */
function usualFlag(
  { declared, profile, shape }: Bundle,
  parts: readonly FileParts[],
): PublicationFlag | undefined {
  const flags = PUBLICATION_FLAGS.filter((flag) => flag !== 'unlisted');
  const isField = (flag: PublicationFlag) => shape?.type.fields.has(flag) === true;
  return flags.find((flag) => {
    if (declared?.fields.has(flag) === true) return declared.fields.get(flag)?.definition.kind === 'boolean';
    const isUsed = (profile.fields.get(flag)?.scalars.boolean ?? 0) > 0;
    return !isField(flag) && (isUsed || parts.some(({ data }) => typeof data[flag] === 'boolean'));
  });
}

function omittedFlags(parts: readonly FileParts[]): ReadonlySet<PublicationKey> {
  const published = parts.filter(
    ({ data }) =>
      data.status !== false && PUBLICATION_FLAGS.every((flag) => data[flag] !== hidingValue(flag)),
  );
  const isRare = (key: PublicationKey) =>
    published.filter(({ data }) => (data[key] ?? null) !== null).length * 2 < published.length;
  return new Set((['status', ...PUBLICATION_FLAGS] as const).filter(isRare));
}

/** The most frequent item, the first one of several; undefined for an empty list. */
function mostOf<T>(items: readonly T[]): T | undefined {
  const groups = [...Map.groupBy(items, (item) => item)];
  return groups.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

function commonKeys(files: readonly ContentFile['data'][]): ReadonlyMap<string, JsonValue> {
  const counts = new Map<string, number>();
  for (const data of files) {
    for (const [key, value] of Object.entries(data)) {
      if (value !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  // The file with the most keys decides their order.
  const ordered = files.toSorted((a, b) => Object.keys(b).length - Object.keys(a).length);
  const keys = new Map<string, JsonValue>();
  for (const [key, value] of ordered.flatMap(Object.entries<JsonValue>)) {
    const isCommon = (counts.get(key) ?? 0) * 2 >= files.length;
    if (isCommon && value !== null && !keys.has(key)) keys.set(key, value);
  }
  return keys;
}

/** The order of keys: with a schema, base fields and then fields as declared; without, as in other files. */
export function keyOrder({ type, declared, habits }: EncodeBundle): RankOf {
  const usual = declared === undefined ? [...habits.keys.keys()] : [];
  // Base keys that other files do not have follow the last base key that they have.
  const titleKey = type.fields.get(type.fields.get('title')?.storedIn ?? '')?.key ?? 'title';
  const baseKeys = BASE_KEYS.map((key) => (key === 'title' ? titleKey : key));
  const baseEnd = usual.findLastIndex((key) => baseKeys.includes(key)) + 1;
  const fields =
    declared === undefined
      ? [...type.fields.values()].filter(({ base }) => !base)
      : [...declared.fields.values()].map(({ definition }) => definition);
  const order = new Set([
    ...usual.slice(0, baseEnd),
    ...baseKeys,
    ...usual.slice(baseEnd),
    ...fields.map(({ key }) => key),
  ]);
  const ranks = new Map([...order].map((key, rank) => [key, rank]));
  return (key) => ranks.get(key);
}

/** Keys that no schema needs to declare. */
const BASE_KEYS: readonly string[] = [
  'id',
  'uuid',
  'title',
  'status',
  ...PUBLICATION_FLAGS,
  'created',
  'changed',
  'langcode',
  'translationOf',
  'path',
  'uid',
  'summary',
];
