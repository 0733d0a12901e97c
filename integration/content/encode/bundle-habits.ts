import type { RankOf } from '../../source/edit/edit-tree.ts';
import { type Layout, layoutOf } from '../../source/edit/layout.ts';
import { readData } from '../../source/read-data.ts';
import { readBytes } from '../../storage/stored-bytes.ts';
import type { JsonValue } from '../../util/json.ts';
import type { ContentFile } from '../content-file.ts';
import type { CollectorState } from '../content-state.ts';
import { PUBLICATION_FLAGS } from '../decode/publication.ts';
import type { KnownEntities } from '../decode/references.ts';
import { splitFile } from '../file-parts.ts';
import type { ResourceType } from '../model.ts';
import { decodeText } from '../parse-file.ts';
import type { DeclaredBundle } from '../schema/schema-fields.ts';

/** The bundle of an encoded file. */
export interface EncodeBundle {
  readonly type: ResourceType;
  /** Undefined without a schema. */
  readonly declared: DeclaredBundle | undefined;
  readonly known: KnownEntities;
  readonly habits: Habits;
}

/** How the files of a bundle are usually written. New files and keys follow it. */
export interface Habits {
  /** Keys that at least half of the files have, in their usual order, each with an example value. */
  readonly keys: ReadonlyMap<string, JsonValue>;
  readonly layout: Layout;
  /** True if a blank line usually separates body and frontmatter. */
  readonly apart: boolean;
}

/** Files whose habits are read. */
const MAX_FILES = 20;

/** Undefined if the bundle of the key does not exist. */
export function encodeBundleOf(
  { index, readKey }: Pick<CollectorState, 'index' | 'readKey'>,
  key: string,
): EncodeBundle | undefined {
  const { role } = readKey(key);
  const bundle = role.role === 'entity' ? index.bundles.get(role.type) : undefined;
  if (bundle?.shape === undefined || role.role !== 'entity') return undefined;
  const { shape, declared } = bundle;
  return { type: shape.type, declared, known: index, habits: habitsOf(bundle.files.values(), role.format) };
}

/** Reads the habits of files in the same format. */
function habitsOf(files: Iterable<ContentFile>, format: ContentFile['format']): Habits {
  const sample: ContentFile[] = [];
  for (const file of files) {
    if (file.format === format) sample.push(file);
    if (sample.length === MAX_FILES) break;
  }
  const parts = sample.map(({ bytes }) => splitFile(decodeText(readBytes(bytes)) ?? '', format));
  const bodies = parts.filter(({ opening, body }) => opening !== '' && body !== null && body !== '');
  return {
    keys: commonKeys(parts.map(({ data, language }) => readData(data, language).data)),
    layout: layoutOf(parts.map(({ opening, data }) => opening + data).join('\n')),
    apart: bodies.filter(({ separator }) => separator !== '').length * 2 >= bodies.length,
  };
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
  const baseEnd = usual.findLastIndex((key) => BASE_KEYS.includes(key)) + 1;
  const fields =
    declared === undefined
      ? [...type.fields.values()].filter(({ base }) => !base)
      : [...declared.fields.values()].map(({ definition }) => definition);
  const order = new Set([
    ...usual.slice(0, baseEnd),
    ...BASE_KEYS,
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
