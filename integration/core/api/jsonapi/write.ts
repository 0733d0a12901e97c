import { FILE_TYPE } from '../../content/file-resource.ts';
import { type Entity, type FieldDefinition, languageOf, type ResourceType } from '../../content/model.ts';
import type { Query } from '../../engine/ast.ts';
import { parseQuery } from '../../engine/parse/parse-query.ts';
import { type SerializedBody, writeDocument } from '../../read/compose.ts';
import { fileField, findAddressed, findType } from '../../read/find.ts';
import { includeTree } from '../../read/include.ts';
import { createRequestPager } from '../../read/links.ts';
import { pathSegments } from '../../read/url-path.ts';
import { MethodNotAllowedError } from '../../util/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import { checkMay, checkMayAtAll, checkMayTranslate } from '../../write/permissions.ts';
import { readWithPast } from '../../write/request-json.ts';
import type { Preconditions, RelationshipChange } from '../../write/writer.ts';
import { checkJsonApiAccept } from '../accept.ts';
import { JSONAPI_ADDRESSES, methodsAt } from '../addresses.ts';
import { checkJsonApiBody } from '../media-type.ts';
import {
  checkMethod,
  checkWithoutLanguage,
  noContent,
  pointerIn,
  preconditionsOf,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../request.ts';
import { READING_METHODS } from '../routes.ts';
import { withLinks } from './context.ts';
import { readDocument, readLinkage, readResource } from './deserialize.ts';
import { withFileResources } from './file-resources.ts';
import { withFileUris } from './file-uris.ts';
import { resourceDocument } from './resource.ts';

/** Carries out `POST`, `PATCH` and `DELETE` below `/jsonapi`. Source: JSON:API 1.1, "Creating, Updating and Deleting Resources". */
export async function writeJsonApi(request: WriteRequest): Promise<WriteResponse> {
  const { services, access, actor, language, method, target, headers } = request;
  checkJsonApiAccept(headers.get('accept'));
  const [entityType, bundle, ...below] = pathSegments(target.rest);
  if (entityType === undefined || bundle === undefined)
    throw new MethodNotAllowedError(method, READING_METHODS);
  const type = findType(withFileResources(request).services.store, entityType, bundle);
  if (type === FILE_TYPE) throw new MethodNotAllowedError(method, READING_METHODS);
  if (below.length === 0) {
    checkMethod(method, methodsAt(JSONAPI_ADDRESSES.collection));
    return create(request, type);
  }
  const { uploads } = services.features;
  const file = uploads && method === 'POST' ? fileField(access, type, below) : undefined;
  if (uploads && file) return uploads.upload(request, type, file, below.slice(0, -1));
  if (method === 'POST' && language !== undefined) {
    const source = await findAddressed(services, services.access(actor, 'source'), type, below);
    if (source.kind === 'individual') return translate(request, type, source.entity, language.langcode);
  }
  const addressed = await findAddressed(services, access, type, below);
  const allowed = methodsAt(JSONAPI_ADDRESSES[addressed.kind]);
  checkMethod(method, allowed);
  switch (addressed.kind) {
    case 'individual':
      return method === 'DELETE'
        ? remove(request, type, addressed.entity)
        : update(request, type, addressed.entity);
    case 'relationship':
      return relate(request, type, addressed.entity, addressed.field);
    case 'related':
      throw new MethodNotAllowedError(method, allowed);
    default:
      return addressed satisfies never;
  }
}

async function create(request: WriteRequest, type: ResourceType): Promise<WriteResponse> {
  const { writer, access } = request;
  checkWithoutLanguage(request);
  checkJsonApiBody(request);
  const response = responseOf(request, type);
  checkMayAtAll(writerOf(request), 'create', type);
  const input = readResource(await documentOf(request), type, access, undefined);
  return created(response, await writer.create(writerOf(request), type, input), input);
}

async function translate(
  request: WriteRequest,
  type: ResourceType,
  source: Entity,
  language: string,
): Promise<WriteResponse> {
  const { writer, access } = request;
  checkJsonApiBody(request);
  const response = responseOf(request, type);
  checkMayTranslate(writerOf(request), type, source, language);
  const document = await documentOf(request);
  const input = readResource(document, type, access, source.id, 'optional');
  return created(response, await writer.translate(writerOf(request), source, language, input), input);
}

async function created(
  response: ReturnType<typeof responseOf>,
  { entity, job }: Awaited<ReturnType<WriteRequest['writer']['create']>>,
  input: Parameters<typeof pointerIn>[0],
): Promise<WriteResponse> {
  const headers = { location: response.locationOf(entity) };
  const written = await response.document(entity);
  return { outcome: 'created', job, written, headers, pointerOf: pointerIn(input) };
}

async function update(request: WriteRequest, type: ResourceType, before: Entity): Promise<WriteResponse> {
  const { writer, access } = request;
  checkJsonApiBody(request);
  const response = responseOf(request, type);
  checkMay(writerOf(request), 'update', type, before);
  const document = await documentOf(request);
  const read = () => readResource(document, type, access, before.id);
  const input = await readWithPast(read, request.services, type, before);
  const when = preconditions(request, type);
  const { entity, job } = await writer.update(writerOf(request), before, input, when);
  return { outcome: 'changed', job, written: await response.document(entity), pointerOf: pointerIn(input) };
}

async function remove(request: WriteRequest, type: ResourceType, entity: Entity): Promise<WriteResponse> {
  // The response is empty, but a past version cannot be deleted.
  parseQuery(request.target.query, 'individual', request.services.settings);
  return noContent(await request.writer.remove(writerOf(request), entity, preconditions(request, type)));
}

async function documentOf(request: WriteRequest): Promise<JsonObject> {
  return withFileUris(request.services, readDocument(await request.body('bodyBytes')));
}

/** Returns the relationship after adding to it; no content for all other changes. */
async function relate(
  request: WriteRequest,
  type: ResourceType,
  before: Entity,
  field: FieldDefinition,
): Promise<WriteResponse> {
  const { writer, method } = request;
  checkJsonApiBody(request);
  const response = responseOf(request, type);
  checkMay(writerOf(request), 'update', type, before);
  const input = readLinkage(await documentOf(request), field);
  const change = CHANGES[method] ?? 'set';
  const when = preconditions(request, type, field);
  const { entity, job } = await writer.relate(writerOf(request), before, field.name, change, input, when);
  const pointerOf = pointerIn(input);
  if (change !== 'add') return { ...noContent({ job }), pointerOf };
  return { outcome: 'changed', job, written: await response.document(entity, field), pointerOf };
}

const CHANGES: Readonly<Record<string, RelationshipChange>> = { POST: 'add', PATCH: 'set', DELETE: 'remove' };

/** Preconditions that also accept the tags of `GET` at this address, with and without the query. */
function preconditions(request: WriteRequest, type: ResourceType, field?: FieldDefinition): Preconditions {
  return {
    ...preconditionsOf(request),
    async otherTags(entity: Entity) {
      const queries = [...new Set(['', request.target.query])];
      const documents = queries.map((query) => responseOf(request, type, query).document(entity, field));
      return (await Promise.all(documents)).map(({ tag }) => tag);
    },
  };
}

/** Writes the response to a change. Checks the query before anything changes. */
function responseOf(request: WriteRequest, type: ResourceType, query: string = request.target.query) {
  const { services, access, target } = request;
  const context = withLinks(request, target.origin);
  const { addresses, links } = context;
  const parsed: Query = parseQuery(query, 'individual', services.settings);
  includeTree(services, access, [type], parsed.include);
  return {
    locationOf: (entity: Entity) => links.individual(type, entity.id, languageOf(entity)),
    async document(entity: Entity, field?: FieldDefinition): Promise<SerializedBody> {
      const own = addresses.individual(type, entity.id);
      const address = field === undefined ? own : addresses.relationship(type, entity.id, field.name).self;
      const { self } = createRequestPager(address, query);
      const addressed =
        field === undefined
          ? ({ kind: 'individual', entity } as const)
          : ({ kind: 'relationship', entity, field } as const);
      // Without a schema, the change may have changed the fields of the type.
      const current = services.store.types.get(type.name) ?? type;
      return writeDocument(await resourceDocument(context, current, addressed, parsed, self));
    },
  };
}
