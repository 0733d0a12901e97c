import { type CollectorDeps, createCollector } from '../../core/content/collect.ts';
import type { ContentFile } from '../../core/content/content-file.ts';
import {
  type FileLocation,
  isOutside,
  isServable,
  locationsOf,
  uriOf,
} from '../../core/content/file-location.ts';
import { layoutOf } from '../../core/content/layout.ts';
import type { FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { shortTypeName } from '../../core/content/resource-type.ts';
import type { StorageDriver } from '../../core/storage/driver.ts';
import type { FileSource } from '../../core/storage/file-source.ts';
import { NO_FILES } from '../../core/storage/no-files.ts';
import type { JsonValue } from '../../core/util/json.ts';
import { draftField, inWrittenOrder, propertyName, type Source, type SourceList } from './draft-field.ts';
import { type EntityIds, inferFiles, inferReferences } from './infer-links.ts';

/** Longer lines are broken. */
const MAX_LINE = 110;

export interface SchemaDraft {
  /** The text of `schema.ts`. */
  readonly source: string;
  readonly bundles: number;
  readonly fields: number;
  /** The number of files that cannot be read. The schema does not consider them. */
  readonly unreadable: number;
}

/** A `schema.ts` that all files of a folder match. Ignores the current schema. */
export async function draftSchema(
  driver: StorageDriver,
  options: CollectorDeps['options'],
  publicFiles?: StorageDriver,
  outsideImages: FileSource = NO_FILES,
): Promise<SchemaDraft> {
  const { types, listing, files, unreadable } = await createCollector({ driver, options }).load();
  const entities = new Map(types.map(({ name }) => [name, [...(files.get(name)?.values() ?? [])]]));
  const ids = new Map([...entities].map(([name, own]) => [name, new Set(own.map(({ id }) => id))]));
  const uris = new Set([
    ...listing.files.map(({ key }) => uriOf({ source: 'content', key })),
    ...((await publicFiles?.list())?.files ?? []).map(({ key }) => uriOf({ source: 'public', key })),
    ...(await existingOutside([...entities.values()].flat(), outsideImages)),
  ]);
  const layout = layoutOf(options.layout);
  const exists = (location: FileLocation) => isServable(location, layout) && uris.has(uriOf(location));

  let fields = 0;
  const bundles = types.map((type) => {
    const own = [...type.fields.values()].filter(isDeclared);
    fields += own.length;
    return bundleLines(type, own, entities.get(type.name) ?? [], ids, exists);
  });
  const body = ['export default defineSchema({', ...bundles.flat(), '});'].join('\n');
  const names = ['defineSchema', 'file', 'image', 'reference', 'untranslated', 'z'].filter((name) =>
    new RegExp(`\\b${name}\\b[.(]`).test(body),
  );
  const source = `import { ${names.join(', ')} } from 'astro-jsonapi/schema';\n\n${HEADER}\n${body}\n`;
  return { source, bundles: types.length, fields, unreadable };
}

/** URIs of the images outside of the content folder that files name. */
async function existingOutside(
  files: readonly ContentFile[],
  images: FileSource,
): Promise<readonly string[]> {
  const keys = files.flatMap(({ key, data }) =>
    textsIn(data)
      .filter((text) => text.startsWith('../'))
      .flatMap((text) => locationsOf(key, text))
      .flatMap((location) => (location.source === 'content' && isOutside(location.key) ? location.key : [])),
  );
  const stored = await Promise.all([...new Set(keys)].map((key) => images.stat(key)));
  return stored.flatMap((file) => (file === undefined ? [] : uriOf({ source: 'content', key: file.key })));
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const HEADER = `/**
 * The content model, inferred from the files. Edit it: every file is checked against it, and queries have its types.
 * A \`.nullish()\` field can be missing. A \`.default([])\` list can be missing.
 */`;

/** Base fields need no declaration, except a \`status\` of words. */
function isDeclared({ base, name, kind }: FieldDefinition): boolean {
  return !base || (name === 'status' && kind === 'string');
}

function bundleLines(
  type: ResourceType,
  fields: readonly FieldDefinition[],
  files: readonly ContentFile[],
  ids: EntityIds,
  exists: (location: FileLocation) => boolean,
): readonly string[] {
  const name = propertyName(shortTypeName(type.name));
  if (fields.length === 0) return [`  ${name}: {},`];
  const records = files.map(({ data }) => data);
  const titleField = type.fields.get('title')?.storedIn;
  const { sources, isShared } = sharedFields(files);
  const lines = inWrittenOrder(fields, ({ key }) => key, records).flatMap((field) => {
    const shared = isShared(field);
    const holders = shared ? sources : files;
    const values = holders.flatMap(({ id, key, data }) => {
      const value = data[field.key];
      return value === undefined ? [] : [{ id, key, value }];
    });
    const isTitle = field.name === titleField;
    const targets = isTitle ? undefined : inferReferences(field, values, ids);
    const kind = isTitle ? undefined : targets === undefined ? inferFiles(values, exists) : 'reference';
    const list = field.list || (kind !== undefined && values.some(({ value }) => Array.isArray(value)));
    const { source, note } = draftField(
      kind === undefined ? field : { ...field, kind, list, targets: targets ?? [] },
      values.map(({ value }) => value),
      holders.length,
      isTitle,
    );
    const comment = note === undefined ? [] : [`    // ${note}.`];
    const type = shared ? ['untranslated(', ...source, ')'] : source;
    return [...comment, ...memberLines([`${propertyName(field.key)}: `, ...type], '    ')];
  });
  return [`  ${name}: {`, ...lines, '  },'];
}

/** The sources among these files. A field is shared if translated sources set it, and no translation does. */
function sharedFields(files: readonly ContentFile[]) {
  const sources = files.filter(({ translation }) => translation === undefined);
  const translations = files.filter(({ translation }) => translation !== undefined);
  const names = new Set(translations.map(({ id }) => id));
  const translated = sources.filter(({ id, pathId }) => names.has(id) || names.has(pathId));
  const isSet = (list: readonly ContentFile[], key: string) =>
    list.some(({ data }) => data[key] !== undefined);
  return {
    sources,
    isShared: ({ base, key }: FieldDefinition) =>
      !base && isSet(translated, key) && !isSet(translations, key),
  };
}

/** A member of an object or list. If it is too long for one line, its outermost list with several members is broken. */
function memberLines(source: Source, indent: string): readonly string[] {
  const line = `${indent}${inline(source)},`;
  const parts = line.length > MAX_LINE ? splitAtList(source) : undefined;
  if (parts === undefined) return [line];
  const { before, members, after } = parts;
  return [
    indent + before.trimEnd(),
    ...members.flatMap((member) => memberLines(member, `${indent}  `)),
    `${indent}${after.trimStart()},`,
  ];
}

function inline(source: Source): string {
  return source.map((part) => (typeof part === 'string' ? part : inlineList(part))).join('');
}

function inlineList({ brackets: [open, close], members }: SourceList): string {
  return members.length === 0 ? open.trim() + close.trim() : open + members.map(inline).join(', ') + close;
}

interface SplitSource {
  readonly before: string;
  readonly members: readonly Source[];
  readonly after: string;
}

function splitAtList(source: Source): SplitSource | undefined {
  for (const [at, part] of source.entries()) {
    if (typeof part === 'string') continue;
    const { brackets, members } = part;
    const [open, close] = brackets;
    const [only] = members;
    const inner = members.length === 1 && only !== undefined ? splitAtList(only) : undefined;
    const split = members.length > 1 ? { before: '', members, after: '' } : inner;
    if (split === undefined) continue;
    return {
      before: inline(source.slice(0, at)) + open + split.before,
      members: split.members,
      after: split.after + close + inline(source.slice(at + 1)),
    };
  }
  return undefined;
}
