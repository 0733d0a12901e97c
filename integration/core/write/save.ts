import { type Access, allowsEverything } from '../access/access.ts';
import { withoutPrototype } from '../content/base-fields.ts';
import type { Collector } from '../content/collect.ts';
import { MAX_FILE_BYTES } from '../content/content-file.ts';
import { PUBLICATION_FLAGS } from '../content/decode/publication.ts';
import { type EncodedFile, encodeFile } from '../content/encode/encode-file.ts';
import { type FileLocation, fileAt, isOutside, isServable, locationsOf } from '../content/file-location.ts';
import { layoutOf } from '../content/layout.ts';
import type { Entity, FieldValue, ResourceType } from '../content/model.ts';
import { shortTypeName } from '../content/resource-type.ts';
import { canSeeFile, type FileReference, filesIn, isReferencedFile } from '../read/content-files.ts';
import type { Reader } from '../read/reader.ts';
import { relativeImagePath, scanBody } from '../source/body-images.ts';
import { isError, type Problem } from '../source/diagnostic.ts';
import { UnwritableChangeError } from '../source/edit/edit-data.ts';
import { ConflictError, DomainError, InvalidEntityError, type Violation } from '../util/errors.ts';
import { compareText } from '../util/text.ts';
import { isImage, isUploadable, PLAYABLE } from './file-types.ts';
import type { ErrorPlace, RequestedChanges, TargetFile, ValuePath } from './writer.ts';

/**
 * Returns a file after changes; `now` is the time of the change in milliseconds. Throws InvalidEntityError for
 * values that the file cannot hold, and ConflictError for a file with errors.
 */
export function encodeChanges(
  collector: Pick<Collector, 'encoding'>,
  { type, key, current, id, source, translationOf }: TargetFile,
  { changes, pointer }: Pick<RequestedChanges, 'changes' | 'pointer'>,
  now: number,
): EncodedFile {
  const bundle = collector.encoding(key);
  if (bundle === undefined) throw new ConflictError(`The bundle of '${key}' was removed.`);
  if (bundle.type.name !== type.name) {
    const owner = shortTypeName(bundle.type.name);
    throw new ConflictError(
      `The file '${key}' would belong to '${owner}': the collection of '${shortTypeName(type.name)}' names its files.`,
    );
  }
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, '+00:00');
  const entity = current?.entity ?? null;
  const isTranslation = source !== undefined || entity?.translation !== undefined;
  const file = { key, entity, id, isTranslation, translationOf };
  try {
    return encodeFile(current?.bytes ?? null, changes, { ...bundle, ...file, now: time });
  } catch (error) {
    if (!(error instanceof UnwritableChangeError)) throw error;
    if (error.path.length === 0) throw new ConflictError(error.message);
    throw new InvalidEntityError([{ detail: error.message, source: { pointer: pointer(error.path) } }]);
  }
}

/**
 * Returns the entity in a changed file. Throws InvalidEntityError with all errors of the change, and those in `requested`
 * and `hiddenFiles`; as `not-found` if the only errors are references to missing targets. Errors that the file has already,
 * such as a missing image in its body, do not prevent a change. Errors do not reveal fields that the actor may not see.
 */
