import type { Action } from '../../core/access/role.ts';
import { checkJsonApiAccept } from '../../core/api/accept.ts';
import { withLinks } from '../../core/api/jsonapi/context.ts';
import { readLinkage, readResource } from '../../core/api/jsonapi/deserialize.ts';
import { fragmentOf, ignoredParameters, metaMember } from '../../core/api/jsonapi/document.ts';
import { withFileUris } from '../../core/api/jsonapi/file-uris.ts';
import { mapLinkage, mapRelationships } from '../../core/api/jsonapi/linkage.ts';
import { checkBody, unsupported } from '../../core/api/media-type.ts';
import {
  checkMethod,
  noContent,
  type ReadOperations,
  type WriteRequest,
  type WriteResponse,
  writerOf,
} from '../../core/api/request.ts';
import { methodsOf } from '../../core/api/routes.ts';
import { isRelationship } from '../../core/content/file-resource.ts';
import type { Entity, FieldDefinition, Reference, ResourceType } from '../../core/content/model.ts';
import type { Query } from '../../core/engine/ast.ts';
import { LANGUAGE_PARAMETER, parseQuery } from '../../core/engine/parse/parse-query.ts';
import type { EntityStore } from '../../core/engine/store/entity-store.ts';
import { writeJson } from '../../core/read/compose.ts';
import {
  ATOMIC_EXTENSION,
  ATOMIC_MEDIA_TYPE,
  JSONAPI_MEDIA_TYPE,
  JSONAPI_MEMBER,
} from '../../core/read/document-types.ts';
import { findAddressed, findEntity, findType } from '../../core/read/find.ts';
import { references } from '../../core/read/include.ts';
import { prefixedSettings } from '../../core/read/language-paths.ts';
import type { Reader } from '../../core/read/reader.ts';
import {
  BadParameterError,
  DomainError,
  type ErrorSource,
  NotFoundError,
  withSource,
} from '../../core/util/errors.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../core/util/json.ts';
import { checkMayAtAll } from '../../core/write/permissions.ts';
import { badBody, escaped } from '../../core/write/request-json.ts';
import type {
  Operation,
  OperationContent,
  Preconditions,
  RelationshipChange,
  StagedChange,
  Writer,
} from '../../core/write/writer.ts';
import {
  type Identifier,
  lidKey,
  locate,
  locating,
  newResource,
  type Op,
  type OperationObject,
  type OperationTarget,
  readOperations,
} from './read-operations.ts';
import { unifiedDiff } from './unified-diff.ts';

/** Carries out `POST /jsonapi/operations`. Source: JSON:API extension "Atomic Operations". */
export async function performOperations(request: WriteRequest): Promise<WriteResponse> {
  const { services, target, writer, work } = request;
  const { settings, store } = services;
  const query = parseQuery(target.query, 'individual', settings);
  if (query.includeSent) {
    throw new BadParameterError('include', 'A response to operations cannot include other resources.');
  }
  const { objects, operations, resources, dryRun } = await readRequest(request);
  const by = writerOf(request);
  const common = { jsonapi: { ...JSONAPI_MEMBER, ext: [ATOMIC_EXTENSION] } };
  const ignored = ignoredParameters(request, query);
  if (dryRun) {
    const diff = unifiedDiff(await writer.preview(by, operations));
    const meta = { dryRun, diff, ...(ignored.length > 0 && { ignored }) };
    return { outcome: 'changed', written: writeJson({ ...common, meta }) };
  }
  const { written, job } = await writer.perform(by, operations);
  const pointerOf: WriteResponse['pointerOf'] = ({ type, id, translation }, field) => {
    const at = written.findLastIndex(
      ({ entity }) => entity.type === type && entity.id === id && entity.translation === translation,
    );
    const definition = store.types.get(type)?.fields.get(field ?? '');
    return objects[at] && objects[at].pointer + pointerOfField(objects[at], field, definition);
  };
  const results: { readonly data?: unknown }[] = [];
  for (const [at, { entity }] of written.entries()) {
    const object = objects[at];
    // The type of an entity that a later operation removed may be gone.
    const hasData = object !== undefined && resources.has(object) && store.types.has(entity.type);
    results.push(hasData ? { data: await resourceOf(request, object, entity, query) } : {});
    await work.pause();
  }
  if (results.every((result) => result.data === undefined)) return { ...noContent({ job }), pointerOf };
  const document = { ...common, 'atomic:results': results, ...metaMember({ ignored }) };
  return { outcome: 'changed', job, written: writeJson(document), pointerOf };
}

