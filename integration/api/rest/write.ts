import type { KnownEntities } from '../../content/decode/references.ts';
import type { Entity, FieldDefinition, ResourceType } from '../../content/model.ts';
import { writeJson } from '../../read/compose.ts';
import { fileField, findEntity } from '../../read/find.ts';
import { pathSegments } from '../../read/url-path.ts';
import { GoneError, NotFoundError } from '../../util/errors.ts';
import { checkMay, checkMayAtAll } from '../../write/permissions.ts';
import type { Preconditions } from '../../write/writer.ts';
import { checkJsonAccept } from '../accept.ts';
import { checkMethod } from '../check-method.ts';
import { checkJsonBody, isFileBody } from '../media-type.ts';
import { storeBody } from '../upload.ts';
import { noContent, preconditionsOf, type WriteAnswer, type WriteRequest, who } from '../write-request.ts';
import { readFlatEntity, readFlatList } from './deserialize.ts';
import { checkFields, type EntityQuery, fileDocument, REST_WRITE_METHODS, writeListed } from './document.ts';
import { findListed, type Listed } from './find-listed.ts';
import { type BundleNames, createBundleNames } from './names.ts';
import { parseRestQuery } from './parse-rest.ts';
import { createRestServerLinks } from './rest-links.ts';

/** Carries out `POST`, `PUT`, `PATCH` and `DELETE` below `/api/content`: 201 with the result, 204 where it was removed. */
export async function writeRest(request: WriteRequest): Promise<WriteAnswer> {
  const { services, method, rest, headers } = request;
  checkJsonAccept(headers.get('accept'));
  const names = createBundleNames(services.store.types.values(), services.settings.plurals);
  const [name = '', ...below] = pathSegments(rest);
  const target = { request, names, type: names.find(name) };
  if (below.length === 0) {
    checkMethod(method, REST_WRITE_METHODS.collection);
    return create(target, undefined);
  }
  const file = method === 'POST' ? fileField(request.access, target.type, below) : undefined;
  // A list of files takes what names them, too.
  if (file !== undefined && (!file.list || below.length === 1 || isFileBody(request))) {
    return takeFile(target, file, below.slice(0, -1));
  }
  const listed = await findToWrite(target, below);
  if (listed === undefined) return create(target, below.join('/'));
  checkMethod(method, REST_WRITE_METHODS[listed.kind]);
  switch (listed.kind) {
    case 'individual':
      return method === 'DELETE' ? remove(target, listed) : change(target, listed);
    case 'list':
      return changeList(target, listed, listed.field);
    default:
      return listed satisfies never;
  }
}

/** What is changed; undefined where a `PUT` that asks for that is to create it. */
async function findToWrite({ request, type }: Target, below: readonly string[]): Promise<Listed | undefined> {
  const { services, access, method, headers } = request;
  try {
    return await findListed(services, access, type, below);
  } catch (error) {
    const creates = method === 'PUT' && headers.get('if-none-match')?.trim() === '*';
    if (creates && (error instanceof NotFoundError || error instanceof GoneError)) return undefined;
    throw error;
  }
}

async function create(target: Target, id: string | undefined): Promise<WriteAnswer> {
  const { request, type } = target;
  const { access, writer } = request;
  checkJsonBody(request);
  const answer = answerOf(target);
  checkMayAtAll(who(request), 'create', type);
  const input = readFlatEntity(await request.body('bodyBytes'), type, access, knownTo(request), id);
  const { entity, job } = await writer.create(who(request), type, input, preconditionsOf(request));
  return answer({ kind: 'individual', entity }, job);
}

async function change(target: Target, listed: Listed): Promise<WriteAnswer> {
  const { request, type } = target;
  const { access, writer, method } = request;
  const { entity: found } = listed;
  checkJsonBody(request);
  const answer = answerOf(target);
  checkMay(who(request), 'update', type, found);
  const input = readFlatEntity(await request.body('bodyBytes'), type, access, knownTo(request), found.id);
  const command = method === 'PUT' ? writer.replace : writer.update;
  const { entity, job } = await command(who(request), found, input, tagged(target, listed));
  return answer({ kind: 'individual', entity }, job);
}

