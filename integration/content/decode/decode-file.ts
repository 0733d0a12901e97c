import type { Problem } from '../../source/diagnostic.ts';
import { type FileFacts, isImage, MAX_IMAGE_PIXELS, mediaTypeOf } from '../../storage/file-source.ts';
import type { JsonValue } from '../../util/json.ts';
import type { FileCatalog, KnownFile } from '../file-catalog.ts';
import { type FilePlace, isServable, placesOf, uriOf, urlOf, writtenAs } from '../file-place.ts';
import type { FieldDefinition } from '../model.ts';
import { writtenFileSchema } from '../schema/schema.ts';

export interface FileContext {
  /** Key of the entity's file. */
  readonly from: string;
  readonly files: FileCatalog;
  /** As the site's `base`: starts with a slash, ends without one. */
  readonly base: string;
}

export interface DecodedValue {
  /** Null where there is no such file. */
  readonly value: JsonValue;
  /** URIs whose files decide about the value. */
  readonly uris: readonly string[];
  readonly problem?: Pick<Problem, 'severity' | 'code' | 'message' | 'hint'>;
}

/** The value of an image or a file: `{uri: {value, url}, filename, filemime, filesize, width, height, alt}`. */
export function decodeFileValue(
  written: unknown,
  kind: FieldDefinition['kind'],
  { from, files, base }: FileContext,
): DecodedValue {
  const { src, alt = null } =
    typeof written === 'string' ? { src: written } : writtenFileSchema.parse(written);
  if (URL_SCHEME.test(src)) return { value: remoteFile(src, alt), uris: [] };
  const { uris, found, problem } = findFile(src, from, files);
  if (found === undefined) return { value: null, uris, ...(problem && { problem }) };
  const { place, facts } = found;
  const value = storedFile(place, facts, alt, base);
  const warning = kind === 'image' ? imageProblem(src, place, facts) : undefined;
  return { value, uris, ...(warning && { problem: warning }) };
}

export interface FoundFile {
  readonly uris: readonly string[];
  /** Undefined where there is none that may be served, which `problem` tells. */
  readonly found?: { readonly place: FilePlace; readonly facts: FileFacts };
  readonly problem?: DecodedValue['problem'];
}

/** The file that `src` means in the entity's file `from`. */
export function findFile(src: string, from: string, files: FileCatalog): FoundFile {
  const places = placesOf(from, src);
  const servable = places.filter(isServable);
  const uris = servable.map(uriOf);
  const known = uris.map((uri) => files.find(uri));
  const at = known.findIndex((file) => file?.facts !== undefined);
  const place = servable[at];
  const facts = known[at]?.facts;
  return place !== undefined && facts !== undefined
    ? { uris, found: { place, facts } }
    : { uris, problem: absence(src, from, places, known) };
}

const URL_SCHEME = /^https?:\/\//i;

function storedFile(place: FilePlace, facts: FileFacts, alt: string | null, base: string): JsonValue {
  const filename = lastSegment(place.key);
  return {
    uri: { value: uriOf(place), url: urlOf(place, base) },
    filename,
    filemime: mediaTypeOf(filename),
    filesize: facts.size,
    width: facts.width,
    height: facts.height,
    alt,
  };
}

/** Nothing of another site's file is looked at. */
function remoteFile(url: string, alt: string | null): JsonValue {
  const [path = ''] = url.split(/[?#]/, 1);
  const filename = lastSegment(path.replace(/^https?:\/\/[^/]*/i, '')) || 'index';
  const unknown = { filesize: null, width: null, height: null };
  return { uri: { value: url, url }, filename, filemime: mediaTypeOf(filename), ...unknown, alt };
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function imageProblem(src: string, place: FilePlace, facts: FileFacts): DecodedValue['problem'] {
  return facts.width === null ? notMeasured(src, place) : tooManyPixels(src, { place, facts });
}

/** The problem of an image that cannot be resized for a page. An SVG never is. */
export function tooManyPixels(
  src: string,
  { place, facts: { width, height } }: NonNullable<FoundFile['found']>,
): DecodedValue['problem'] {
  const isVector = mediaTypeOf(place.key) === 'image/svg+xml';
  if (isVector || width === null || height === null || width * height <= MAX_IMAGE_PIXELS) return undefined;
  const message = `\`${src}\` claims ${width} × ${height} pixels, too many for Astro to resize it: a page that shows it can end the build.`;
  return { severity: 'warning', code: 'file/pixels', message, hint: 'Replace it with a smaller image.' };
}

function notMeasured(src: string, { key }: FilePlace): DecodedValue['problem'] {
  const message = isImage(key)
    ? `\`${src}\` cannot be measured: it is broken, too large, or of an unknown format.`
    : `\`${src}\` is no image by its name.`;
  const hint = isImage(key)
    ? 'Its width and height are null.'
    : 'Name an image, or declare the field by file().';
  return { severity: 'warning', code: 'file/image', message, hint };
}

function absence(
  src: string,
  from: string,
  places: readonly FilePlace[],
  known: readonly (KnownFile | undefined)[],
): NonNullable<DecodedValue['problem']> {
  if (places.length === 0) {
    const message = `\`${src}\` leads out of the content folder.`;
    return { severity: 'error', code: 'file/outside', message, hint: 'Put the file inside it.' };
  }
  if (places.some((place) => !isServable(place))) {
    const message = `\`${src}\` is not a file that is served: it is content itself, outside of bundle folders, or marked by \`_\` or \`.\`.`;
    return {
      severity: 'error',
      code: 'file/not-served',
      message,
      hint: 'Put a copy beside the entity or in public/.',
    };
  }
  const near = known
    .flatMap((file) => (file === undefined || file.facts !== undefined ? [] : [file.near]))
    .find((place) => place !== undefined && isServable(place));
  const hint =
    near === undefined
      ? 'Paths are relative to the file; with a leading slash, to public/.'
      : `Did you mean \`${writtenAs(near, from)}\`?`;
  return { severity: 'error', code: 'file/missing', message: `There is no file \`${src}\`.`, hint };
}