export async function previewEntity(
  collector: Pick<Collector, 'preview'>,
  access: Pick<Access, 'fieldVisible'>,
  { type, key, current }: TargetFile,
  { bytes, parsed }: EncodedFile,
  requested: Omit<RequestedChanges, 'changes'>,
  hiddenFiles: readonly Violation[] = [],
): Promise<Entity> {
  if (bytes.byteLength > MAX_FILE_BYTES) {
    const detail = `The file would have ${bytes.byteLength} bytes. The limit is ${MAX_FILE_BYTES}.`;
    throw new DomainError('too-large', detail);
  }
  const { entity, problems } = await collector.preview(key, bytes, parsed);
  const errors = problems.filter(preventsChange);
  const mayHaveHad = errors.length > 0 && entity !== null && current !== null;
  const former = mayHaveHad
    ? (await collector.preview(key, current.bytes)).problems.filter(preventsChange)
    : [];
  const caused = newErrors(errors, former)
    .filter(({ path = [] }) => !requested.faulty.has(String(publicPath(path, type)[0] ?? '')))
    .map((problem) => violationOf(problem, type, access, requested));
  const isFile = ({ detail }: Violation) => detail === FILE_NOT_FOUND;
  // One order and one violation for each pointer, so that they do not distinguish hidden from missing files.
  const files = [...caused.filter(isFile), ...hiddenFiles]
    .sort(byPointer)
    .filter(({ source }, at, all) => source.pointer !== all[at - 1]?.source.pointer);
  const others = caused.filter((violation) => !isFile(violation));
  const [first, ...rest] = [...requested.violations, ...others, ...files];
  const [missing, ...otherMissing] = requested.missing;
  if (first !== undefined) throw new InvalidEntityError([first, ...rest, ...requested.missing]);
  if (missing !== undefined) throw new InvalidEntityError([missing, ...otherMissing], 'not-found');
  if (entity === null) throw new Error(`The preview of ${key} has neither an entity nor an error.`);
  return entity;
}

/** Keys of the content files that changed fields refer to. */
export function referencedFiles(
  entity: Entity,
  type: ResourceType,
  { changes }: Pick<RequestedChanges, 'changes'>,
): readonly string[] {
  return Object.keys(changes).flatMap((name) => [...filesOfField(entity, type, name)]);
}

/**
 * Violations for changed fields that refer to files of entities that the actor may not see, because a reference makes the
 * file visible to readers, and to files that are not images in a field of images. Files that the field has already are allowed.
 */
export async function hiddenFiles(
  reader: Reader,
  access: Access,
  { type, key, current }: TargetFile,
  { changes, pointer }: Pick<RequestedChanges, 'changes' | 'pointer'>,
): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const field = type.fields.get(name);
    if (field === undefined) continue;
    const present = current && filesOfField(current.entity, type, name);
    for (const { uri, path } of name === 'body' ? imagesIn(value) : filesIn(value, field, [name])) {
      const file = fileAt(uri);
      const notImage = ({ key: named }: FileLocation) => field.kind === 'image' && !isImage(named);
      const refuse = (detail: string) => violations.push({ detail, source: { pointer: pointer(path) } });
      if (file?.source === 'public' && notImage(file)) refuse(NOT_AN_IMAGE);
      for (const place of file === undefined ? locationsOf(key, uri) : [file]) {
        if (
          place.source !== 'content' ||
          !isServable(place, layoutOf(reader.settings.layout)) ||
          present?.has(place.key) === true
        )
          continue;
        if (!(await mayReferTo(reader, access, place.key, key, name === 'body'))) refuse(FILE_NOT_FOUND);
        else if (notImage(place) && (await reader.files.facts(place.key)) !== undefined) refuse(NOT_AN_IMAGE);
      }
    }
  }
  return violations;
}

/**
 * True if the actor can see the file through an entity. If no entity refers to it yet, it must be an image, a video or a
 * sound, or a document that the actor could have uploaded for this entity: other files in the repository may be private.
 */
async function mayReferTo(
  reader: Reader,
  access: Access,
  file: string,
  entity: string,
  inBody: boolean,
): Promise<boolean> {
  if (isReferencedFile(reader.store, file)) return canSeeFile(reader, access, file);
  // Images of the project are part of its code.
  const isMissing = async () => (await reader.files.facts(file)) === undefined;
  if (isOutside(file)) return allowsEverything(access, 'update', reader.store) || isMissing();
  const isBeside = !inBody && file.startsWith(`${entity.split('/', 1)}/`);
  if (isImage(file) || PLAYABLE.test(file) || (isBeside && isUploadable(file))) return true;
  // The preview reports a missing file in the same words.
  return isMissing();
}

