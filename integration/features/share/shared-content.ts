import { type Actor, ANONYMOUS } from '../../core/access/actor.ts';
import type { Services } from '../../core/api/request.ts';
import type { Entity } from '../../core/content/model.ts';
import { ForbiddenError, NotFoundError } from '../../core/util/errors.ts';
import { publish } from '../../core/write/publish.ts';
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
  const found =
    state.version === 'draft'
      ? await services.findDraft?.({ services, access, actor: maker }, { type, id: entry, translation })
      : undefined;
  if (found?.mayChange === false) throw new ForbiddenError('You may not change this draft.');
  const draft = found?.entity;
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
  if (isHidden) publish(content, access, entity);
  return { reader, store, entity, version, isHidden };
}
