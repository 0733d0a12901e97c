import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { headingsOf } from '../core/builder/headings.ts';
import { hidingValue, PUBLICATION_FLAGS } from '../core/content/decode/publication.ts';
import { locationsOf, uriOf } from '../core/content/file-location.ts';
import { bodyText, type Entity } from '../core/content/model.ts';
import type { Reader } from '../core/read/reader.ts';
import { formatOf } from '../core/source/formats.ts';
import { splitMarkdown } from '../core/source/frontmatter.ts';
import { readData } from '../core/source/read-data.ts';
import { fileOfKey } from '../core/storage/key.ts';
import { readBytes } from '../core/storage/stored-bytes.ts';
import { isRecord } from '../core/util/json.ts';
import { IMAGE_PREFIX } from './collection-data.ts';
import { type ImageValue, isImageValue } from './image-props.ts';
import { withImportedImages } from './markdown-images.ts';

export type EntryData = Readonly<Record<string, unknown>>;

/** An entry as `getCollection` returns it. */
export interface PreviewedEntry {
  readonly id: string;
  readonly collection: string;
  readonly data: EntryData;
  readonly body?: string | undefined;
  /** Relative to the project. */
  readonly filePath?: string | undefined;
  readonly digest?: string | undefined;
  readonly rendered?: { readonly html: string; readonly metadata?: EntryData } | undefined;
  /** True for MDX: `render` imports the file. */
  readonly deferredRender?: boolean | undefined;
  /** Images in the body that Astro has imported. */
  readonly assetImports?: readonly string[] | undefined;
}

export interface EntrySource {
  readonly id: string;
  readonly collection: string;
  readonly filePath: string;
  readonly entity: Entity;
  /** Before the schema of the collection. */
  readonly data: EntryData;
  /** What Markdown plugins and `remarkPluginFrontmatter` get. */
  readonly frontmatter: EntryData;
  /** The entry that it replaces, and its data before the schema, if that is known. */
  readonly saved: PreviewedEntry | undefined;
  readonly savedData: EntryData | undefined;
}

/** Applies the schema of a collection to data. Rejects if it does not fit. Images become strings with `IMAGE_PREFIX`. */
export type ParseData = (data: EntryData) => Promise<EntryData>;

/** An entry with unsaved values. */
export async function previewedEntry(
  source: EntrySource,
  parse: ParseData,
  reader: Reader,
): Promise<PreviewedEntry> {
  const { id, collection, filePath, entity, frontmatter, saved, savedData } = source;
  const pictures = new Map<string, unknown>();
  if (saved !== undefined && savedData !== undefined) {
    const parsed = await parse(savedData).catch(() => ({}));
    collectPictures(parsed, saved.data, pictures);
  }
  const parsed = await parse(source.data);
  const data = withPictures(parsed, (src) => pictures.get(src) ?? pictureOf(src, entity)) as EntryData;
  const entry = { ...saved, id, collection, filePath, data, digest: entity.revision };
  const { body } = entity;
  if (body === null) return entry;
  const text = bodyText(body);
  if (saved?.body?.trim() === text.trim()) {
    const { rendered } = saved;
    const metadata = { ...rendered?.metadata, frontmatter: { ...frontmatterOf(saved), ...frontmatter } };
    return rendered === undefined ? entry : { ...entry, rendered: { ...rendered, metadata } };
  }
  const served = await reader.renderBody(entity);
  const { html, imagePaths } = withImportedImages(served, entity.images, saved?.assetImports);
  const metadata = { headings: headingsOf(html), frontmatter, imagePaths };
  return { ...entry, body: text, deferredRender: false, rendered: { html, metadata } };
}