async function remove(target: Target, listed: Listed): Promise<WriteAnswer> {
  const { request } = target;
  return noContent(await request.writer.remove(who(request), listed.entity, tagged(target, listed)));
}

/** `POST` adds to a list, `PUT` replaces it, `DELETE` empties it. */
async function changeList(target: Target, listed: Listed, field: FieldDefinition): Promise<WriteAnswer> {
  const { request, type } = target;
  const { method, writer } = request;
  const { entity: found } = listed;
  if (method !== 'DELETE') checkJsonBody(request);
  const answer = answerOf(target);
  checkMay(who(request), 'update', type, found);
  const text = method === 'DELETE' ? '[]' : await request.body('bodyBytes');
  const input = readFlatList(text, field, knownTo(request));
  const when = tagged(target, listed);
  const written =
    method === 'POST'
      ? await writer.append(who(request), found, field.name, input, when)
      : await writer.update(who(request), found, input, when);
  if (method === 'DELETE') return noContent(written);
  return answer({ kind: 'list', entity: written.entity, field }, written.job);
}

/** Stores the body as a file beside the entity, or for one that is to come where there is no id. */
async function takeFile(target: Target, field: FieldDefinition, id: readonly string[]): Promise<WriteAnswer> {
  const { request, type } = target;
  const { services, access, query } = request;
  const entity = id.length === 0 ? null : await findEntity(services, access, type, id);
  const parsed = parseRestQuery(query, 'entity', services.settings);
  const when = entity === null ? preconditionsOf(request) : tagged(target, { kind: 'individual', entity });
  const stored = await storeBody(request, { type, field, entity }, when);
  const now = entity && (services.store.get(type.name, entity.id) ?? entity);
  const document = fileDocument(contextOf(target, ''), type, now, stored, parsed);
  const headers = { location: stored.location };
  return { status: 201, job: stored.job, written: writeJson(document), headers };
}

/** How a change is answered. What its query asks for is checked before anything is changed. */
function answerOf(target: Target): (listed: Listed, job: string | undefined) => Promise<WriteAnswer> {
  const { request, type } = target;
  const { services, access, query } = request;
  const parsed = parseRestQuery(query, 'entity', services.settings);
  checkFields(type, access, parsed.fields);
  return async (listed, job) => {
    // The type may have changed with the entity: without a schema its fields are those that files have.
    const now = services.store.types.get(type.name) ?? type;
    const { links } = contextOf(target, '');
    const location =
      listed.kind === 'individual'
        ? links.entity(now, listed.entity.id)
        : links.field(now, listed.entity.id, listed.field.name);
    return {
      status: 201,
      job,
      written: await writeListed(contextOf(target, query), now, listed, parsed),
      headers: { location },
    };
  };
}

/** With the tags that `GET` of this address answers, with the query and without it. */
function tagged(target: Target, listed: Listed): Preconditions {
  const { request, type } = target;
  const { services, query } = request;
  const queries = [WHOLE, parseRestQuery(query, 'entity', services.settings)];
  return {
    ...preconditionsOf(request),
    async otherTags(entity: Entity) {
      const now = services.store.types.get(type.name) ?? type;
      const read = queries.map((each) =>
        writeListed(contextOf(target, query), now, { ...listed, entity }, each),
      );
      return (await Promise.all(read)).map(({ tag }) => tag);
    },
  };
}

function contextOf({ request, names }: Target, query: string) {
  const { services, access, origin, prefix } = request;
  return {
    services,
    access,
    links: createRestServerLinks(services.settings, names, { origin, prefix, query }),
  };
}

/** Which entities the actor may refer to. */
function knownTo({ services, access }: WriteRequest): KnownEntities {
  return { has: (type, id) => services.engine.visible(type, id, access) === true };
}

const WHOLE: EntityQuery = { fields: undefined, ignored: [] };

interface Target {
  readonly request: WriteRequest;
  readonly names: BundleNames;
  readonly type: ResourceType;
}