function imagesIn(body: FieldValue): readonly FileReference[] {
  const text = typeof body === 'object' && body !== null && 'value' in body ? body.value : null;
  if (typeof text !== 'string') return [];
  const sources = scanBody(text).images.flatMap(({ src }) => relativeImagePath(src)?.path ?? []);
  return [...new Set(sources)].map((uri) => ({ uri, path: ['body'] }));
}

function filesOfField(
  { values, images = [] }: Entity,
  type: ResourceType,
  name: string,
): ReadonlySet<string> {
  const field = type.fields.get(name);
  const references = name === 'body' || field === undefined ? images : filesIn(values[name], field);
  const places = references.map(({ uri }) => fileAt(uri));
  return new Set(places.flatMap((place) => (place?.source === 'content' ? [place.key] : [])));
}

/** Errors, and images of bodies that cannot be used: an accepted one would distinguish hidden files from missing ones. */
function preventsChange(problem: Problem): boolean {
  return isError(problem) || problem.code.startsWith('body/image-');
}

/** The errors that are not among the former ones, which may be in another line or at another item of a list. */
function newErrors(errors: readonly Problem[], former: readonly Problem[]): readonly Problem[] {
  const keyOf = ({ code, path = [], message }: Problem) => JSON.stringify([code, path[0], message]);
  const left = former.map(keyOf);
  return errors.filter((error) => {
    const at = left.indexOf(keyOf(error));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function violationOf(
  { code, message, hint, path = [] }: Problem,
  type: ResourceType,
  access: Pick<Access, 'fieldVisible'>,
  { pointer }: ErrorPlace,
): Violation {
  const valuePath = publicPath(path, type);
  const source = { pointer: pointer(valuePath) };
  const [name] = valuePath;
  const ofSchema = OF_SCHEMA.test(code) && { code: code.replace('/', '-') };
  if (typeof name === 'string' && type.fields.has(name) && !access.fieldVisible(type, name)) {
    return { detail: FIELD_HIDDEN, source: { pointer: pointer([]) }, ...ofSchema };
  }
  switch (code) {
    case 'file/missing':
    case 'file/outside':
    case 'body/image-missing':
    case 'body/image-outside':
      return { detail: FILE_NOT_FOUND, source };
    case 'id/duplicate':
      return { detail: 'Another file has this id already. Choose another id.', source };
    default:
      return {
        detail: inPublic(hint === undefined ? message : `${message} ${hint}`, path, valuePath),
        source,
        ...ofSchema,
      };
  }
}

/** Errors that the schema finds in values of the right kind. */
const OF_SCHEMA = /^(?:field\/(?:required|invalid)|schema\/failed)$/;
/** The same for missing and hidden files. */
const FILE_NOT_FOUND =
  'File not found, or you may not see it. Paths are relative to the file of the entity; with a leading slash, to public/.';
/** Of a file that exists, and that the actor may see. */
const NOT_AN_IMAGE = 'The file must be an image.';
const FIELD_HIDDEN = 'A required field is missing, and you do not have permission to set it.';

function byPointer(one: Violation, other: Violation): number {
  return compareText(one.source.pointer ?? '', other.source.pointer ?? '');
}

/** A message about a key of a file, with the public name of its field. */
function inPublic(message: string, [key]: ValuePath, [name]: ValuePath): string {
  if (key === name || typeof name !== 'string') return message;
  return message.replaceAll(`\`${key}\``, `\`${name}\``).replaceAll(`\`${key}.`, `\`${name}.`);
}

/** A path in the data of a file, with public names of fields. */
function publicPath([key, ...steps]: ValuePath, { fields }: ResourceType): ValuePath {
  if (key === undefined) return [];
  const field = [...fields.values()].find((each) => each.key === key) ?? fields.get(String(key));
  if (field !== undefined) return [field.name, ...steps];
  return OTHER_KEYS[key] ?? [String(key), ...steps];
}

/** The public paths of keys that are not fields. */
const OTHER_KEYS: Readonly<Record<string, ValuePath>> = withoutPrototype({
  ...Object.fromEntries(PUBLICATION_FLAGS.map((flag) => [flag, ['status']])),
  summary: ['body', 'summary'],
  uuid: ['id'],
});
