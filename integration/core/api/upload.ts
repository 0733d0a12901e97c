import { parse } from 'content-disposition';
import { fileId } from '../content/file-id.ts';
import { type FileLocation, uriOf, urlOf } from '../content/file-location.ts';
import { FILE_TYPE_NAME, fileEntity } from '../content/file-resource.ts';
import type { Entity, FieldDefinition, ResourceType } from '../content/model.ts';
import { parseQuery } from '../engine/parse/parse-query.ts';
import { writeJson } from '../read/compose.ts';
import { JSONAPI_MEMBER } from '../read/document-types.ts';
import { findEntity } from '../read/find.ts';
import { measureImage, mediaTypeOf } from '../storage/file-source.ts';
import { lastSegment } from '../storage/key.ts';
import { DomainError } from '../util/errors.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';
import { checkPixels } from '../write/upload/file-types.ts';
import { checkUpload } from '../write/upload/upload.ts';
import type { Preconditions, UploadTarget } from '../write/writer.ts';
import { checkFileBody } from './media-type.ts';
import {
  checkWithoutLanguage,
  preconditionsOf,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from './request.ts';

/**
 * Stores the request body as a file: for a new entity if `id` is empty, else in a field of that entity. Source: Drupal,
 * "File uploads" of JSON:API.
 */
export async function upload(
  request: WriteRequest,
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

export interface StoredBody {
  /** The file, as fields return it. */
  readonly attributes: { readonly uri: { readonly value: string; readonly url: string } } & Readonly<
    Record<string, JsonValue>
  >;
  /** The absolute URL of the file. */
  readonly location: string;
  /** Id of the commit job. */
  readonly job: string | undefined;
}

/** Stores the body of a request under the name in its headers. Throws like `ContentWriter.upload`. */
export async function storeBody(
  request: WriteRequest,
  upload: UploadTarget,
  when: Preconditions,
): Promise<StoredBody> {
  const { services, writer, headers, target } = request;
  checkFileBody(request);
  const name = uploadName(headers);
  // Check before reading the bytes, because there may be many.
  const { extension } = checkUpload(writerOf(request), upload, name);
  const bytes = await request.bytes('uploadBytes');
  checkPixels(bytes, extension, services.settings.limits.imagePixels);
  const { key, alt, job } = await writer.upload(writerOf(request), upload, { name, bytes }, when);
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