export const readOperationsOf: ReadOperations = async (request) => (await readRequest(request)).operations;

/** Reads the operations of a request. `resources` are those that have run, and whose result is a resource. */
async function readRequest(request: WriteRequest): Promise<{
  readonly objects: readonly OperationObject[];
  readonly operations: readonly Operation[];
  readonly resources: ReadonlySet<OperationObject>;
  readonly dryRun: boolean;
}> {
  const { services, language, method, headers, target, work } = request;
  const { settings, store } = services;
  checkMethod(method, methodsOf(target.route));
  checkJsonApiAccept(headers.get('accept'), ATOMIC_EXTENSION);
  checkAtomicBody(request);
  checkNoPreconditions(headers);
  if (language !== undefined) {
    throw new BadParameterError(
      LANGUAGE_PARAMETER,
      'Leave out langCode: each operation names its language, in `href` or in `meta.langCode`.',
    );
  }
  const { url, origin } = target;
  const { objects: sent, dryRun } = readOperations(await request.body('bodyBytes'), {
    ...settings,
    url,
    origin,
  });
  const objects = await Promise.all(
    sent.map(async (object) => ({ ...object, document: await withFileUris(services, object.document) })),
  );
  const by = writerOf(request);
  for (const object of objects) {
    // Refused before the content is locked.
    atOperation(object, () => checkAction(by, object, store));
  }
  const lids = createLids();
  const resources = new Set<OperationObject>();
  const operations = objects.map((object): Operation => {
    const created = newResource(object);
    return {
      creates: (run) => created && lids.referenceTo(created, run),
      async run(content) {
        await work.pause();
        const { change, isResource } = await runOperation(object, lids, content);
        if (created !== undefined) lids.set(created, change.entity);
        if (isResource) resources.add(object);
        return change;
      },
      locate: (error) => located(error, object),
    };
  });
  return { objects, operations, resources, dryRun };
}

const decoder = new TextDecoder();

/** The place of a field in an operation. */
function pointerOfField(
  { op, target }: OperationObject,
  field: string | undefined,
  definition: FieldDefinition | undefined,
): string {
  if (op === 'remove' && target.kind !== 'relationship') return '';
  if (field === undefined || target.kind === 'relationship') return '/data';
  const isAmong = definition !== undefined && isRelationship(definition);
  return `/data/${isAmong ? 'relationships' : 'attributes'}/${escaped(field)}`;
}

/** The resource, as in the response to a single request in the language of the operation. */
async function resourceOf(
  { services, actor, target }: WriteRequest,
  { language }: OperationObject,
  entity: Entity,
  query: Query,
): Promise<unknown> {
  const isPrefixed = language !== undefined && !language.inQuery;
  const settings = isPrefixed ? prefixedSettings(services.settings, language.langcode) : services.settings;
  const access = services.access(actor, language ?? 'source');
  const context = withLinks({ services: { ...services, settings }, access, actor, language }, target.origin);
  return JSON.parse(decoder.decode((await fragmentOf(context, entity, query)).bytes));
}

