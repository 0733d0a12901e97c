import { createCollector } from '../content/collect.ts';
import type { ContentFile } from '../content/content-file.ts';
import { type FilePlace, uriOf } from '../content/file-place.ts';
import type { FieldDefinition, ResourceType } from '../content/model.ts';
import { createFileReader } from '../content/read-files.ts';
import { shortTypeName } from '../content/resource-type.ts';
import { byBundle, type Options } from '../options/options.ts';
import type { StorageDriver } from '../storage/driver.ts';
import { asFound, draftField, propertyName } from './infer-field.ts';
import { inferFiles, inferReferences, type KnownIds } from './infer-links.ts';

/** A line of the written source is broken where it would be longer. */
const MAX_LINE = 110;

export interface WrittenSchema {
  readonly source: string;
  readonly bundles: number;
  readonly fields: number;
  /** Files that could not be read, and so have no part in it. */
  readonly unread: number;
}

/** The source of a `schema.ts` that all files of a folder fit, whatever schema it has now. */
export async function writeSchema(
  driver: StorageDriver,
  siteOptions: Options,
  locale: string,
  publicFiles?: StorageDriver,
): Promise<WrittenSchema> {
  const published = byBundle(siteOptions, 'publishedStatuses');
  const options = { published, danglingReferences: 'missing', defaultLangcode: locale } as const;
  const { types } = await createCollector({ driver, options }).load();
  const { files } = await driver.list();
  const placed = await createFileReader(driver, new Map()).readAll(files);
  const found = new Map<string, ContentFile[]>(types.map(({ name }) => [name, []]));
  let unread = 0;
  for (const { role, result } of placed) {
    if (role.role !== 'entity') continue;
    if (result?.file === undefined) unread += 1;
    else found.get(role.type)?.push(result.file);
  }
  const known: KnownIds = new Map([...found].map(([name, all]) => [name, new Set(all.map(({ id }) => id))]));
  const there = new Set([
    ...files.map(({ key }) => uriOf({ source: 'content', key })),
    ...((await publicFiles?.list())?.files ?? []).map(({ key }) => uriOf({ source: 'public', key })),
  ]);
  let fields = 0;
  const bundles = types.map((type) => {
    const own = [...type.fields.values()].filter(isDeclared);
    fields += own.length;
    return bundleLines(type, own, found.get(type.name) ?? [], known, (place) => there.has(uriOf(place)));
  });
  const body = ['export default defineSchema({', ...bundles.flat(), '});'].join('\n');
  const names = ['defineSchema', 'file', 'image', 'reference', 'z'].filter((name) =>
    new RegExp(`\\b${name}\\b[.(]`).test(body),
  );
  const source = `import { ${names.join(', ')} } from 'astro-jsonapi/schema';\n\n${HEADER}\n${body}\n`;
  return { source, bundles: types.length, fields, unread };
}

const HEADER = `/**
 * The content model, as found in the files. Edit it: what it says is checked in every file and typed in every query.
 * \`.nullish()\` may be missing; \`.default([])\` is a list that may be.
 */`;

/** Base fields need no declaration, but for a status in words. */
function isDeclared({ base, name, kind }: FieldDefinition): boolean {
  return !base || (name === 'status' && kind === 'string');
}

function bundleLines(
  type: ResourceType,
  fields: readonly FieldDefinition[],
  files: readonly ContentFile[],
  known: KnownIds,
  isThere: (place: FilePlace) => boolean,
): readonly string[] {
  const name = propertyName(shortTypeName(type.name));
  if (fields.length === 0) return [`  ${name}: {},`];
  const ordered = asFound(
    fields,
    ({ key }) => key,
    files.map(({ data }) => data),
  );
  const lines = ordered.flatMap((field) => {
    const values = files.flatMap(({ id, key, data }) => {
      const value = data[field.key];
      return value === undefined ? [] : [{ id, key, value }];
    });
    const targets = inferReferences(field, values, known);
    const kind = targets === undefined ? inferFiles(values, isThere) : 'reference';
    const list = field.list || (kind !== undefined && values.some(({ value }) => Array.isArray(value)));
    const { source, note } = draftField(
      kind === undefined ? field : { ...field, kind, list, targets: targets ?? [] },
      values.map(({ value }) => value),
      files.length,
    );
    const line = `    ${propertyName(field.key)}: ${source},`;
    const comment = note === undefined ? [] : [`    // ${note.charAt(0).toUpperCase()}${note.slice(1)}.`];
    return [...comment, ...broken(line)];
  });
  return [`  ${name}: {`, ...lines, '  },'];
}

/** A long line with the outermost list or object of it spread over lines, and again as far as that helps. */
function broken(line: string): readonly string[] {
  if (line.length <= MAX_LINE) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const start = outermost(line);
  const end = start === -1 ? -1 : closing(line, start);
  if (end === -1) return [line];
  const members = splitMembers(line.slice(start + 1, end));
  return [
    line.slice(0, start + 1),
    ...members.flatMap((member) => broken(`${indent}  ${member},`)),
    indent + line.slice(end),
  ];
}

/** Where the first list or object with several members begins. */
function outermost(line: string): number {
  for (let at = 0; at < line.length; at++) {
    at = skipText(line, at);
    if (line[at] !== '[' && line[at] !== '{') continue;
    const end = closing(line, at);
    if (end !== -1 && splitMembers(line.slice(at + 1, end)).length > 1) return at;
  }
  return -1;
}

function closing(line: string, start: number): number {
  let depth = 0;
  for (let at = start; at < line.length; at++) {
    at = skipText(line, at);
    if ('[{('.includes(line[at] ?? ' ')) depth += 1;
    if (']})'.includes(line[at] ?? ' ')) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function splitMembers(text: string): readonly string[] {
  const members: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    at = skipText(text, at);
    if ('[{('.includes(text[at] ?? ' ')) depth += 1;
    if (']})'.includes(text[at] ?? ' ')) depth -= 1;
    if (text[at] === ',' && depth === 0) {
      members.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...members, text.slice(from).trim()].filter((member) => member !== '');
}

/** Where a text in quotes that begins here ends; here where none does. */
function skipText(line: string, at: number): number {
  if (line[at] !== "'") return at;
  for (let end = at + 1; end < line.length; end++) {
    if (line[end] === '\\') end += 1;
    else if (line[end] === "'") return end;
  }
  return line.length;
}
