import { relativeImagePath, scanBody } from '../../source/body-images.ts';
import { dateTimeOfSeconds } from '../../source/date-time.ts';
import type { Problem, ProblemList } from '../../source/diagnostic.ts';
import type { FileHistory } from '../../storage/driver.ts';
import { type FileFacts, isImage, MAX_IMAGE_PIXELS, mediaTypeOf } from '../../storage/file-source.ts';
import { lastSegment } from '../../storage/key.ts';
import type { JsonObject, JsonValue } from '../../util/json.ts';
import { bodyPosition, type ContentFile } from '../content-file.ts';
import type { FileCatalog, KnownFile } from '../file-catalog.ts';
import { fileId } from '../file-id.ts';
import { type FileLocation, isOutside, locationsOf, uriOf, urlOf, writtenAs } from '../file-location.ts';
import { isFileRelationship, missingFile } from '../file-resource.ts';
import { type BodyImage, bodyText, type FieldDefinition } from '../model.ts';
import { writtenFileSchema } from '../schema/schema.ts';

export interface LinkContext {
  readonly files: FileCatalog;
  /** The site's `base`: starts with a slash, ends without one. */
  readonly base: string;
}

export interface DecodedLink {
  /** Null if there is no such file; `missingFile` in a field whose files are resources. */
  readonly value: JsonValue;
  /** URIs of the files that the value depends on. */
  readonly uris: readonly string[];
  readonly problem?: LinkProblem | undefined;
}

type LinkProblem = Pick<Problem, 'severity' | 'code' | 'message' | 'hint'>;

/**
 * Decodes an image or a file to `{uri: {value, url}, filename, filemime, filesize, width, height, alt}`, with `id`,
 * `created` and `changed` if it is a resource. `from` is the key of the entity's file.
 */
export function decodeLink(
  written: unknown,
  field: FieldDefinition,
  from: string,
  { files, base }: LinkContext,
  history: ReadonlyMap<string, FileHistory>,
): DecodedLink {
  const isResource = isFileRelationship(field);
  const { src, alt = null } =
    typeof written === 'string' ? { src: written } : writtenFileSchema.parse(written);
  if (URL_SCHEME.test(src)) {
    const value = remoteFile(src, alt);
    return { value: isResource ? { id: fileId(src), ...value } : value, uris: [] };
  }
  const { uris, file, problem } = findFile(src, from, files);
  if (file === undefined) return { value: isResource ? missingFile(alt) : null, uris, problem };
  const { location, facts } = file;
  const filename = lastSegment(location.key);
  const uri = uriOf(location);
  const value = {
    ...(isResource && { id: fileId(uri) }),
    uri: { value: uri, url: urlOf(location, base) },
    filename,
    filemime: mediaTypeOf(filename),
    filesize: facts.size,
    width: facts.width,
    height: facts.height,
    alt,
    ...facts.shown,
    ...(isResource && location.source === 'content' && datesOf(history.get(location.key))),
  };
  if (field.kind !== 'image') return { value, uris };
  return {
    value,
    uris,
    problem: facts.width === null ? unmeasured(src, location) : tooManyPixels(src, file),
  };
}

/** The dates of the commits of a file. */
function datesOf(history: FileHistory | undefined): Readonly<Record<'created' | 'changed', JsonValue>> {
  const [created = null, changed = null] = [history?.created, history?.changed].map(
    (seconds) => dateTimeOfSeconds(seconds ?? Number.NaN) ?? null,
  );
  return { created, changed };
}

/**
 * The images of a file's body that are local files, each path once. Reports missing files, and adds to `uris` the files
 * that the result depends on.
 */
export function decodeImages(
  content: ContentFile,
  { files, base }: LinkContext,
  list: ProblemList,
  uris: string[],
): readonly BodyImage[] {
  const { key, body, mayHoldImages } = content;
  if (body === null || !mayHoldImages) return NO_IMAGES;
  const text = bodyText(body);
  const images = new Map<string, BodyImage>();
  for (const { src, offset, certain } of scanBody(text).images) {
    const path = relativeImagePath(src)?.path;
    if (path === undefined || images.has(path)) continue;
    const { file, problem: missing, uris: dependencies } = findFile(path, key, files);
    uris.push(...dependencies);
    if (file !== undefined) {
      images.set(path, { path, uri: uriOf(file.location), url: urlOf(file.location, base) });
    }
    const problem = file === undefined ? missing && inBody(missing) : tooManyPixels(path, file);
    if (problem === undefined || !certain) continue;
    list.add({ ...problem, path: ['body'] }, () => bodyPosition(content, offset));
  }
  return [...images.values()];
}