/** Runs the command of an operation. `isResource` is true if the result is a resource. */
async function runOperation(
  object: OperationObject,
  lids: Lids,
  { reader, writer: { actor }, commands }: OperationContent,
): Promise<{ readonly change: StagedChange; readonly isResource: boolean }> {
  const { op, document, language } = object;
  const access = reader.access(actor, language ?? 'source');
  const writer = { actor, access };
  const target = await findTarget(object, lids, reader, writer);
  const { data = null } = document;
  switch (target.kind) {
    case 'collection': {
      if (op !== 'add') throw badBody(`\`${op}\` needs a resource or a relationship as its target.`);
      const resource = { ...document, data: mapRelationships(data, lids.withId) };
      const input = readResource(resource, target.type, access, undefined);
      return { change: await commands.create(writer, target.type, input), isResource: true };
    }
    case 'source': {
      const { entity, type } = target;
      const resource = { ...document, data: withIds(data, lids) };
      const input = readResource(resource, type, access, entity.id, 'optional');
      const change = await commands.translate(writer, entity, target.language, input);
      return { change, isResource: true };
    }
    case 'individual': {
      const { entity, type } = target;
      const when = preconditions(object);
      if (op === 'remove') return { change: await commands.remove(writer, entity, when), isResource: false };
      if (op === 'add') {
        throw badBody('`add` needs a collection, a relationship or a new translation as its target.');
      }
      const input = readResource({ ...document, data: withIds(data, lids) }, type, access, entity.id);
      return { change: await commands.update(writer, entity, input, when), isResource: true };
    }
    case 'relationship': {
      const { entity, field } = target;
      // Orbit sends one identifier to add to a list.
      const linkage = { ...document, data: mapLinkage(data, lids.withId) };
      const input = readLinkage(linkage, field, op !== 'update');
      const when = preconditions(object);
      const change = await commands.relate(writer, entity, field.name, RELATIONSHIP_CHANGES[op], input, when);
      return { change, isResource: false };
    }
    default:
      return target satisfies never;
  }
}

/** A resource with ids in place of each `lid`, its own and those of its relationships. */
function withIds(data: JsonValue, lids: Lids): JsonValue {
  return mapRelationships(isRecord(data) ? lids.withId(data) : data, lids.withId);
}

const RELATIONSHIP_CHANGES: Readonly<Record<Op, RelationshipChange>> = {
  add: 'add',
  update: 'set',
  remove: 'remove',
};

type Target =
  | { readonly kind: 'collection'; readonly type: ResourceType }
  /** The source of a translation that does not exist yet. */
  | {
      readonly kind: 'source';
      readonly type: ResourceType;
      readonly entity: Entity;
      readonly language: string;
    }
  | { readonly kind: 'individual'; readonly type: ResourceType; readonly entity: Entity }
  | { readonly kind: 'relationship'; readonly entity: Entity; readonly field: FieldDefinition };

/** Finds the target among the entities that the actor may see. Errors point to the member that names it. */
async function findTarget(
  { op, target, language }: OperationObject,
  lids: Lids,
  reader: Reader,
  { actor, access }: Writer,
): Promise<Target> {
  try {
    const type = typeOf(target, reader.store);
    if (target.kind === 'collection') return { kind: 'collection', type };
    const path = target.kind === 'href' ? target.segments.slice(2) : [lids.idOf(target)];
    if (op === 'add' && language !== undefined && target.kind !== 'relationship') {
      const { kind, entity } = await findAddressed(reader, reader.access(actor, 'source'), type, path);
      if (kind === 'individual') return { kind: 'source', type, entity, language: language.langcode };
    }
    if (target.kind === 'href') {
      if (path.length === 0) return { kind: 'collection', type };
      const addressed = await findAddressed(reader, access, type, path);
      const { kind, entity } = addressed;
      if (kind === 'individual') return { kind, type, entity };
      if (kind === 'relationship') return { kind, entity, field: addressed.field };
      throw badBody('`href` is the address of related resources. Use that of the relationship.');
    }
    const entity = await findEntity(reader, access, type, path);
    if (target.kind === 'entity') return { kind: 'individual', type, entity };
    const fields = references(access, type);
    const field = fields.find(({ name }) => name === target.name);
    if (field !== undefined) return { kind: 'relationship', entity, field };
    const names = fields.map(({ name }) => name).join(', ');
    throw new NotFoundError(
      `${type.name} has no relationship '${target.name}'. Its relationships: ${names}.`,
    );
  } catch (error) {
    throw locate(`/${target.member}`, error);
  }
}

