import { type Actor, ANONYMOUS } from '../../core/access/actor.ts';
import type { Services, WriteRequest } from '../../core/api/request.ts';
import { JSONAPI_PATH } from '../../core/api/routes.ts';
import type { Entity } from '../../core/content/model.ts';
import { LANGUAGE_PARAMETER } from '../../core/engine/parse/parse-query.ts';
import { parseSerialized } from '../../core/read/compose.ts';
import { ATOMIC_MEDIA_TYPE } from '../../core/read/document-types.ts';
import { encodeId } from '../../core/read/links.ts';
import type { Reader } from '../../core/read/reader.ts';
import { requestLanguage } from '../../core/read/request-language.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';
import { ForbiddenError, NotFoundError } from '../../core/util/errors.ts';
import { isRecord, type JsonObject, type JsonValue } from '../../core/util/json.ts';
import type { ForkedContent, Operation } from '../../core/write/writer.ts';
import type { SharedEntry } from './share-token.ts';

export type SharedState = Pick<SharedEntry, 'type' | 'entry' | 'translation' | 'version'>;

export interface SharedContent {
  readonly reader: Reader;
  readonly store: ForkedContent['store'];
  /** The entry as readers would see it; undefined if the site does not have this version any more. */
  readonly entity: Entity | undefined;
}

/**
 * The content with one version of an entry, as if its maker published it. A draft passes the checks of a save. Throws
 * DomainError: ForbiddenError if the maker may not change the entry, or may not see what its page shows.
 */
export async function openSharedContent(
  services: Services,
  maker: Actor,
  origin: string,
  state: SharedState,
): Promise<SharedContent> {
  const { writer } = services;
  if (writer === null) throw new NotFoundError('This server does not change content.');
  const sent = { services, maker, origin, state };
  const operation = state.version === 'draft' ? await draftOperation(sent) : undefined;
  const operations = operation === undefined ? [] : await readOperations(sent, operation);
  const by = { actor: maker, access: services.access(maker, 'source') };
  const { content, written } = await writer.attempt(by, operations);
  const { store, reader } = content;
  const { type, entry, translation, version } = state;
  const changed = version === 'draft' ? written[0]?.entity : { type, id: entry, translation };
  const entity = changed && store.get(changed.type, changed.id, changed.translation);
  if (entity !== undefined) {
    const access = reader.access(maker, 'source');
    if (!access.allows('update', entity)) throw new ForbiddenError('You may not change this entry.');
    checkSeesFields(content, access, entity);
    store.put(asPublished(entity));
  }
  return { reader, store, entity };
}

interface Sent {
  readonly services: Services;
  readonly maker: Actor;
  readonly origin: string;
  readonly state: SharedState;
}

/** The operation that makes the entry what its draft has; undefined without a draft that the maker may see. */
async function draftOperation(sent: Sent): Promise<JsonObject | undefined> {
  const { services, state } = sent;
  const { type, entry: id, translation } = state;
  const handler = await services.features.handler('draft');
  if (handler === undefined || !('answer' in handler)) return undefined;
  const request = requestFor(sent, `/_drafts/${type}/${encodeId(id)}`);
  try {
    const writable = await handler.options?.(request);
    const answer = await handler.answer(request);
    if (!('bytes' in answer)) return undefined;
    const { data } = parseSerialized(answer) as unknown as { readonly data: JsonObject };
    const { attributes, relationships } = (writable?.meta ?? {}) as Readonly<
      Record<string, readonly string[]>
    >;
    const resource = {
      type,
      id,
      attributes: picked(data.attributes, attributes),
      relationships: picked(data.relationships, relationships),
    };
    const isStored = services.store.get(type, id, translation) !== undefined;
    const meta = translation === undefined ? {} : { meta: { [LANGUAGE_PARAMETER]: translation } };
    return isStored
      ? { op: 'update', data: resource, ...meta }
      : { op: 'add', ...(translation !== undefined && { ref: { type, id } }), ...meta, data: resource };
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function picked(values: JsonValue | undefined, names: readonly string[] = []): JsonObject {
  if (!isRecord(values)) return {};
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

async function readOperations(sent: Sent, operation: JsonObject): Promise<readonly Operation[]> {
  const { readOperations: read } = sent.services.features;
  if (read === undefined) throw new Error('The feature `operations` is missing.');
  return read(requestFor(sent, '/operations', { 'atomic:operations': [operation] }));
}

/** A request of the maker to an address of JSON:API. */
function requestFor(
  { services, maker, origin, state }: Sent,
  rest: string,
  document?: JsonObject,
): WriteRequest & { forward(): Promise<undefined> } {
  const { settings, features, writer } = services;
  const route = features.routes.find(
    ({ name }) => name === (document === undefined ? 'draft' : 'operations'),
  );
  if (route === undefined || writer === null) throw new Error(`No route serves ${rest}.`);
  const pathname = `${settings.base}${settings.prefix ?? ''}${JSONAPI_PATH}${rest}`;
  const { translation } = state;
  const query =
    translation === undefined || document !== undefined
      ? ''
      : new URLSearchParams({ [LANGUAGE_PARAMETER]: translation }).toString();
  const language = requestLanguage(settings.languages, query, undefined);
  return {
    services,
    actor: maker,
    access: services.access(maker, language ?? 'source'),
    target: { route, url: origin + pathname, origin, pathname, rest, query },
    headers: new Headers(document && { 'content-type': ATOMIC_MEDIA_TYPE, accept: ATOMIC_MEDIA_TYPE }),
    language,
    method: document === undefined ? 'GET' : 'POST',
    hasBody: document !== undefined,
    writer,
    body: async () => JSON.stringify(document),
    bytes: async () => new TextEncoder().encode(JSON.stringify(document)),
    work: services.responseLimiter.begin(),
    client: {},
    forward: async () => undefined,
  };
}

/** Throws ForbiddenError for fields that a page shows to visitors, but the API not to the maker. */
function checkSeesFields(
  { reader, store }: ForkedContent,
  access: ReturnType<Reader['access']>,
  entity: Entity,
): void {
  const type = store.types.get(entity.type);
  if (type === undefined) return;
  const seen = new Set(visibleFields(type, access));
  if (visibleFields(type, reader.access(ANONYMOUS, 'source')).some((field) => !seen.has(field))) {
    throw new ForbiddenError('You may not see all fields that the page shows.');
  }
}

function asPublished({ schedule: _, ...entity }: Entity): Entity {
  const { values } = entity;
  const isFlag = typeof values.status === 'boolean';
  return { ...entity, published: true, values: isFlag ? { ...values, status: true } : values };
}