/** The data of a file as Astro reads it: dates are `Date`. An entity that is published in a preview is not hidden by its file. */
export async function fileData(entity: Entity, reader: Pick<Reader, 'files'>): Promise<EntryData> {
  const data = await readFile(entity, reader);
  if (!entity.published) return data;
  const hiding = PUBLICATION_FLAGS.filter((flag) => data[flag] === hidingValue(flag));
  const status = data.status === false && { status: true };
  return { ...data, ...status, ...Object.fromEntries(hiding.map((flag) => [flag, !hidingValue(flag)])) };
}

async function readFile({ key, body }: Entity, { files }: Pick<Reader, 'files'>): Promise<EntryData> {
  const name = fileOfKey(key);
  const text = new TextDecoder().decode(body === null ? await files.read(name) : readBytes(body.file));
  const parts = body === null ? undefined : splitMarkdown(text);
  const language = parts?.language ?? formatOf(name) ?? 'yaml';
  const { start, end } = parts?.data ?? { start: 0, end: parts === undefined ? text.length : 0 };
  const written = text.slice(start, end);
  if (language !== 'yaml') return readData(written, language).data;
  const data: unknown = parseYaml(written, { schema: 'core', customTags: ['timestamp'], merge: true });
  return isRecord(data) ? data : {};
}

/** The parser of a collection's schema, which is a type of zod or a function that returns one. */
export function schemaParser(name: string, schema: unknown): ParseData {
  const image = () => z.string().transform((src) => IMAGE_PREFIX + src);
  const type: unknown = typeof schema === 'function' ? schema({ image }) : schema;
  if (!isRecord(type) || typeof type.safeParseAsync !== 'function') return async (data) => data;
  const { safeParseAsync } = type as unknown as z.ZodType<EntryData>;
  return async (data) => {
    const { data: parsed, error } = await safeParseAsync(data);
    if (parsed !== undefined) return parsed;
    const [{ path, message } = { path: [], message: '' }] = error?.issues ?? [];
    throw new Error(`The schema of the collection ${name} does not fit ${path.join('.')}: ${message}`);
  };
}

function frontmatterOf({ rendered }: PreviewedEntry): EntryData {
  const { frontmatter } = rendered?.metadata ?? {};
  return isRecord(frontmatter) ? frontmatter : {};
}

/** Finds what Astro has made of each image. Both values have the same shape. */
function collectPictures(parsed: unknown, resolved: unknown, pictures: Map<string, unknown>): void {
  if (isMarked(parsed)) {
    if (typeof resolved !== 'string') pictures.set(sourceOf(parsed), resolved);
  } else if (isPlain(parsed) && isPlain(resolved)) {
    for (const [key, value] of Object.entries(parsed)) {
      collectPictures(value, Reflect.get(resolved, key), pictures);
    }
  }
}

function withPictures(value: unknown, pictureOf: (src: string) => unknown): unknown {
  if (isMarked(value)) return pictureOf(sourceOf(value));
  if (Array.isArray(value)) return value.map((item) => withPictures(item, pictureOf));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, withPictures(item, pictureOf)]);
  return Object.fromEntries(entries);
}

/** An image that Astro has not imported, at its address on the site. */
function pictureOf(src: string, { key, values }: Entity): unknown {
  const uris = locationsOf(key, src).map(uriOf);
  const image = imagesIn(values).find(({ uri }) => uris.includes(uri.value));
  if (image === undefined || src.startsWith('/')) return src;
  const { uri, width, height } = image;
  const format = uri.value.slice(uri.value.lastIndexOf('.') + 1);
  return width === null || height === null ? uri.url : { src: uri.url, width, height, format };
}

function imagesIn(value: unknown): readonly ImageValue[] {
  if (typeof value !== 'object' || value === null) return [];
  return isImageValue(value as never) ? [value as ImageValue] : Object.values(value).flatMap(imagesIn);
}

function isMarked(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(IMAGE_PREFIX);
}

function sourceOf(marked: string): string {
  return marked.slice(IMAGE_PREFIX.length);
}

/** True for arrays and objects that are not of a class. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || prototype === Object.prototype;
}
