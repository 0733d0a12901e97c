import type { Access } from '../../core/access/access.ts';
import { type Actor, ANONYMOUS } from '../../core/access/actor.ts';
import type { ReadRequest, Services } from '../../core/api/request.ts';
import { JSONAPI_PATH } from '../../core/api/routes.ts';
import type { Entity } from '../../core/content/model.ts';
import { LANGUAGE_PARAMETER } from '../../core/engine/parse/parse-query.ts';
import { encodeId } from '../../core/read/links.ts';
import { requestLanguage } from '../../core/read/request-language.ts';
import { visibleFields } from '../../core/read/sparse-fields.ts';
import { ForbiddenError, NotFoundError } from '../../core/util/errors.ts';
import type { ForkedContent } from '../../core/write/writer.ts';
import type { SharedEntry } from './share-token.ts';

export interface SharedContent extends Pick<ForkedContent, 'reader' | 'store'> {
  /** The version that is shown; undefined if the site does not have it any more. */
  readonly entity: Entity | undefined;
  /** A draft that has become an entry, or was deleted, leads to this entry. */
  readonly version: 'draft' | 'entry';
  /** False if visitors of the site see the same. */
  readonly isHidden: boolean;
}

interface SharedState extends Pick<SharedEntry, 'type' | 'entry' | 'translation' | 'version'> {
  readonly services: Services;
  readonly maker: Actor;
  readonly origin: string;
}

/**
 * The content with one version of an entry, as if it was published. Without the draft, it is the entry. Throws ForbiddenError if the
 * maker may not change the entry, or may not see what its page shows.
 */
export async function openSharedContent(state: SharedState): Promise<SharedContent> {
  const { services, maker, type, entry, translation } = state;
  const { writer } = services;
  if (writer === null) throw new NotFoundError('This server does not change content.');
  const access = services.access(maker, 'source');
  const draft = state.version === 'draft' ? await findDraft(state) : undefined;
  // No other request sees the fork.
  const { content } = await writer.attempt({ actor: maker, access }, []);
  const { store, reader } = content;
  const entity = draft ?? store.get(type, entry, translation);
  const version = draft === undefined ? 'entry' : 'draft';
  if (entity !== undefined && draft === undefined && !access.allows('update', entity)) {
    throw new ForbiddenError('You may not change this entry.');
  }
  const isHidden =
    entity !== undefined &&
    (draft !== undefined || !reader.access(ANONYMOUS, 'source').allows('view', entity));
  if (isHidden) {
    checkSeesFields(content, access, entity);
    store.put(asPublished(entity));
  }
  return { reader, store, entity, version, isHidden };
}

/** The draft of an entry; undefined without one that the maker may see. Throws ForbiddenError if the maker may not change it. */
async function findDraft(state: SharedState): Promise<Entity | undefined> {
  const handler = await state.services.features.handler('draft');
  if (handler === undefined || !('answer' in handler)) return undefined;
  const request = draftRequest(state);
  try {
    const entity = await handler.entity?.(request);
    const { allow = [] } = (await handler.options?.(request))?.meta ?? {};
    if (!allow.includes('PATCH')) throw new ForbiddenError('You may not change this draft.');
    return entity;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  } finally {
    request.work.end();
  }
}

/** The request with which the maker reads the draft. */
function draftRequest({ services, maker, origin, type, entry, translation }: SharedState): ReadRequest {
  const { settings, features } = services;
  const route = features.routes.find(({ name }) => name === 'draft');
  if (route === undefined) throw new Error('The route of drafts is missing.');
  const rest = `/_drafts/${type}/${encodeId(entry)}`;
  const pathname = `${settings.base}${settings.prefix ?? ''}${JSONAPI_PATH}${rest}`;
  const query = translation === undefined ? '' : `${LANGUAGE_PARAMETER}=${encodeURIComponent(translation)}`;
  const language = requestLanguage(settings.languages, query, undefined);
  return {
    services,
    actor: maker,
    access: services.access(maker, language),
    target: { route, url: origin + pathname, origin, pathname, rest, query },
    headers: new Headers(),
    language,
    body: async () => '',
    work: services.responseLimiter.begin(),
    client: {},
    forward: async () => undefined,
  };
}

/** Throws ForbiddenError for fields that a page shows to visitors, but the API not to the maker. */
function checkSeesFields({ reader, store }: ForkedContent, access: Access, entity: Entity): void {
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
