import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { readDocument } from '../../core/api/jsonapi/deserialize.ts';
import { pageLinks } from '../../core/api/jsonapi/document.ts';
import { checkJsonApiBody } from '../../core/api/media-type.ts';
import {
  type ApiRequest,
  addressOf,
  checkPlainChange,
  preconditionsOf,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import type { ResourceType } from '../../core/content/model.ts';
import { parseQuery } from '../../core/engine/parse/parse-query.ts';
import { type SerializedBody, writeJson } from '../../core/read/compose.ts';
import { JSONAPI_MEMBER } from '../../core/read/document-types.ts';
import { createRequestPager } from '../../core/read/links.ts';
import { isError, type Problem } from '../../core/source/diagnostic.ts';
import { ConflictError, NotFoundError, UnauthorizedError } from '../../core/util/errors.ts';
import { isRecord } from '../../core/util/json.ts';
import { digestBytes } from '../../core/util/revision.ts';
import { decodeUtf8 } from '../../core/util/text.ts';
import { badBody } from '../../core/write/request-json.ts';
import { findFaulty, typeOfFile } from './faulty-files.ts';
import { SOURCES_SEGMENT } from './routes.ts';
import { saveText } from './save-text.ts';
import { fieldAt, readListQuery } from './unfinished.ts';

const RESOURCE_TYPE = 'source';

/** `GET /jsonapi/_sources`: the files with errors that the actor may correct, by path. */
export async function listSources(request: ApiRequest): Promise<SerializedBody> {
  const { target, services, actor, headers } = request;
  checkJsonApiAccept(headers.get('accept'));
  if (actor.name === null) throw new UnauthorizedError('Sign in to see files with errors.');
  const { wanted, page } = readListQuery(request);
  const keys = new Set(
    services
      .diagnostics()
      .filter(isError)
      .map(({ key }) => key),
  );
  const files = [...keys].sort().flatMap((key) => {
    const type = typeOfFile(request, key);
    return type === undefined || (wanted !== undefined && type.name !== wanted) ? [] : [{ key, type }];
  });
  const pager = createRequestPager(addressOf(request, SOURCES_SEGMENT), target.query);
  const { offset, limit } = page;
  const shown = await Promise.all(
    files.slice(offset, offset + limit).map(async ({ key, type }) => {
      const bytes = await services.fileSources.content.read(key);
      return bytes === undefined ? [] : [await resourceOf(request, type, key, bytes)];
    }),
  );
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: shown.flat(),
    meta: { count: files.length },
    links: { self: { href: pager.self }, ...pageLinks(pager, page, files.length) },
  });
}

/** `GET /jsonapi/_sources/{file}`: the text of a file with errors, and their places. */
export async function showSource(request: ApiRequest): Promise<SerializedBody> {
  checkJsonApiAccept(request.headers.get('accept'));
  const { key, type, bytes } = await findFaulty(request);
  parseQuery(request.target.query, 'individual', request.services.settings);
  return sourceDocument(request, type, key, bytes);
}

/** `PATCH /jsonapi/_sources/{file}` replaces the text of a file with errors. */
export async function writeSource(request: WriteRequest): Promise<WriteResponse> {
  const { services, headers } = request;
  checkJsonApiAccept(headers.get('accept'));
  checkPlainChange(request);
  const { key, type } = await findFaulty(request);
  checkJsonApiBody(request);
  const text = readText(await request.body('bodyBytes'), key);
  const operation = saveText({ type, key, when: preconditionsOf(request) }, (before) =>
    new TextEncoder().encode(likeBefore(text, decodeUtf8(before) ?? '')),
  );
  const { job } = await request.writer.perform(writerOf(request), [operation]);
  const bytes = await services.fileSources.content.read(key);
  if (bytes === undefined) throw new NotFoundError('The file was removed meanwhile.');
  return { outcome: 'changed', written: await sourceDocument(request, type, key, bytes), job };
}

function readText(body: string, key: string): string {
  const { data } = readDocument(body);
  if (!isRecord(data) || data.type !== RESOURCE_TYPE || data.id !== key) {
    throw badBody(`\`data\` must have the type '${RESOURCE_TYPE}' and the id of this address.`, '/data');
  }
  const { source, ...others } = isRecord(data.attributes) ? data.attributes : {};
  const [other] = Object.keys(others);
  if (other !== undefined) throw badBody('Only `source` can be changed.', `/data/attributes/${other}`);
  if (typeof source !== 'string') throw badBody('`source` must be a string.', '/data/attributes/source');
  return source;
}

/** The text with the byte order mark and the line breaks of the file, which editors do not keep. */
function likeBefore(text: string, before: string): string {
  const isWindows = before.includes('\r\n') && !text.includes('\r');
  const mark = before.startsWith('\ufeff') && !text.startsWith('\ufeff') ? '\ufeff' : '';
  return mark + (isWindows ? text.replaceAll('\n', '\r\n') : text);
}

async function sourceDocument(
  request: ApiRequest,
  type: ResourceType,
  key: string,
  bytes: Uint8Array,
): Promise<SerializedBody> {
  const source = decodeUtf8(bytes);
  if (source === undefined) {
    throw new ConflictError(`The file ${key} is not UTF-8 text. Save it as UTF-8 with another program.`);
  }
  const { attributes, ...resource } = await resourceOf(request, type, key, bytes);
  return writeJson({
    jsonapi: JSONAPI_MEMBER,
    data: { ...resource, attributes: { ...attributes, source } },
    links: { self: resource.links.self },
  });
}

async function resourceOf(request: ApiRequest, type: ResourceType, key: string, bytes: Uint8Array) {
  const preview = await request.services.preview?.(key, bytes);
  const { entity = null, draft, problems = [] } = preview ?? {};
  const part = entity ?? draft;
  const title = part?.values.title;
  return {
    type: RESOURCE_TYPE,
    id: key,
    attributes: {
      title: typeof title === 'string' ? title : null,
      /** The id is null if the file cannot be read. */
      resource: { type: type.name, id: part?.id ?? null, translation: part?.translation ?? null },
      /** True if the fields can be read. */
      has_fields: part !== undefined,
      problems: problems.filter(isError).map((problem) => describe(problem, type)),
    },
    meta: { revision: digestBytes(bytes) },
    links: { self: { href: addressOf(request, SOURCES_SEGMENT, ...key.split('/')) } },
  };
}

function describe({ line, column, code, message, hint, path = [] }: Problem, type: ResourceType) {
  return { line, column, code, message, hint: hint ?? null, field: fieldAt(type, path[0]) ?? null };
}