/** Only a page without its picture: a warning. */
function inBody(problem: LinkProblem): LinkProblem {
  return { ...problem, severity: 'warning', code: problem.code.replace('file/', 'body/image-') };
}

const NO_IMAGES: readonly BodyImage[] = [];

interface ResolvedFile {
  readonly location: FileLocation;
  readonly facts: FileFacts;
}

/** Finds the file that `src` names; without one that can be served, returns the reason. */
function findFile(
  src: string,
  from: string,
  files: FileCatalog,
): { readonly uris: readonly string[]; readonly file?: ResolvedFile; readonly problem?: LinkProblem } {
  const locations = locationsOf(from, src);
  const servable = locations.filter(files.isServable);
  const uris = servable.map(uriOf);
  const candidates = uris.map((uri) => files.find(uri));
  const at = candidates.findIndex((file) => file?.facts !== undefined);
  const location = servable[at];
  const facts = candidates[at]?.facts;
  return location !== undefined && facts !== undefined
    ? { uris, file: { location, facts } }
    : { uris, problem: missingProblem(src, from, locations, candidates, files) };
}

const URL_SCHEME = /^https?:\/\//i;

/** Files of other sites are not fetched. */
function remoteFile(url: string, alt: string | null): JsonObject {
  const [path = ''] = url.split(/[?#]/, 1);
  const filename = lastSegment(path.replace(/^https?:\/\/[^/]*/i, '')) || 'index';
  const unknown = { filesize: null, width: null, height: null };
  return { uri: { value: url, url }, filename, filemime: mediaTypeOf(filename), ...unknown, alt };
}

/** A warning about an image that Astro cannot resize. It never resizes SVG. */
function tooManyPixels(
  src: string,
  { location, facts: { width, height } }: ResolvedFile,
): LinkProblem | undefined {
  const isVector = mediaTypeOf(location.key) === 'image/svg+xml';
  if (isVector || width === null || height === null || width * height <= MAX_IMAGE_PIXELS) return undefined;
  const message = `\`${src}\` claims ${width} × ${height} pixels, more than Astro can resize. A page with it can fail the build.`;
  return { severity: 'warning', code: 'file/pixels', message, hint: 'Replace it with a smaller image.' };
}

function unmeasured(src: string, { key }: FileLocation): LinkProblem {
  const [message, hint] = isImage(key)
    ? [
        `\`${src}\` cannot be measured: it is broken, too large, or in an unknown format.`,
        'Its width and height are null.',
      ]
    : [`\`${src}\` does not have the name of an image.`, 'Use an image, or declare the field with file().'];
  return { severity: 'warning', code: 'file/image', message, hint };
}

function missingProblem(
  src: string,
  from: string,
  locations: readonly FileLocation[],
  candidates: readonly (KnownFile | undefined)[],
  { isServable }: FileCatalog,
): LinkProblem {
  if (locations.every(({ source, key }) => source === 'content' && isOutside(key))) {
    const message = `\`${src}\` is outside the content folder.`;
    return {
      severity: 'error',
      code: 'file/outside',
      message,
      hint: 'Move the file into the folder. Outside of it, only images of the project can be used.',
    };
  }
  if (!locations.every(isServable)) {
    const message = `\`${src}\` is not served: it is content itself, outside of bundle folders, or its path has a leading \`_\` or \`.\`.`;
    const hint = 'Put a copy beside the entity or in public/.';
    return { severity: 'error', code: 'file/not-served', message, hint };
  }
  const near = candidates
    .flatMap((file) => (file === undefined || file.facts !== undefined ? [] : [file.near]))
    .find((location) => location !== undefined && isServable(location));
  const hint =
    near === undefined
      ? 'Paths are relative to the file, or with a leading slash to public/.'
      : `Did you mean \`${writtenAs(near, from)}\`?`;
  return { severity: 'error', code: 'file/missing', message: `There is no file \`${src}\`.`, hint };
}