function typeOf(target: OperationTarget, store: EntityStore): ResourceType {
  if (target.kind === 'href') {
    const [entityType = '', bundle = ''] = target.segments;
    return locating('/href', () => findType(store, entityType, bundle));
  }
  const type = store.types.get(target.type);
  if (type !== undefined) return type;
  const names = [...store.types.keys()].join(', ');
  throw new NotFoundError(`The resource type '${target.type}' does not exist. Types: ${names}.`, {
    pointer: `/${target.member}/type`,
  });
}

/** Throws if the actor may not do this to any entity of the type. */
function checkAction(writer: Writer, { op, target }: OperationObject, store: EntityStore): void {
  const type = typeOf(target, store);
  if (target.kind === 'href') return;
  const isResource = target.kind !== 'relationship';
  checkMayAtAll(writer, isResource ? RESOURCE_ACTIONS[op] : 'update', type);
}

const RESOURCE_ACTIONS: Readonly<Record<Op, Action>> = { add: 'create', update: 'update', remove: 'delete' };

/** Throws `unsupported-media-type` for a body that is not JSON:API with the extension for operations. */
function checkAtomicBody(body: WriteRequest): void {
  const parameters = checkBody({ ...body, hasBody: true }, JSONAPI_MEDIA_TYPE);
  const isExtended = parameters.some(([name, value]) => name === 'ext' && value === ATOMIC_EXTENSION);
  const isSupported = parameters.every(([name]) => name === 'ext' || name === 'profile');
  if (!isExtended || !isSupported) throw unsupported(ATOMIC_MEDIA_TYPE, body);
}

/** Headers are about one entity. */
function checkNoPreconditions(headers: Headers): void {
  for (const header of ['If-Match', 'If-None-Match']) {
    if (!headers.has(header)) continue;
    const detail = `${header} does not apply to several entities. Send \`meta.ifMatch\` with operations.`;
    throw new DomainError('bad-request', detail, { source: { header } });
  }
}

function preconditions({ revision }: OperationObject): Preconditions {
  return { ifMatch: revision === null ? null : `"${revision}"`, ifNoneMatch: null };
}

type Lids = ReturnType<typeof createLids>;

/** The ids of the resources that the operations add. */
function createLids() {
  const ids = new Map<string, string>();
  const keyIn = ({ type, lid }: JsonObject) =>
    typeof type === 'string' && typeof lid === 'string' ? lidKey(type, lid) : undefined;
  return {
    /** See `Operation.creates`. */
    referenceTo(resource: JsonObject, run: number): Reference | undefined {
      const { type, id: sent } = resource;
      const key = keyIn(resource);
      const id = sent ?? (run === 1 ? crypto.randomUUID() : ids.get(key ?? ''));
      if (typeof type !== 'string' || typeof id !== 'string') return undefined;
      if (key !== undefined) ids.set(key, id);
      return key !== undefined || sent !== undefined ? { type, id } : undefined;
    },
    set(resource: JsonObject, { id }: Entity): void {
      const key = keyIn(resource);
      if (key !== undefined) ids.set(key, id);
    },
    idOf: ({ type, id, lid = '' }: Identifier): string => id ?? ids.get(lidKey(type, lid)) ?? '',
    /** The identifier with the id of its `lid`. */
    withId(identifier: JsonObject): JsonObject {
      const id = identifier.id ?? ids.get(keyIn(identifier) ?? '');
      return id === undefined ? identifier : { ...identifier, id };
    },
  };
}

function atOperation(object: OperationObject, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof DomainError ? located(error, object) : error;
  }
}

/** The error with its pointer in the whole document. */
function located(error: DomainError, { pointer }: OperationObject): DomainError {
  const place = (source: ErrorSource) => ({
    pointer: pointer + (source.header === 'If-Match' ? IF_MATCH : (source.pointer ?? '')),
  });
  const { reason, details } = error;
  return reason === 'precondition-required'
    ? new DomainError(reason, REVISION_NEEDED, { ...details, source: { pointer } })
    : withSource(error, place);
}

const IF_MATCH = '/meta/ifMatch';
const REVISION_NEEDED =
  'Changes need `meta.ifMatch` with the `meta.revision` of the entity (option editing.requireIfMatch).';
