import { checkJsonAccept } from '../../core/api/accept.ts';
import { methodsAt, REST_ADDRESSES } from '../../core/api/addresses.ts';
import { checkJsonBody, isFileBody } from '../../core/api/media-type.ts';
import {
  checkMethod,
  checkWithoutLanguage,
  noContent,
  pointerIn,
  preconditionsOf,
  type Uploads,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import type { Entity, FieldDefinition, ResourceType } from '../../core/content/model.ts';
import { LANGUAGE_PARAMETER } from '../../core/engine/parse/parse-query.ts';
import { writeJson } from '../../core/read/compose.ts';
import { fileField, findEntity, visibleEntities } from '../../core/read/find.ts';
import type { RequestLanguage } from '../../core/read/request-language.ts';
import { GoneError, NotFoundError } from '../../core/util/errors.ts';
import { checkMay, checkMayAtAll, checkMayTranslate } from '../../core/write/permissions.ts';
import { readWithPast } from '../../core/write/request-json.ts';
import type { Preconditions } from '../../core/write/writer.ts';
import { readFlatEntity, readFlatList } from './deserialize.ts';
import { checkFields, type EntityQuery, fileDocument, openRest, writeListed } from './document.ts';
import { findListed, type Listed } from './find-listed.ts';
import { parseRestQuery } from './parse-rest.ts';
import type { RestLinks } from './rest-links.ts';

/** Carries out `POST`, `PUT`, `PATCH` and `DELETE` below `/api/content`. The response to all but deletion has the result. */
export async function writeRest(request: WriteRequest): Promise<WriteResponse> {
  const { services, actor, method, headers } = request;
  checkJsonAccept(headers.get('accept'));
  const { below, ...address } = openRest(request);
  const write = { request, ...address };
  const { type } = write;
  if (below.length === 0) {
    checkMethod(method, methodsAt(REST_ADDRESSES.collection));
    return create(write, undefined);
  }
  const { uploads } = services.features;
  const file = uploads && method === 'POST' ? fileField(request.access, write.type, below) : undefined;
  // A list of files accepts references to files too.
  if (uploads && file && (!file.list || below.length === 1 || isFileBody(request))) {
    return takeFile(write, uploads, file, below.slice(0, -1));
  }
  if (method === 'POST' && request.language !== undefined) {
    const source = await findListed(services, services.access(actor, 'source'), type, below);
    if (source.kind === 'individual') return translate(write, source.entity, request.language);
  }
  const listed = await findToWrite(write, below);
  if (listed === undefined && request.language !== undefined) {
    const source = await findEntity(services, services.access(actor, 'source'), type, below);
    return translate(write, source, request.language);
  }
  if (listed === undefined) return create(write, below.join('/'));
  checkMethod(method, methodsAt(REST_ADDRESSES[listed.kind]));
  switch (listed.kind) {
    case 'individual':
      return method === 'DELETE' ? remove(write, listed) : change(write, listed);
    case 'list':
      return changeList(write, listed, listed.field);
    default:
      return listed satisfies never;
  }
}

/** The entity or list to change; undefined if it does not exist and the request is a `PUT` that may create it. */
async function findToWrite(
  { request, type }: RestWrite,
  below: readonly string[],
): Promise<Listed | undefined> {
  const { services, access, method, headers } = request;
  try {
    return await findListed(services, access, type, below);
  } catch (error) {
    const creates = method === 'PUT' && headers.get('if-none-match')?.trim() === '*';
    if (creates && (error instanceof NotFoundError || error instanceof GoneError)) return undefined;
    throw error;
  }
}

async function translate(
  write: RestWrite,
  source: Entity,
  { langcode }: RequestLanguage,
): Promise<WriteResponse> {
  const { request, type } = write;
  const { writer } = request;
  checkJsonBody(request);
  const respond = responseOf(write);
  checkMayTranslate(writerOf(request), type, source, langcode);
  const input = await readInput(write, source.id);
  const { entity, job } = await writer.translate(writerOf(request), source, langcode, input);
  return { ...(await respond({ kind: 'individual', entity }, job)), pointerOf: pointerIn(input) };
}

async function create(write: RestWrite, id: string | undefined): Promise<WriteResponse> {
  const { request, type } = write;
  const { writer } = request;
  checkWithoutLanguage(request);
  checkJsonBody(request);
  const respond = responseOf(write);
  checkMayAtAll(writerOf(request), 'create', type);
  const input = await readInput(write, id);
  const { entity, job } = await writer.create(writerOf(request), type, input, preconditionsOf(request));
  return { ...(await respond({ kind: 'individual', entity }, job)), pointerOf: pointerIn(input) };
}

async function change(write: RestWrite, listed: Listed): Promise<WriteResponse> {
  const { request, type } = write;
  const { writer, method } = request;
  const { entity: before } = listed;
  checkJsonBody(request);
  const respond = responseOf(write);
  checkMay(writerOf(request), 'update', type, before);
  const input = await readInput(write, before.id, before);
  const mode = method === 'PUT' ? 'entity' : 'fields';
  const when = preconditions(write, listed);
  const { entity, job } = await writer.update(writerOf(request), before, input, when, mode);
  return { ...(await respond({ kind: 'individual', entity }, job)), pointerOf: pointerIn(input) };
}

async function remove(write: RestWrite, listed: Listed): Promise<WriteResponse> {
  const { request } = write;
  return noContent(
    await request.writer.remove(writerOf(request), listed.entity, preconditions(write, listed)),
  );
}

/** `POST` adds to a list, `PUT` replaces it, `DELETE` empties it. */
async function changeList(write: RestWrite, listed: Listed, field: FieldDefinition): Promise<WriteResponse> {
  const { request, type } = write;
  const { services, access, method, writer } = request;
  const { entity: before } = listed;
  if (method !== 'DELETE') checkJsonBody(request);
  const respond = responseOf(write);
  checkMay(writerOf(request), 'update', type, before);
  const text = method === 'DELETE' ? '[]' : await request.body('bodyBytes');
  const input = readFlatList(text, field, visibleEntities(services, access));
  const when = preconditions(write, listed);
  const mode = method === 'POST' ? 'append' : 'fields';
  const written = await writer.update(writerOf(request), before, input, when, mode);
  if (method === 'DELETE') return noContent(written);
  return {
    ...(await respond({ kind: 'list', entity: written.entity, field }, written.job)),
    pointerOf: pointerIn(input),
  };
}

/** Stores the body as a file: for a new entity if `id` is empty, else in a field of that entity. */
async function takeFile(
  write: RestWrite,
  uploads: Uploads,
  field: FieldDefinition,
  id: readonly string[],
): Promise<WriteResponse> {
  const { request, type } = write;
  const { services, access, target } = request;
  if (id.length === 0) checkWithoutLanguage(request);
  const entity = id.length === 0 ? null : await findEntity(services, access, type, id);
  const parsed = parseRestQuery(target.query, 'entity', services.settings);
  const when =
    entity === null ? preconditionsOf(request) : preconditions(write, { kind: 'individual', entity });
  const stored = await uploads.storeBody(request, { type, field, entity }, when);
  const current = entity && (services.store.get(type.name, entity.id, entity.translation) ?? entity);
  const document = fileDocument(contextOf(write, ''), type, current, stored, parsed);
  const headers = { location: stored.location };
  return { outcome: 'created', job: stored.job, written: writeJson(document), headers };
}

/** The entity in the body of a request. */
async function readInput({ request, type }: RestWrite, id: string | undefined, before?: Entity) {
  const { services, access } = request;
  const text = await request.body('bodyBytes');
  const read = () => readFlatEntity(text, type, access, visibleEntities(services, access), id);
  return before === undefined ? read() : readWithPast(read, services, type, before);
}

/** Writes the response to a change. Checks the query before anything changes. */
function responseOf(write: RestWrite): (listed: Listed, job: string | undefined) => Promise<WriteResponse> {
  const { request, type } = write;
  const { services, access, target } = request;
  const parsed = parseRestQuery(target.query, 'entity', services.settings);
  checkFields(type, access, parsed.fields);
  return async (listed, job) => {
    // Without a schema, the change may have changed the fields of the type.
    const current = services.store.types.get(type.name) ?? type;
    const { language } = request;
    const kept = language?.inQuery ? `${LANGUAGE_PARAMETER}=${language.langcode}` : '';
    const links = write.linksWith(kept);
    const { id } = listed.entity;
    const location =
      listed.kind === 'list' ? links.field(current, id, listed.field.name) : links.entity(current, id);
    return {
      outcome: 'created',
      job,
      written: await writeListed(contextOf(write, target.query), current, listed, parsed),
      headers: { location },
    };
  };
}

/** Preconditions that also accept the tags of `GET` at this address, with and without the query. */
function preconditions(write: RestWrite, listed: Listed): Preconditions {
  const { request, type } = write;
  const { services, target } = request;
  const queries = [WHOLE, parseRestQuery(target.query, 'entity', services.settings)];
  return {
    ...preconditionsOf(request),
    async otherTags(entity: Entity) {
      const current = services.store.types.get(type.name) ?? type;
      const documents = queries.map((each) =>
        writeListed(contextOf(write, target.query), current, { ...listed, entity }, each),
      );
      return (await Promise.all(documents)).map(({ tag }) => tag);
    },
  };
}

function contextOf({ request: { services, access }, linksWith }: RestWrite, query: string) {
  return { services, access, links: linksWith(query) };
}

const WHOLE: EntityQuery = { fields: undefined, ignored: [] };

interface RestWrite {
  readonly request: WriteRequest;
  readonly type: ResourceType;
  readonly linksWith: (query: string) => RestLinks;
}
