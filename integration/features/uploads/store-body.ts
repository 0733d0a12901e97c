import { parse } from 'content-disposition';
import { checkFileBody } from '../../core/api/media-type.ts';
import {
  checkWithoutLanguage,
  preconditionsOf,
  type StoredBody,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import { fileId } from '../../core/content/file-id.ts';
import { type FileLocation, uriOf, urlOf } from '../../core/content/file-location.ts';
import { FILE_TYPE_NAME, fileEntity } from '../../core/content/file-resource.ts';
import type { Entity, FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { findEntity } from '../../core/read/find.ts';
import { measureImage, mediaTypeOf } from '../../core/storage/file-source.ts';
import { lastSegment } from '../../core/storage/key.ts';
import { DomainError } from '../../core/util/errors.ts';
import type { JsonObject } from '../../core/util/json.ts';
import type { Preconditions, UploadTarget } from '../../core/write/writer.ts';
import { checkPixels } from './check-file.ts';
import type { FileCommands } from './file-commands.ts';
import { checkUpload } from './upload.ts';

/**
 * Stores the request body as a file: for a new entity if `id` is empty, else in a field of that entity. Source: Drupal,
 * "File uploads" of JSON:API.
 */
export async function upload(
  request: WriteRequest,
  files: Pick<FileCommands, 'upload'>,
  type: ResourceType,
  field: FieldDefinition,
  id: readonly string[],
): Promise<WriteResponse> {
  const { services, access, target } = request;
  if (id.length === 0) checkWithoutLanguage(request);
  const entity: Entity | null = id.length === 0 ? null : await findEntity(services, access, type, id);
  parseQuery(target.query, 'individual', services.settings);
  const { attributes, location, job } = await storeBody(
    request,
    files,
    { type, field, entity },
    preconditionsOf(request),
  );
  return {
    outcome: entity === null ? 'created' : 'changed',
    job,
    written: writeJson({ jsonapi: JSONAPI_MEMBER, data: uploadedFile(request, attributes, entity !== null) }),
    ...(entity === null && { headers: { location } }),
  };
}

/** The resource of an uploaded file, with the metadata of an identifier. */
function uploadedFile(
  { services }: WriteRequest,
  attributes: StoredBody['attributes'],
  isUsed: boolean,
): JsonObject {
  const uri = attributes.uri.value;
  if (services.settings.drupal === false) return { type: FILE_TYPE_NAME, id: uri, attributes };
  const { id, values } = fileEntity({ ...attributes, id: fileId(uri) }, isUsed);
  const { alt = null, width = null, height = null } = attributes;
  return { type: FILE_TYPE_NAME, id, attributes: { ...values } as JsonObject, meta: { alt, width, height } };
}

/** Stores the body of a request under the name in its headers. Throws like `FileCommands.upload`. */
export async function storeBody(
  request: WriteRequest,
  files: Pick<FileCommands, 'upload'>,
  upload: UploadTarget,
  when: Preconditions,
): Promise<StoredBody> {
  const { services, headers, target } = request;
  checkFileBody(request);
  const name = uploadName(headers);
  // Check before reading the bytes, because there may be many.
  const { extension } = checkUpload(writerOf(request), upload, name);
  const bytes = await request.bytes('uploadBytes');
  checkPixels(bytes, extension, services.settings.limits.imagePixels);
  const { key, alt, job } = await files.upload(writerOf(request), upload, { name, bytes }, when);
  const place: FileLocation = { source: 'content', key };
  const url = urlOf(place, services.settings.base);
  const filename = lastSegment(key);
  const filemime = mediaTypeOf(filename);
  return {
    attributes: {
      uri: { value: uriOf(place), url },
      filename,
      filemime,
      filesize: bytes.byteLength,
      ...(filemime.startsWith('image/') ? measureImage(bytes) : { width: null, height: null }),
      alt,
    },
    location: target.origin + url,
    job,
  };
}

/** The file name in `Content-Disposition`. Throws if it is missing. */
export function uploadName(headers: Headers): string {
  const name = parse(headers.get('content-disposition') ?? '').parameters.filename ?? '';
  if (name !== '') return utf8(name);
  throw new DomainError(
    'bad-request',
    'The header Content-Disposition must name the file, for example `file; filename="harbour.png"`.',
    { source: { header: 'Content-Disposition' } },
  );
}

/** Many clients send UTF-8 in headers, which Node decodes as Latin-1. */
function utf8(name: string): string {
  if (!/^[\0-\xff]*$/.test(name)) return name;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(name, (character) => character.charCodeAt(0)),
    );
  } catch {
    return name;
  }
}
